// SPDX-License-Identifier: Apache-2.0
#include "run_reports.h"

#include "array.h"
#include "change_check.h"
#include "error.h"
#include "judging.h"
#include "output_file.h"
#include "report_file.h"
#include "report_forms.h"
#include "report_merge.h"
#include "report_source.h"
#include "sort.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JSON_END  ".json"
#define TRACE_END ".vkrace"

bool vkr_run_reports_are_wanted(const struct vkr_tool_options *options)
{
	return options->sarif || options->junit || options->html || options->as_github ||
	       options->brief || options->all_races || options->max_reports || options->check ||
	       options->fail_on || options->write_suppressions;
}

enum vkr_result vkr_run_reports_prepare(struct vkr_run_reports *reports,
					const struct vkr_tool_options *options,
					struct vkr_error *error)
{
	const char *parent = getenv("TMPDIR");
	char *folder = NULL;
	if (asprintf(&folder, "%s/vkrace-XXXXXX", parent && *parent ? parent : "/tmp") < 0)
		return vkr_error_memory(error, "a folder's name");
	if (!mkdtemp(folder)) {
		vkr_error_set(error, VKR_ERROR_IO, "%s: cannot make a folder: %s", folder,
			      strerror(errno));
		free(folder);
		return VKR_ERROR_IO;
	}
	reports->folder = folder;
	if (asprintf(&reports->json, "%s/%%p" JSON_END, folder) < 0)
		reports->json = NULL;
	if (options->check && !options->trace &&
	    asprintf(&reports->trace, "%s/%%p" TRACE_END, folder) < 0)
		reports->trace = NULL;
	return reports->json && (!options->check || options->trace || reports->trace)
		       ? VKR_OK
		       : vkr_error_memory(error, "a file's name");
}

void vkr_run_reports_remove(struct vkr_run_reports *reports)
{
	DIR *folder = reports->folder ? opendir(reports->folder) : NULL;
	struct dirent *entry;
	while (folder && (entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	if (reports->folder)
		rmdir(reports->folder);
	free(reports->folder);
	free(reports->json);
	free(reports->trace);
	*reports = (struct vkr_run_reports){0};
}

// The report of one process.
struct process_report {
	char *path; // of its JSON
	struct vkr_report_copy copy;
	bool read;
};

struct process_reports {
	struct process_report *items;
	size_t count, capacity;
};

static int compare_paths(const void *left, const void *right)
{
	const struct process_report *first = left, *second = right;
	return strverscmp(first->path, second->path);
}

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), wanted = strlen(end);
	return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

static enum vkr_result find_reports(const struct vkr_run_reports *reports,
				    struct process_reports *found, struct vkr_error *error)
{
	DIR *folder = opendir(reports->folder);
	struct dirent *entry;
	enum vkr_result result = VKR_OK;
	if (!folder)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot read: %s", reports->folder,
				     strerror(errno));
	while (result == VKR_OK && (entry = readdir(folder))) {
		struct process_report made = {.read = false};
		if (!ends_with(entry->d_name, JSON_END))
			continue;
		if (asprintf(&made.path, "%s/%s", reports->folder, entry->d_name) < 0 ||
		    !VKR_ARRAY_RESERVE(found, 1))
			result = vkr_error_memory(error, "the reports");
		else
			found->items[found->count++] = made;
	}
	closedir(folder);
	vkr_sort(found->items, found->count, sizeof *found->items, compare_paths);
	for (size_t i = 0; i < found->count && result == VKR_OK; i++) {
		struct process_report *item = &found->items[i];
		result = vkr_report_file_read(&item->copy, item->path, error);
		item->read = result == VKR_OK;
	}
	return result;
}

static void forget_reports(struct process_reports *found)
{
	for (size_t i = 0; i < found->count; i++) {
		if (found->items[i].read)
			vkr_report_copy_finish(&found->items[i].copy);
		free(found->items[i].path);
	}
	free(found->items);
}

// Tries the changes of a report on its trace: beside all races of the trace, also those that the
// report leaves out.
static enum vkr_result check_report(struct process_report *item, const char *trace,
				    const struct vkr_tool_options *options, struct vkr_error *error)
{
	// What the run's judge has taken from the environment, too.
	const struct vkr_judging_options all = {
		.model = options->model ? options->model : getenv("VKRACE_MODEL"),
		.reading = options->reading ? options->reading : getenv("VKRACE_READING"),
	};
	struct vkr_report_source whole;
	enum vkr_result result = vkr_report_source_open(&whole, trace, &all, error);
	if (result == VKR_OK)
		result = vkr_change_check_report(trace, &all, &item->copy.report, whole.report,
						 &item->copy.arena, error);
	vkr_report_source_close(&whole);
	return result;
}

// On the trace of the run's one process, where the user has it recorded; else on those beside the
// reports.
static enum vkr_result check_changes(struct process_reports *found,
				     const struct vkr_tool_options *options,
				     struct vkr_error *error)
{
	const char *recorded = options->trace;
	enum vkr_result result = VKR_OK;
	if (recorded && found->count == 1)
		return check_report(&found->items[0], recorded, options, error);
	if (recorded) {
		fprintf(stderr,
			"vkrace run: the run has several processes, each with a trace of its "
			"own: try the changes with vkrace replay --check\n");
		return VKR_OK;
	}
	for (size_t i = 0; i < found->count && result == VKR_OK; i++) {
		struct process_report *item = &found->items[i];
		char *trace = NULL;
		const int stem = (int)(strlen(item->path) - strlen(JSON_END));
		if (asprintf(&trace, "%.*s" TRACE_END, stem, item->path) < 0)
			return vkr_error_memory(error, "a trace's name");
		if (item->copy.report.change_count && access(trace, R_OK) == 0)
			result = check_report(item, trace, options, error);
		free(trace);
	}
	return result;
}

// All reports as one, named by their processes.
static enum vkr_result run_reports_unite(const struct process_reports *found,
					 struct vkr_arena *arena, struct vkr_report *united,
					 struct vkr_error *error)
{
	const struct vkr_report **reports =
		vkr_arena_alloc(arena, (found->count + 1) * sizeof *reports);
	const char **names = vkr_arena_alloc(arena, (found->count + 1) * sizeof *names);
	if (!reports || !names)
		return vkr_error_memory(error, "the reports");
	for (size_t i = 0; i < found->count; i++) {
		const char *slash = strrchr(found->items[i].path, '/');
		reports[i] = &found->items[i].copy.report;
		names[i] = slash ? slash + 1 : found->items[i].path;
	}
	if (found->count == 1) {
		*united = *reports[0];
		return VKR_OK;
	}
	return vkr_report_merge(reports, names, found->count, arena, united, error);
}

static enum vkr_result write_all(const struct vkr_tool_options *options,
				 const struct vkr_report_text_options *text,
				 const struct vkr_report *report, struct vkr_error *error)
{
	const struct {
		const char *path;
		enum vkr_form form;
	} files[] = {{options->json, VKR_FORM_JSON},
		     {options->write_suppressions, VKR_FORM_SUPPRESSIONS},
		     {options->sarif, VKR_FORM_SARIF},
		     {options->junit, VKR_FORM_JUNIT},
		     {options->html, VKR_FORM_HTML}};
	struct vkr_report_forms forms = {.source_root = options->source_root, .text = text};
	enum vkr_result result = VKR_OK;
	if (!options->quiet)
		result = vkr_judging_print(report, stderr, text, error);
	for (size_t i = 0; i < sizeof files / sizeof *files && result == VKR_OK; i++) {
		forms.form = files[i].form;
		result = vkr_report_form_save(report, files[i].path, &forms, error);
	}
	if (result == VKR_OK && options->as_github) {
		forms.form = VKR_FORM_GITHUB;
		result = vkr_report_form_write(report, stdout, &forms, error);
	}
	return result;
}

enum vkr_result vkr_run_reports_write(const struct vkr_run_reports *reports,
				      const struct vkr_tool_options *options,
				      const struct vkr_report_text_options *text,
				      struct vkr_run_outcome *outcome, struct vkr_error *error)
{
	struct process_reports found = {0};
	struct vkr_report united;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	enum vkr_result result = find_reports(reports, &found, error);
	if (result == VKR_OK && options->check)
		result = check_changes(&found, options, error);
	outcome->reports = (uint32_t)found.count;
	if (result == VKR_OK && found.count) {
		result = run_reports_unite(&found, &arena, &united, error);
		if (result == VKR_OK) {
			outcome->races = united.race_count;
			outcome->incomplete = united.coverage_count > 0;
			result = write_all(options, text, &united, error);
		}
	}
	forget_reports(&found);
	vkr_arena_finish(&arena);
	return result;
}
