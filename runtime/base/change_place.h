// SPDX-License-Identifier: Apache-2.0
// Which places of changes are one. Knows texts; not how commands are found by them.
#pragma once

#include "vkrace/change.h"

#include <stdbool.h>
#include <stddef.h>

// The masks with the bits that each stand for several as these, of core Vulkan 1.0, beside them;
// and without them.
struct vkr_change_masks vkr_change_masks_expand(const struct vkr_change_masks *masks);
struct vkr_change_masks vkr_change_masks_single(const struct vkr_change_masks *masks);

// Whether it has a semaphore that the submission of the command `from` signals.
bool vkr_change_has_signal(enum vkr_change_kind kind);

// Of the text of several calls, the length of the first.
size_t vkr_change_call_length(const char *calls);
// Of calls in the order of their texts, the first one that does not stand before a call, or their
// end; whether it is that call.
const char *vkr_change_call_find(const char *calls, const char *call, bool *there);

// Whether it is one of shaders.
bool vkr_change_is_of_shader(enum vkr_change_kind kind);

// Whether two texts of labels are one but for their numbers ("frame 12"); `length` is of the first.
bool vkr_change_labels_match(const char *text, size_t length, const char *other);

// Whether two changes are of one kind at one place, but for their masks.
bool vkr_change_is_there(const struct vkr_change *change, const struct vkr_change *other);

// Whether two places are one: labels may differ in their numbers.
bool vkr_change_is_place(const struct vkr_change_place *place,
			 const struct vkr_change_place *other);
