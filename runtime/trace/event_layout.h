// SPDX-License-Identifier: Apache-2.0
// What each event of a trace is made of: the members of its payload and the parts of its tail, as
// tables that checking and printing run over, and which memory a command accesses at most, for the
// host watch. event_layouts.py makes them from vkrace/trace*.h. Knows names and offsets; not what
// they mean.
#pragma once

#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a member is shown, and what it may hold.
enum vkr_event_field_form {
	VKR_EVENT_FIELD_NUMBER, // decimal
	VKR_EVENT_FIELD_HEX,
	VKR_EVENT_FIELD_FLAGS,    // names of bits; hexadecimal what has none
	VKR_EVENT_FIELD_VALUE,    // a value with a name; others are decimal
	VKR_EVENT_FIELD_SIZE,     // decimal; VK_WHOLE_SIZE is "whole"
	VKR_EVENT_FIELD_OPTIONAL, // decimal; UINT32_MAX is "none"
	VKR_EVENT_FIELD_REAL,     // a float
	VKR_EVENT_FIELD_VERSION,  // a Vulkan version
	VKR_EVENT_FIELD_NAMED,    // a value with a name; others are not allowed
	VKR_EVENT_FIELD_COUNT,    // of the tail, which is shown instead
	VKR_EVENT_FIELD_RESERVED, // 0
};

struct vkr_event_field_name {
	uint64_t value;
	const char *name;
};

struct vkr_event_field {
	const char *name;
	uint16_t offset;
	uint8_t bytes; // 4 or 8, of one element
	uint8_t count; // elements
	enum vkr_event_field_form form;
	// Of a NAMED or VALUE one, and of FLAGS that have names: ended by a NULL name.
	const struct vkr_event_field_name *names;
};

// A structure's members, in order.
struct vkr_event_field_list {
	const struct vkr_event_field *fields;
	size_t count, bytes; // bytes of the structure
};

enum vkr_tail_kind {
	VKR_TAIL_END,        // no further part
	VKR_TAIL_TEXT,       // UTF-8, as many bytes as counted
	VKR_TAIL_ITEMS,      // structures
	VKR_TAIL_WORDS,      // uint32_t, shown on the event's line
	VKR_TAIL_FRAMES,     // uint64_t: addresses
	VKR_TAIL_SITES,      // a site table, as many bytes as counted
	VKR_TAIL_LOG,        // uint32_t: chunks of a GPU log
	VKR_TAIL_COLUMN_LOG, // uint32_t: columns of a GPU_COLUMN_LOG
	VKR_TAIL_EVENTS,     // CMD_ events, as many bytes as counted
};

// One part of a tail.
struct vkr_tail_part {
	enum vkr_tail_kind kind;
	const char *name;
	uint16_t count_offset;                   // in the payload: the uint32_t that counts
	const struct vkr_event_field_list *item; // of ITEMS
};

// What may have written: what a barrier must name to bring it on.
enum vkr_event_writer {
	VKR_WRITER_NONE, // it only reads
	VKR_WRITER_COMPUTE,
	VKR_WRITER_GRAPHICS,
	VKR_WRITER_RAYS,
	VKR_WRITER_TRANSFER,
	VKR_WRITER_VIDEO, // encodes
	VKR_WRITER_UNKNOWN,
};

// What a command's event says about memory that the device accesses.
enum vkr_event_access_kind {
	VKR_ACCESS_END,
	VKR_ACCESS_ANYTHING,
	VKR_ACCESS_IMAGES,    // any of them
	VKR_ACCESS_ADDRESSED, // any buffer that has a device address, or holds structures
	VKR_ACCESS_BUFFER,    // bytes of it
	VKR_ACCESS_COMPUTE,   // what shaders reach: by what is bound
	VKR_ACCESS_GRAPHICS,
	VKR_ACCESS_RAYS,
};

// A member of the payload, or of the items of a part of the tail.
struct vkr_event_member {
	uint16_t offset;
	uint8_t bytes; // 4 or 8; 0: there is none
	uint8_t part;  // 1 + the part's index; 0: of the payload
};

struct vkr_event_access {
	enum vkr_event_access_kind kind;
	enum vkr_event_writer writer;           // of ADDRESSED and BUFFER
	struct vkr_event_member buffer, offset; // of BUFFER
	struct vkr_event_member count;          // its bytes, where they are not always `bytes`
	uint64_t bytes;                         // UINT64_MAX: to the buffer's end
	// It is made where (condition & mask) equals value, or does not.
	struct vkr_event_member condition; // none: always
	uint32_t mask, value;
	bool equals;
};

#define VKR_TAIL_PARTS 5

struct vkr_event_layout {
	const char *name;
	struct vkr_event_field_list payload;
	struct vkr_tail_part tail[VKR_TAIL_PARTS + 1]; // ended by END
	const struct vkr_event_access *accesses;       // of a command, ended by END; else NULL
};

// Each event's layout (event_layouts.c).
#define VKR_LAYOUT_DECLARE(name, number, structure, size)                                          \
	extern const struct vkr_event_layout structure##_layout;
VKR_TRACE_EVENTS(VKR_LAYOUT_DECLARE)
#undef VKR_LAYOUT_DECLARE

// NULL for a number that is no event's.
const struct vkr_event_layout *vkr_event_layout(uint32_t type);

// Bytes of `count` units of a part: what its count counts.
uint64_t vkr_tail_part_bytes(const struct vkr_tail_part *part, uint32_t count);

// The first item of a part of an event's tail, and how many there are.
const void *vkr_event_part(const struct vkr_event_layout *layout, const void *payload,
			   unsigned part, uint32_t *count);

uint64_t vkr_event_member_value(const struct vkr_event_member *member, const void *structure);

// A member's element as a number.
uint64_t vkr_event_field_value(const struct vkr_event_field *field, const void *structure,
			       unsigned element);

// The name of a member's value, or of one of its bits; NULL where it has none.
const char *vkr_event_field_value_name(const struct vkr_event_field *field, uint64_t value);

// The names of VkImageLayout in vulkan_core.h, without "VK_IMAGE_LAYOUT_" (event_layouts.c).
extern const struct vkr_event_field_name *const vkr_image_layout_names;

// "a layout that is not known" where the headers have none.
const char *vkr_layout_name(uint32_t layout);
