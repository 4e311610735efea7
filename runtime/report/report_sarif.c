// SPDX-License-Identifier: Apache-2.0
// Knows SARIF 2.1.0 (OASIS Standard, 27 March 2020); its words come from report_facts.h.
#include "report_sarif.h"

#include "error.h"
#include "report_escape.h"
#include "report_facts.h"
#include "source_quote.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

// Where the specification says what a race is.
#define HELP "https://registry.khronos.org/vulkan/specs/latest/html/vkspec.html#memory-model"
#define ROOT "SRCROOT"

// How many lines stand around the one that is meant, on each side.
#define LINES_AROUND 2

struct writer {
	struct vkr_arena arena;
	const struct vkr_report *report;
	const char *source_root; // NULL: none
	bool failed;             // out of memory: what follows does nothing of use
};

// What a class of races is called (3.49.7), and what to do about it.
static const struct {
	const char *name, *advice;
} guides[] = {
	[VKR_RACE_UNORDERED] =
		{"UnorderedAccesses",
		 "Order the two accesses: by a barrier, an event or a subpass dependency "
		 "between the commands, a semaphore between queues, a fence for the "
		 "host, a barrier in the shader between its invocations."},
	[VKR_RACE_UNAVAILABLE] =
		{"UnavailableWrite",
		 "Name the write's access in the source access mask of the dependency "
		 "that orders the two."},
	[VKR_RACE_INVISIBLE] = {"InvisibleWrite",
				"Name the read's access in the destination access mask of the "
				"dependency that orders the two."},
	[VKR_RACE_DOMAIN] =
		{"OtherMemoryDomain",
		 "Flush what the host has written, or make available to the host what "
		 "the device has written: a dependency to HOST, a wait, an invalidate."},
	[VKR_RACE_SCOPE] = {"TooNarrowScope",
			    "Widen the scope of the atomics or barriers until it holds both "
			    "invocations."},
	[VKR_RACE_REFERENCE] =
		{"OtherReference",
		 "Access the memory through one descriptor or pointer, or order the two "
		 "by a dependency of the API."},
	[VKR_RACE_PRIVATE] =
		{"PrivateAccess",
		 "Declare the variable coherent, or the accesses NonPrivatePointer with "
		 "the availability and visibility operations."},
	[VKR_RACE_FREE] = {"FreedWhileInUse",
			   "Wait for the last use of the memory before it is freed."},
	[VKR_RACE_UNOBSERVABLE] =
		{"UnobservableLocation",
		 "Put a submission, kernel begin or end, between the two, or allocate "
		 "the memory so that all devices observe it."},
};

static void put_member(struct writer *writer, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) != 0)
		writer->failed = true;
}

static void append_element(struct writer *writer, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		writer->failed = true;
}

static json_t *text_value(struct writer *writer, const char *text)
{
	const char *valid = text ? vkr_escape_utf8(&writer->arena, text) : NULL;
	return valid ? json_string(valid) : NULL;
}

// A message object (3.11), or an artifactContent object (3.3) of text.
static json_t *report_sarif_message(struct writer *writer, const char *text)
{
	json_t *object = json_object();
	put_member(writer, object, "text", text_value(writer, text));
	return object;
}

// The path as a URI reference (RFC 3986), percent-encoded.
static char *report_sarif_encode(struct writer *writer, const char *scheme, const char *path,
				 const char *end)
{
	static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789-._~/";
	char *text = vkr_arena_alloc(&writer->arena,
				     strlen(scheme) + strlen(path) * 3 + strlen(end) + 1);
	if (!text)
		return NULL;
	char *to = stpcpy(text, scheme);
	for (; *path; path++) {
		if (strchr(kept, *path))
			*to++ = *path;
		else
			to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*path);
	}
	strcpy(to, end);
	return text;
}

// An artifactLocation object (3.4).
static json_t *report_sarif_artifact(struct writer *writer, const char *path)
{
	json_t *object = json_object();
	const char *below = vkr_report_below(writer->source_root, path);
	const char *uri =
		below ? report_sarif_encode(writer, "", below, "")
		      : report_sarif_encode(writer, *path == '/' ? "file://" : "", path, "");
	put_member(writer, object, "uri", uri ? json_string(uri) : NULL);
	if (below)
		put_member(writer, object, "uriBaseId", json_string(ROOT));
	return object;
}

// The text of some lines of a source file.
struct excerpt {
	struct writer *writer;
	uint32_t first, line; // the first one that stands here, the one that is meant
	const char *text, *all;
};

static void add_line(void *user, uint32_t number, const char *text)
{
	struct excerpt *excerpt = user;
	struct vkr_arena *arena = &excerpt->writer->arena;
	if (!excerpt->first)
		excerpt->first = number;
	excerpt->all = vkr_arena_print(arena, "%s%s\n", excerpt->all ? excerpt->all : "", text);
	if (number == excerpt->line)
		excerpt->text = vkr_arena_print(arena, "%s", text);
	excerpt->writer->failed |= !excerpt->all || (number == excerpt->line && !excerpt->text);
}

// Puts the line's text into its region (3.30.13) and the lines around it beside (3.29.5).
static void put_excerpt(struct writer *writer, json_t *place, json_t *region,
			const struct vkr_source_spot *spot)
{
	struct excerpt excerpt = {.writer = writer, .line = spot->line};
	vkr_source_lines(writer->report, spot, LINES_AROUND, add_line, &excerpt);
	if (!excerpt.text || !excerpt.all)
		return;
	json_t *context = json_object();
	uint32_t count = 0;
	for (const char *end = excerpt.all; (end = strchr(end, '\n')); end++)
		count++;
	put_member(writer, region, "snippet", report_sarif_message(writer, excerpt.text));
	put_member(writer, context, "startLine", json_integer(excerpt.first));
	put_member(writer, context, "endLine", json_integer(excerpt.first + count - 1));
	put_member(writer, context, "snippet", report_sarif_message(writer, excerpt.all));
	put_member(writer, place, "contextRegion", context);
}

static json_t *physical_location(struct writer *writer, const struct vkr_source_spot *spot,
				 uint32_t column)
{
	json_t *object = json_object(), *region = json_object();
	put_member(writer, region, "startLine", json_integer(spot->line));
	if (column)
		put_member(writer, region, "startColumn", json_integer(column));
	put_member(writer, object, "artifactLocation", report_sarif_artifact(writer, spot->file));
	put_member(writer, object, "region", region);
	put_excerpt(writer, object, region, spot);
	return object;
}

static json_t *logical_location(struct writer *writer, const char *name, const char *kind)
{
	json_t *object = json_object();
	put_member(writer, object, "name", text_value(writer, name));
	put_member(writer, object, "kind", json_string(kind));
	return object;
}

static bool has_line(const struct vkr_access_report *access)
{
	return access->agent == VKR_AGENT_INVOCATION && *access->source.file && access->source.line;
}

// The call that made the access or recorded its command.
static struct vkr_report_call call_of(struct writer *writer, const struct vkr_access_report *access)
{
	struct vkr_report_call call = {"", "", 0};
	const char *stack =
		access->agent == VKR_AGENT_HOST ? access->stack : access->command.recorded;
	if (!vkr_report_call(stack, &writer->arena, &call))
		writer->failed = true;
	return call;
}

// A location object (3.28): the line in the shader, else the call; and what stands around the
// access.
static json_t *report_sarif_location(struct writer *writer, const struct vkr_access_report *access)
{
	json_t *object = json_object(), *logical = json_array();
	const struct vkr_source_place *source = &access->source;
	const struct vkr_report_call call = call_of(writer, access);
	const struct vkr_source_spot at = {source->file, source->line, source->shader_hash};
	const struct vkr_source_spot of_call = {call.file, call.line, 0};
	if (has_line(access))
		put_member(writer, object, "physicalLocation",
			   physical_location(writer, &at, source->column));
	else if (call.line)
		put_member(writer, object, "physicalLocation",
			   physical_location(writer, &of_call, 0));
	if (access->agent == VKR_AGENT_INVOCATION)
		append_element(writer, logical,
			       logical_location(writer, source->shader, "function"));
	if (access->agent == VKR_AGENT_HOST)
		append_element(writer, logical, logical_location(writer, access->thread, "thread"));
	if (access->command.command)
		append_element(writer, logical,
			       logical_location(writer, access->command.name, "command"));
	put_member(writer, object, "logicalLocations", logical);
	put_member(writer, object, "message",
		   report_sarif_message(writer, vkr_report_action(access, &writer->arena)));
	return object;
}

// The place in the program that recorded the command of an access in a shader's line.
static void append_recorded(struct writer *writer, json_t *locations,
			    const struct vkr_access_report *access)
{
	const struct vkr_report_call call = call_of(writer, access);
	const struct vkr_source_spot of_call = {call.file, call.line, 0};
	if (!has_line(access) || !call.line)
		return;
	json_t *object = json_object();
	put_member(writer, object, "physicalLocation", physical_location(writer, &of_call, 0));
	put_member(
		writer, object, "message",
		report_sarif_message(writer, vkr_arena_print(&writer->arena, "%s is recorded here",
							     access->command.name)));
	// Locations of a result are unique (3.27.22); one line may record both commands.
	size_t i;
	json_t *other;
	json_array_foreach(locations, i, other)
	{
		if (json_equal(other, object)) {
			json_decref(object);
			return;
		}
	}
	append_element(writer, locations, object);
}

static const char *race_text(struct writer *writer, const struct vkr_race_report *race)
{
	const char *headline = vkr_report_headline(race, &writer->arena);
	if (!headline)
		return NULL;
	return vkr_arena_print(&writer->arena, "%s: %s.%s%s.%s%s%s", headline,
			       vkr_report_class_meaning(race->race_class),
			       *race->missing ? " Missing: " : "", race->missing,
			       *race->change ? " Change: " : "", race->change,
			       *race->change ? "." : "");
}

// A stack object (3.44): a frame a line of the host's call stack.
static void append_stack(struct writer *writer, json_t *stacks,
			 const struct vkr_access_report *access)
{
	json_t *stack = json_object(), *frames = json_array();
	for (const char *line = access->stack; line && *line;) {
		struct vkr_report_call call = {"", "", 0};
		const char *next = vkr_report_call(line, &writer->arena, &call);
		json_t *frame = json_object(), *place = json_object();
		const struct vkr_source_spot of_call = {call.file, call.line, 0};
		if (call.line)
			put_member(writer, place, "physicalLocation",
				   physical_location(writer, &of_call, 0));
		put_member(writer, place, "message",
			   report_sarif_message(writer,
						vkr_arena_print(&writer->arena, "%.*s",
								(int)strcspn(line, "\n"), line)));
		put_member(writer, frame, "location", place);
		append_element(writer, frames, frame);
		writer->failed |= !next;
		line = next;
	}
	put_member(writer, stack, "message", report_sarif_message(writer, access->thread));
	put_member(writer, stack, "frames", frames);
	append_element(writer, stacks, stack);
}

// A result object (3.27).
static json_t *result_value(struct writer *writer, const struct vkr_race_report *race,
			    bool possible)
{
	json_t *object = json_object(), *first = json_array(), *second = json_array();
	json_t *stacks = json_array();
	uint64_t count = race->count <= INT64_MAX ? race->count : INT64_MAX;
	append_element(writer, first, report_sarif_location(writer, &race->first));
	append_element(writer, second, report_sarif_location(writer, &race->second));
	append_recorded(writer, second, &race->first);
	append_recorded(writer, second, &race->second);
	put_member(writer, object, "ruleId", json_string(vkr_report_class(race->race_class)));
	put_member(writer, object, "ruleIndex", json_integer((json_int_t)race->race_class - 1));
	// 3.27.9: what a person has to decide on has no level of its own.
	if (possible)
		put_member(writer, object, "kind", json_string("review"));
	put_member(writer, object, "level", json_string(possible ? "none" : "error"));
	put_member(writer, object, "message",
		   report_sarif_message(writer, possible ? vkr_arena_print(&writer->arena,
									   "Possible: %s. %s.",
									   race_text(writer, race),
									   VKR_POSSIBLE_MEANING)
							 : race_text(writer, race)));
	put_member(writer, object, "locations", first);
	put_member(writer, object, "relatedLocations", second);
	if (race->first.agent == VKR_AGENT_HOST && *race->first.stack)
		append_stack(writer, stacks, &race->first);
	if (race->second.agent == VKR_AGENT_HOST && *race->second.stack)
		append_stack(writer, stacks, &race->second);
	if (json_array_size(stacks) > 0)
		put_member(writer, object, "stacks", json_incref(stacks));
	json_decref(stacks);
	json_t *fingerprints = json_object();
	put_member(writer, fingerprints, "vkraceRace/v1", text_value(writer, race->id));
	put_member(writer, object, "partialFingerprints", fingerprints);
	put_member(writer, object, "occurrenceCount", json_integer((json_int_t)count));
	return object;
}

// The rules (3.19.23), in the classes' order: rule 0 is class 1.
static json_t *report_sarif_rules(struct writer *writer)
{
	static const enum vkr_race_class classes[] = {
#define CLASS(name, text, meaning) VKR_RACE_##name,
		VKR_RACE_CLASSES(CLASS)
#undef CLASS
	};
	json_t *array = json_array();
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		json_t *rule = json_object();
		put_member(writer, rule, "id", json_string(vkr_report_class(classes[i])));
		put_member(writer, rule, "name", json_string(guides[classes[i]].name));
		put_member(writer, rule, "shortDescription",
			   report_sarif_message(writer, vkr_report_class_meaning(classes[i])));
		put_member(writer, rule, "fullDescription",
			   report_sarif_message(
				   writer, vkr_arena_print(&writer->arena, "A data race: %s.",
							   vkr_report_class_meaning(classes[i]))));
		put_member(writer, rule, "help",
			   report_sarif_message(writer, guides[classes[i]].advice));
		put_member(writer, rule, "helpUri", json_string(HELP));
		append_element(writer, array, rule);
	}
	return array;
}

// An invocation object (3.20); what was not observed are its notifications.
static json_t *report_sarif_invocation(struct writer *writer, const struct vkr_report *report)
{
	json_t *object = json_object(), *notifications = json_array();
	bool whole = true;
	for (uint32_t i = 0; i < report->coverage_count; i++) {
		const struct vkr_coverage_report *lack = &report->coverage[i];
		json_t *one = json_object();
		whole &= strcmp(lack->kind, "trace") != 0;
		const char *text = vkr_arena_print(&writer->arena, "not observed: %s: %s",
						   lack->kind, lack->text);
		put_member(writer, one, "level", json_string("warning"));
		put_member(writer, one, "message", report_sarif_message(writer, text));
		append_element(writer, notifications, one);
	}
	put_member(writer, object, "executionSuccessful", json_boolean(whole));
	if (*report->program)
		put_member(writer, object, "commandLine", text_value(writer, report->program));
	put_member(writer, object, "toolExecutionNotifications", notifications);
	json_t *properties = json_object();
	put_member(writer, properties, "memoryModel", text_value(writer, report->model));
	put_member(writer, object, "properties", properties);
	return object;
}

// What relative URIs are relative to (3.14.14).
static json_t *uri_bases(struct writer *writer)
{
	json_t *bases = json_object(), *root = json_object();
	const size_t length = strlen(writer->source_root);
	const bool ends = length && writer->source_root[length - 1] == '/';
	const char *uri =
		report_sarif_encode(writer, "file://", writer->source_root, ends ? "" : "/");
	put_member(writer, root, "uri", uri ? json_string(uri) : NULL);
	put_member(writer, bases, ROOT, root);
	return bases;
}

static json_t *log_value(struct writer *writer, const struct vkr_report *report)
{
	json_t *log = json_object(), *runs = json_array(), *run = json_object();
	json_t *tool = json_object(), *driver = json_object(), *results = json_array();
	json_t *invocations = json_array();
	put_member(writer, driver, "name", json_string("vkrace"));
	put_member(writer, driver, "version", json_string(VKR_VERSION));
	put_member(writer, driver, "rules", report_sarif_rules(writer));
	put_member(writer, tool, "driver", driver);
	put_member(writer, run, "tool", tool);
	append_element(writer, invocations, report_sarif_invocation(writer, report));
	if (writer->source_root)
		put_member(writer, run, "originalUriBaseIds", uri_bases(writer));
	put_member(writer, run, "invocations", invocations);
	for (uint32_t i = 0; i < report->race_count; i++)
		append_element(writer, results, result_value(writer, &report->races[i], false));
	for (uint32_t i = 0; i < report->possible_count; i++)
		append_element(writer, results, result_value(writer, &report->possible[i], true));
	put_member(writer, run, "results", results);
	append_element(writer, runs, run);
	put_member(writer, log, "$schema", json_string(SCHEMA));
	put_member(writer, log, "version", json_string("2.1.0"));
	put_member(writer, log, "runs", runs);
	return log;
}

enum vkr_result vkr_report_sarif(const struct vkr_report *report, const char *source_root,
				 FILE *out, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	struct writer writer = {.report = report, .source_root = source_root};
	vkr_arena_init(&writer.arena);
	json_t *log = log_value(&writer, report);
	if (!log || writer.failed)
		result = vkr_error_memory(error, "the SARIF report");
	else if (json_dumpf(log, out, JSON_INDENT(2)) != 0 || fputc('\n', out) == EOF ||
		 fflush(out) != 0)
		result = vkr_error_set(error, VKR_ERROR_IO, "cannot write the SARIF report: %s",
				       strerror(errno));
	json_decref(log);
	vkr_arena_finish(&writer.arena);
	return result;
}
