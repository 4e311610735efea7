// SPDX-License-Identifier: Apache-2.0
#define VKRACE_NO_ANNOTATIONS // the other side of the header
#include "annotations.h"

#include "call_stack.h"
#include "host_mappings.h"
#include "host_regions.h"
#include "observed.h"
#include "record.h"
#include "settings.h"

#include <string.h>

bool vkr_annotations_suffice(void)
{
	const char *way = vkr_setting_text(VKR_SETTING_HOST);
	return way && strcmp(way, "annotated") == 0;
}

static void record_access(uint32_t operation, const volatile void *pointer, size_t bytes)
{
	uintptr_t at = (uintptr_t)pointer;
	const uintptr_t end = at + bytes;
	struct vkr_host_mapping mapping;
	uint64_t frames[VKR_STACK_FRAMES];
	uint32_t frame_count = 0;
	while (at < end && vkr_host_mappings_find(at, end - at, &mapping)) {
		if (frame_count == 0)
			frame_count = vkr_call_stack_capture(frames);
		const struct vkr_trace_host_access payload = {
			.memory = mapping.memory,
			.operation = operation,
			.offset = mapping.offset,
			.bytes = mapping.bytes,
			.frame_count = frame_count,
		};
		vkr_record_event(VKR_TRACE_HOST_ACCESS, &payload, sizeof payload, frames,
				 frame_count * sizeof *frames);
		at = mapping.pointer + mapping.bytes;
	}
}

// The layer observes accesses to watched memory itself; annotations of these are ignored.
static bool is_watched(const volatile void *pointer)
{
	bool watched = vkr_regions_enter((uintptr_t)pointer) != NULL;
	vkr_regions_leave();
	return watched;
}

static void note_read(const volatile void *pointer, size_t bytes)
{
	if (!is_watched(pointer))
		record_access(VKR_HOST_READ, pointer, bytes);
}

static void note_write(const volatile void *pointer, size_t bytes)
{
	if (!is_watched(pointer))
		record_access(VKR_HOST_WRITE, pointer, bytes);
}

static void note_before(const volatile void *address)
{
	const struct vkr_trace_host_release payload = {.object = (uintptr_t)address,
						       .kind = VKR_HOST_SYNC_ANNOTATION};
	vkr_record_event(VKR_TRACE_HOST_RELEASE, &payload, sizeof payload, NULL, 0);
}

static void note_after(const volatile void *address)
{
	const struct vkr_trace_host_acquire payload = {.object = (uintptr_t)address,
						       .kind = VKR_HOST_SYNC_ANNOTATION};
	vkr_record_event(VKR_TRACE_HOST_ACQUIRE, &payload, sizeof payload, NULL, 0);
}

static void annotations_ignore(uint32_t begins)
{
	const struct vkr_trace_host_ignore payload = {.begins = begins};
	vkr_record_event(VKR_TRACE_HOST_IGNORE, &payload, sizeof payload, NULL, 0);
}

static void ignore_begin(void)
{
	annotations_ignore(1);
}

static void ignore_end(void)
{
	annotations_ignore(0);
}

static void annotations_observe(int on)
{
	vkr_observed_switch(on != 0);
}

const struct vkrace_annotations *vkr_annotations(void)
{
	static const struct vkrace_annotations annotations = {
		.version = VKRACE_ANNOTATIONS_VERSION,
		.bytes = sizeof annotations,
		.read = note_read,
		.write = note_write,
		.happens_before = note_before,
		.happens_after = note_after,
		.ignore_begin = ignore_begin,
		.ignore_end = ignore_end,
		.observe = annotations_observe,
	};
	return &annotations;
}
