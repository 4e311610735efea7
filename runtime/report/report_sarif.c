// SPDX-License-Identifier: Apache-2.0
// Knows SARIF 2.1.0 (OASIS Standard, 27 March 2020); its words come from report_facts.h.
#include "report_sarif.h"

#include "error.h"
#include "report_escape.h"
#include "report_facts.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

struct writer {
	struct vkr_arena arena;
	bool failed; // out of memory: what follows does nothing of use
};

static void put(struct writer *writer, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) != 0)
		writer->failed = true;
}

static void append(struct writer *writer, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		writer->failed = true;
}

static json_t *text_value(struct writer *writer, const char *text)
{
	const char *valid = text ? vkr_escape_utf8(&writer->arena, text) : NULL;
	return valid ? json_string(valid) : NULL;
}

// A message object (3.11).
static json_t *message(struct writer *writer, const char *text)
{
	json_t *object = json_object();
	put(writer, object, "text", text_value(writer, text));
	return object;
}

// The path as a URI reference (RFC 3986): percent-encoded, and of the file scheme where absolute.
static json_t *uri_of(struct writer *writer, const char *path)
{
	static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789-._~/";
	char *text = vkr_arena_alloc(&writer->arena, strlen(path) * 3 + sizeof "file://");
	if (!text)
		return NULL;
	char *to = text;
	if (*path == '/')
		to = stpcpy(to, "file://");
	for (; *path; path++) {
		if (strchr(kept, *path))
			*to++ = *path;
		else
			to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*path);
	}
	*to = 0;
	return json_string(text);
}

static json_t *physical_location(struct writer *writer, const struct vkr_source_place *source)
{
	json_t *object = json_object(), *artifact = json_object(), *region = json_object();
	put(writer, artifact, "uri", uri_of(writer, source->file));
	put(writer, region, "startLine", json_integer(source->line));
	if (source->column)
		put(writer, region, "startColumn", json_integer(source->column));
	put(writer, object, "artifactLocation", artifact);
	put(writer, object, "region", region);
	return object;
}

static json_t *logical_location(struct writer *writer, const char *name, const char *kind)
{
	json_t *object = json_object();
	put(writer, object, "name", text_value(writer, name));
	put(writer, object, "kind", json_string(kind));
	return object;
}

// A location object (3.28): the source line where it is known, and what stands around the access.
static json_t *location(struct writer *writer, const struct vkr_access_report *access)
{
	json_t *object = json_object(), *logical = json_array();
	const struct vkr_source_place *source = &access->source;
	if (access->agent == VKR_AGENT_INVOCATION) {
		if (*source->file && source->line)
			put(writer, object, "physicalLocation", physical_location(writer, source));
		append(writer, logical, logical_location(writer, source->shader, "function"));
	}
	if (access->agent == VKR_AGENT_HOST)
		append(writer, logical, logical_location(writer, access->thread, "thread"));
	if (access->command.command)
		append(writer, logical, logical_location(writer, access->command.name, "command"));
	put(writer, object, "logicalLocations", logical);
	put(writer, object, "message", message(writer, vkr_report_action(access, &writer->arena)));
	return object;
}

static const char *race_text(struct writer *writer, const struct vkr_race_report *race)
{
	const char *headline = vkr_report_headline(race, &writer->arena);
	if (!headline)
		return NULL;
	return vkr_report_print(&writer->arena, "%s: %s.%s%s.%s%s%s", headline,
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
	for (const char *line = access->stack; *line;) {
		const size_t length = strcspn(line, "\n");
		json_t *frame = json_object(), *place = json_object();
		put(writer, place, "message",
		    message(writer, vkr_report_print(&writer->arena, "%.*s", (int)length, line)));
		put(writer, frame, "location", place);
		append(writer, frames, frame);
		line += length + (line[length] == '\n');
	}
	put(writer, stack, "message", message(writer, access->thread));
	put(writer, stack, "frames", frames);
	append(writer, stacks, stack);
}

// A result object (3.27).
static json_t *result_value(struct writer *writer, const struct vkr_race_report *race)
{
	json_t *object = json_object(), *first = json_array(), *second = json_array();
	json_t *stacks = json_array();
	uint64_t count = race->count <= INT64_MAX ? race->count : INT64_MAX;
	append(writer, first, location(writer, &race->first));
	append(writer, second, location(writer, &race->second));
	put(writer, object, "ruleId", json_string(vkr_report_class(race->race_class)));
	put(writer, object, "ruleIndex", json_integer((json_int_t)race->race_class - 1));
	put(writer, object, "level", json_string("error"));
	put(writer, object, "message", message(writer, race_text(writer, race)));
	put(writer, object, "locations", first);
	put(writer, object, "relatedLocations", second);
	if (race->first.agent == VKR_AGENT_HOST && *race->first.stack)
		append_stack(writer, stacks, &race->first);
	if (race->second.agent == VKR_AGENT_HOST && *race->second.stack)
		append_stack(writer, stacks, &race->second);
	if (json_array_size(stacks) > 0)
		put(writer, object, "stacks", json_incref(stacks));
	json_decref(stacks);
	put(writer, object, "occurrenceCount", json_integer((json_int_t)count));
	return object;
}

// The rules (3.19.23), in the classes' order: rule 0 is class 1.
static json_t *rules(struct writer *writer)
{
	static const enum vkr_race_class classes[] = {
#define CLASS(name, text, meaning) VKR_RACE_##name,
		VKR_RACE_CLASSES(CLASS)
#undef CLASS
	};
	json_t *array = json_array();
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		json_t *rule = json_object();
		put(writer, rule, "id", json_string(vkr_report_class(classes[i])));
		put(writer, rule, "shortDescription",
		    message(writer, vkr_report_class_meaning(classes[i])));
		append(writer, array, rule);
	}
	return array;
}

// An invocation object (3.20); what was not observed are its notifications.
static json_t *invocation(struct writer *writer, const struct vkr_report *report)
{
	json_t *object = json_object(), *notifications = json_array();
	for (uint32_t i = 0; i < report->coverage_count; i++) {
		const struct vkr_coverage_report *lack = &report->coverage[i];
		json_t *one = json_object();
		const char *text = vkr_report_print(&writer->arena, "not observed: %s: %s",
						    lack->kind, lack->text);
		put(writer, one, "level", json_string("warning"));
		put(writer, one, "message", message(writer, text));
		append(writer, notifications, one);
	}
	put(writer, object, "executionSuccessful", json_true());
	if (*report->program)
		put(writer, object, "commandLine", text_value(writer, report->program));
	put(writer, object, "toolExecutionNotifications", notifications);
	return object;
}

static json_t *log_value(struct writer *writer, const struct vkr_report *report)
{
	json_t *log = json_object(), *runs = json_array(), *run = json_object();
	json_t *tool = json_object(), *driver = json_object(), *results = json_array();
	json_t *invocations = json_array();
	put(writer, driver, "name", json_string("vkrace"));
	put(writer, driver, "version", json_string(VKR_VERSION));
	put(writer, driver, "rules", rules(writer));
	put(writer, tool, "driver", driver);
	put(writer, run, "tool", tool);
	append(writer, invocations, invocation(writer, report));
	put(writer, run, "invocations", invocations);
	for (uint32_t i = 0; i < report->race_count; i++)
		append(writer, results, result_value(writer, &report->races[i]));
	put(writer, run, "results", results);
	append(writer, runs, run);
	put(writer, log, "$schema", json_string(SCHEMA));
	put(writer, log, "version", json_string("2.1.0"));
	put(writer, log, "runs", runs);
	return log;
}

enum vkr_result vkr_report_sarif(const struct vkr_report *report, FILE *out,
				 struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	struct writer writer = {.failed = false};
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
