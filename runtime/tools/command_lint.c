// SPDX-License-Identifier: Apache-2.0
// `vkrace lint`: barriers, subpass dependencies and semaphores that no pair of accesses in the
// trace needs, and masks that are wider than these need. Knows how they are tried, one after the
// other, and not what orders accesses.
#include "array.h"
#include "change_check.h"
#include "change_place.h"
#include "commands.h"
#include "error.h"
#include "judging.h"
#include "report_changes.h"
#include "report_facts.h"
#include "report_json.h"
#include "sort.h"
#include "stack_places.h"
#include "tool_options.h"
#include "volume_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What synchronizes at one place, and what became of trying without it.
struct candidate {
	struct vkr_change change; // that removes it, with the union of its masks
	uint64_t places;
	bool waits;               // for events
	bool stays;               // all that it does are transitions and transfers
	bool host;                // what host threads do after it is in the trace in part only
	bool unneeded;            // none of the races is new without it and those before it
	struct vkr_change narrow; // NARROW, to what is enough for it
	bool narrower;            // than it is
};

struct lint {
	struct {
		struct candidate *items;
		size_t count, capacity;
	} candidates;
	struct vkr_stack_places *places;
	struct vkr_arena arena;
	size_t tried;
	const struct vkr_change **changes; // those that were found to be possible, together
	size_t count;
	bool failed; // no memory
};

static const char *command_lint_keep(struct lint *lint, const char *text)
{
	const char *kept = text ? vkr_arena_string(&lint->arena, text, strlen(text)) : NULL;
	lint->failed |= !kept;
	return kept;
}

static struct candidate *find_candidate(struct lint *lint, const struct vkr_change *removal)
{
	for (size_t i = 0; i < lint->candidates.count; i++) {
		if (vkr_change_is_there(&lint->candidates.items[i].change, removal))
			return &lint->candidates.items[i];
	}
	return NULL;
}

static struct vkr_change_place keep_place(struct lint *lint, const struct vkr_change_place *place,
					  const char *name, const char *words)
{
	return (struct vkr_change_place){.call = command_lint_keep(lint, place->call),
					 .labels = command_lint_keep(lint, place->labels),
					 .command_buffer =
						 command_lint_keep(lint, place->command_buffer),
					 .command = place->command,
					 .name = name,
					 .recorded = command_lint_keep(lint, words)};
}

// Of a submission the first command names it.
static const char *name_of(const struct vkr_seen_sync *sync)
{
	if (sync->removal.kind == VKR_CHANGE_REMOVE_SEMAPHORE)
		return "submission";
	if (sync->removal.kind == VKR_CHANGE_REMOVE_DEPENDENCY)
		return "vkCmdBeginRenderPass";
	return sync->event->type == VKR_TRACE_CMD_WAIT_EVENTS ? "vkCmdWaitEvents"
							      : "vkCmdPipelineBarrier";
}

static struct candidate *add_candidate(struct lint *lint, const struct vkr_seen_sync *sync)
{
	const struct vkr_change *removal = &sync->removal;
	char *words = sync->path ? vkr_stack_places_words(lint->places, sync->path, sync->build_id,
							  sync->address)
				 : NULL;
	if (VKR_ARRAY_RESERVE(&lint->candidates, 1)) {
		struct candidate *made = &lint->candidates.items[lint->candidates.count];
		*made = (struct candidate){.waits = sync->event &&
						    sync->event->type == VKR_TRACE_CMD_WAIT_EVENTS,
					   .stays = sync->event,
					   .change = *removal};
		made->change.place =
			keep_place(lint, &removal->place, name_of(sync), words ? words : "");
		made->change.from = keep_place(lint, &removal->from, "submission", "");
	} else {
		lint->failed = true;
	}
	free(words);
	return lint->failed ? NULL : &lint->candidates.items[lint->candidates.count++];
}

// VK_PIPELINE_STAGE_HOST_BIT.
#define STAGE_HOST UINT64_C(0x4000)

static void see_barriers(struct candidate *found, const struct vkr_trace_event *event)
{
	struct vkr_change_masks *masks = &found->change.masks;
	uint32_t count = 0;
	const struct vkr_trace_barrier *barriers = vkr_barriers_of(event, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (vkr_barrier_stays(event, i))
			continue;
		found->stays = false;
		masks->source_stages |= barriers[i].source_stages;
		masks->source_access |= barriers[i].source_access;
		masks->destination_stages |= barriers[i].destination_stages;
		masks->destination_access |= barriers[i].destination_access;
	}
}

static void see_sync(void *user, const struct vkr_seen_sync *sync)
{
	struct lint *lint = user;
	struct candidate *found = find_candidate(lint, &sync->removal);
	if (!found)
		found = add_candidate(lint, sync);
	if (!found)
		return;
	found->places++;
	if (sync->event)
		see_barriers(found, sync->event);
	found->host = (found->change.masks.source_stages | found->change.masks.destination_stages) &
		      STAGE_HOST;
}

// How much a mask waits for: a bit that stands for all stages or accesses counts as all.
static int width_of(const struct vkr_change_masks *masks)
{
	const uint64_t all_stages = UINT64_C(0x18001); // TOP_OF_PIPE, ALL_GRAPHICS, ALL_COMMANDS
	const uint64_t all_memory = UINT64_C(0x18000); // MEMORY_READ, MEMORY_WRITE
	const uint64_t stages = masks->source_stages | masks->destination_stages;
	const uint64_t access = masks->source_access | masks->destination_access;
	return __builtin_popcountll(stages) + __builtin_popcountll(access) +
	       (stages & all_stages ? 128 : 0) + (access & all_memory ? 128 : 0);
}

static int compare_width(const void *left, const void *right)
{
	const struct candidate *first = left, *second = right;
	const int widths[] = {width_of(&first->change.masks), width_of(&second->change.masks)};
	if (widths[0] != widths[1])
		return widths[0] > widths[1] ? -1 : 1;
	if (first->places != second->places)
		return first->places > second->places ? -1 : 1;
	const int calls = strcmp(first->change.place.call, second->change.place.call);
	return calls ? calls
		     : (first->change.place.command > second->change.place.command) -
			       (first->change.place.command < second->change.place.command);
}

// Judges the trace as it is, and looks at its barriers on the way.
static enum vkr_result judge_whole(struct lint *lint, const char *path, struct vkr_judging *judging,
				   struct vkr_error *error)
{
	enum vkr_result result = vkr_trace_editor_create(NULL, 0, &judging->editor, error);
	if (result != VKR_OK)
		return result;
	vkr_trace_editor_watch(judging->editor, see_sync, lint);
	result = vkr_trace_open(&judging->source, path, error);
	if (result != VKR_OK)
		return result;
	result = vkr_judging_run(judging, error);
	vkr_source_close(judging->source);
	return result == VKR_OK && lint->failed ? vkr_error_memory(error, "what synchronizes")
						: result;
}

// Whether no race is new with one more change, which stands after the others until the next.
static enum vkr_result try_change(struct lint *lint, const char *path,
				  const struct vkr_report *whole, const struct vkr_change *change,
				  bool *possible, struct vkr_error *error)
{
	struct vkr_change_outcome outcome;
	lint->changes[lint->count] = change;
	const enum vkr_result result =
		vkr_change_try(path, &(struct vkr_judging_options){.only = NULL}, lint->changes,
			       lint->count + 1, whole, &lint->arena, &outcome, error);
	*possible = result == VKR_OK && outcome.added_count == 0 && !outcome.missed;
	return result;
}

struct narrowing {
	struct lint *lint;
	const char *path;
	const struct vkr_report *whole;
	struct candidate *candidate;
	uint64_t *mask; // of the candidate's narrow change
};

// Takes as many of the bits out of the mask as no race needs, halves of them at a time; one bit
// stays.
static enum vkr_result take_out(const struct narrowing *narrowing, uint64_t bits,
				struct vkr_error *error)
{
	const uint64_t was = *narrowing->mask;
	uint64_t half = 0;
	bool possible = false;
	if (bits == 0)
		return VKR_OK;
	if (bits != was) {
		*narrowing->mask &= ~bits;
		const enum vkr_result result =
			try_change(narrowing->lint, narrowing->path, narrowing->whole,
				   &narrowing->candidate->narrow, &possible, error);
		if (result != VKR_OK || possible)
			return result;
		*narrowing->mask = was;
	}
	const int count = __builtin_popcountll(bits);
	if (count == 1)
		return VKR_OK;
	for (int i = 0; i < count / 2; i++)
		half |= (bits & ~half) & -(bits & ~half);
	enum vkr_result result = take_out(narrowing, half, error);
	return result == VKR_OK ? take_out(narrowing, bits & ~half, error) : result;
}

static bool are_same(const struct vkr_change_masks *x, const struct vkr_change_masks *y)
{
	return x->source_stages == y->source_stages && x->source_access == y->source_access &&
	       x->destination_stages == y->destination_stages &&
	       x->destination_access == y->destination_access;
}

static enum vkr_result narrow_one(struct lint *lint, const char *path,
				  const struct vkr_report *whole, struct candidate *candidate,
				  struct vkr_error *error)
{
	struct vkr_change_masks *masks = &candidate->narrow.masks;
	uint64_t *const each[] = {&masks->source_stages, &masks->source_access,
				  &masks->destination_stages, &masks->destination_access};
	bool possible = false;
	candidate->narrow = candidate->change;
	candidate->narrow.kind = VKR_CHANGE_NARROW;
	*masks = vkr_change_masks_single(&candidate->change.masks);
	// What bits that stand for several hold beyond Vulkan 1.0 may be needed.
	enum vkr_result result =
		try_change(lint, path, whole, &candidate->narrow, &possible, error);
	for (size_t i = 0; i < 4 && result == VKR_OK && possible; i++) {
		const struct narrowing narrowing = {lint, path, whole, candidate, each[i]};
		result = take_out(&narrowing, *each[i], error);
	}
	candidate->narrower =
		result == VKR_OK && possible && !are_same(masks, &candidate->change.masks);
	lint->changes[lint->count] = &candidate->narrow;
	lint->count += candidate->narrower;
	return result;
}

static enum vkr_result narrow_all(struct lint *lint, const char *path,
				  const struct vkr_report *whole, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < lint->candidates.count && result == VKR_OK; i++) {
		struct candidate *candidate = &lint->candidates.items[i];
		if (candidate->stays || candidate->host || candidate->waits ||
		    candidate->unneeded || candidate->change.kind != VKR_CHANGE_REMOVE)
			continue;
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\rvkrace lint: narrowing barrier %zu of %zu", i + 1,
				lint->candidates.count);
		result = narrow_one(lint, path, whole, candidate, error);
	}
	if (isatty(STDERR_FILENO))
		fputs("\n", stderr);
	return result;
}

// Tries each barrier, the widest first, without those that were found not to be needed before it.
static enum vkr_result try_all(struct lint *lint, const char *path, const struct vkr_report *whole,
			       struct vkr_error *error)
{
	lint->changes =
		vkr_arena_alloc(&lint->arena, (lint->candidates.count + 1) * sizeof *lint->changes);
	if (!lint->changes)
		return vkr_error_memory(error, "what synchronizes");
	for (size_t i = 0; i < lint->candidates.count; i++) {
		struct candidate *candidate = &lint->candidates.items[i];
		if (candidate->stays || candidate->host)
			continue;
		lint->tried++;
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\rvkrace lint: trying without barrier %zu of %zu", i + 1,
				lint->candidates.count);
		const enum vkr_result result = try_change(lint, path, whole, &candidate->change,
							  &candidate->unneeded, error);
		if (result != VKR_OK)
			return result;
		lint->count += candidate->unneeded;
	}
	if (lint->tried && isatty(STDERR_FILENO))
		fputs("\n", stderr);
	return VKR_OK;
}

// As a report's change, so that `vkrace replay --apply` takes the list.
static enum vkr_result list_unneeded(struct lint *lint, struct vkr_report *list,
				     struct vkr_error *error)
{
	struct vkr_change_report *changes =
		vkr_arena_alloc(&lint->arena, (lint->candidates.count + 1) * sizeof *changes);
	if (!changes)
		return vkr_error_memory(error, "what synchronizes");
	for (size_t i = 0; i < lint->candidates.count; i++) {
		const struct candidate *candidate = &lint->candidates.items[i];
		if (candidate->unneeded || candidate->narrower)
			changes[list->change_count++] = (struct vkr_change_report){
				.change =
					candidate->unneeded ? candidate->change : candidate->narrow,
				.where = "",
				.code = "",
				.checked = true,
				.places = candidate->places};
	}
	list->changes = changes;
	return VKR_OK;
}

// "barrier in command 3 of main", "subpass dependency from 0 to 1 of the render pass begun by
// command 2 of main".
static const char *subject_of(struct lint *lint, const struct vkr_change *change)
{
	const struct vkr_change_place *place = &change->place, *from = &change->from;
	const uint32_t source = change->subpasses.source;
	const uint32_t destination = change->subpasses.destination;
	switch (change->kind) {
	case VKR_CHANGE_REMOVE_SEMAPHORE:
		return vkr_arena_print(&lint->arena,
				       "semaphore that the submission of %s waits for, signaled by "
				       "that of %s",
				       place->command_buffer, from->command_buffer);
	case VKR_CHANGE_REMOVE_DEPENDENCY:
		return vkr_arena_print(
			&lint->arena,
			"dependency %" PRIu32 " (%s to %s%s) of the render pass begun by command "
			"%" PRIu32 " of %s",
			change->subpasses.dependency - 1,
			source == VKR_CHANGE_EXTERNAL
				? "EXTERNAL"
				: vkr_arena_print(&lint->arena, "%" PRIu32, source),
			destination == VKR_CHANGE_EXTERNAL
				? "EXTERNAL"
				: vkr_arena_print(&lint->arena, "%" PRIu32, destination),
			source == VKR_CHANGE_EXTERNAL || destination == VKR_CHANGE_EXTERNAL
				? ": the implicit one is enough"
				: "",
			place->command, place->command_buffer);
	default:
		break;
	}
	return vkr_arena_print(&lint->arena, "%s in command %" PRIu32 " of %s",
			       strcmp(place->name, "vkCmdWaitEvents") == 0 ? "wait for events"
									   : "barrier",
			       place->command, place->command_buffer);
}

static enum vkr_result print_list(struct lint *lint, const struct vkr_report *list, bool complete,
				  struct vkr_error *error)
{
	uint32_t unneeded = 0, narrower = 0;
	size_t host = 0;
	for (size_t i = 0; i < lint->candidates.count; i++)
		host += lint->candidates.items[i].host;
	for (uint32_t i = 0; i < list->change_count; i++) {
		const struct vkr_change *change = &list->changes[i].change;
		const bool needed = change->kind == VKR_CHANGE_NARROW;
		const char *subject = subject_of(lint, change);
		const char *words = vkr_report_masks_words(&change->masks, &lint->arena);
		const char *stack = vkr_report_stack(change->place.recorded, &lint->arena);
		if (!words || !stack || !subject)
			return vkr_error_memory(error, "what is not needed");
		*(needed ? &narrower : &unneeded) += 1;
		printf("vkrace: %s: %s%s%s%s%.*s, %" PRIu64 " time%s\n    %s%s\n",
		       needed ? "wider than needed" : "not needed", subject,
		       *change->place.labels ? ", " : "", change->place.labels,
		       *stack ? ", recorded by " : "", (int)strcspn(stack, "\n"), stack,
		       list->changes[i].places, list->changes[i].places == 1 ? "" : "s",
		       needed ? "enough: " : "", words);
	}
	printf("vkrace: %" PRIu32
	       " of %zu barriers, dependencies and semaphores %s not needed in this "
	       "trace%s",
	       unneeded, lint->tried, unneeded == 1 ? "is" : "are",
	       unneeded ? ": judged again without, no race is new" : "");
	if (narrower)
		printf("; %" PRIu32 " %s wider than needed: judged again with narrower masks, no "
		       "race is new",
		       narrower, narrower == 1 ? "is" : "are");
	if (host)
		printf("; %zu to or from HOST not tried, since a trace holds only some host "
		       "accesses",
		       host);
	puts(complete ? "" : "; not everything was observed: unobserved accesses may need them");
	return VKR_OK;
}

static enum vkr_result lint_trace(const char *path, bool as_json, bool narrow, bool *found,
				  struct vkr_error *error)
{
	const struct vkr_judging_options whole = {.only = NULL};
	struct vkr_report list = {.verdict = VKR_VERDICT_NONE, .program = ""};
	struct lint lint = {.places = vkr_stack_places_create()};
	struct vkr_judging judging;
	vkr_arena_init(&lint.arena);
	enum vkr_result result = vkr_judging_init(&judging, &whole, error);
	if (result == VKR_OK && !lint.places)
		result = vkr_error_memory(error, "names of functions");
	if (result == VKR_OK)
		result = judge_whole(&lint, path, &judging, error);
	if (result == VKR_OK)
		vkr_sort(lint.candidates.items, lint.candidates.count,
			 sizeof *lint.candidates.items, compare_width);
	if (result == VKR_OK)
		result = try_all(&lint, path, vkr_session_report(judging.session), error);
	if (result == VKR_OK)
		result =
			narrow ? narrow_all(&lint, path, vkr_session_report(judging.session), error)
			       : VKR_OK;
	if (result == VKR_OK)
		result = list_unneeded(&lint, &list, error);
	const bool complete =
		result != VKR_OK || !vkr_session_report(judging.session)->coverage_count;
	if (result == VKR_OK)
		result = as_json ? vkr_report_changes_json(&list, stdout, error)
				 : print_list(&lint, &list, complete, error);
	*found = list.change_count > 0;
	vkr_trace_editor_destroy(judging.editor);
	vkr_judging_finish(&judging);
	vkr_stack_places_destroy(lint.places);
	free(lint.candidates.items);
	vkr_arena_finish(&lint.arena);
	return result;
}

int vkr_command_lint(int argc, char **argv)
{
	const struct vkr_tool_option_set accepted =
		VKR_OPTION_SET(VKR_OPTION(JSON), VKR_OPTION(EXIT_CODE), VKR_OPTION(NARROW));
	struct vkr_tool_options options;
	struct vkr_error error;
	bool found = false;
	int exit_code = VKR_EXIT_RACES;
	if (!vkr_tool_options_parse(argc, argv, &accepted, true, &options))
		return VKR_EXIT_FAILURE;
	if (options.exit_code &&
	    !vkr_tool_option_number("lint", "--exit-code", options.exit_code, 255, &exit_code))
		return VKR_EXIT_FAILURE;
	if (options.operands + 1 != argc || strcmp(argv[options.operands], "-") == 0) {
		fprintf(stderr,
			"vkrace lint: give one trace, a file: vkrace lint [options] TRACE\n");
		return VKR_EXIT_FAILURE;
	}
	if (lint_trace(argv[options.operands], options.as_json != NULL, options.narrow != NULL,
		       &found, &error) != VKR_OK) {
		fprintf(stderr, "vkrace lint: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return found ? exit_code : 0;
}
