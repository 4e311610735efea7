// SPDX-License-Identifier: Apache-2.0
// Where the walk through an execution's commands stands: it may stop at a dispatch whose log is not
// there yet. Knows what is bound; not what commands do.
#pragma once

#include "access_names.h"
#include "dispatch_targets.h"
#include "image_layout.h"
#include "log_store.h"
#include "pass_objects.h"
#include "recordings.h"
#include "sync_objects.h"

// Sets bound to a bind point, by set number.
struct vkr_walk_set {
	struct vkr_bound_set bound;
	struct vkr_descriptor_set pushed; // owned; of push descriptors
};

// What is bound to one bind point.
struct vkr_walk_point {
	const struct vkr_pipeline *pipeline;
	struct {
		struct vkr_walk_set *items;
		size_t count, capacity;
	} sets; // by set number
};

enum vkr_walk_points {
	VKR_WALK_COMPUTE,
	VKR_WALK_GRAPHICS,
	VKR_WALK_OTHER, // ray tracing, subpass shading
	VKR_WALK_POINTS,
};

struct vkr_bound_feedback {
	uint32_t binding;
	struct vkr_trace_feedback_buffer bound;
};

// How far transform feedback has come in a buffer's bound range.
struct vkr_feedback_place {
	uint32_t binding;
	bool unknown;  // it may have come further
	uint64_t used; // bytes
};

// A counter whose value is known while its last write is this one.
struct vkr_feedback_counter {
	uint32_t memory; // id
	uint64_t offset;
	uint32_t site; // the engine's, of the write
	bool told;     // `site` is the last writer's, if any, of when the value was told
	uint64_t value;
};

// A state that a vkCmdSet* command set: one value of it.
struct vkr_set_value {
	uint32_t state; // VkDynamicState
	uint32_t index; // attachment, or 0
	uint32_t value;
};

// What a command buffer has bound. A secondary begins with nothing.
struct vkr_walk_state {
	struct vkr_walk_point points[VKR_WALK_POINTS];
	const struct vkr_descriptor_set *heaps[VKR_HEAP_KINDS]; // NULL: none
	// Of draws. Vertex buffers by binding; the event that set the vertex input last
	// stands in the recording.
	struct {
		struct vkr_trace_vertex_buffer *items;
		size_t count, capacity;
	} vertex_buffers;
	struct vkr_trace_cmd_bind_index_buffer index_buffer;   // buffer 0: none
	const struct vkr_trace_cmd_vertex_input *vertex_input; // NULL: none was set
	struct {
		struct vkr_set_value *items;
		size_t count, capacity;
	} set_values;
	struct {
		const char **items; // labels before each that is open
		size_t count, capacity;
	} label_stack;
	struct {
		struct vkr_bound_feedback *items;
		size_t count, capacity;
	} feedback;         // transform feedback buffers
	const char *labels; // joined
};

// A recording being walked: the primary, or a secondary that the one below executes.
struct vkr_walk_frame {
	const struct vkr_recording *recording;
	const struct vkr_trace_event *event; // present
	uint32_t base;                       // index of its first command in the primary
	struct vkr_walk_state state;
};

// What one subpass does to the planes of an attachment.
struct vkr_attachment_use {
	const struct vkr_image_view *view;
	uint32_t aspects;     // VkImageAspectFlags: of these planes
	uint32_t beside;      // the same, that operations which write these may write back, too
	uint32_t attachment;  // of the render pass
	uint32_t role, index; // enum vkr_trace_attachment_role
	uint32_t load, store; // VkAttachmentLoadOp, VkAttachmentStoreOp
	// Views whose load or store operation the subpass has; without multiview not 0 or 0.
	uint32_t load_views, store_views;
	bool input;     // the subpass reads it as input attachment too
	bool perhaps;   // its layout allows that; `input` once there is a draw that may
	bool feedback;  // a feedback loop is enabled for it
	bool shared;    // its layout lets shaders access it through any descriptor
	bool read_only; // in all of the pass
	bool resolved;  // the source or the target of a resolve at the subpass's end
	bool itself;    // the target, and the source, too
	// Dependencies of other subpasses hold the operation, and draws of this one have no part in
	// their order.
	bool load_apart, store_apart;
	uint32_t loads; // the engine's command of its load operation; 0: it has none
	// What dependencies into later subpasses bring to its operations; NULL: none include them.
	const struct vkr_engine_mark *foreseen;
	// 1 + vkr_engine_changes: at a load operation that writes, and at the last accesses of
	// draws that may be anywhere in the render area; 0: there was none.
	uint64_t cleared_at, may_read_at, may_write_at;
};

// An attachment of a render pass instance that values were written to.
struct vkr_written_attachment {
	const struct vkr_image_view *view;
	uint32_t aspects; // VkImageAspectFlags
	bool surely;
};

enum vkr_pass_operation_kind {
	VKR_PASS_LOAD,
	VKR_PASS_RESOLVE,
	VKR_PASS_STORE,
};

// A load, store or resolve operation that dependencies of other subpasses hold (pass_scopes.c).
struct vkr_pass_operation {
	enum vkr_pass_operation_kind kind;
	uint32_t subpass;        // that has it
	uint32_t attachments[2]; // of a resolve both, else twice the same
	uint32_t command;        // the engine's
	uint64_t stages;
};

struct vkr_walk_marks {
	struct vkr_engine_mark **items;
	size_t count, capacity;
};

// The render pass instance under way, as its attachments see it.
struct vkr_walk_pass {
	struct {
		struct vkr_attachment_use *items;
		size_t count, capacity;
	} uses; // in this subpass
	struct {
		const struct vkr_image_view **items;
		size_t count, capacity;
	} views; // of a render pass, by attachment; NULL: not known
	struct {
		struct vkr_pass_operation *items;
		size_t count, capacity;
	} operations; // so far
	struct {
		struct vkr_engine_member *items;
		size_t count, capacity;
	} members; // of the dependency that is being put
	struct {
		struct vkr_written_attachment *items;
		size_t count, capacity;
	} written; // so far
	// Where a render pass began, then where each subpass ended; where each subpass began; and
	// what later ones foresee of this one's.
	struct vkr_walk_marks ends, begins, foreseen;
	const struct vkr_command_info *begin; // the command that began it; NULL: none is under way
	uint64_t instance;                    // of those so far
	uint32_t timeline;                    // of the engine's sections of it; 0: it has none
	const struct vkr_command_info *first_part; // what began it, where it was suspended
	bool suspends;                             // it was suspended, and its section goes on
	uint32_t flags;                            // VkRenderingFlags
	struct vkr_trace_clear_rectangle area;     // without layers
	uint32_t layer_count, view_mask;
	struct vkr_locations locations; // of the operation under way
};

struct vkr_walk {
	struct vkr_model *model;
	const struct vkr_queue *queue;
	uint32_t submission, execution;
	struct vkr_recording *primary;
	struct {
		struct vkr_walk_frame *items;
		size_t count, capacity; // 0: nothing is being walked
	} frames;
	const struct vkr_render_pass *render_pass; // that was begun
	uint32_t subpass;
	uint64_t subpasses;        // that were left: another number within each
	struct vkr_walk_pass pass; // dynamic rendering too
	// The dispatch that is under way, command 0 for none.
	struct vkr_command_info *info;
	uint32_t command;       // the engine's
	uint32_t subgroup_size; // of the shader whose log is judged; 0: not known who shares one
	uint64_t caller;        // of the event under way
	// The part of the log that is gathered in the model's chunks.
	bool gathered, last;                // last: nothing of the log is after it
	struct vkr_log_mark mark;           // up to where
	size_t chunks_used, chunks_carried; // carried: in what is gathered once more
	bool begun;                         // an execution is under way
	bool waiting;                       // for more of the log
	// What the command that comes next is generated by; NULL: by nothing.
	const struct vkr_trace_cmd_generated *generated;
	bool waits_for_snapshot; // of the command after the present event
	bool ran;                // the command under way has logged something
	bool conditional;        // conditional rendering is active: commands may be discarded
	uint32_t feedback;       // the engine's command of active transform feedback; 0: none
	struct {
		struct vkr_feedback_place *items;
		size_t count, capacity;
	} feedback_places; // those that are not there: at the beginning
	struct {
		struct vkr_feedback_counter *items;
		size_t count, capacity;
	} feedback_counters;            // of all executions
	struct vkr_locations locations; // of the access under way
	struct vkr_error *error;
};

void vkr_walk_finish(struct vkr_walk *walk);
