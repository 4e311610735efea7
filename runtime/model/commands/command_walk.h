// SPDX-License-Identifier: Apache-2.0
// One walk through an execution's commands, as the files share it that give commands their meaning.
// Knows how each is named and judged; nothing outside runtime/model includes it.
#pragma once

#include "command_accesses.h"
#include "log_gathering.h"

#include <vulkan/vulkan_core.h>

// bound_state.c
static inline struct vkr_walk_point *vkr_walk_point(const struct vkr_walk *walk,
						    uint32_t bind_point)
{
	struct vkr_walk_point *points = vkr_walk_top(walk)->state.points;
	return &points[bind_point == VK_PIPELINE_BIND_POINT_COMPUTE    ? VKR_WALK_COMPUTE
		       : bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS ? VKR_WALK_GRAPHICS
								       : VKR_WALK_OTHER];
}
enum vkr_result vkr_walk_bind_pipeline(struct vkr_walk *walk,
				       const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_bind_sets(struct vkr_walk *walk,
				   const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_push_set(struct vkr_walk *walk,
				  const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_bind_heap(struct vkr_walk *walk,
				   const struct vkr_trace_event *event) VKR_MUST_USE;
// The sets of a bind point by number, to be released with free(); NULL for lack of memory. Borrows
// from the point until the next binding.
struct vkr_bound_set *vkr_walk_bound_sets(const struct vkr_walk_point *point);
void vkr_walk_state_finish(struct vkr_walk_state *state);
// draw_state.c: CMD_BIND_VERTEX_BUFFERS, CMD_BIND_INDEX_BUFFER, CMD_VERTEX_INPUT, CMD_SET_STATE
enum vkr_result vkr_walk_draw_state(struct vkr_walk *walk,
				    const struct vkr_trace_event *event) VKR_MUST_USE;
// draw_commands.c
enum vkr_result vkr_walk_draw(struct vkr_walk *walk,
			      const struct vkr_trace_event *event) VKR_MUST_USE;
// dispatch_commands.c
enum vkr_result vkr_walk_dispatch(struct vkr_walk *walk,
				  const struct vkr_trace_event *event) VKR_MUST_USE;
// possible_texels.c: those that replaying a log of the walk's command has noted
enum vkr_result vkr_walk_possible_texels(struct vkr_walk *walk,
					 const struct vkr_program *program) VKR_MUST_USE;
// generated_commands.c: CMD_GENERATED
enum vkr_result vkr_walk_generated(struct vkr_walk *walk,
				   const struct vkr_trace_event *event) VKR_MUST_USE;
// What the command reads and writes itself; its name.
enum vkr_result vkr_walk_generated_reads(struct vkr_walk *walk,
					 const struct vkr_trace_cmd_generated *of,
					 struct vkr_command_info *info,
					 uint32_t command) VKR_MUST_USE;
// How many sequences there are; false where only how many at most is known.
bool vkr_walk_generated_count(const struct vkr_walk *walk, const struct vkr_trace_cmd_generated *of,
			      uint32_t *count);
const char *vkr_generated_name(void);
// snapshot_commands.c: CMD_SNAPSHOT
enum vkr_result vkr_walk_snapshot(struct vkr_walk *walk,
				  const struct vkr_trace_event *event) VKR_MUST_USE;
// memory_copies.c: CMD_COPY_MEMORY, CMD_MOVE
enum vkr_result vkr_walk_copy_memory(struct vkr_walk *walk,
				     const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_move(struct vkr_walk *walk,
			      const struct vkr_trace_event *event) VKR_MUST_USE;
// Copies what the memory held as a command of the present recording read it. False where that was
// not captured.
bool vkr_walk_snapshot_read(const struct vkr_walk *walk, uint32_t command, uint64_t address,
			    void *to, size_t bytes);
// transfer_commands.c
enum vkr_result vkr_walk_transfer(struct vkr_walk *walk,
				  const struct vkr_trace_event *event) VKR_MUST_USE;
// image_transfers.c
enum vkr_result vkr_walk_image_transfer(struct vkr_walk *walk,
					const struct vkr_trace_event *event) VKR_MUST_USE;
// A region of a copy between a buffer and an image: one of the two has the image.
struct vkr_trace_image_rows;
enum vkr_result vkr_walk_copy_rows(struct vkr_walk *walk, struct vkr_walk_access *read,
				   struct vkr_walk_access *write,
				   const struct vkr_trace_image_rows *rows) VKR_MUST_USE;
// barrier_commands.c
enum vkr_result vkr_walk_barrier(struct vkr_walk *walk,
				 const struct vkr_trace_event *event) VKR_MUST_USE;
// query_commands.c
enum vkr_result vkr_walk_query(struct vkr_walk *walk,
			       const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_copy_queries(struct vkr_walk *walk,
				      const struct vkr_trace_event *event) VKR_MUST_USE;
// The queries were made available by a command that ends them, or writes their time.
enum vkr_result vkr_walk_end_queries(struct vkr_walk *walk, const struct vkr_trace_cmd_query *query,
				     struct vkr_query_pool *pool) VKR_MUST_USE;
// structure_builds.c
enum vkr_result vkr_walk_build_structures(struct vkr_walk *walk,
					  const struct vkr_trace_event *event) VKR_MUST_USE;
// structure_copies.c
enum vkr_result vkr_walk_copy_structure(struct vkr_walk *walk,
					const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_structure_properties(struct vkr_walk *walk,
					      const struct vkr_trace_event *event) VKR_MUST_USE;
// trace_ray_commands.c
enum vkr_result vkr_walk_trace_rays(struct vkr_walk *walk,
				    const struct vkr_trace_event *event) VKR_MUST_USE;
// feedback_commands.c
enum vkr_result vkr_walk_feedback(struct vkr_walk *walk,
				  const struct vkr_trace_event *event) VKR_MUST_USE;
void vkr_walk_end_feedback(struct vkr_walk *walk);
// Where feedback into a binding has come to; NULL for lack of memory.
struct vkr_feedback_place *vkr_walk_feedback_place(struct vkr_walk *walk, uint32_t binding);
// The counter's value, which draws read too. *known: whether it is known.
enum vkr_result vkr_walk_feedback_counter(struct vkr_walk *walk, const struct vkr_buffer *buffer,
					  uint64_t offset, bool *known,
					  uint64_t *value) VKR_MUST_USE;
// feedback_writes.c: of a draw between begin and end. The second: of one of which it is not known
// what it writes.
enum vkr_result vkr_walk_feedback_writes(struct vkr_walk *walk,
					 const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_feedback_may_write(struct vkr_walk *walk) VKR_MUST_USE;
// The vertices of vkCmdDrawIndirectByteCountEXT. *known: whether that is known.
enum vkr_result vkr_walk_counted(struct vkr_walk *walk,
				 const struct vkr_trace_cmd_draw_indirect *draw, bool *known,
				 uint64_t *vertices) VKR_MUST_USE;
// The command may have been discarded, and so nothing of this is judged.
enum vkr_result vkr_walk_may_have_run(struct vkr_walk *walk, const char *name,
				      const char *what) VKR_MUST_USE;
// video_commands.c
enum vkr_result vkr_walk_video(struct vkr_walk *walk,
			       const struct vkr_trace_event *event) VKR_MUST_USE;
// event_commands.c
enum vkr_result vkr_walk_set_event(struct vkr_walk *walk,
				   const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_reset_event(struct vkr_walk *walk,
				     const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_wait_events(struct vkr_walk *walk,
				     const struct vkr_trace_event *event) VKR_MUST_USE;
// render_pass_commands.c
enum vkr_result vkr_walk_begin_render_pass(struct vkr_walk *walk,
					   const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_next_subpass(struct vkr_walk *walk,
				      const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_end_render_pass(struct vkr_walk *walk,
					 const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_begin_rendering(struct vkr_walk *walk,
					 const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_walk_end_rendering(struct vkr_walk *walk,
				       const struct vkr_trace_event *event) VKR_MUST_USE;
void vkr_walk_leave_render_pass(struct vkr_walk *walk);
