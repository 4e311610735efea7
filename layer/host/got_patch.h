// SPDX-License-Identifier: Apache-2.0
// Calls of the program and its libraries into libc led through functions of the layer's own, by
// their global offset tables (System V ABI, 5.2): a library that the Vulkan loader loads is too
// late to come before libc. Calls within a file, and those of code that asked for the address
// before, stay. Knows ELF; not what is called.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// A function that others are to call instead of the one of this name. `next` becomes the function
// that the name meant before; it is set before any call can come. Where nothing has the name,
// `next` stays NULL and nothing is led elsewhere.
struct vkr_got_patch {
	const char *name;
	void (*function)(void);
	void (**next)(void);
};

// Redirects calls of these functions in all files that are loaded now, except those of the layer
// itself, libc, the dynamic loader, and files with a name that contains a text in `spared` (ended
// by NULL; may be NULL). The patches must live as long as the process. False for lack of memory.
bool vkr_got_patch_add(const struct vkr_got_patch *patches, size_t count,
		       const char *const *spared);

// Does the same to files that were loaded since. Cheap where there are none.
void vkr_got_patch_update(void);
