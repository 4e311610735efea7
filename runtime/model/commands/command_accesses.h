// SPDX-License-Identifier: Apache-2.0
// What every command that accesses memory tells the engine.
#pragma once

#include "image_layout.h"
#include "model_state.h"

// The recording that is being walked.
static inline struct vkr_walk_frame *vkr_walk_top(const struct vkr_walk *walk)
{
	return &walk->frames.items[walk->frames.count - 1];
}

// The info of a command of the present recording; NULL for lack of memory. `like` is asked for only
// where the command is new.
struct vkr_command_info *vkr_walk_info(struct vkr_walk *walk, uint32_t command, uint32_t event_type,
				       const struct vkr_command_info *like);

// A new engine command on the queue for it.
enum vkr_result vkr_walk_begin_command(struct vkr_walk *walk, struct vkr_command_info *info,
				       uint32_t *command) VKR_MUST_USE;

// The tag of a command that orders and accesses nothing, as dependencies name it.
enum vkr_result vkr_walk_tag(struct vkr_walk *walk, uint32_t command, uint32_t event_type,
			     const struct vkr_command_info *like, uint64_t *tag) VKR_MUST_USE;

// A range of a buffer, or a part of an image, read or written by the command itself.
struct vkr_walk_access {
	uint32_t command; // the engine's
	struct vkr_command_info *info;
	enum vkr_command_site site;      // 0: VKR_COMMAND_READ or VKR_COMMAND_WRITE
	const struct vkr_buffer *buffer; // one of the two
	const struct vkr_image *image;
	const char *key;   // kept text that distinguishes it from others of its site; NULL: the
			   // object
	bool read, write;  // read need not be set if write is
	bool possible;     // it may or may not be made
	const char *doubt; // why that is not known, and what would make it sure
	bool any_time;     // at any time while its pass runs
	bool store;        // by a store operation
	bool lasts;        // later writes of its subpass in other stages do not take its place
	bool unshaded;     // by tests that the shading of their fragments is after
	const struct vkr_image_view *attachment; // through which the image is one; NULL: none
	bool binding; // an access by memory binding: it does not use the contents, so it subsumes
		      // no other access
	const char *operation;
	uint64_t stage, access;
	uint64_t offset, bytes; // in the buffer
	uint32_t each;          // bytes of each of the accesses; 0: they are ranges
};
// The engine's site of such accesses.
enum vkr_result vkr_walk_access_site(struct vkr_walk *walk, const struct vkr_walk_access *access,
				     uint32_t *site) VKR_MUST_USE;
enum vkr_result vkr_walk_access(struct vkr_walk *walk,
				const struct vkr_walk_access *access) VKR_MUST_USE;
// An access to an image at these locations.
enum vkr_result vkr_walk_access_image(struct vkr_walk *walk, const struct vkr_walk_access *access,
				      const struct vkr_locations *locations) VKR_MUST_USE;
