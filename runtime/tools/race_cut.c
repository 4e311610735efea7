// SPDX-License-Identifier: Apache-2.0
// Leaves out as many pieces at once as can be, then half as many, down to one by one. Whether a
// piece is needed is never reasoned about: it is tried.
#include "race_cut.h"

#include "array.h"
#include "chunk_writer.h"
#include "error.h"
#include "event_roles.h"
#include "map.h"
#include "output_file.h"
#include "report_json.h"
#include "report_source.h"
#include "session.h"
#include "volume_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBMISSION_KEY UINT64_C(1) // of units: no event that makes an object has this number
#define ROUNDS_MOST    4u

// Something that can be left out: an event, or a command of a recording.
struct piece {
	struct vkr_trace_event *event; // malloc'd; NULL for a command
	size_t of;                     // of a command: its recording's index
	uint32_t begin, bytes;         // of a command: where it stands in that
	uint32_t unit;                 // what is left out together, from 0
	bool submitted;                // the unit is a submission
	bool needed;                   // never left out
	bool kept;
};

struct cutting {
	struct vkr_race_cut *cut;
	struct vkr_judging judging; // for its rules
	struct {
		struct piece *items; // all events, then all commands
		size_t count, capacity;
	} pieces;
	size_t events;
	uint32_t units;
	char *sign;           // of the race, as it must be found
	struct vkr_map races; // those of the whole trace: hash of identity and class -> 1
	size_t coverage;      // entries, at most
	struct vkr_error *error;
};

// ---- Reading ------------------------------------------------------------------------------------

static bool add_event(struct cutting *cutting, const struct vkr_trace_event *event)
{
	struct vkr_trace_event *copy = malloc(event->bytes);
	if (!copy || !VKR_ARRAY_RESERVE(&cutting->pieces, 1)) {
		free(copy);
		return false;
	}
	memcpy(copy, event, event->bytes);
	cutting->pieces.items[cutting->pieces.count++] = (struct piece){
		.event = copy,
		.needed = event->type == VKR_TRACE_RUN_BEGIN || event->type == VKR_TRACE_RUN_END,
		.kept = true};
	return true;
}

static bool add_commands(struct cutting *cutting, size_t recording)
{
	const struct vkr_trace_event *event = cutting->pieces.items[recording].event;
	const struct vkr_trace_recording *made = (const void *)(event + 1);
	uint32_t at = sizeof *event + sizeof *made;
	const uint32_t end = at + made->event_bytes;
	while (at < end) {
		const struct vkr_trace_event *command = (const void *)((const char *)event + at);
		if (!VKR_ARRAY_RESERVE(&cutting->pieces, 1))
			return false;
		cutting->pieces.items[cutting->pieces.count++] = (struct piece){
			.of = recording, .begin = at, .bytes = command->bytes, .kept = true};
		at += command->bytes;
	}
	return true;
}

// The unit of a key; 0 is no key.
static bool unit_of(struct cutting *cutting, struct vkr_map *units, uint64_t key, uint32_t *unit)
{
	uint64_t found = 0;
	if (key != 0 && vkr_map_get(units, key, &found)) {
		*unit = (uint32_t)found;
		return true;
	}
	*unit = cutting->units++;
	return key == 0 || vkr_map_set(units, key, *unit);
}

static uint64_t key_of(const struct vkr_trace_event *event, const struct vkr_map *executed)
{
	const struct vkr_event_role role = vkr_event_role(event);
	const struct vkr_named_objects named = vkr_event_named(event);
	uint64_t submission = vkr_event_first_member(event);
	switch (role.role) {
	case VKR_ROLE_PENDING:
		return event->type == VKR_TRACE_ACQUIRE ? 0 : SUBMISSION_KEY << 32 | submission;
	case VKR_ROLE_EXECUTION:
		return vkr_map_get(executed, vkr_event_first_member(event), &submission)
			       ? SUBMISSION_KEY << 32 | submission
			       : 0;
	case VKR_ROLE_MAKE:
	case VKR_ROLE_CHANGE:
	case VKR_ROLE_DESTROY:
		return (uint64_t)role.object << 32 | vkr_event_first_member(event);
	case VKR_ROLE_LAST:
		return named.type != 0 && event->type != VKR_TRACE_SET_WRITE &&
				       event->type != VKR_TRACE_SET_COPY
			       ? (uint64_t)named.type << 32 | named.id
			       : 0;
	default:
		break;
	}
	if (event->type == VKR_TRACE_SHADER || event->type == VKR_TRACE_SHADER_INPUTS ||
	    event->type == VKR_TRACE_SHADER_FEEDBACK || event->type == VKR_TRACE_SHADER_SAMPLERS)
		return (uint64_t)VKR_TRACE_SHADER << 32 | vkr_event_first_member(event);
	return 0;
}

// Which submission each execution is of.
static bool find_executions(const struct cutting *cutting, struct vkr_map *executed)
{
	for (size_t i = 0; i < cutting->events; i++) {
		const struct vkr_trace_event *event = cutting->pieces.items[i].event;
		const struct vkr_trace_submit *submit = (const void *)(event + 1);
		if (event->type != VKR_TRACE_SUBMIT)
			continue;
		const struct vkr_trace_batch *batches = (const void *)(submit + 1);
		const struct vkr_trace_semaphore_operation *waits =
			(const void *)(batches + submit->batch_count);
		const struct vkr_trace_execution *executions =
			(const void *)(waits + submit->wait_count);
		for (uint32_t at = 0; at < submit->execution_count; at++)
			if (!vkr_map_set(executed, executions[at].execution, submit->submission))
				return false;
	}
	return true;
}

// A call stack is its thread's next event's.
static bool find_units(struct cutting *cutting, struct vkr_map *units, struct vkr_map *executed,
		       struct vkr_map *following)
{
	bool enough = find_executions(cutting, executed);
	for (size_t i = cutting->events; i-- > 0 && enough;) {
		struct piece *piece = &cutting->pieces.items[i];
		const uint64_t key = key_of(piece->event, executed);
		uint64_t next = 0;
		if (piece->event->type == VKR_TRACE_CALL_STACK &&
		    vkr_map_get(following, piece->event->thread, &next)) {
			piece->unit = cutting->pieces.items[next].unit;
			piece->submitted = cutting->pieces.items[next].submitted;
			continue;
		}
		piece->submitted = key >> 32 == SUBMISSION_KEY;
		enough = unit_of(cutting, units, key, &piece->unit) &&
			 vkr_map_set(following, piece->event->thread, i);
	}
	for (size_t i = cutting->events; i < cutting->pieces.count && enough; i++)
		enough = unit_of(cutting, units, 0, &cutting->pieces.items[i].unit);
	return enough;
}

static enum vkr_result read_trace(struct cutting *cutting)
{
	struct vkr_source *source = NULL;
	const struct vkr_trace_event *event = NULL;
	bool enough = true;
	enum vkr_result result = vkr_trace_open(&source, cutting->cut->trace, cutting->error);
	if (result != VKR_OK)
		return result;
	while (enough && (result = vkr_source_next(source, &event, cutting->error)) == VKR_OK &&
	       event)
		enough = add_event(cutting, event);
	vkr_source_close(source);
	cutting->events = cutting->pieces.count;
	for (size_t i = 0; i < cutting->events && enough && result == VKR_OK; i++)
		if (cutting->pieces.items[i].event->type == VKR_TRACE_RECORDING)
			enough = add_commands(cutting, i);
	struct vkr_map units = {0}, executed = {0}, following = {0};
	if (enough && result == VKR_OK)
		enough = find_units(cutting, &units, &executed, &following);
	vkr_map_finish(&units);
	vkr_map_finish(&executed);
	vkr_map_finish(&following);
	return enough ? result : vkr_error_memory(cutting->error, "a trace's events");
}

// ---- What is kept -------------------------------------------------------------------------------

typedef enum vkr_result take_event(void *user, const struct vkr_trace_event *event,
				   struct vkr_error *error);

static enum vkr_result take_recording(const struct cutting *cutting, size_t *next, size_t recording,
				      take_event *take, void *user, struct vkr_error *error)
{
	const struct vkr_trace_event *whole = cutting->pieces.items[recording].event;
	const size_t head = sizeof *whole + sizeof(struct vkr_trace_recording);
	struct vkr_trace_event *event = malloc(whole->bytes);
	if (!event)
		return vkr_error_memory(error, "a recording");
	memcpy(event, whole, head);
	size_t bytes = head;
	for (; *next < cutting->pieces.count && cutting->pieces.items[*next].of == recording;
	     ++*next) {
		const struct piece *command = &cutting->pieces.items[*next];
		if (!command->kept)
			continue;
		memcpy((char *)event + bytes, (const char *)whole + command->begin, command->bytes);
		bytes += command->bytes;
	}
	event->bytes = (uint32_t)bytes;
	((struct vkr_trace_recording *)(event + 1))->event_bytes = (uint32_t)(bytes - head);
	const enum vkr_result result = take(user, event, error);
	free(event);
	return result;
}

// Gives each event that is kept, without the commands that are not.
static enum vkr_result each_kept(const struct cutting *cutting, take_event *take, void *user,
				 struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	size_t command = cutting->events;
	for (size_t i = 0; i < cutting->events && result == VKR_OK; i++) {
		const struct piece *piece = &cutting->pieces.items[i];
		const bool records = piece->event->type == VKR_TRACE_RECORDING;
		if (records && piece->kept)
			result = take_recording(cutting, &command, i, take, user, error);
		else if (piece->kept)
			result = take(user, piece->event, error);
		while (records && command < cutting->pieces.count &&
		       cutting->pieces.items[command].of == i)
			command++;
	}
	return result;
}

static struct vkr_race_cut_size size_of(const struct cutting *cutting)
{
	struct vkr_race_cut_size size = {0};
	for (size_t i = 0; i < cutting->pieces.count; i++) {
		const struct piece *piece = &cutting->pieces.items[i];
		if (!piece->event) {
			size.commands += piece->kept && cutting->pieces.items[piece->of].kept;
			continue;
		}
		size.events += piece->kept;
		size.submissions += piece->kept && (piece->event->type == VKR_TRACE_SUBMIT ||
						    piece->event->type == VKR_TRACE_PRESENT);
	}
	return size;
}

// ---- Judging ------------------------------------------------------------------------------------

// All that a report says of a race, but for how often and where else it was found. NULL for lack of
// memory.
static char *sign_of(const struct vkr_report *report, uint32_t index)
{
	char id[sizeof((struct vkr_race_cut){.trace = NULL}.id)], *text = NULL;
	size_t bytes = 0;
	struct vkr_race_report race = report->races[index];
	struct vkr_report alone = {.program = "",
				   .model = report->model,
				   .verdict = VKR_VERDICT_RACES,
				   .races = &race,
				   .race_count = 1,
				   .sources = report->sources,
				   .source_count = report->source_count,
				   .race_total = 1};
	FILE *out = open_memstream(&text, &bytes);
	if (!out)
		return NULL;
	snprintf(id, sizeof id, "%.*s", (int)strcspn(race.id, "-"), race.id);
	race.id = id;
	race.count = 1;
	race.extent = (struct vkr_race_extent){0};
	const enum vkr_result result = vkr_report_json(&alone, out, NULL);
	if (fclose(out) == 0 && result == VKR_OK)
		return text;
	free(text);
	return NULL;
}

static enum vkr_result race_cut_feed(void *user, const struct vkr_trace_event *event,
				     struct vkr_error *error)
{
	return vkr_session_event(user, event, error);
}

static enum vkr_result race_cut_judge(struct cutting *cutting, struct vkr_session **session,
				      struct vkr_error *error)
{
	const struct vkr_session_options options = {.any_image = cutting->judging.any_image,
						    .rules = cutting->judging.rules,
						    .choice = cutting->judging.choice};
	cutting->cut->judged++;
	enum vkr_result result = vkr_session_create(&options, session, error);
	if (result == VKR_OK)
		result = each_kept(cutting, race_cut_feed, *session, error);
	return result == VKR_OK ? vkr_session_end(*session, error) : result;
}

// A race's identity, without the number that tells those of one report apart, and class.
static uint64_t hash_of(const struct vkr_race_report *race)
{
	uint64_t hash = vkr_map_hash((uint64_t)race->race_class);
	for (const char *at = race->id; *at && *at != '-'; at++)
		hash = vkr_map_hash(hash ^ (unsigned char)*at);
	return hash;
}

// Whether the race is found as before. What synchronizes may only be left out if no race comes of
// that which the whole trace does not have, and nothing more may be unobserved.
static bool race_cut_shows(const struct cutting *cutting, const struct vkr_report *report)
{
	bool shown = false, sound = report->coverage_count <= cutting->coverage;
	for (uint32_t i = 0; i < report->race_count && sound; i++) {
		char *sign = sign_of(report, i);
		uint64_t unused = 0;
		shown = shown || (sign && strcmp(sign, cutting->sign) == 0);
		sound = vkr_map_get(&cutting->races, hash_of(&report->races[i]), &unused);
		free(sign);
	}
	return shown && sound;
}

static enum vkr_result is_shown(struct cutting *cutting, bool *shown)
{
	struct vkr_session *session = NULL;
	struct vkr_error reason;
	enum vkr_result result = race_cut_judge(cutting, &session, &reason);
	*shown = false;
	if (result == VKR_ERROR_FORMAT) { // what is left does not fit together
		vkr_session_destroy(session);
		return VKR_OK;
	}
	*shown = result == VKR_OK && race_cut_shows(cutting, vkr_session_report(session));
	vkr_session_destroy(session);
	return result == VKR_OK ? result
				: vkr_error_set(cutting->error, result, "%s", reason.message);
}

static enum vkr_result find_wanted(struct cutting *cutting)
{
	struct vkr_session *session = NULL;
	struct vkr_error reason;
	uint32_t race = 0;
	enum vkr_result result = race_cut_judge(cutting, &session, &reason);
	if (result != VKR_OK) {
		vkr_session_destroy(session);
		return vkr_error_set(cutting->error, result, "%s", reason.message);
	}
	const struct vkr_report *report = vkr_session_report(session);
	result = vkr_report_find_race(report, cutting->cut->race, &race, cutting->error);
	if (result == VKR_OK) {
		cutting->coverage = report->coverage_count;
		snprintf(cutting->cut->id, sizeof cutting->cut->id, "%s", report->races[race].id);
		cutting->sign = sign_of(report, race);
		bool enough = cutting->sign;
		for (uint32_t i = 0; i < report->race_count && enough; i++)
			enough = vkr_map_set(&cutting->races, hash_of(&report->races[i]), 1);
		if (!enough)
			result = vkr_error_memory(cutting->error, "a race");
	}
	vkr_session_destroy(session);
	return result;
}

// ---- Leaving out --------------------------------------------------------------------------------

enum pass {
	PASS_SUBMISSIONS,
	PASS_EVENTS,
	PASS_COMMANDS,
	PASSES,
};

static enum pass pass_of(const struct piece *piece)
{
	if (!piece->event)
		return PASS_COMMANDS;
	return piece->submitted ? PASS_SUBMISSIONS : PASS_EVENTS;
}

// The units that a pass may leave out, each once, in order of their last piece from the back.
static enum vkr_result list_units(const struct cutting *cutting, enum pass pass, uint32_t **units,
				  size_t *count)
{
	enum { NEW, LISTED, NEEDED };
	unsigned char *state = calloc(cutting->units + (size_t)1, 1);
	*units = calloc(cutting->units + (size_t)1, sizeof **units);
	*count = 0;
	if (!state || !*units) {
		free(state);
		return vkr_error_memory(cutting->error, "a trace's events");
	}
	for (size_t i = 0; i < cutting->pieces.count; i++)
		if (cutting->pieces.items[i].needed)
			state[cutting->pieces.items[i].unit] = NEEDED;
	for (size_t i = cutting->pieces.count; i-- > 0;) {
		const struct piece *piece = &cutting->pieces.items[i];
		if (!piece->kept || pass_of(piece) != pass || state[piece->unit] != NEW ||
		    (!piece->event && !cutting->pieces.items[piece->of].kept))
			continue;
		state[piece->unit] = LISTED;
		(*units)[(*count)++] = piece->unit;
	}
	free(state);
	return VKR_OK;
}

static void set_kept(struct cutting *cutting, const bool *left_out, bool kept)
{
	for (size_t i = 0; i < cutting->pieces.count; i++)
		if (left_out[cutting->pieces.items[i].unit])
			cutting->pieces.items[i].kept = kept;
}

// Leaves units out, `step` at once. Those that are needed stay in the list.
static enum vkr_result try_units(struct cutting *cutting, uint32_t *units, size_t *count,
				 size_t step, bool *left_out)
{
	enum vkr_result result = VKR_OK;
	size_t needed = 0;
	for (size_t at = 0; at < *count && result == VKR_OK; at += step) {
		const size_t end = step < *count - at ? at + step : *count;
		bool shown = false;
		for (size_t i = at; i < end; i++)
			left_out[units[i]] = true;
		set_kept(cutting, left_out, false);
		result = is_shown(cutting, &shown);
		if (!shown)
			set_kept(cutting, left_out, true);
		for (size_t i = at; i < end; i++)
			left_out[units[i]] = false;
		for (size_t i = at; i < end && !shown; i++)
			units[needed++] = units[i];
	}
	*count = needed;
	return result;
}

static enum vkr_result leave_out(struct cutting *cutting, enum pass pass)
{
	uint32_t *units = NULL;
	size_t count = 0;
	bool *left_out = calloc(cutting->units + (size_t)1, sizeof *left_out);
	enum vkr_result result = left_out ? list_units(cutting, pass, &units, &count)
					  : vkr_error_memory(cutting->error, "a trace's events");
	for (size_t step = (count + 1) / 2; step > 0 && count > 0 && result == VKR_OK; step /= 2)
		result = try_units(cutting, units, &count, step, left_out);
	free(units);
	free(left_out);
	return result;
}

// Until nothing more can be left out: commands that are gone need no objects.
static enum vkr_result leave_all_out(struct cutting *cutting)
{
	enum vkr_result result = VKR_OK;
	for (unsigned round = 0; round < ROUNDS_MOST && result == VKR_OK; round++) {
		const struct vkr_race_cut_size before = size_of(cutting);
		for (unsigned pass = 0; pass < PASSES && result == VKR_OK; pass++)
			result = leave_out(cutting, (enum pass)pass);
		const struct vkr_race_cut_size after = size_of(cutting);
		if (after.events == before.events && after.commands == before.commands)
			break;
	}
	return result;
}

// ---- Writing ------------------------------------------------------------------------------------

static enum vkr_result race_cut_put(void *user, const struct vkr_trace_event *event,
				    struct vkr_error *error)
{
	return vkr_chunk_writer_event(user, event, error);
}

static enum vkr_result write_trace(struct cutting *cutting)
{
	const struct vkr_race_cut *cut = cutting->cut;
	struct vkr_chunk_writer *writer = NULL;
	struct vkr_output_file file;
	enum vkr_result result =
		vkr_output_file_open(&file, cut->output, (uint32_t)getpid(), false, cutting->error);
	if (result != VKR_OK)
		return result;
	result = vkr_chunk_writer_create(&writer, file.descriptor, file.path, cut->compress,
					 cutting->error);
	if (result == VKR_OK)
		result = each_kept(cutting, race_cut_put, writer, cutting->error);
	if (result == VKR_OK)
		result = vkr_chunk_writer_flush(writer, cutting->error);
	vkr_chunk_writer_destroy(writer);
	if (result != VKR_OK)
		vkr_output_file_discard(&file);
	vkr_output_file_close(&file);
	return result;
}

// The file, read as any other, shows the race.
static enum vkr_result race_cut_prove(struct cutting *cutting)
{
	struct vkr_judging judging;
	bool shown = false;
	enum vkr_result result = vkr_judging_init(&judging, cutting->cut->how, cutting->error);
	if (result == VKR_OK)
		result = vkr_judging_run_file(&judging, cutting->cut->output, cutting->error);
	// A trace that was cut off is so still: that is not among what the sessions before have
	// seen.
	cutting->coverage++;
	shown = result == VKR_OK && race_cut_shows(cutting, vkr_session_report(judging.session));
	vkr_judging_finish(&judging);
	if (result == VKR_OK && !shown)
		result = vkr_error_set(cutting->error, VKR_ERROR_UNSUPPORTED,
				       "%s: the race is not found in what is left of the trace",
				       cutting->cut->output);
	if (result != VKR_OK)
		unlink(cutting->cut->output);
	return result;
}

enum vkr_result vkr_race_cut(struct vkr_race_cut *cut, struct vkr_error *error)
{
	struct cutting cutting = {.cut = cut, .error = error};
	enum vkr_result result = vkr_judging_init(&cutting.judging, cut->how, error);
	if (result == VKR_OK)
		result = read_trace(&cutting);
	if (result == VKR_OK)
		result = find_wanted(&cutting);
	cut->before = size_of(&cutting);
	if (result == VKR_OK)
		result = leave_all_out(&cutting);
	cut->after = size_of(&cutting);
	if (result == VKR_OK)
		result = write_trace(&cutting);
	if (result == VKR_OK)
		result = race_cut_prove(&cutting);
	for (size_t i = 0; i < cutting.pieces.count; i++)
		free(cutting.pieces.items[i].event);
	free(cutting.pieces.items);
	free(cutting.sign);
	vkr_map_finish(&cutting.races);
	vkr_judging_finish(&cutting.judging);
	return result;
}
