// SPDX-License-Identifier: Apache-2.0
// What the shaders of draws have read, kept for later draws whose log says the same through
// descriptors that lead to texels in the same way: their readers by byte are judged again, but
// their logs need not be read. Knows filters and plans (texel_reads.h); not draws.
#pragma once

#include "texel_reads.h"

// What a shader has logged: a hash of its chunks, whatever their order.
struct vkr_repeat_key {
	uint64_t low, high;
	uint32_t shader;
};

struct vkr_read_repeats;

// Whether it is worth while to look for what a shader's log says: of shaders whose logs do not
// repeat, few are looked at. `*repeats` is made on first use.
bool vkr_read_repeats_expected(struct vkr_read_repeats **repeats, uint32_t shader);
// Whether its logs did so lately, or whether they do is not known yet.
bool vkr_read_repeats_lately(const struct vkr_read_repeats *repeats, uint32_t shader);

// Makes the readings's filters and readers those of an earlier one with this key. *found: whether
// there was one; else the reading is as it was. *local_size: as it was kept.
enum vkr_result vkr_read_repeats_find(struct vkr_read_repeats *repeats,
				      struct vkr_texel_reading *of,
				      const struct vkr_repeat_key *key, uint32_t *local_size,
				      bool *found) VKR_MUST_USE;

// Keeps the filters and readers, unless what was read does not follow from plans alone, or memory
// is short.
void vkr_read_repeats_keep(struct vkr_read_repeats *repeats, const struct vkr_texel_reading *of,
			   const struct vkr_repeat_key *key, uint32_t local_size);

void vkr_read_repeats_destroy(struct vkr_read_repeats *repeats);
