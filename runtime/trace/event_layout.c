// SPDX-License-Identifier: Apache-2.0
// Finding an event's layout, and reading members by it. Knows no event.
#include "event_layout.h"

#include <string.h>

const struct vkr_event_layout *vkr_event_layout(uint32_t type)
{
	switch (type) {
#define LAYOUT_CASE(name, number, structure, size)                                                 \
	case number:                                                                               \
		return &structure##_layout;
		VKR_TRACE_EVENTS(LAYOUT_CASE)
#undef LAYOUT_CASE
	}
	return NULL;
}

uint64_t vkr_tail_part_bytes(const struct vkr_tail_part *part, uint32_t count)
{
	switch (part->kind) {
	case VKR_TAIL_END:
		return 0;
	case VKR_TAIL_TEXT:
	case VKR_TAIL_SITES:
	case VKR_TAIL_EVENTS:
		return count;
	case VKR_TAIL_ITEMS:
		return (uint64_t)count * part->item->bytes;
	case VKR_TAIL_WORDS:
	case VKR_TAIL_LOG:
	case VKR_TAIL_COLUMN_LOG:
		return (uint64_t)count * sizeof(uint32_t);
	case VKR_TAIL_FRAMES:
		return (uint64_t)count * sizeof(uint64_t);
	}
	return 0;
}

const char *vkr_layout_name(uint32_t layout)
{
	for (const struct vkr_event_field_name *at = vkr_image_layout_names; at->name; at++)
		if (at->value == layout)
			return at->name;
	return "a layout that is not known";
}

const void *vkr_event_part(const struct vkr_event_layout *layout, const void *payload,
			   unsigned part, uint32_t *count)
{
	const unsigned char *at = (const unsigned char *)payload + layout->payload.bytes;
	for (unsigned before = 0;; before++) {
		const struct vkr_tail_part *tail = &layout->tail[before];
		memcpy(count, (const unsigned char *)payload + tail->count_offset, sizeof *count);
		if (before == part)
			return at;
		at += vkr_tail_part_bytes(tail, *count);
	}
}

uint64_t vkr_event_member_value(const struct vkr_event_member *member, const void *structure)
{
	const struct vkr_event_field field = {.offset = member->offset, .bytes = member->bytes};
	return vkr_event_field_value(&field, structure, 0);
}

uint64_t vkr_event_field_value(const struct vkr_event_field *field, const void *structure,
			       unsigned element)
{
	const unsigned char *at = (const unsigned char *)structure + field->offset;
	if (field->bytes == sizeof(uint64_t)) {
		uint64_t value;
		memcpy(&value, at + element * sizeof value, sizeof value);
		return value;
	}
	uint32_t value;
	memcpy(&value, at + element * sizeof value, sizeof value);
	return value;
}

const char *vkr_event_field_value_name(const struct vkr_event_field *field, uint64_t value)
{
	for (const struct vkr_event_field_name *name = field->names; name->name; name++) {
		if (name->value == value)
			return name->name;
	}
	return NULL;
}
