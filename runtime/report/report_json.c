// SPDX-License-Identifier: Apache-2.0
// Writes a report as JSON. Knows the order of its parts; their keys come from report_fields.h.
#include "report_json.h"

#include "change_place.h"
#include "error.h"
#include "report_causes.h"
#include "report_changes.h"
#include "report_diff.h"
#include "report_escape.h"
#include "report_facts.h"
#include "report_fields.h"
#include "report_sources.h"
#include "scope_names.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

struct writer {
	struct vkr_arena arena;
	bool failed; // out of memory: what follows does nothing of use
};

static void put_member(struct writer *writer, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) != 0)
		writer->failed = true;
}

static json_t *text_value(struct writer *writer, const char *text)
{
	const char *valid = vkr_escape_utf8(&writer->arena, text);
	return valid ? json_string(valid) : NULL;
}

// JSON numbers are exact here up to INT64_MAX, the library's own integer; beyond that the decimal
// digits are a string.
static json_t *number_value(uint64_t number)
{
	if (number <= INT64_MAX)
		return json_integer((json_int_t)number);
	return json_sprintf("%" PRIu64, number);
}

static void append_element(struct writer *writer, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		writer->failed = true;
}

static json_t *mask_value(struct writer *writer, const struct vkr_scope_names *names, uint64_t mask)
{
	json_t *array = json_array();
	for (unsigned bit = 0; bit < 64; bit++) {
		const struct vkr_bit_name *name = &names->bits[bit];
		if (!(mask >> bit & 1))
			continue;
		if (name->name && name->suffix)
			append_element(
				writer, array,
				json_sprintf("%s%s%s", names->prefix, name->name, name->suffix));
		else
			append_element(writer, array,
				       json_sprintf("0x%" PRIx64, UINT64_C(1) << bit));
	}
	return array;
}

static json_t *field_value(struct writer *writer, const void *member,
			   enum vkr_report_field_kind kind)
{
	const uint32_t *triple = member;
	int64_t index;
	switch (kind) {
	case VKR_REPORT_FIELD_TEXT:
		return text_value(writer, *(const char *const *)member);
	case VKR_REPORT_FIELD_BOOL:
		return json_boolean(*(const bool *)member);
	case VKR_REPORT_FIELD_U32:
		return number_value(*(const uint32_t *)member);
	case VKR_REPORT_FIELD_U64:
		return number_value(*(const uint64_t *)member);
	case VKR_REPORT_FIELD_HASH:
		return json_sprintf("%016" PRIx64, *(const uint64_t *)member);
	case VKR_REPORT_FIELD_TRIPLE:
		return json_pack("[I, I, I]", (json_int_t)triple[0], (json_int_t)triple[1],
				 (json_int_t)triple[2]);
	case VKR_REPORT_FIELD_INDEX:
		index = *(const int64_t *)member;
		return index < 0 ? json_null() : json_integer(index);
	case VKR_REPORT_FIELD_AGENT:
		return json_string(
			vkr_report_field_agent_text(*(const enum vkr_agent_kind *)member));
	case VKR_REPORT_FIELD_CLASS:
		return json_string(vkr_report_class(*(const enum vkr_race_class *)member));
	case VKR_REPORT_FIELD_VERDICT:
		return json_string(vkr_report_verdict(*(const enum vkr_verdict *)member));
	case VKR_REPORT_FIELD_STAGES:
		return mask_value(writer, &vkr_stage_names, *(const uint64_t *)member);
	case VKR_REPORT_FIELD_ACCESSES:
		return mask_value(writer, &vkr_access_type_names, *(const uint64_t *)member);
	}
	return NULL;
}

static bool is_empty(const void *member, enum vkr_report_field_kind kind)
{
	if (kind == VKR_REPORT_FIELD_TEXT)
		return **(const char *const *)member == '\0';
	if (kind == VKR_REPORT_FIELD_BOOL)
		return !*(const bool *)member;
	return *(const uint32_t *)member == 0;
}

static void put_fields(struct writer *writer, json_t *object, const void *from,
		       const struct vkr_report_field_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct vkr_report_field *field = &list->fields[i];
		const char *member = (const char *)from + field->offset;
		if (!field->optional || !is_empty(member, field->kind))
			put_member(writer, object, field->key,
				   field_value(writer, member, field->kind));
	}
}

static json_t *object_of(struct writer *writer, const void *from,
			 const struct vkr_report_field_list *list)
{
	json_t *object = json_object();
	put_fields(writer, object, from, list);
	return object;
}

// Where it is known.
static void put_device(struct writer *writer, json_t *object, const char *device)
{
	if (device && *device)
		put_member(writer, object, "device", json_string(device));
}

static json_t *run_value(struct writer *writer, const struct vkr_run_report *run)
{
	json_t *object = object_of(writer, run, &vkr_run_fields);
	put_device(writer, object, run->device);
	return object;
}

static json_t *access_value(struct writer *writer, const struct vkr_access_report *access)
{
	json_t *object = object_of(writer, access, &vkr_access_fields);
	if (access->agent == VKR_AGENT_INVOCATION) {
		put_fields(writer, object, access, &vkr_invocation_fields);
		put_member(writer, object, "source",
			   object_of(writer, &access->source, &vkr_source_fields));
	}
	if (access->agent == VKR_AGENT_HOST)
		put_fields(writer, object, access, &vkr_host_fields);
	if (*access->image.format)
		put_member(writer, object, "image",
			   object_of(writer, &access->image, &vkr_image_fields));
	if (access->command.command)
		put_member(writer, object, "command",
			   object_of(writer, &access->command, &vkr_command_fields));
	return object;
}

// `cause`: the id of the first race with its cause; NULL where that is not said.
static json_t *race_value(struct writer *writer, const struct vkr_race_report *race,
			  const char *cause)
{
	json_t *object = object_of(writer, race, &vkr_race_fields);
	if (cause)
		put_member(writer, object, "cause", text_value(writer, cause));
	if (race->extent.bytes)
		put_member(writer, object, "extent",
			   object_of(writer, &race->extent, &vkr_extent_fields));
	put_member(writer, object, "first", access_value(writer, &race->first));
	put_member(writer, object, "second", access_value(writer, &race->second));
	if (race->run_count) {
		json_t *runs = json_array();
		for (uint32_t i = 0; i < race->run_count; i++)
			append_element(writer, runs, json_integer(race->runs[i]));
		put_member(writer, object, "runs", runs);
	}
	return object;
}

static json_t *ids_value(struct writer *writer, const char *const *ids, uint32_t count)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		append_element(writer, array, text_value(writer, ids[i]));
	return array;
}

static json_t *change_value(struct writer *writer, const struct vkr_change_report *change)
{
	json_t *object = json_object(), *checked = NULL;
	put_member(writer, object, "kind", json_string(vkr_change_kind_text(change->change.kind)));
	put_member(writer, object, "place",
		   object_of(writer, &change->change.place, &vkr_change_place_fields));
	if (vkr_change_has_from(change->change.kind))
		put_member(writer, object, "from",
			   object_of(writer, &change->change.from, &vkr_change_place_fields));
	if (vkr_change_has_subpasses(change->change.kind))
		put_member(
			writer, object, "subpasses",
			object_of(writer, &change->change.subpasses, &vkr_change_subpass_fields));
	if (vkr_change_is_of_shader(change->change.kind))
		put_member(writer, object, "shader",
			   object_of(writer, &change->change.shader, &vkr_change_shader_fields));
	put_member(writer, object, "masks",
		   object_of(writer, &change->change.masks, &vkr_change_mask_fields));
	put_member(writer, object, "where", text_value(writer, change->where));
	put_member(writer, object, "code", text_value(writer, change->code));
	put_member(writer, object, "races", ids_value(writer, change->races, change->race_count));
	if (change->checked) {
		checked = json_object();
		put_member(writer, checked, "places", number_value(change->places));
		put_member(writer, checked, "gone",
			   ids_value(writer, change->gone, change->gone_count));
		put_member(writer, checked, "new",
			   ids_value(writer, change->added, change->added_count));
		if (change->missed)
			put_member(writer, checked, "missed", text_value(writer, change->missed));
	}
	put_member(writer, object, "checked", checked ? checked : json_null());
	return object;
}

static void put_sources(struct writer *writer, json_t *object, const struct vkr_report *report)
{
	const struct vkr_source_report *sources;
	uint32_t count = 0;
	if (!vkr_report_sources_used(report, &writer->arena, &sources, &count))
		writer->failed = true;
	if (!count)
		return;
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		append_element(writer, array,
			       object_of(writer, &sources[i], &vkr_source_report_fields));
	put_member(writer, object, "sources", array);
}

static json_t *report_value(struct writer *writer, const struct vkr_report *report)
{
	json_t *object = json_object(), *races = json_array(), *coverage = json_array();
	json_t *changes = json_array();
	struct vkr_report_causes causes;
	if (!vkr_report_causes_make(report, &writer->arena, &causes)) {
		writer->failed = true;
		return object;
	}
	put_member(writer, object, "version", json_integer(VKR_REPORT_JSON_VERSION));
	put_member(writer, object, "verdict", json_string(vkr_report_verdict(report->verdict)));
	put_fields(writer, object, report, &vkr_report_fields);
	put_device(writer, object, report->device);
	for (uint32_t i = 0; i < report->race_count; i++)
		append_element(
			writer, races,
			race_value(writer, &report->races[i], report->races[causes.first[i]].id));
	put_member(writer, object, "races", races);
	for (uint32_t i = 0; i < report->change_count; i++)
		append_element(writer, changes, change_value(writer, &report->changes[i]));
	put_member(writer, object, "changes", changes);
	for (uint32_t i = 0; i < report->coverage_count; i++)
		append_element(writer, coverage,
			       object_of(writer, &report->coverage[i], &vkr_coverage_fields));
	put_member(writer, object, "coverage", coverage);
	put_member(writer, object, "suppressed", object_of(writer, report, &vkr_suppressed_fields));
	put_member(writer, object, "known", object_of(writer, report, &vkr_known_fields));
	if (report->letter_count)
		put_member(writer, object, "letter_only",
			   object_of(writer, report, &vkr_letter_fields));
	if (report->possible_count) {
		json_t *possible = json_array();
		for (uint32_t i = 0; i < report->possible_count; i++)
			append_element(writer, possible,
				       race_value(writer, &report->possible[i], NULL));
		put_member(writer, object, "possible", possible);
	}
	if (report->cost_count) {
		json_t *costs = json_array();
		for (uint32_t i = 0; i < report->cost_count; i++)
			append_element(writer, costs,
				       object_of(writer, &report->costs[i], &vkr_cost_fields));
		put_member(writer, object, "costs", costs);
	}
	if (report->rule_count) {
		json_t *rules = json_array();
		for (uint32_t i = 0; i < report->rule_count; i++)
			append_element(writer, rules,
				       object_of(writer, &report->rules[i], &vkr_rule_fields));
		put_member(writer, object, "rules", rules);
	}
	if (report->run_count) {
		json_t *runs = json_array();
		for (uint32_t i = 0; i < report->run_count; i++)
			append_element(writer, runs, run_value(writer, &report->runs[i]));
		put_member(writer, object, "runs", runs);
	}
	put_sources(writer, object, report);
	if (report->part)
		put_member(writer, object, "part",
			   object_of(writer, report->part, &vkr_part_fields));
	return object;
}

// Writes `object` and releases it; `what` names it in messages.
static enum vkr_result write_object(struct writer *writer, json_t *object, const char *what,
				    FILE *out, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (!object || writer->failed)
		result = vkr_error_memory(error, what);
	else if (json_dumpf(object, out, JSON_INDENT(2)) != 0 && !ferror(out))
		result = vkr_error_memory(error, what); // of the writer's own
	else if (fputc('\n', out) == EOF || fflush(out) != 0 || ferror(out))
		result = vkr_error_set(error, VKR_ERROR_IO, "cannot write %s: %s", what,
				       strerror(errno));
	json_decref(object);
	vkr_arena_finish(&writer->arena);
	return result;
}

enum vkr_result vkr_report_json(const struct vkr_report *report, FILE *out, struct vkr_error *error)
{
	struct writer writer = {.failed = false};
	vkr_arena_init(&writer.arena);
	return write_object(&writer, report_value(&writer, report), "the JSON report", out, error);
}

static json_t *changes_value(struct writer *writer, const struct vkr_report *report)
{
	json_t *object = json_object(), *changes = json_array();
	for (uint32_t i = 0; i < report->change_count; i++)
		append_element(writer, changes, change_value(writer, &report->changes[i]));
	put_member(writer, object, "changes", changes);
	return object;
}

enum vkr_result vkr_report_changes_json(const struct vkr_report *report, FILE *out,
					struct vkr_error *error)
{
	struct writer writer = {.failed = false};
	vkr_arena_init(&writer.arena);
	return write_object(&writer, changes_value(&writer, report), "the changes", out, error);
}

static void put_pairs(struct writer *writer, json_t *object, const struct vkr_report_pairs *pairs)
{
	json_t *added = json_array(), *gone = json_array(), *both = json_array();
	for (uint32_t i = 0; i < pairs->count; i++) {
		const struct vkr_report_pair *pair = &pairs->items[i];
		if (!pair->before) {
			append_element(writer, added, race_value(writer, pair->after, NULL));
		} else if (!pair->after) {
			append_element(writer, gone, race_value(writer, pair->before, NULL));
		} else {
			json_t *counts = json_object();
			put_member(writer, counts, "id", text_value(writer, pair->after->id));
			put_member(writer, counts, "before", number_value(pair->before->count));
			put_member(writer, counts, "after", number_value(pair->after->count));
			append_element(writer, both, counts);
		}
	}
	put_member(writer, object, "new", added);
	put_member(writer, object, "gone", gone);
	put_member(writer, object, "both", both);
}

static json_t *diff_value(struct writer *writer, const struct vkr_report_diff *diff)
{
	json_t *object = json_object();
	put_member(writer, object, "version", json_integer(VKR_REPORT_JSON_VERSION));
	put_pairs(writer, object, &diff->races);
	if (diff->possible.count) {
		json_t *possible = json_object();
		put_pairs(writer, possible, &diff->possible);
		put_member(writer, object, "possible", possible);
	}
	return object;
}

enum vkr_result vkr_report_diff_json(const struct vkr_report_diff *diff, FILE *out,
				     struct vkr_error *error)
{
	struct writer writer = {.failed = false};
	vkr_arena_init(&writer.arena);
	return write_object(&writer, diff_value(&writer, diff), "the comparison", out, error);
}
