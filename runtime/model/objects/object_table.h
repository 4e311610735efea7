// SPDX-License-Identifier: Apache-2.0
// How the tables of model_objects.h are filled. Knows ids and names; no kind of object.
#pragma once

#include "model_objects.h"

// The object of an id, NULL where there is none.
void *vkr_table_find(const struct vkr_map *map, uint32_t id);

// Keeps a malloc'd object, NULL for lack of memory, under its id: in a map that owns its objects.
// VKR_ERROR_FORMAT: the id is 0 or used before; then, as for lack of memory, it is freed.
enum vkr_result vkr_table_keep(struct vkr_map *map, uint32_t id, const char *what, void *object,
			       struct vkr_error *error) VKR_MUST_USE;

// A new zeroed object of `size` bytes under its id; `object` is where to put its address.
// VKR_ERROR_FORMAT: the id is 0 or used before.
enum vkr_result vkr_table_make(struct vkr_objects *objects, struct vkr_map *map, uint32_t id,
			       size_t size, const char *what, void *object,
			       struct vkr_error *error) VKR_MUST_USE;

// The name of an object that the program has not named: "image 3".
enum vkr_result vkr_table_name(struct vkr_objects *objects, const char **name, const char *what,
			       uint32_t id, struct vkr_error *error) VKR_MUST_USE;

// The error that an event names an object that is not there.
enum vkr_result vkr_table_unknown(struct vkr_error *error, unsigned type, const char *what,
				  uint32_t id);

// BUFFER_ADDRESS, and the end of a buffer (device_addresses.c).
enum vkr_result vkr_addresses_add(struct vkr_objects *objects,
				  const struct vkr_trace_buffer_address *event,
				  struct vkr_error *error) VKR_MUST_USE;
void vkr_addresses_forget(struct vkr_objects *objects, const struct vkr_buffer *buffer);
