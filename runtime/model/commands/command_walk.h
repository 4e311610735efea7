// SPDX-License-Identifier: Apache-2.0
// One walk through an execution's commands, as the files share it that give commands their meaning.
// Knows how each is named and judged; nothing outside runtime/model includes it.
#pragma once

#include "command_accesses.h"
#include "log_gathering.h"

#include <vulkan/vulkan_core.h>

#define VKR_WALK(event, function)                                                                  \
	enum vkr_result function(struct vkr_walk *walk, const struct vkr_trace_event *event)       \
		VKR_MUST_USE;
#include "walk_commands.def"
#undef VKR_WALK

// bound_state.c
static inline struct vkr_walk_point *vkr_walk_point(const struct vkr_walk *walk,
						    uint32_t bind_point)
{
	struct vkr_walk_point *points = vkr_walk_top(walk)->state.points;
	return &points[bind_point == VK_PIPELINE_BIND_POINT_COMPUTE    ? VKR_WALK_COMPUTE
		       : bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS ? VKR_WALK_GRAPHICS
								       : VKR_WALK_OTHER];
}
// The sets of a bind point by number, to be released with free(); NULL for lack of memory. Borrows
// from the point until the next binding.
struct vkr_bound_set *vkr_walk_bound_sets(const struct vkr_walk_point *point);
void vkr_walk_state_finish(struct vkr_walk_state *state);
// possible_texels.c: those that replaying a log of the walk's command has noted
// when so many dependencies were on its timeline (vkr_engine_changes)
enum vkr_result vkr_walk_possible_texels(struct vkr_walk *walk, const struct vkr_program *program,
					 struct vkr_possible_texels *possible,
					 uint64_t changes) VKR_MUST_USE;
// generated_commands.c
// What the command reads and writes itself; its name.
enum vkr_result vkr_walk_generated_reads(struct vkr_walk *walk,
					 const struct vkr_trace_cmd_generated *of,
					 struct vkr_command_info *info,
					 uint32_t command) VKR_MUST_USE;
// How many sequences there are; false where only how many at most is known.
bool vkr_walk_generated_count(const struct vkr_walk *walk, const struct vkr_trace_cmd_generated *of,
			      uint32_t *count);
const char *vkr_generated_name(void);
// snapshot_commands.c
// Copies what the memory held as a command of the present recording read it. False where that was
// not captured.
bool vkr_walk_snapshot_read(const struct vkr_walk *walk, uint32_t command, uint64_t address,
			    void *to, size_t bytes);
// image_transfers.c
// A region of a copy between a buffer and an image: one of the two has the image.
struct vkr_trace_image_rows;
enum vkr_result vkr_walk_copy_rows(struct vkr_walk *walk, struct vkr_walk_access *read,
				   struct vkr_walk_access *write,
				   const struct vkr_trace_image_rows *rows) VKR_MUST_USE;
// query_commands.c
// The queries were made available by a command that ends them, or writes their time.
enum vkr_result vkr_walk_end_queries(struct vkr_walk *walk, const struct vkr_trace_cmd_query *query,
				     struct vkr_query_pool *pool) VKR_MUST_USE;
// feedback_commands.c
void vkr_walk_end_feedback(struct vkr_walk *walk);
// Where feedback into a binding has come to; NULL for lack of memory.
struct vkr_feedback_place *vkr_walk_feedback_place(struct vkr_walk *walk, uint32_t binding);
// The counter's value, which draws read too. *known: whether it is known.
enum vkr_result vkr_walk_feedback_counter(struct vkr_walk *walk, const struct vkr_buffer *buffer,
					  uint64_t offset, bool *known,
					  uint64_t *value) VKR_MUST_USE;
// What is known of counters now, to be freed; what it was at another time; nothing any more.
enum vkr_result vkr_feedback_counters_known(struct vkr_model *model,
					    struct vkr_trace_past_counter **counters, size_t *count,
					    struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_feedback_counter_tell(struct vkr_model *model,
					  const struct vkr_trace_past_counter *counter,
					  struct vkr_error *error) VKR_MUST_USE;
void vkr_feedback_counters_forget(struct vkr_model *model);
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
// render_pass_commands.c
void vkr_walk_leave_render_pass(struct vkr_walk *walk);
