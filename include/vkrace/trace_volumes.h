// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: the volumes that a run's trace can be cut into. Each later one
// begins with what the events before it leave to judge by: objects that live, batches whose
// accesses may still race, how all that orders stood before each of these, and how it stands at the
// cut. Knows nothing of what is a race.
//
// A volume: VOLUME; of a later one PAST_TIMELINE events, the events that are kept, each access
// among them after the PAST_STATE of its timeline, and the PAST_EVENT and PAST_COUNTER events of
// what it goes by; the state of each timeline at the cut, PAST_TOKEN, PAST_EVENT and PAST_COUNTER
// events, PAST_END; then the run's events, as many of which as PAST_END says stand in the volume
// before, too; VOLUME_END, but for the last one. A SUBMIT, PRESENT or ACQUIRE after a PAST_TOKEN of
// VKR_PAST_PENDING is judged after PAST_END, every other one before it at once. Numbers of
// timelines are those of their volume.
#pragma once

#include <assert.h>
#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_VOLUME_EVENTS(X)                                                                 \
	X(VOLUME, 560, vkr_trace_volume, 16)                                                       \
	X(PAST_TIMELINE, 561, vkr_trace_past_timeline, 32)                                         \
	X(PAST_STATE, 562, vkr_trace_past_state, 88)                                               \
	X(PAST_TOKEN, 563, vkr_trace_past_token, 48)                                               \
	X(PAST_END, 564, vkr_trace_past_end, 8)                                                    \
	X(VOLUME_END, 565, vkr_trace_volume_end, 8)                                                \
	X(PAST_EVENT, 566, vkr_trace_past_event, 80)                                               \
	X(PAST_COUNTER, 567, vkr_trace_past_counter, 24)

// Items of tails.

// A part of a timeline: accesses of these types and stages at positions in (behind, position].
struct vkr_trace_past_span {
	uint32_t timeline;
	uint32_t memory; // 0: everywhere; else only bytes [low, high) of it
	uint64_t behind, position;
	uint64_t stage_mask, access_mask;
	uint64_t low, high;
};

// What is known to everything that comes next in these stages. Its spans, and then those of its
// sets, follow those of the group before.
struct vkr_trace_past_group {
	uint64_t stage_mask;
	uint32_t of; // enum vkr_trace_past_of
	uint32_t before_count, available_count, host_count;
	uint32_t set_count, reserved;
};

// Writes that are visible to these accesses in [low, high) of the memory, 0: everywhere.
struct vkr_trace_past_set {
	uint64_t access_mask;
	uint64_t low, high;
	uint32_t memory;
	uint32_t span_count;
};

struct vkr_trace_past_cut {
	uint64_t behind, position, stage_mask;
};

// The latest layout transition of a range.
struct vkr_trace_past_transition {
	uint64_t low, high, position, behind;
	uint32_t memory, reserved;
};

// Values of members.

// Whose groups: the state's own; of accesses at another place; of what chains into a first scope
// that holds all commands.
enum vkr_trace_past_of {
	VKR_PAST_OWN,
	VKR_PAST_OTHER_REGION, // "other region"
	VKR_PAST_OTHER_VIEW,   // "other view"
	VKR_PAST_CHAINED,
	VKR_PAST_CHAINED_OTHER_REGION, // "chained, other region"
	VKR_PAST_CHAINED_OTHER_VIEW,   // "chained, other view"
	VKR_PAST_OF_KINDS,
};

enum vkr_trace_past_line {
	VKR_PAST_LINE_HOST = 1, // of all host threads, or of one
	VKR_PAST_LINE_QUEUE,
	VKR_PAST_LINE_PRESENT, // of the presentation engine, for one image
	VKR_PAST_LINE_HANDING, // of its acquisitions, where these order nothing but the image
	VKR_PAST_LINE_SPARSE,  // of a queue's sparse bindings
};

enum vkr_trace_past_line_flags {
	VKR_PAST_PRESENTED = 1u << 0, // the image has been presented
	VKR_PAST_LINKED = 1u << 1,    // shaders on the queue may have ordered commands
	VKR_PAST_LOCAL = 1u << 2,     // of the host: some dependency was limited to equal places
	VKR_PAST_BARRIERS2 = 1u << 3, // of the host: the program has used vkCmdPipelineBarrier2
};

enum vkr_trace_past_token_kind {
	VKR_PAST_SEMAPHORE = 1, // a value that it was signaled to
	VKR_PAST_FENCE,
	VKR_PAST_SIGNALS, // of a queue: its signal operations so far
	VKR_PAST_QUERY,
	VKR_PAST_PENDING,   // of the host, for the next SUBMIT, PRESENT or ACQUIRE
	VKR_PAST_HOST_SYNC, // of what host threads release and acquire
};

enum vkr_trace_past_token_flags {
	VKR_PAST_TOKEN_NONE = 1u << 0, // there is no token: nothing is ordered by it
	VKR_PAST_SUBMITTED = 1u << 1,  // of a fence
	VKR_PAST_SIGNALED = 1u << 2,   // of a fence: by its creation
};

enum vkr_trace_past_event_flags {
	VKR_PAST_EVENT_SET = 1u << 0,
	VKR_PAST_EVENT_BY_HOST = 1u << 1,
	VKR_PAST_EVENT_ASYMMETRIC = 1u << 2, // VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR
	VKR_PAST_EVENT_SYNC2 = 1u << 3,      // by vkCmdSetEvent2
	VKR_PAST_EVENT_LIMITED = 1u << 4,    // within a section
};

// Events.

// The first event of a volume.
struct vkr_trace_volume {
	uint32_t number; // from 1
	uint32_t rules;  // by which the volumes before were judged; 0 in the first one
	uint64_t run;    // equal for all volumes of a run, and hardly for those of another
};

struct vkr_trace_past_timeline {
	uint32_t timeline;
	uint32_t kind;   // enum vkr_trace_past_line
	uint32_t object; // queue, image, or host thread, 0: all of them
	uint32_t queue;  // of the last presentation; 0: none
	uint32_t family; // of a presentation engine's: the number that the judge gives it
	uint32_t flags;  // enum vkr_trace_past_line_flags
	uint64_t linked_stage_mask; // of the host: in which shaders may have ordered commands
};

// How a timeline stands. Tail: group_count x struct vkr_trace_past_group; set_count x struct
// vkr_trace_past_set; span_count x struct vkr_trace_past_span; cut_count x struct
// vkr_trace_past_cut; transition_count x struct vkr_trace_past_transition.
struct vkr_trace_past_state {
	uint32_t timeline;
	uint32_t reserved;
	uint64_t position; // of the last command
	uint64_t commands; // of all timelines so far
	uint64_t sections, sections_over, section_begin, last_section_end, section_stage_mask;
	uint32_t group_count, set_count, span_count, cut_count, transition_count;
	uint32_t reserved2;
};

// What a signal has released. Tail: before_count x struct vkr_trace_past_span; available_count x
// struct vkr_trace_past_span; host_count x struct vkr_trace_past_span; seen_count x struct
// vkr_trace_past_span.
struct vkr_trace_past_token {
	uint32_t kind;   // enum vkr_trace_past_token_kind
	uint32_t object; // semaphore, fence, queue, query pool, or kind of host synchronization; 0:
			 // none
	uint64_t value;  // of a timeline semaphore; a query's index; what host threads have named
	uint32_t before_count, available_count, host_count, seen_count;
	uint32_t flags;    // enum vkr_trace_past_token_flags
	uint32_t queue;    // of a fence; 0: none
	uint64_t reserved; // 0
};

struct vkr_trace_past_end {
	uint64_t repeated; // events after this one that stand in the volume before, too
};

// How a VkEvent stands. Tail: group_count x struct vkr_trace_past_group; set_count x struct
// vkr_trace_past_set; span_count x struct vkr_trace_past_span; barrier_count x struct
// vkr_trace_barrier.
struct vkr_trace_past_event {
	uint32_t event;
	uint32_t flags;    // enum vkr_trace_past_event_flags
	uint32_t timeline; // on which it was set
	uint32_t reserved;
	uint64_t stage_mask;                                 // that its signal came after
	uint64_t position;                                   // of the last command before it
	uint64_t behind, section_stage_mask, section_behind; // limits within the section
	uint32_t group_count, set_count, span_count, barrier_count;
	uint64_t reserved2;
};

// What a counter of transform feedback has come to.
struct vkr_trace_past_counter {
	uint32_t memory, reserved;
	uint64_t offset; // in the memory
	uint64_t value;
};

// What is pending here is judged in the next volume.
struct vkr_trace_volume_end {
	uint32_t next; // its number
	uint32_t reserved;
};

static_assert(sizeof(struct vkr_trace_past_span) == 56, "on disk");
static_assert(sizeof(struct vkr_trace_past_group) == 32, "on disk");
static_assert(sizeof(struct vkr_trace_past_set) == 32, "on disk");
static_assert(sizeof(struct vkr_trace_past_cut) == 24, "on disk");
static_assert(sizeof(struct vkr_trace_past_transition) == 40, "on disk");
