// SPDX-License-Identifier: Apache-2.0
// Races of linked commands that a command yet to come may show to be none. Knows which values no
// known command has written; not what atomics order.
//
// Order between two commands may go through an atomic of a third one, whose log comes later: what a
// dependency orders after the one may release to the other, or to one before it. Somebody who was
// judged before must then have read a value that the third one writes. So where a command that
// could come before one of the two has read a value that no known command has written, the race is
// judged again when everything that may still come is ordered after the reader, or when nothing
// more comes. Until then, what may stand between the two is kept.
#pragma once

#include "command_links.h"

void vkr_link_pending_finish(struct vkr_link_pending *pending);

// Whether everything that such commands may do later, on the timelines that had some, comes after
// the command: what the host submits later comes after what it has waited for.
bool vkr_links_is_past(const struct vkr_model *model, const struct vkr_linked *linked);

// Whether all that comes later on whatever queue comes after what a command does in a stage
// (vkr_engine_options.past).
bool vkr_links_is_past_everywhere(void *model, const struct vkr_engine_standing *standing,
				  uint64_t stage, uint64_t written);

// Accesses of two commands, `count` of them if it is not 0, that were not judged.
enum vkr_result vkr_links_miss(struct vkr_model *model, uint64_t first_tag, uint64_t second_tag,
			       uint64_t count, struct vkr_error *error) VKR_MUST_USE;

// Judges links->bytes, whose second command is under way; what cannot be decided yet waits.
enum vkr_result vkr_links_judge_now(struct vkr_model *model, uint32_t command,
				    struct vkr_error *error) VKR_MUST_USE;

// Judges what waits and can be decided, or, with `all`, all of it.
enum vkr_result vkr_links_settle(struct vkr_model *model, bool all,
				 struct vkr_error *error) VKR_MUST_USE;

// Whether a command may stand between two that wait and is in no order with one of them that would
// say as much.
bool vkr_links_pending_need(const struct vkr_command_links *links, const struct vkr_linked *linked);
