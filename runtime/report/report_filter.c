// SPDX-License-Identifier: Apache-2.0
// Knows the suppression file's grammar and how a rule or a baseline matches a race; nothing of how
// races are found.
#include "report_filter.h"

#include "array.h"
#include "error.h"
#include "report_changes.h"
#include "report_facts.h"
#include "sort.h"
#include "user_file.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text;
	uint32_t bit;
} class_names[] = {
#define CLASS(name, text, meaning) {text, 1u << VKR_RACE_##name},
	VKR_RACE_CLASSES(CLASS)
#undef CLASS
};

void vkr_report_filter_init(struct vkr_report_filter *filter)
{
	*filter = (struct vkr_report_filter){.only = UINT32_MAX};
	vkr_arena_init(&filter->arena);
}

void vkr_report_filter_finish(struct vkr_report_filter *filter)
{
	free(filter->items);
	free(filter->known.items);
	free(filter->possible.items);
	vkr_arena_finish(&filter->arena);
	*filter = (struct vkr_report_filter){0};
}

// The bits of a list of class names; 0 with *wrong and *length at the name that is no class.
// *practical: set where "practical" is among them, all of them where it stands alone; NULL: it is
// no name.
static uint32_t read_classes(const char *list, bool *practical, const char **wrong, size_t *length)
{
	uint32_t bits = 0;
	for (;; list++) {
		uint32_t bit = 0;
		*wrong = list;
		*length = strcspn(list, ",");
		for (size_t i = 0; i < sizeof class_names / sizeof *class_names; i++) {
			if (strlen(class_names[i].text) == *length &&
			    memcmp(class_names[i].text, list, *length) == 0)
				bit = class_names[i].bit;
		}
		if (!bit && practical && strncmp(list, "practical", *length) == 0 &&
		    *length == strlen("practical"))
			*practical = true;
		else if (!bit)
			return 0;
		bits |= bit;
		list += *length;
		if (!*list)
			return bits ? bits : UINT32_MAX;
	}
}

enum vkr_result vkr_report_filter_only(struct vkr_report_filter *filter, const char *classes,
				       struct vkr_error *error)
{
	const char *wrong;
	size_t length;
	bool practical = false;
	uint32_t bits = read_classes(classes, &practical, &wrong, &length);
	if (!bits)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "\"%.*s\" is no class of races",
				     (int)length, wrong);
	filter->only = bits;
	filter->practical = practical;
	return VKR_OK;
}

// A line being cut into words.
struct line {
	const char *path;
	uint64_t number;
	char *rest;
	const char *comment; // at its end; NULL: none
	struct vkr_error *error;
};

static enum vkr_result refuse_line(const struct line *line, const char *reason)
{
	return vkr_error_set(line->error, VKR_ERROR_FORMAT, "%s: line %" PRIu64 ": %s", line->path,
			     line->number, reason);
}

// In quotes, \" is a quote; any other \ stays for the pattern.
static enum vkr_result next_quoted(struct line *line, char **word)
{
	char *from = line->rest + 1, *to = line->rest;
	*word = to;
	for (; *from && *from != '"'; from++) {
		if (from[0] == '\\' && from[1] == '"')
			from++;
		*to++ = *from;
	}
	if (!*from)
		return refuse_line(line, "no quote at the end of the pattern");
	if (from[1] && !strchr(" \t\r\n", from[1]))
		return refuse_line(line, "no blank behind a pattern in quotes");
	*to = 0;
	line->rest = from + 1;
	return VKR_OK;
}

// The next word in *word, or NULL at the end of the line.
static enum vkr_result next_word(struct line *line, char **word)
{
	line->rest += strspn(line->rest, " \t\r\n");
	*word = NULL;
	if (*line->rest == '#')
		line->comment = line->rest + 1;
	if (!*line->rest || *line->rest == '#')
		return VKR_OK;
	if (*line->rest == '"')
		return next_quoted(line, word);
	*word = line->rest;
	line->rest += strcspn(line->rest, " \t\r\n");
	if (*line->rest)
		*line->rest++ = 0;
	return VKR_OK;
}

static const char *keep_pattern(struct vkr_report_filter *filter, const char *pattern)
{
	return vkr_arena_string(&filter->arena, pattern, strlen(pattern));
}

static enum vkr_result add_rule(struct vkr_report_filter *filter, const struct line *line,
				char *words[4], const char *reason)
{
	struct vkr_filter_rule rule = {.classes = UINT32_MAX,
				       .file = keep_pattern(filter, line->path),
				       .reason = reason,
				       .line = (uint32_t)line->number};
	const char *wrong;
	size_t length;
	if (!words[1] || !words[2])
		return refuse_line(line, "a rule is CLASS OBJECT PLACE [PLACE]");
	if (strcmp(words[0], "*") != 0) {
		rule.classes = read_classes(words[0], NULL, &wrong, &length);
		if (!rule.classes)
			return vkr_error_set(line->error, VKR_ERROR_FORMAT,
					     "%s: line %" PRIu64 ": \"%.*s\" is no class of races",
					     line->path, line->number, (int)length, wrong);
	}
	rule.object = keep_pattern(filter, words[1]);
	rule.place = keep_pattern(filter, words[2]);
	rule.other = words[3] ? keep_pattern(filter, words[3]) : NULL;
	if (!rule.file || !rule.object || !rule.place || (words[3] && !rule.other) ||
	    !VKR_ARRAY_RESERVE(filter, 1))
		return vkr_error_memory(line->error, line->path);
	filter->items[filter->count++] = rule;
	return VKR_OK;
}

// The comments above the rules at hand.
struct comments {
	const char *text;
	bool open; // no rule has come since
};

// A comment without the blanks around it, after `before`; NULL for lack of memory.
static const char *join_comment(struct vkr_report_filter *filter, const char *before,
				const char *comment)
{
	comment += strspn(comment, " \t#");
	size_t length = strlen(comment);
	while (length && strchr(" \t\r\n", comment[length - 1]))
		length--;
	return vkr_arena_print(&filter->arena, "%s%s%.*s", before, *before && length ? " " : "",
			       (int)length, comment);
}

// Takes over a line without a rule: a comment, or a blank line.
static bool take_comment(struct vkr_report_filter *filter, const struct line *line,
			 struct comments *comments)
{
	if (!line->comment || !comments->open)
		comments->text = "";
	comments->open = line->comment != NULL;
	if (line->comment)
		comments->text = join_comment(filter, comments->text, line->comment);
	return comments->text != NULL;
}

static enum vkr_result read_line(struct vkr_report_filter *filter, struct line *line,
				 struct comments *comments)
{
	char *words[4] = {NULL}, *more = NULL;
	size_t count = 0;
	for (;;) {
		char **word = count < 4 ? &words[count] : &more;
		enum vkr_result result = next_word(line, word);
		if (result != VKR_OK)
			return result;
		if (!*word)
			break;
		if (count++ == 4)
			return refuse_line(line, "a rule has four words at most");
	}
	if (!count)
		return take_comment(filter, line, comments)
			       ? VKR_OK
			       : vkr_error_memory(line->error, line->path);
	comments->open = false;
	const char *reason =
		line->comment ? join_comment(filter, "", line->comment) : comments->text;
	return reason ? add_rule(filter, line, words, reason)
		      : vkr_error_memory(line->error, line->path);
}

enum vkr_result vkr_report_filter_read(struct vkr_report_filter *filter, const char *path,
				       struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	struct line line = {.path = path, .error = error};
	struct comments comments = {"", true};
	char *text = NULL;
	size_t capacity = 0;
	const char *reason;
	FILE *file = vkr_user_file_open(path, &reason);
	if (!file)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: %s", path, reason);
	while (result == VKR_OK) {
		ssize_t length = getline(&text, &capacity, file);
		if (length < 0)
			break;
		line.number++;
		line.rest = text;
		line.comment = NULL;
		result = strlen(text) == (size_t)length ? read_line(filter, &line, &comments)
							: refuse_line(&line, "holds a NUL");
	}
	if (result == VKR_OK && ferror(file))
		result = vkr_error_set(error, VKR_ERROR_IO, "%s: %s", path, strerror(errno));
	free(text);
	fclose(file);
	return result;
}

static bool report_filter_matches(const char *pattern, const char *text)
{
	return fnmatch(pattern, text, 0) == 0;
}

// Of all calls of the stack, with or without what stands in brackets after the function's name.
static bool function_matches(const char *pattern, const char *stack, struct vkr_arena *arena)
{
	struct vkr_report_call call;
	while (stack && *stack) {
		stack = vkr_report_call(stack, arena, &call);
		if (!stack)
			break;
		const char *name =
			vkr_arena_string(arena, call.function, strcspn(call.function, "("));
		if (*call.function && (report_filter_matches(pattern, call.function) ||
				       (name && report_filter_matches(pattern, name))))
			return true;
	}
	return false;
}

static bool label_matches(const char *pattern, const char *labels, struct vkr_arena *arena)
{
	static const char between[] = " / ";
	if (*labels && report_filter_matches(pattern, labels))
		return true;
	while (*labels) {
		const char *end = strstr(labels, between);
		const size_t length = end ? (size_t)(end - labels) : strlen(labels);
		const char *label = vkr_arena_string(arena, labels, length);
		if (label && report_filter_matches(pattern, label))
			return true;
		labels += length + (end ? strlen(between) : 0);
	}
	return false;
}

static bool shader_matches(const char *pattern, const struct vkr_access_report *access,
			   struct vkr_arena *arena)
{
	const char *hash = vkr_arena_print(arena, "%016" PRIx64, access->source.shader_hash);
	return access->agent == VKR_AGENT_INVOCATION &&
	       (report_filter_matches(pattern, access->source.shader) ||
		(hash && report_filter_matches(pattern, hash)));
}

// What stands after "PREFIX:" in the pattern, else NULL.
static const char *report_filter_prefixed(const char *pattern, const char *prefix)
{
	const size_t length = strlen(prefix);
	return strncmp(pattern, prefix, length) == 0 ? pattern + length : NULL;
}

static bool prefix_matches(const char *pattern, const struct vkr_access_report *access, bool *found)
{
	const char *shader = report_filter_prefixed(pattern, "shader:");
	const char *function = report_filter_prefixed(pattern, "function:");
	const char *label = report_filter_prefixed(pattern, "label:");
	const bool host = access->agent == VKR_AGENT_HOST;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	*found = (shader && shader_matches(shader, access, &arena)) ||
		 (function &&
		  function_matches(function, host ? access->stack : access->command.recorded,
				   &arena)) ||
		 (label && label_matches(label, access->command.labels, &arena));
	vkr_arena_finish(&arena);
	return shader || function || label;
}

static bool place_matches(const char *pattern, const struct vkr_access_report *access)
{
	const struct vkr_source_place *source = &access->source;
	bool matched = false;
	if (prefix_matches(pattern, access, &matched))
		return matched;
	if (access->command.command && report_filter_matches(pattern, access->command.name))
		return true;
	if (access->agent != VKR_AGENT_INVOCATION)
		return report_filter_matches(pattern, access->operation);
	if (report_filter_matches(pattern, source->shader))
		return true;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	const char *place = vkr_arena_print(&arena, "%s:%" PRIu32, source->file, source->line);
	const char *slash = place ? strrchr(place, '/') : NULL;
	bool found = place && (report_filter_matches(pattern, place) ||
			       (slash && report_filter_matches(pattern, slash + 1)));
	vkr_arena_finish(&arena);
	return found;
}

static bool rule_matches(const struct vkr_filter_rule *rule, const struct vkr_race_report *race)
{
	const struct vkr_access_report *first = &race->first, *second = &race->second;
	if (!(rule->classes & 1u << race->race_class))
		return false;
	if (!report_filter_matches(rule->object, first->object) &&
	    !report_filter_matches(rule->object, second->object))
		return false;
	if (!rule->other)
		return place_matches(rule->place, first) || place_matches(rule->place, second);
	return (place_matches(rule->place, first) && place_matches(rule->other, second)) ||
	       (place_matches(rule->other, first) && place_matches(rule->place, second));
}

static int compare_ids(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool add_ids(struct vkr_report_filter *filter, struct vkr_filter_ids *ids,
		    const struct vkr_race_report *races, uint32_t count)
{
	if (!VKR_ARRAY_RESERVE(ids, count))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const char *id = keep_pattern(filter, races[i].id);
		if (!id)
			return false;
		ids->items[ids->count++] = id;
	}
	vkr_sort(ids->items, ids->count, sizeof *ids->items, compare_ids);
	return true;
}

static bool has_id(const struct vkr_filter_ids *ids, const char *id)
{
	return ids->count && bsearch(&id, ids->items, ids->count, sizeof *ids->items, compare_ids);
}

enum vkr_result vkr_report_filter_baseline(struct vkr_report_filter *filter,
					   const struct vkr_report *report, struct vkr_error *error)
{
	return add_ids(filter, &filter->known, report->races, report->race_count) &&
			       add_ids(filter, &filter->possible, report->possible,
				       report->possible_count)
		       ? VKR_OK
		       : vkr_error_memory(error, "a baseline");
}

enum vkr_filter_answer vkr_report_filter_ask(const struct vkr_report_filter *filter,
					     const struct vkr_race_report *race)
{
	if (!(filter->only & 1u << race->race_class))
		return VKR_FILTER_SUPPRESSES;
	for (size_t i = 0; i < filter->count; i++) {
		if (rule_matches(&filter->items[i], race))
			return VKR_FILTER_SUPPRESSES;
	}
	if (filter->practical && race->letter_only)
		return VKR_FILTER_PASSES;
	return has_id(&filter->known, race->id) ? VKR_FILTER_KNOWS : VKR_FILTER_SHOWS;
}

static bool is_shown(const struct vkr_report *report, const char *id)
{
	for (uint32_t i = 0; i < report->race_count; i++) {
		if (strcmp(report->races[i].id, id) == 0)
			return true;
	}
	return false;
}

// The changes that the report has already, as one that was read back does, or those of its races.
static enum vkr_result take_changes(struct vkr_report_view *view, const struct vkr_report *report,
				    struct vkr_error *error)
{
	struct vkr_report_changes made = {0};
	enum vkr_result result = VKR_OK;
	if (report->change_count)
		made.items =
			vkr_arena_alloc(&view->arena, report->change_count * sizeof *made.items);
	else
		result = vkr_report_changes_make(&view->report, &view->arena, &made, error);
	if (result != VKR_OK || !made.items)
		return result != VKR_OK ? result : vkr_error_memory(error, "the filtered report");
	for (uint32_t i = 0; i < report->change_count; i++) {
		const struct vkr_change_report *change = &report->changes[i];
		bool shown = false;
		for (uint32_t race = 0; race < change->race_count && !shown; race++)
			shown = is_shown(&view->report, change->races[race]);
		if (shown)
			made.items[made.count++] = *change;
	}
	view->changes = made.items;
	view->report.changes = made.items;
	view->report.change_count = made.count;
	return VKR_OK;
}

static struct vkr_rule_report count_rule(const struct vkr_filter_rule *rule,
					 const struct vkr_report_filter *filter,
					 const struct vkr_report *report)
{
	struct vkr_rule_report told = {
		.file = rule->file, .line = rule->line, .reason = rule->reason};
	for (uint32_t i = 0; i < report->race_count; i++) {
		const struct vkr_race_report *race = &report->races[i];
		if (!(filter->only & 1u << race->race_class) || !rule_matches(rule, race))
			continue;
		told.races++;
		told.race_total += race->count;
	}
	for (uint32_t i = 0; i < report->possible_count; i++) {
		const struct vkr_race_report *race = &report->possible[i];
		told.races += filter->only & 1u << race->race_class && rule_matches(rule, race);
	}
	return told;
}

enum vkr_result vkr_report_filter_apply(const struct vkr_report_filter *filter,
					const struct vkr_report *report,
					struct vkr_report_view *view, struct vkr_error *error)
{
	*view = (struct vkr_report_view){.report = *report};
	vkr_arena_init(&view->arena);
	if (report->race_count) {
		view->races = malloc(report->race_count * sizeof *view->races);
		if (!view->races)
			return vkr_error_memory(error, "the filtered report");
	}
	if (report->possible_count) {
		view->possible = malloc(report->possible_count * sizeof *view->possible);
		if (!view->possible) {
			vkr_report_view_finish(view);
			return vkr_error_memory(error, "the filtered report");
		}
	}
	if (report->rule_count + filter->count) {
		view->rules = calloc(report->rule_count + filter->count, sizeof *view->rules);
		if (!view->rules) {
			vkr_report_view_finish(view);
			return vkr_error_memory(error, "the filtered report");
		}
		if (report->rule_count)
			memcpy(view->rules, report->rules,
			       report->rule_count * sizeof *view->rules);
	}
	for (size_t i = 0; i < filter->count; i++)
		view->rules[report->rule_count + i] = count_rule(&filter->items[i], filter, report);
	view->report.rules = view->rules;
	view->report.rule_count = report->rule_count + (uint32_t)filter->count;
	view->report.possible = view->possible;
	view->report.possible_count = 0;
	view->report.races = view->races;
	view->report.race_count = 0;
	view->report.race_total = 0;
	for (uint32_t i = 0; i < report->race_count; i++) {
		const struct vkr_race_report *race = &report->races[i];
		switch (vkr_report_filter_ask(filter, race)) {
		case VKR_FILTER_SHOWS:
			view->races[view->report.race_count++] = *race;
			view->report.race_total += race->count;
			break;
		case VKR_FILTER_SUPPRESSES:
			view->report.suppressed_count++;
			view->report.suppressed_total += race->count;
			break;
		case VKR_FILTER_KNOWS:
			view->report.known_count++;
			view->report.known_total += race->count;
			break;
		case VKR_FILTER_PASSES:
			view->report.letter_count++;
			view->report.letter_total += race->count;
			break;
		}
	}
	for (uint32_t i = 0; i < report->possible_count; i++)
		if (vkr_report_filter_ask(filter, &report->possible[i]) == VKR_FILTER_SHOWS &&
		    !has_id(&filter->possible, report->possible[i].id))
			view->possible[view->report.possible_count++] = report->possible[i];
	view->report.verdict = view->report.race_count  ? VKR_VERDICT_RACES
			       : report->coverage_count ? VKR_VERDICT_INCOMPLETE
							: VKR_VERDICT_NONE;
	enum vkr_result result = take_changes(view, report, error);
	if (result != VKR_OK)
		vkr_report_view_finish(view);
	return result;
}

void vkr_report_view_finish(struct vkr_report_view *view)
{
	free(view->races);
	free(view->possible);
	free(view->rules);
	vkr_arena_finish(&view->arena);
	*view = (struct vkr_report_view){0};
}
