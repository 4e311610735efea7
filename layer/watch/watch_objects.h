// SPDX-License-Identifier: Apache-2.0
// The memory behind the objects of recorded events: buffers, images, sets, pipelines. Built from
// the events themselves. Knows no submission and no page.
//
// All functions of watch_objects.h are called under one lock, that of watch_pages.c.
#pragma once

#include "map.h"

#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of a memory object.
struct vkr_watch_range {
	uint32_t memory, reserved;
	uint64_t offset, bytes;
};

struct vkr_watch_descriptor {
	uint32_t binding, element, type;
	struct vkr_trace_descriptor descriptor;
};

struct vkr_watch_set {
	uint32_t layout;
	uint64_t address;                   // of one in a descriptor buffer; else its handle
	struct vkr_watch_descriptor *items; // what was ever written to it, the last of each place
	size_t count, capacity;
	struct vkr_map places; // binding << 32 | element -> index of its item
};

// Bindings that a shader or pipeline writes, as set << 32 | binding.
struct vkr_watch_writes {
	uint64_t *items;
	size_t count, capacity;
	bool unknown;        // any binding may be written
	bool reads_pointers; // device addresses
	bool writes_pointers;
};

struct vkr_watch_recording {
	uint32_t command_buffer;
	size_t bytes;
	unsigned char events[];
};

// Takes note of an event: its payload and the pieces of its tail. False where there was no memory.
bool vkr_watch_objects_event(enum vkr_trace_type type, const void *payload, const void *tail,
			     size_t tail_bytes);

// The range of a buffer's bytes; false where it is not known.
bool vkr_watch_buffer_range(uint32_t buffer, uint64_t offset, uint64_t bytes,
			    struct vkr_watch_range *range);

// The buffer's range that a descriptor leads to; false for images, and where it is not known.
bool vkr_watch_descriptor_range(const struct vkr_watch_descriptor *descriptor,
				struct vkr_watch_range *range);

bool vkr_watch_is_image(uint32_t descriptor_type);

const struct vkr_watch_set *vkr_watch_set(uint32_t set);
// Where the set itself lies; false for one that lies in no buffer.
bool vkr_watch_set_range(const struct vkr_watch_set *set, struct vkr_watch_range *range);
const struct vkr_watch_writes *vkr_watch_pipeline(uint32_t pipeline);
const struct vkr_watch_recording *vkr_watch_recording(uint32_t recording);

// Each memory object that the host can map, each bound image, and each buffer that has a device
// address or holds acceleration structures. What is made later can be accessed by no work that was
// submitted before.
void vkr_watch_each_memory(void (*visit)(void *user, const struct vkr_watch_range *range),
			   void *user);
void vkr_watch_each_image(void (*visit)(void *user, const struct vkr_watch_range *range),
			  void *user);
void vkr_watch_each_addressed(void (*visit)(void *user, const struct vkr_watch_range *range),
			      void *user);
