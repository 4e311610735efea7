// SPDX-License-Identifier: Apache-2.0
#include "change_place.h"

#include <string.h>

bool vkr_change_labels_match(const char *text, size_t length, const char *other)
{
	const char digits[] = "0123456789";
	for (size_t at = 0; at < length || *other;) {
		const size_t number = at < length ? strspn(text + at, digits) : 0;
		const size_t wanted = strspn(other, digits);
		if (!number != !wanted || (!number && (at == length || text[at] != *other)))
			return false;
		at += number ? number < length - at ? number : length - at : 1;
		other += wanted ? wanted : 1;
	}
	return true;
}

// VkPipelineStageFlagBits and VkAccessFlagBits; this floor has no Vulkan.
#define ALL_GRAPHICS UINT64_C(0x8000)
#define ALL_COMMANDS UINT64_C(0x10000)
#define GRAPHICS     UINT64_C(0x7fe)  // DRAW_INDIRECT to COLOR_ATTACHMENT_OUTPUT
#define COMMANDS     UINT64_C(0x1ffe) // these, COMPUTE_SHADER and TRANSFER
#define MEMORY_READ  UINT64_C(0x8000)
#define MEMORY_WRITE UINT64_C(0x10000)
#define READS        UINT64_C(0x2abf)
#define WRITES       UINT64_C(0x5540)

static uint64_t expand_stages(uint64_t stages)
{
	return stages | (stages & ALL_COMMANDS ? COMMANDS : 0) |
	       (stages & ALL_GRAPHICS ? GRAPHICS : 0);
}

static uint64_t expand_access(uint64_t access)
{
	return access | (access & MEMORY_READ ? READS : 0) | (access & MEMORY_WRITE ? WRITES : 0);
}

struct vkr_change_masks vkr_change_masks_expand(const struct vkr_change_masks *masks)
{
	return (struct vkr_change_masks){
		expand_stages(masks->source_stages), expand_access(masks->source_access),
		expand_stages(masks->destination_stages), expand_access(masks->destination_access)};
}

struct vkr_change_masks vkr_change_masks_single(const struct vkr_change_masks *masks)
{
	const uint64_t stages = ~(ALL_COMMANDS | ALL_GRAPHICS);
	const uint64_t access = ~(MEMORY_READ | MEMORY_WRITE);
	const struct vkr_change_masks all = vkr_change_masks_expand(masks);
	return (struct vkr_change_masks){all.source_stages & stages, all.source_access & access,
					 all.destination_stages & stages,
					 all.destination_access & access};
}

bool vkr_change_has_signal(enum vkr_change_kind kind)
{
	return kind == VKR_CHANGE_SEMAPHORE || kind == VKR_CHANGE_HOST_WAIT ||
	       kind == VKR_CHANGE_REMOVE_SEMAPHORE;
}

bool vkr_change_is_of_shader(enum vkr_change_kind kind)
{
	return kind == VKR_CHANGE_SHADER_BARRIER || kind == VKR_CHANGE_SHADER_BARRIER_AFTER ||
	       kind == VKR_CHANGE_SHADER_ORDER || kind == VKR_CHANGE_SHADER_COHERENT ||
	       kind == VKR_CHANGE_SHADER_ATOMIC;
}

size_t vkr_change_call_length(const char *calls)
{
	const char *other = strstr(calls, VKR_CHANGE_OTHER_CALL);
	return other ? (size_t)(other - calls) : strlen(calls);
}

const char *vkr_change_call_find(const char *calls, const char *call, bool *there)
{
	for (;; calls += strlen(VKR_CHANGE_OTHER_CALL)) {
		const size_t length = vkr_change_call_length(calls);
		const int order = strncmp(calls, call, length);
		*there = order == 0 && call[length] == '\0';
		if (*there || order > 0)
			return calls;
		calls += length;
		if (!*calls)
			return calls;
	}
}

bool vkr_change_is_there(const struct vkr_change *change, const struct vkr_change *other)
{
	// A barrier in a shader orders whatever is before it.
	const bool alone = change->kind == VKR_CHANGE_SHADER_BARRIER && !change->shader.coherent;
	return change->kind == other->kind && change->shader.coherent == other->shader.coherent &&
	       vkr_change_is_place(&change->place, &other->place) &&
	       (alone || vkr_change_is_place(&change->from, &other->from)) &&
	       change->subpasses.source == other->subpasses.source &&
	       change->subpasses.destination == other->subpasses.destination;
}

bool vkr_change_is_place(const struct vkr_change_place *place, const struct vkr_change_place *other)
{
	if (*place->call || *other->call)
		return strcmp(place->call, other->call) == 0 &&
		       vkr_change_labels_match(place->labels, strlen(place->labels), other->labels);
	return place->command == other->command &&
	       strcmp(place->command_buffer, other->command_buffer) == 0;
}
