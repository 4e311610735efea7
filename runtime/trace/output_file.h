// SPDX-License-Identifier: Apache-2.0
// Opening the files that a run leaves, so that no process of a run overwrites another's. Knows
// names and locks, and not what is written.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_output_file {
	int descriptor;
	char *path;   // what was opened
	bool renamed; // the path asked for belongs to another process
};

// Opens the file for writing, empty and locked until it is closed. Only the user may read a new
// file (0600), because it holds the program's command line, paths and shaders. %p in `path` is the
// process id (%% a percent sign). If another process holds the file, or `keep` is set and the file
// is not empty, ".<process id>" is appended to the name.
enum vkr_result vkr_output_file_open(struct vkr_output_file *file, const char *path,
				     uint32_t process, bool keep,
				     struct vkr_error *error) VKR_MUST_USE;

// Writes all that the file is to hold: it appears whole or not at all. A name that is a regular
// file's gets another one, which was written beside it; where that cannot be, and of links, devices
// and pipes, what stands under the name is written, and emptied again after an error.
enum vkr_result vkr_output_file_write(const struct vkr_output_file *file, const void *data,
				      size_t bytes, struct vkr_error *error) VKR_MUST_USE;

// Nothing is written: removes the empty file.
void vkr_output_file_discard(const struct vkr_output_file *file);

void vkr_output_file_close(struct vkr_output_file *file);
