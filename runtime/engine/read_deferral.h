// SPDX-License-Identifier: Apache-2.0
// Reads of whole commands that wait to be remembered. Knows which bytes each command has read, and
// with whom they meet; not how accesses are judged one by one.
//
// Reads that surely do not race with what was written before need to be remembered only for what
// comes after them, and most often nothing does but reads by the next commands, which stand for
// them, or a write that is ordered after them. So the reads of a command wait, a table of readers
// by byte for each site and target (access_filters.h), in groups by the range that they are from:
//
//   a read by a later command    takes those of earlier commands out that happen-before it, byte by
//                                byte, as it would in shadow memory (judge_history.c); and where
//                                an earlier command, which is over, has read too, those that this
//                                one stands for, as draws of a pass do, which nothing orders;
//   any read                     forgets those of commands that all that is yet to be fed comes
//                                after (standing.h), whatever they have read;
//   a plain write                takes out what it covers, as it would there (judge.c), if it races
//                                neither with what waits nor with what shadow memory remembers;
//   any other access             is preceded by the waiting reads of the ranges that it overlaps:
//                                they are fed one by one, in the order of their commands.
//
// So each byte meets its accesses in the order in which they came, and what shadow memory then
// remembers is what it would have remembered without waiting: a read that is taken out while it
// waits is one that a later access would have taken out. Whoever judges accesses to a memory calls
// one of the functions below first.
#pragma once

#include "deferred_reads.h"
#include "engine_feed.h"

// Before the access, of fixed function or the host, to [low, high). *fed: shadow memory has
// changed; epochs may have new numbers.
enum vkr_result vkr_deferral_meet(struct vkr_engine *engine, const struct vkr_access *access,
				  uint64_t low, uint64_t high, bool *fed,
				  struct vkr_error *error) VKR_MUST_USE;

// As the first step of that: logs that wait in [low, high) are forgotten or read (unread_reads.h).
// *read: some were, and epochs may have new numbers.
enum vkr_result vkr_deferral_meet_unread(struct vkr_engine *engine, const struct vkr_access *access,
					 uint64_t low, uint64_t high, bool *read,
					 struct vkr_error *error) VKR_MUST_USE;

// Forgets a group's reads, from the oldest on, that everything comes after that is yet to be fed.
void vkr_deferral_settle(struct vkr_engine *engine, const struct vkr_shadow *shadow,
			 struct vkr_deferred_group *group);

// Feeds the reads that wait in ranges that overlap [low, high).
enum vkr_result vkr_deferral_feed(struct vkr_engine *engine, struct vkr_shadow *shadow,
				  uint64_t low, uint64_t high,
				  struct vkr_error *error) VKR_MUST_USE;

// Whether reads at the site differ from others only by what they conflict with.
bool vkr_deferral_is_plain(const struct vkr_judge_site *site);

// Puts off remembering the open dispatch's reads of a filter, which race with nothing then and are
// counted as judged. *waits: whether; else they are to be judged.
enum vkr_result vkr_engine_defer_reads(struct vkr_engine *engine,
				       const struct vkr_access_filters *filters,
				       const struct vkr_access_filter *filter, bool *waits,
				       struct vkr_error *error) VKR_MUST_USE;

// The open dispatch is to read again what an earlier one has read, through a filter whose `kept`
// says what, and by whom in numbers. *may: these reads race with nothing and can wait; then the
// second function makes them wait.
enum vkr_result vkr_deferral_may_read_again(struct vkr_engine *engine,
					    const struct vkr_access_filter *filter, bool *may,
					    struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_deferral_read_again(struct vkr_engine *engine,
					const struct vkr_access_filter *filter,
					struct vkr_error *error) VKR_MUST_USE;

// Feeds all: before the first local dependency, after which a read may be ordered after one of
// those that wait and not after another.
enum vkr_result vkr_deferral_feed_all(struct vkr_engine *engine,
				      struct vkr_error *error) VKR_MUST_USE;

// Whether the access, a read, surely races with nothing that shadow memory remembers of
// [low, high): what is said of all of it together.
enum vkr_result vkr_deferral_is_clear(struct vkr_engine *engine, const struct vkr_access *access,
				      uint64_t low, uint64_t high, bool *clear,
				      struct vkr_error *error) VKR_MUST_USE;

// Before accesses by invocations through a target.
static inline enum vkr_result vkr_deferral_meet_target(struct vkr_engine *engine,
						       struct vkr_shadow *shadow,
						       const struct vkr_engine_target *target,
						       struct vkr_error *error)
{
	return shadow->deferred == NULL ? VKR_OK
					: vkr_deferral_feed(engine, shadow, target->base,
							    vkr_target_end(target, shadow), error);
}
