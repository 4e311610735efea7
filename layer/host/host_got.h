// SPDX-License-Identifier: Apache-2.0
// Functions of the C library as the program and its libraries call them, replaced by others.
// Knows ELF; not what the functions do.
//
// A layer is loaded late and interposes nothing. But calls between libraries go through slots that
// can be written (System V ABI, 5.2: global offset table), those of full RELRO once their page is
// made writable. Calls within a library, and those of code that asked for the address before, stay.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct vkr_got_entry {
	const char *name;
	void *replacement;
};

// Replaces the functions wherever they are called from, in all that is loaded now except in this
// library, the C library and the loader of programs. May be called again, when more is loaded.
void vkr_got_replace(const struct vkr_got_entry *entries, size_t count);

// The function as the program's libraries would find it: a sanitizer's where there is one, else the
// C library's own. NULL where there is none.
void *vkr_got_original(const char *name);
