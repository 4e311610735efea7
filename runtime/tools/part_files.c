// SPDX-License-Identifier: Apache-2.0
#include "part_files.h"

#include "error.h"
#include "user_file.h"
#include "volume_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY // the size of XXH3_state_t
#include <xxhash.h>

static bool misses_synchronization(const struct vkr_report *report)
{
	for (uint32_t at = 0; at < report->coverage_count; at++) {
		if (strcmp(report->coverage[at].kind, "synchronization") == 0)
			return true;
	}
	return false;
}

static bool part_files_agree(const struct vkr_report *one, const struct vkr_report *other)
{
	if (one->accesses_judged - one->part->accesses !=
		    other->accesses_judged - other->part->accesses ||
	    one->executions != other->executions || one->dispatches != other->dispatches ||
	    one->coverage_count != other->coverage_count)
		return false;
	for (uint32_t at = 0; at < one->coverage_count; at++) {
		const struct vkr_coverage_report *here = &one->coverage[at];
		const struct vkr_coverage_report *there = &other->coverage[at];
		if (here->count != there->count || here->amount != there->amount ||
		    strcmp(here->text, there->text) != 0)
			return false;
	}
	return true;
}

bool vkr_parts_need_union(const struct vkr_report *const *reports, size_t count)
{
	bool conflicts = false, misses = false;
	for (size_t at = 0; at < count; at++) {
		if (reports[at]->part->together || !part_files_agree(reports[0], reports[at]))
			return true;
		conflicts = conflicts || *reports[at]->part->conflicts;
		misses = misses || misses_synchronization(reports[at]);
	}
	return conflicts && misses;
}

uint64_t vkr_parts_accesses(const struct vkr_report *const *reports, size_t count)
{
	uint64_t accesses = reports[0]->accesses_judged;
	for (size_t at = 1; at < count; at++)
		accesses += reports[at]->part->accesses;
	return accesses;
}

// What distinguishes a trace from others: its size, and what it begins and ends with.
#define HASHED_BYTES 65536

static enum vkr_result identify_file(const char *path, XXH3_state_t *state, uint64_t *bytes,
				     struct vkr_error *error)
{
	char text[HASHED_BYTES];
	const char *reason;
	FILE *file = vkr_user_file_open(path, &reason);
	if (!file)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot open: %s", path, reason);
	XXH3_64bits_update(state, text, fread(text, 1, sizeof text, file));
	bool good = fseeko(file, 0, SEEK_END) == 0;
	const off_t end = ftello(file);
	good = good && end >= 0 &&
	       fseeko(file, end > HASHED_BYTES ? end - HASHED_BYTES : 0, SEEK_SET) == 0;
	XXH3_64bits_update(state, text, fread(text, 1, sizeof text, file));
	const bool failed = !good || ferror(file);
	const int failure = errno;
	fclose(file);
	if (failed)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot read: %s", path,
				     strerror(failure));
	*bytes += (uint64_t)end;
	return VKR_OK;
}

static enum vkr_result part_files_identify(const char *path, uint64_t *bytes, uint64_t *hash,
					   struct vkr_error *error)
{
	struct vkr_volume_set set = {.count = 0};
	const bool folder = vkr_path_is_folder(path);
	XXH3_state_t state;
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset(&state);
	*bytes = 0;
	enum vkr_result result = folder ? vkr_volume_set_read_folder(&set, path, error)
					: identify_file(path, &state, bytes, error);
	for (size_t at = 0; at < set.count && result == VKR_OK; at++)
		result = identify_file(set.paths[at], &state, bytes, error);
	vkr_volume_set_finish(&set);
	*hash = XXH3_64bits_digest(&state);
	return result;
}

static const char *text_of(const char *option)
{
	return option ? option : "";
}

enum vkr_result vkr_part_words_make(struct vkr_part_words *words, struct vkr_shard *shard,
				    const char *trace, const struct vkr_judging_options *options,
				    struct vkr_error *error)
{
	vkr_shard_pages_sort(&shard->conflicts);
	*words = (struct vkr_part_words){.conflicts = vkr_shard_pages_text(&shard->conflicts),
					 .path = realpath(trace, NULL)};
	if (!words->conflicts)
		return vkr_error_memory(error, "a part's report");
	words->part = (struct vkr_part_report){.index = shard->index + 1,
					       .count = shard->count,
					       .trace = words->path ? words->path : trace,
					       .model = text_of(options->model),
					       .reading = text_of(options->reading),
					       .frames = text_of(options->frames),
					       .sample = text_of(options->sample),
					       .shaders = text_of(options->shaders),
					       .not_shaders = text_of(options->not_shaders),
					       .labels = text_of(options->labels),
					       .any_image = options->any_image,
					       .together = shard->together,
					       .accesses = shard->accesses,
					       .conflicts = words->conflicts};
	return part_files_identify(trace, &words->part.trace_bytes, &words->part.trace_hash, error);
}

void vkr_part_words_finish(struct vkr_part_words *words)
{
	free(words->conflicts);
	free(words->path);
	*words = (struct vkr_part_words){0};
}

static bool is_same_trace(const struct vkr_part_report *one, const struct vkr_part_report *other)
{
	return one->trace_bytes == other->trace_bytes && one->trace_hash == other->trace_hash;
}

static bool is_judged_alike(const struct vkr_part_report *one, const struct vkr_part_report *other)
{
	return one->count == other->count && one->any_image == other->any_image &&
	       strcmp(one->model, other->model) == 0 && strcmp(one->reading, other->reading) == 0 &&
	       strcmp(one->frames, other->frames) == 0 && strcmp(one->sample, other->sample) == 0 &&
	       strcmp(one->shaders, other->shaders) == 0 &&
	       strcmp(one->not_shaders, other->not_shaders) == 0 &&
	       strcmp(one->labels, other->labels) == 0;
}

static const char *option_of(const char *text)
{
	return *text ? text : NULL;
}

struct vkr_judging_options vkr_part_options(const struct vkr_part_report *part)
{
	return (struct vkr_judging_options){.model = option_of(part->model),
					    .reading = option_of(part->reading),
					    .any_image = part->any_image,
					    .frames = option_of(part->frames),
					    .sample = option_of(part->sample),
					    .shaders = option_of(part->shaders),
					    .not_shaders = option_of(part->not_shaders),
					    .labels = option_of(part->labels)};
}

enum vkr_result vkr_part_set_take(struct vkr_part_set *set, const struct vkr_report **reports,
				  const char *const *names, size_t count, size_t first,
				  struct vkr_error *error)
{
	const struct vkr_part_report *part = reports[first]->part;
	if (part->count > count)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "%s is one of %" PRIu32 " parts of %s, and only %zu reports "
				     "are given",
				     names[first], part->count, part->trace, count);
	*set = (struct vkr_part_set){.reports = calloc(part->count, sizeof *set->reports),
				     .count = part->count,
				     .name = part->trace};
	if (!set->reports)
		return vkr_error_memory(error, "parts of a trace");
	for (size_t at = first; at < count; at++) {
		const struct vkr_part_report *other = reports[at] ? reports[at]->part : NULL;
		if (!other || !is_same_trace(part, other))
			continue;
		if (!is_judged_alike(part, other))
			return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
					     "%s and %s are parts of %s that were not judged alike "
					     "(of %" PRIu32 " and %" PRIu32
					     " parts, --model, --reading, --any-image, --frames, "
					     "--sample, --shader, --not-shader, --label)",
					     names[first], names[at], part->trace, part->count,
					     other->count);
		// A part that was judged twice says the same.
		set->reports[other->index - 1] = reports[at];
		reports[at] = NULL;
	}
	for (uint32_t at = 0; at < set->count; at++) {
		if (!set->reports[at])
			return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
					     "part %" PRIu32 " of %" PRIu32 " of %s is missing",
					     at + 1, set->count, set->name);
	}
	return VKR_OK;
}

enum vkr_result vkr_part_set_judge(const struct vkr_part_set *set, struct vkr_judging *judging,
				   struct vkr_shard *shard, struct vkr_error *error)
{
	const struct vkr_part_report *part = set->reports[0]->part;
	uint64_t bytes = 0, hash = 0;
	*shard = (struct vkr_shard){.index = set->count, .count = set->count};
	for (uint32_t at = 0; at < set->count; at++) {
		if (!vkr_shard_pages_parse(&shard->also, set->reports[at]->part->conflicts))
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "part %" PRIu32
					     " of %s: part.conflicts names no pages",
					     at + 1, set->name);
	}
	vkr_shard_pages_sort(&shard->also);
	const enum vkr_result result = part_files_identify(part->trace, &bytes, &hash, error);
	if (result != VKR_OK)
		return result;
	if (bytes != part->trace_bytes || hash != part->trace_hash)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "%s is not the trace any more that its parts were judged of",
				     part->trace);
	judging->shard = shard;
	return vkr_judging_run_file(judging, part->trace, error);
}
