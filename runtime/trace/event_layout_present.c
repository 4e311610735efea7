// SPDX-License-Identifier: Apache-2.0
// What the events of presentation are made of. Knows names and places, and not what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field acquire_fields[] = {
	FIELD(acquire, image, NUMBER), FIELD(acquire, semaphore, NUMBER),
	FIELD(acquire, fence, NUMBER), FIELD(acquire, reserved, RESERVED)};
static const struct vkr_event_field present_fields[] = {
	FIELD(present, submission, NUMBER), FIELD(present, queue, NUMBER),
	FIELD(present, wait_count, COUNT),  FIELD(present, image_count, COUNT),
	FIELD(present, fence_count, COUNT), FIELD(present, reserved, RESERVED)};

const struct vkr_event_layout vkr_trace_acquire_layout = {"ACQUIRE", LIST(acquire), {{0}}};
const struct vkr_event_layout vkr_trace_present_layout = {
	"PRESENT",
	LIST(present),
	{{VKR_TAIL_WORDS, "wait", offsetof(struct vkr_trace_present, wait_count), NULL},
	 {VKR_TAIL_WORDS, "image", offsetof(struct vkr_trace_present, image_count), NULL},
	 {VKR_TAIL_WORDS, "fence", offsetof(struct vkr_trace_present, fence_count), NULL}}};
