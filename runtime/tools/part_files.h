// SPDX-License-Identifier: Apache-2.0
// Reports of parts of a trace's memory, and what makes the whole report of them. Knows what parts
// say of themselves; not what a race is.
#pragma once

#include "judging.h"
#include "shard.h"

#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>

// Whether reports of parts have to be judged together where they conflict: some of them told
// something, or evidence about synchronization is said to be lacking, or they do not agree on what
// all parts see alike.
bool vkr_parts_need_union(const struct vkr_report *const *reports, size_t count);

// Accesses that all parts have judged, each once, where these need not be judged together.
uint64_t vkr_parts_accesses(const struct vkr_report *const *reports, size_t count);

// The report's words of its part, which `text` keeps on the heap.
struct vkr_part_words {
	struct vkr_part_report part;
	char *conflicts, *path;
};
enum vkr_result vkr_part_words_make(struct vkr_part_words *words, struct vkr_shard *shard,
				    const char *trace, const struct vkr_judging_options *options,
				    struct vkr_error *error) VKR_MUST_USE;
void vkr_part_words_finish(struct vkr_part_words *words);

// What a part was judged with; the texts are the part's.
struct vkr_judging_options vkr_part_options(const struct vkr_part_report *part);

// Parts of one trace.
struct vkr_part_set {
	const struct vkr_report **reports; // by index; each is there
	uint32_t count;
	const char *name; // of the trace
};

// Takes the parts of the trace of which reports[first] is one out of the reports: they become NULL.
// An error names the part that lacks. Released with free(set->reports).
enum vkr_result vkr_part_set_take(struct vkr_part_set *set, const struct vkr_report **reports,
				  const char *const *names, size_t count, size_t first,
				  struct vkr_error *error) VKR_MUST_USE;

// Judges what conflicts in some part, in all of them together: judging->session has the report.
// `judging` is prepared as the parts' was, with nothing left out but what the caller wants to.
enum vkr_result vkr_part_set_judge(const struct vkr_part_set *set, struct vkr_judging *judging,
				   struct vkr_shard *shard, struct vkr_error *error) VKR_MUST_USE;
