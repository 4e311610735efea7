// SPDX-License-Identifier: Apache-2.0
// Sites, and what is logged together of them, while the site table is made. Knows what must be
// known of them to log them; not how it is found.
#pragma once

#include "address.h"
#include "image_use.h"
#include "vkrace/site.h"

#include <stdbool.h>

// A site while the table is made. Instructions are indices into the module.
struct vkr_site_draft {
	struct vkr_site site;
	uint32_t instruction;
	uint32_t pointer;                  // id; 0 for barriers and image instructions
	const struct vkr_image_use *image; // of accesses to texels; else NULL
	bool is_traced;                    // an acceleration structure's descriptor: no offset
	// The site's address follows from a mapping (heap_homes.h), NULL: it does not. reads_index:
	// it is that of the half's index itself.
	const struct vkr_home_half *mapped;
	bool reads_index;
	struct vkr_pointer_target place;
	// place.offset, see affine.h; of places in known variables. Of VKR_SITE_COMPUTED what the
	// word is, or would be.
	struct vkr_sum affine;
	uint32_t value_type; // type of the accessed value
	uint32_t stride;     // id, of VKR_SITE_STRIDED
	uint32_t shared_by;  // see read_groups.h
};

// Reads that few invocations log for all (read_groups.h), and the marks that say whether they have:
// in draws those of each value of `shared_by` from 0 on; of texels the number of the first site,
// and how many there are.
struct vkr_mark_group {
	uint32_t shared_by;
	uint32_t first, count;
};

// Logged as one record, in front of instruction `before`.
struct vkr_segment_draft {
	struct vkr_segment segment;
	uint32_t before;
	bool is_call; // one site, of a shader call or the return from it
	// Of a run-length record: this instruction begins the segment; each execution of it is
	// counted. 0: the segment has no run-length record.
	uint32_t counted_at;
	// The record is logged where a mark of one of these groups is not there yet. 0: always.
	const struct vkr_mark_group *groups;
	uint32_t group_count;
	// In place of sites: values of a summary (vkrace/summary.h), ids.
	const uint32_t *values;
	uint32_t value_count;
};

// Before instruction `before`, the invocation ensures that its chunk has room for `words` words.
struct vkr_reservation {
	uint32_t before;
	uint32_t words;
};

// What all invocations load alike (VKR_SUMMARY_UNIFORM): a scalar or vector at a constant place of
// a buffer.
struct vkr_uniform_draft {
	uint32_t variable, pointer_type, type; // ids: of the buffer, and of what is loaded
	const uint32_t *indices;               // ids of constants, from the buffer's block on
	uint32_t index_count;
	uint32_t chooser, element; // the index with this id is this number; 0: none is
	uint32_t offset;           // bytes, in the block
	uint32_t first, words;     // of those that are told
};
