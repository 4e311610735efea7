// SPDX-License-Identifier: Apache-2.0
// Addresses of executables and libraries as functions, files and lines, read from the files
// themselves and their debug information. Knows ELF and DWARF through libdw; nothing of the run.
#pragma once

#include <stdint.h>

struct vkr_stack_places;

// NULL for lack of memory.
struct vkr_stack_places *vkr_stack_places_create(void);
void vkr_stack_places_destroy(struct vkr_stack_places *places);

// Implements vkr_place_words (model.h); `places` is the user pointer. A missing file, or one with
// another build id, yields nothing; a function of vkrace/annotate.h yields an empty text.
char *vkr_stack_places_words(void *places, const char *path, const char *build_id,
			     uint64_t address);
