// SPDX-License-Identifier: Apache-2.0
// Logs of reads that wait unread: most of what draws read is never written again before all that is
// to come happens-after it, or is overwritten as a whole by what does. Knows which memory a log may
// have read, and with whom that meets; not what is in the log.
//
//   a read through a log      waits if no write before it races with it, whatever it has read;
//   what comes after it       forgets it (read_deferral.h): a write of the whole range that is
//                             ordered after it, or the knowledge that everything is;
//   any other access          has it read first, and meets what it says.
//
// So what races is what would race if each log were read at once.
#pragma once

#include "engine.h"

// One command's log, its owner's.
struct vkr_unread_log {
	uint32_t command;
	uint64_t number; // ascending, in the order in which logs come
	// Has the reads of a range judged, or all (NULL), that still wait, as accesses of a
	// dispatch that vkr_unread_dispatch opens (vkr_filters_defer, vkr_filters_judge).
	enum vkr_result (*read)(struct vkr_unread_log *log, const struct vkr_engine_range *range,
				struct vkr_error *error);
	// An access, as vkr_unread_wait names it, no longer waits: it was read or forgotten.
	void (*drop)(struct vkr_unread_log *log, uint32_t access);
};

// Whether reads at a site through a target by the open dispatch, whatever they are, race with
// nothing that was before, and can wait.
enum vkr_result vkr_unread_may_wait(struct vkr_engine *engine, uint32_t site,
				    const struct vkr_engine_target *target, bool *may,
				    struct vkr_error *error) VKR_MUST_USE;

// Has them wait, as an access of the log. What vkr_unread_may_wait has said must still hold.
enum vkr_result vkr_unread_wait(struct vkr_engine *engine, uint32_t site,
				const struct vkr_engine_target *target, struct vkr_unread_log *log,
				uint32_t access, struct vkr_error *error) VKR_MUST_USE;

// Opens the dispatch of a log that is being read, of workgroups of this size.
void vkr_unread_dispatch(struct vkr_engine *engine, const struct vkr_unread_log *log,
			 uint32_t local_size);

// Forgets what all that is to come happens-after.
void vkr_unread_settle(struct vkr_engine *engine);

// Has the oldest log read that waits. *read: whether there is one.
enum vkr_result vkr_unread_read(struct vkr_engine *engine, bool *read,
				struct vkr_error *error) VKR_MUST_USE;
