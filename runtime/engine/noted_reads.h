// SPDX-License-Identifier: Apache-2.0
// Reads of the open dispatch that are noted, byte by byte the first of each site, and judged when
// the dispatch has ended, many at a time. Knows which reads these are and in which form they are
// judged; not what races.
//
// They are private reads of bytes that the dispatch does not write, by sites that its user names
// (vkr_engine_note_reads), and nothing that is remembered of their target's bytes races with any
// of them (vkr_deferral_is_clear). So nothing is reported when they are judged, and what is
// remembered is what would be without waiting: of reads of one byte by one site in one dispatch
// the first invocation's (combine_dispatch in judge_history.c), but for a second one of its
// workgroup, which only writes of the same dispatch are held against.
#pragma once

#include "access_filters.h"

struct vkr_engine;

enum vkr_noting {
	VKR_NOTING_LATER, // few reads yet: they are judged one by one
	VKR_NOTING_ON,
	VKR_NOTING_OFF, // something may race with one of them
};

// A site that was named.
struct vkr_noted_site {
	uint32_t site;
	struct vkr_engine_target target;
	enum vkr_noting noting;
	uint32_t filter;        // index
	bool clear;             // nothing races with them
	bool waits;             // reads of the range do (read_deferral.h): these had better, too
	uint64_t expected;      // reads, as many as the last time
	uint64_t before, least; // reads so far; from how many on they are noted
	uint32_t rows;          // that were judged and not noted
	uint64_t count;         // reads that were noted
};

// Kept from dispatch to dispatch; zeroed before the first.
struct vkr_noted_reads {
	struct vkr_noted_site *items;
	size_t count, capacity;
	struct vkr_access_filters filters;
	bool begun; // the filters were made in this dispatch
};

void vkr_noted_reads_finish(struct vkr_noted_reads *noted);

// The dispatch ends.
void vkr_noted_reads_end(struct vkr_engine *engine);

// Notes a run by a site that was named, `iterations` runs of it, each `site.bytes` after the one
// before; *taken is false where it is to be judged.
enum vkr_result vkr_noted_reads_run(struct vkr_engine *engine, const struct vkr_engine_run *run,
				    uint32_t iterations, bool *taken,
				    struct vkr_error *error) VKR_MUST_USE;

// Notes a list likewise.
enum vkr_result vkr_noted_reads_list(struct vkr_engine *engine,
				     const struct vkr_engine_scatter *scatter, bool *taken,
				     struct vkr_error *error) VKR_MUST_USE;

// Whether `count` reads of the present workgroup, in `bytes` from `low` on, at multiples of the
// site's bytes from there, are noted and counted: then each of their places is to be given to
// vkr_noted_reads_places.
enum vkr_result vkr_noted_reads_may(struct vkr_engine *engine, uint32_t site,
				    const struct vkr_engine_target *target, uint64_t low,
				    uint64_t bytes, uint64_t count, bool *taken,
				    struct vkr_error *error) VKR_MUST_USE;

// Notes reads of places that are `step` bytes apart, each by an invocation of the present
// workgroup.
enum vkr_result vkr_noted_reads_places(struct vkr_engine *engine, uint32_t site, uint64_t offset,
				       uint32_t step, uint32_t count, const uint32_t *locals,
				       struct vkr_error *error) VKR_MUST_USE;
