// SPDX-License-Identifier: Apache-2.0
// What the dependencies of subpasses include (VkSubpassDependency): the commands of a subpass, and
// operations of other subpasses on its attachments. Does not know what these access.
#pragma once

#include "command_walk.h"

// A dependency between subpasses as the memory barrier that it is.
struct vkr_trace_barrier vkr_subpass_barrier(const struct vkr_trace_subpass_dependency *from);

// Its VkDependencyFlags as far as they split it. One between different views is taken for one
// between all of them.
uint32_t vkr_subpass_flags(const struct vkr_trace_subpass_dependency *from);

// The pass begins, or a subpass is over: where first scopes end.
enum vkr_result vkr_pass_mark_end(struct vkr_walk *walk) VKR_MUST_USE;
// The subpass has begun, after all dependencies into it.
enum vkr_result vkr_pass_mark_begin(struct vkr_walk *walk) VKR_MUST_USE;

// Where first scopes of the subpass, or of what comes before the pass (VK_SUBPASS_EXTERNAL), end;
// NULL: the subpass has not begun yet.
const struct vkr_engine_mark *vkr_pass_source(const struct vkr_walk *walk, uint32_t subpass);

// The operations that first scopes of the subpass include besides its commands; valid until the
// next call.
enum vkr_result vkr_pass_members(struct vkr_walk *walk, uint32_t subpass,
				 const struct vkr_engine_member **members,
				 uint32_t *count) VKR_MUST_USE;

// Puts the dependencies into a subpass, or out of the pass (VK_SUBPASS_EXTERNAL), from what has
// been.
enum vkr_result vkr_pass_dependencies(struct vkr_walk *walk, uint32_t subpass,
				      uint64_t tag) VKR_MUST_USE;

// Before the section of a subpass whose uses of attachments are known: what dependencies into later
// ones bring to its operations.
enum vkr_result vkr_pass_foresee(struct vkr_walk *walk, uint64_t tag) VKR_MUST_USE;

// The engine's command of an operation in this subpass: *common, made for the first one, where no
// other subpass uses the attachment; else its own, which ends with the pass.
enum vkr_result vkr_pass_operation(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				   enum vkr_pass_operation_kind kind, struct vkr_command_info *info,
				   uint32_t *common, uint32_t *command) VKR_MUST_USE;

// Finds the load and store operations whose scopes do not include the subpass's draws.
void vkr_pass_find_apart(struct vkr_walk *walk);

// The pass is over.
void vkr_pass_scopes_end(struct vkr_walk *walk);
void vkr_pass_scopes_finish(struct vkr_walk_pass *pass);
