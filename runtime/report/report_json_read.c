// SPDX-License-Identifier: Apache-2.0
// Reads a report back from JSON. Knows what a report's JSON may hold; trusts none of it.
#include "report_json.h"

#include "change_place.h"
#include "error.h"
#include "report_changes.h"
#include "report_facts.h"
#include "report_fields.h"
#include "scope_names.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct vkr_report_copy *copy;
	const char *name;
	struct vkr_error *error;
};

// Where a value stands: "races[2].first" is {"races[2]", "first"}.
struct place {
	const struct place *outer;
	const char *key;
	size_t index; // of the outer array, where key is NULL
};

static size_t print_place(const struct place *place, char *text, size_t room)
{
	size_t used = place->outer ? print_place(place->outer, text, room) : 0;
	if (used >= room)
		return used;
	int more = place->key
			   ? snprintf(text + used, room - used, "%s%s", used ? "." : "", place->key)
			   : snprintf(text + used, room - used, "[%zu]", place->index);
	return used + (size_t)more;
}

static enum vkr_result refuse_place(struct reader *reader, const struct place *place,
				    const char *reason)
{
	char text[256] = "";
	print_place(place, text, sizeof text);
	return vkr_error_set(reader->error, VKR_ERROR_FORMAT, "%s: %s: %s", reader->name, text,
			     reason);
}

static const char *copy_text(struct reader *reader, const char *text)
{
	return vkr_arena_string(&reader->copy->arena, text, strlen(text));
}

static bool read_number(const json_t *value, uint64_t most, uint64_t *number)
{
	if (json_is_integer(value)) {
		json_int_t integer = json_integer_value(value);
		*number = (uint64_t)integer;
		return integer >= 0 && *number <= most;
	}
	if (!json_is_string(value))
		return false;
	const char *digits = json_string_value(value);
	char *end;
	errno = 0;
	*number = strtoull(digits, &end, 10);
	return *digits >= '0' && *digits <= '9' && !*end && !errno && *number <= most;
}

static bool read_hash(const json_t *value, uint64_t *hash)
{
	const char *digits = json_string_value(value);
	if (!digits || strlen(digits) != 16 || strspn(digits, "0123456789abcdef") != 16)
		return false;
	*hash = strtoull(digits, NULL, 16);
	return true;
}

static bool read_class(const json_t *value, enum vkr_race_class *race_class)
{
	static const enum vkr_race_class classes[] = {
#define CLASS(name, text, meaning) VKR_RACE_##name,
		VKR_RACE_CLASSES(CLASS)
#undef CLASS
	};
	const char *text = json_string_value(value);
	for (size_t i = 0; text && i < sizeof classes / sizeof *classes; i++) {
		if (strcmp(text, vkr_report_class(classes[i])) == 0) {
			*race_class = classes[i];
			return true;
		}
	}
	return false;
}

static bool read_triple(const json_t *value, uint32_t triple[3])
{
	if (json_array_size(value) != 3)
		return false;
	for (size_t i = 0; i < 3; i++) {
		uint64_t number;
		if (!read_number(json_array_get(value, i), UINT32_MAX, &number))
			return false;
		triple[i] = (uint32_t)number;
	}
	return true;
}

// A list of the names of bits, or of numbers.
static bool read_mask(const json_t *value, const struct vkr_scope_names *names, uint64_t *mask)
{
	*mask = 0;
	for (size_t i = 0; i < json_array_size(value); i++) {
		const char *text = json_string_value(json_array_get(value, i));
		char *end = NULL;
		uint64_t bits = 0;
		if (!text)
			return false;
		if (!vkr_scope_names_find(names, text, &bits)) {
			bits = strncmp(text, "0x", 2) == 0 ? strtoull(text, &end, 16) : 0;
			if (!bits || *end)
				return false;
		}
		*mask |= bits;
	}
	return json_is_array(value);
}

static enum vkr_result read_field(struct reader *reader, const struct place *place,
				  const json_t *value, void *member,
				  enum vkr_report_field_kind kind)
{
	uint64_t number;
	const char *text = json_string_value(value);
	switch (kind) {
	case VKR_REPORT_FIELD_TEXT:
		if (!text)
			return refuse_place(reader, place, "is no text");
		*(const char **)member = copy_text(reader, text);
		return *(const char **)member ? VKR_OK
					      : vkr_error_memory(reader->error, reader->name);
	case VKR_REPORT_FIELD_BOOL:
		*(bool *)member = json_is_true(value);
		return json_is_boolean(value)
			       ? VKR_OK
			       : refuse_place(reader, place, "is neither true nor false");
	case VKR_REPORT_FIELD_U32:
		if (!read_number(value, UINT32_MAX, &number))
			return refuse_place(reader, place, "is no number from 0 to 4294967295");
		*(uint32_t *)member = (uint32_t)number;
		return VKR_OK;
	case VKR_REPORT_FIELD_U64:
		return read_number(value, UINT64_MAX, member)
			       ? VKR_OK
			       : refuse_place(reader, place, "is no number from 0");
	case VKR_REPORT_FIELD_HASH:
		return read_hash(value, member)
			       ? VKR_OK
			       : refuse_place(reader, place, "is not 16 hexadecimal digits");
	case VKR_REPORT_FIELD_TRIPLE:
		return read_triple(value, member)
			       ? VKR_OK
			       : refuse_place(reader, place, "is not three numbers");
	case VKR_REPORT_FIELD_INDEX:
		*(int64_t *)member = -1;
		if (json_is_null(value))
			return VKR_OK;
		if (!read_number(value, INT64_MAX, &number))
			return refuse_place(reader, place, "is neither null nor a number from 0");
		*(int64_t *)member = (int64_t)number;
		return VKR_OK;
	case VKR_REPORT_FIELD_AGENT:
		*(enum vkr_agent_kind *)member =
			text ? vkr_report_field_agent(text) : (enum vkr_agent_kind)0;
		return *(enum vkr_agent_kind *)member ? VKR_OK
						      : refuse_place(reader, place, "is no agent");
	case VKR_REPORT_FIELD_CLASS:
		return read_class(value, member)
			       ? VKR_OK
			       : refuse_place(reader, place, "is no class of races");
	case VKR_REPORT_FIELD_VERDICT:
		*(enum vkr_verdict *)member =
			text ? vkr_report_verdict_of(text) : (enum vkr_verdict)0;
		return *(enum vkr_verdict *)member ? VKR_OK
						   : refuse_place(reader, place, "is no verdict");
	case VKR_REPORT_FIELD_STAGES:
		return read_mask(value, &vkr_stage_names, member)
			       ? VKR_OK
			       : refuse_place(reader, place, "is no list of pipeline stages");
	case VKR_REPORT_FIELD_ACCESSES:
		return read_mask(value, &vkr_access_type_names, member)
			       ? VKR_OK
			       : refuse_place(reader, place, "is no list of access types");
	}
	return VKR_ERROR_FORMAT;
}

static enum vkr_result read_fields(struct reader *reader, const struct place *place,
				   const json_t *object, void *to,
				   const struct vkr_report_field_list *list)
{
	if (!json_is_object(object))
		return refuse_place(reader, place, "is missing or no object");
	for (size_t i = 0; i < list->count; i++) {
		const struct vkr_report_field *field = &list->fields[i];
		struct place inner = {place, field->key, 0};
		const json_t *value = json_object_get(object, field->key);
		if (!value && field->optional)
			continue;
		if (!value)
			return refuse_place(reader, &inner, "is missing");
		enum vkr_result result =
			read_field(reader, &inner, value, (char *)to + field->offset, field->kind);
		if (result != VKR_OK)
			return result;
	}
	return VKR_OK;
}

// What is not in the file is "", so that texts are never NULL.
static void fill_absent(void *to, const struct vkr_report_field_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->fields[i].kind == VKR_REPORT_FIELD_TEXT)
			*(const char **)((char *)to + list->fields[i].offset) = "";
	}
}

static enum vkr_result read_access(struct reader *reader, const struct place *place,
				   const json_t *object, struct vkr_access_report *access)
{
	struct place source = {place, "source", 0}, command = {place, "command", 0};
	struct place image = {place, "image", 0};
	fill_absent(access, &vkr_host_fields);
	fill_absent(&access->source, &vkr_source_fields);
	fill_absent(&access->command, &vkr_command_fields);
	fill_absent(&access->image, &vkr_image_fields);
	access->subgroup = -1;
	enum vkr_result result = read_fields(reader, place, object, access, &vkr_access_fields);
	if (result == VKR_OK && access->agent == VKR_AGENT_INVOCATION) {
		result = read_fields(reader, place, object, access, &vkr_invocation_fields);
		if (result == VKR_OK)
			result = read_fields(reader, &source, json_object_get(object, "source"),
					     &access->source, &vkr_source_fields);
	}
	if (result == VKR_OK && access->agent == VKR_AGENT_HOST)
		result = read_fields(reader, place, object, access, &vkr_host_fields);
	if (result == VKR_OK && json_object_get(object, "image"))
		result = read_fields(reader, &image, json_object_get(object, "image"),
				     &access->image, &vkr_image_fields);
	if (result == VKR_OK && json_object_get(object, "command"))
		result = read_fields(reader, &command, json_object_get(object, "command"),
				     &access->command, &vkr_command_fields);
	return result;
}

static enum vkr_result read_run_indices(struct reader *reader, const struct place *place,
					const json_t *array, struct vkr_race_report *race)
{
	struct place runs = {place, "runs", 0};
	const size_t length = json_array_size(array);
	uint32_t *made = vkr_arena_alloc(&reader->copy->arena, (length + 1) * sizeof *made);
	if (!json_is_array(array) || length > UINT32_MAX)
		return refuse_place(reader, &runs, "is no list");
	if (!made)
		return vkr_error_memory(reader->error, reader->name);
	for (size_t i = 0; i < length; i++) {
		uint64_t number;
		if (!read_number(json_array_get(array, i), UINT32_MAX, &number))
			return refuse_place(reader, &runs, "is no list of numbers");
		made[i] = (uint32_t)number;
	}
	race->runs = made;
	race->run_count = (uint32_t)length;
	return VKR_OK;
}

static enum vkr_result read_race(struct reader *reader, const struct place *place,
				 const json_t *object, void *item)
{
	struct vkr_race_report *race = item;
	struct place first = {place, "first", 0}, second = {place, "second", 0};
	struct place extent = {place, "extent", 0};
	fill_absent(race, &vkr_race_fields);
	enum vkr_result result = read_fields(reader, place, object, race, &vkr_race_fields);
	if (result == VKR_OK)
		result =
			read_access(reader, &first, json_object_get(object, "first"), &race->first);
	if (result == VKR_OK)
		result = read_access(reader, &second, json_object_get(object, "second"),
				     &race->second);
	if (result == VKR_OK && json_object_get(object, "extent"))
		result = read_fields(reader, &extent, json_object_get(object, "extent"),
				     &race->extent, &vkr_extent_fields);
	if (result == VKR_OK && json_object_get(object, "runs"))
		result = read_run_indices(reader, place, json_object_get(object, "runs"), race);
	return result;
}

// It stands there where it is known.
static enum vkr_result read_device(struct reader *reader, const struct place *in,
				   const json_t *object, const char **device)
{
	const json_t *value = json_object_get(object, "device");
	const struct place place = {in, "device", 0};
	*device = "";
	if (!value)
		return VKR_OK;
	if (!json_is_string(value))
		return refuse_place(reader, &place, "is no text");
	*device = copy_text(reader, json_string_value(value));
	return *device ? VKR_OK : vkr_error_memory(reader->error, reader->name);
}

static enum vkr_result read_run(struct reader *reader, const struct place *place,
				const json_t *object, void *item)
{
	struct vkr_run_report *run = item;
	const enum vkr_result result = read_fields(reader, place, object, run, &vkr_run_fields);
	return result == VKR_OK ? read_device(reader, place, object, &run->device) : result;
}

static enum vkr_result read_rule(struct reader *reader, const struct place *place,
				 const json_t *object, void *item)
{
	return read_fields(reader, place, object, item, &vkr_rule_fields);
}

// Races name only runs that are there.
static enum vkr_result check_run_indices(struct reader *reader, const char *name,
					 const struct vkr_race_report *races, uint32_t count)
{
	struct place top = {NULL, name, 0};
	for (uint32_t i = 0; i < count; i++) {
		struct place race = {&top, NULL, i}, runs = {&race, "runs", 0};
		for (uint32_t run = 0; run < races[i].run_count; run++) {
			if (races[i].runs[run] >= reader->copy->report.run_count)
				return refuse_place(reader, &runs, "names a run that is not there");
		}
	}
	return VKR_OK;
}

static enum vkr_result read_coverage(struct reader *reader, const struct place *place,
				     const json_t *object, void *item)
{
	return read_fields(reader, place, object, item, &vkr_coverage_fields);
}

static enum vkr_result read_source(struct reader *reader, const struct place *place,
				   const json_t *object, void *item)
{
	return read_fields(reader, place, object, item, &vkr_source_report_fields);
}

static enum vkr_result read_cost(struct reader *reader, const struct place *place,
				 const json_t *object, void *item)
{
	return read_fields(reader, place, object, item, &vkr_cost_fields);
}

typedef enum vkr_result read_item(struct reader *, const struct place *, const json_t *, void *);

static enum vkr_result read_array(struct reader *reader, const json_t *object, const char *key,
				  size_t size, read_item *read, void **items, uint32_t *count)
{
	struct place place = {NULL, key, 0};
	const json_t *array = json_object_get(object, key);
	size_t length = json_array_size(array);
	if (!json_is_array(array) || length > UINT32_MAX)
		return refuse_place(reader, &place, "is missing or no list");
	if (!length)
		return VKR_OK;
	*items = vkr_arena_alloc(&reader->copy->arena, length * size);
	if (!*items)
		return vkr_error_memory(reader->error, reader->name);
	*count = (uint32_t)length;
	for (size_t i = 0; i < length; i++) {
		struct place inner = {&place, NULL, i};
		enum vkr_result result =
			read(reader, &inner, json_array_get(array, i), (char *)*items + i * size);
		if (result != VKR_OK)
			return result;
	}
	return VKR_OK;
}

static enum vkr_result read_ids(struct reader *reader, const struct place *place,
				const json_t *array, const char *const **ids, uint32_t *count)
{
	const size_t length = json_array_size(array);
	if (!json_is_array(array) || length > UINT32_MAX)
		return refuse_place(reader, place, "is missing or no list");
	const char **made = vkr_arena_alloc(&reader->copy->arena, (length + 1) * sizeof *made);
	if (!made)
		return vkr_error_memory(reader->error, reader->name);
	for (size_t i = 0; i < length; i++) {
		struct place inner = {place, NULL, i};
		const char *text = json_string_value(json_array_get(array, i));
		if (!text)
			return refuse_place(reader, &inner, "is no text");
		made[i] = copy_text(reader, text);
		if (!made[i])
			return vkr_error_memory(reader->error, reader->name);
	}
	*ids = made;
	*count = (uint32_t)length;
	return VKR_OK;
}

// What was proposed and what was found out; neither is there in changes that a user has written.
static enum vkr_result read_proof(struct reader *reader, const struct place *place,
				  const json_t *object, struct vkr_change_report *change)
{
	struct place races = {place, "races", 0}, checked = {place, "checked", 0};
	struct place gone = {&checked, "gone", 0}, added = {&checked, "new", 0};
	const json_t *proof = json_object_get(object, "checked");
	const char *code = json_string_value(json_object_get(object, "code"));
	const char *where = json_string_value(json_object_get(object, "where"));
	change->code = copy_text(reader, code ? code : "");
	change->where = copy_text(reader, where ? where : "");
	if (!change->code || !change->where)
		return vkr_error_memory(reader->error, reader->name);
	enum vkr_result result = VKR_OK;
	if (json_object_get(object, "races"))
		result = read_ids(reader, &races, json_object_get(object, "races"), &change->races,
				  &change->race_count);
	if (result != VKR_OK || !proof || json_is_null(proof))
		return result;
	change->checked = true;
	if (!read_number(json_object_get(proof, "places"), UINT64_MAX, &change->places))
		return refuse_place(reader, &checked, "has no number of places");
	result = read_ids(reader, &gone, json_object_get(proof, "gone"), &change->gone,
			  &change->gone_count);
	if (result == VKR_OK)
		result = read_ids(reader, &added, json_object_get(proof, "new"), &change->added,
				  &change->added_count);
	const char *missed = json_string_value(json_object_get(proof, "missed"));
	change->missed = missed ? copy_text(reader, missed) : NULL;
	if (missed && !change->missed)
		return vkr_error_memory(reader->error, reader->name);
	return result;
}

static enum vkr_result read_change_place(struct reader *reader, const struct place *where,
					 const json_t *object, struct vkr_change_place *place)
{
	enum vkr_result result =
		read_fields(reader, where, object, place, &vkr_change_place_fields);
	if (result == VKR_OK && !*place->call && (!*place->command_buffer || !place->command))
		return refuse_place(reader, where,
				    "names neither a call nor a command of a command buffer");
	return result;
}

static enum vkr_result read_change(struct reader *reader, const struct place *place,
				   const json_t *object, void *item)
{
	struct vkr_change_report *report = item;
	struct vkr_change *change = &report->change;
	struct place kind = {place, "kind", 0}, where = {place, "place", 0};
	struct place masks = {place, "masks", 0}, from = {place, "from", 0};
	struct place subpasses = {place, "subpasses", 0}, shader = {place, "shader", 0};
	const char *text = json_string_value(json_object_get(object, "kind"));
	change->kind = vkr_change_kind_of(text ? text : "");
	if (change->kind == (enum vkr_change_kind) - 1)
		return refuse_place(reader, &kind, "is no kind of change");
	change->from = (struct vkr_change_place)VKR_CHANGE_NOWHERE;
	enum vkr_result result =
		read_change_place(reader, &where, json_object_get(object, "place"), &change->place);
	if (result == VKR_OK && vkr_change_has_from(change->kind))
		result = read_change_place(reader, &from, json_object_get(object, "from"),
					   &change->from);
	if (result == VKR_OK && vkr_change_has_subpasses(change->kind))
		result = read_fields(reader, &subpasses, json_object_get(object, "subpasses"),
				     &change->subpasses, &vkr_change_subpass_fields);
	if (result == VKR_OK && vkr_change_is_of_shader(change->kind))
		result = read_fields(reader, &shader, json_object_get(object, "shader"),
				     &change->shader, &vkr_change_shader_fields);
	if (result == VKR_OK)
		result = read_fields(reader, &masks, json_object_get(object, "masks"),
				     &change->masks, &vkr_change_mask_fields);
	return result == VKR_OK ? read_proof(reader, place, object, report) : result;
}

// The verdict must be the one that races and coverage give.
static enum vkr_result read_verdict(struct reader *reader, const json_t *object)
{
	struct vkr_report *report = &reader->copy->report;
	struct place place = {NULL, "verdict", 0};
	const char *text = json_string_value(json_object_get(object, "verdict"));
	report->verdict = report->race_count       ? VKR_VERDICT_RACES
			  : report->coverage_count ? VKR_VERDICT_INCOMPLETE
						   : VKR_VERDICT_NONE;
	if (!text || strcmp(text, vkr_report_verdict(report->verdict)) != 0)
		return refuse_place(reader, &place, "does not agree with races and coverage");
	return VKR_OK;
}

static enum vkr_result read_version(struct reader *reader, const json_t *object)
{
	const json_t *version = json_object_get(object, "version");
	if (!json_is_integer(version))
		return vkr_error_set(reader->error, VKR_ERROR_FORMAT,
				     "%s: no vkrace report: version is missing", reader->name);
	if (json_integer_value(version) != VKR_REPORT_JSON_VERSION)
		return vkr_error_set(reader->error, VKR_ERROR_VERSION,
				     "%s: report version %lld, this build knows version %d",
				     reader->name, (long long)json_integer_value(version),
				     VKR_REPORT_JSON_VERSION);
	return VKR_OK;
}

static enum vkr_result read_part(struct reader *reader, const json_t *object)
{
	struct place place = {NULL, "part", 0};
	struct vkr_part_report *part = vkr_arena_alloc(&reader->copy->arena, sizeof *part);
	if (!part)
		return vkr_error_memory(reader->error, "a report");
	*part = (struct vkr_part_report){0};
	const enum vkr_result result = read_fields(reader, &place, object, part, &vkr_part_fields);
	if (result == VKR_OK && (part->index == 0 || part->index > part->count))
		return refuse_place(reader, &place, "is no part: index is not from 1 to count");
	reader->copy->report.part = part;
	return result;
}

static enum vkr_result read_report(struct reader *reader, const json_t *object)
{
	struct vkr_report *report = &reader->copy->report;
	struct place top = {NULL, "report", 0}, suppressed = {NULL, "suppressed", 0};
	struct place known = {NULL, "known", 0}, letter = {NULL, "letter_only", 0};
	void *races = NULL, *possible = NULL, *coverage = NULL, *changes = NULL, *runs = NULL,
	     *costs = NULL, *rules = NULL, *sources = NULL;
	enum vkr_result result = read_version(reader, object);
	if (result == VKR_OK)
		result = read_fields(reader, &top, object, report, &vkr_report_fields);
	if (result == VKR_OK)
		result = read_device(reader, NULL, object, &report->device);
	if (result == VKR_OK)
		result = read_array(reader, object, "races", sizeof *report->races, read_race,
				    &races, &report->race_count);
	if (result == VKR_OK && json_object_get(object, "possible"))
		result = read_array(reader, object, "possible", sizeof *report->possible, read_race,
				    &possible, &report->possible_count);
	if (result == VKR_OK)
		result = read_array(reader, object, "coverage", sizeof *report->coverage,
				    read_coverage, &coverage, &report->coverage_count);
	if (result == VKR_OK)
		result = read_array(reader, object, "changes", sizeof *report->changes, read_change,
				    &changes, &report->change_count);
	if (result == VKR_OK && json_object_get(object, "runs"))
		result = read_array(reader, object, "runs", sizeof *report->runs, read_run, &runs,
				    &report->run_count);
	if (result == VKR_OK && json_object_get(object, "rules"))
		result = read_array(reader, object, "rules", sizeof *report->rules, read_rule,
				    &rules, &report->rule_count);
	if (result == VKR_OK && json_object_get(object, "part"))
		result = read_part(reader, json_object_get(object, "part"));
	if (result == VKR_OK && json_object_get(object, "costs"))
		result = read_array(reader, object, "costs", sizeof *report->costs, read_cost,
				    &costs, &report->cost_count);
	if (result == VKR_OK && json_object_get(object, "sources"))
		result = read_array(reader, object, "sources", sizeof *report->sources, read_source,
				    &sources, &report->source_count);
	report->costs = costs;
	report->sources = sources;
	report->runs = runs;
	report->rules = rules;
	report->races = races;
	report->possible = possible;
	report->changes = changes;
	report->coverage = coverage;
	if (result == VKR_OK)
		result = read_fields(reader, &suppressed, json_object_get(object, "suppressed"),
				     report, &vkr_suppressed_fields);
	if (result == VKR_OK)
		result = read_fields(reader, &known, json_object_get(object, "known"), report,
				     &vkr_known_fields);
	if (result == VKR_OK && json_object_get(object, "letter_only"))
		result = read_fields(reader, &letter, json_object_get(object, "letter_only"),
				     report, &vkr_letter_fields);
	if (result == VKR_OK)
		result = check_run_indices(reader, "races", report->races, report->race_count);
	if (result == VKR_OK)
		result = check_run_indices(reader, "possible", report->possible,
					   report->possible_count);
	return result == VKR_OK ? read_verdict(reader, object) : result;
}

// What reads a JSON text's top.
typedef enum vkr_result read_top(struct reader *, const json_t *);

static enum vkr_result read_text(struct vkr_report_copy *copy, const char *name, const char *text,
				 size_t bytes, read_top *read, struct vkr_error *error)
{
	struct reader reader = {copy, name, error};
	json_error_t reason;
	*copy = (struct vkr_report_copy){0};
	vkr_arena_init(&copy->arena);
	json_t *object = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &reason);
	if (!object)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "%s: offset %d: %s", name,
				     reason.position, reason.text);
	enum vkr_result result = read(&reader, object);
	json_decref(object);
	if (result != VKR_OK)
		vkr_report_copy_finish(copy);
	return result;
}

enum vkr_result vkr_report_read_json(struct vkr_report_copy *copy, const char *name,
				     const char *text, size_t bytes, struct vkr_error *error)
{
	return read_text(copy, name, text, bytes, read_report, error);
}

static enum vkr_result read_changes(struct reader *reader, const json_t *object)
{
	struct vkr_report *report = &reader->copy->report;
	void *changes = NULL;
	enum vkr_result result = read_array(reader, object, "changes", sizeof *report->changes,
					    read_change, &changes, &report->change_count);
	report->changes = changes;
	return result;
}

enum vkr_result vkr_report_read_changes(struct vkr_report_copy *copy, const char *name,
					const char *text, size_t bytes, struct vkr_error *error)
{
	return read_text(copy, name, text, bytes, read_changes, error);
}

void vkr_report_copy_finish(struct vkr_report_copy *copy)
{
	vkr_arena_finish(&copy->arena);
	copy->report = (struct vkr_report){0};
}
