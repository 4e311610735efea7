// SPDX-License-Identifier: Apache-2.0
// Volumes of one run, as they are given on a command line: which there are, in what order, and what
// is missing between them. Knows files; not what is judged.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_source;

struct vkr_volume_set {
	struct vkr_volume {
		char *path;
		uint32_t number;
		uint64_t run;
	} * items;          // by number
	const char **paths; // theirs
	size_t count, capacity;
};

// Whether the operands are volumes: several files, or a folder. Of several files each must be one,
// and all of one run.
bool vkr_path_is_folder(const char *path);
bool vkr_volume_set_is_meant(char *const *operands, size_t count);

enum vkr_result vkr_volume_set_read(struct vkr_volume_set *set, char *const *operands, size_t count,
				    struct vkr_error *error) VKR_MUST_USE;
// Of one path that is a folder, whose volumes must follow each other.
enum vkr_result vkr_volume_set_read_folder(struct vkr_volume_set *set, const char *path,
					   struct vkr_error *error) VKR_MUST_USE;
void vkr_volume_set_finish(struct vkr_volume_set *set);

// Events of the trace at a path, which is "-", a file, or a folder of volumes that follow each
// other.
enum vkr_result vkr_trace_open(struct vkr_source **source, const char *path,
			       struct vkr_error *error) VKR_MUST_USE;

// How many volumes from the index on follow each other.
size_t vkr_volume_set_series(const struct vkr_volume_set *set, size_t first);
