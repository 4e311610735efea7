// SPDX-License-Identifier: Apache-2.0
// What the numbers that the engine knows accesses by stand for. Knows names and objects; nothing of
// order.
#include "access_names.h"

#include "array.h"
#include "engine.h"

#include <stdlib.h>
#include <string.h>

void vkr_access_names_init(struct vkr_access_names *names, struct vkr_texts *texts)
{
	*names = (struct vkr_access_names){.texts = texts};
	vkr_arena_init(&names->arena);
}

void vkr_access_names_finish(struct vkr_access_names *names)
{
	free(names->sites.items);
	free(names->references.items);
	free(names->executed.items);
	free(names->spare.items);
	vkr_map_finish(&names->reference_places);
	vkr_map_finish(&names->infos);
	vkr_map_finish(&names->host_sites);
	vkr_map_finish(&names->command_sites);
	vkr_arena_finish(&names->arena);
}

// Numbers as a key: equal keys are equal pointers. Formatting them as text would cost more than
// judging a draw.
static const char *keep_key(struct vkr_access_names *names, const uint64_t *numbers, size_t count)
{
	return vkr_texts_keep(names->texts, (const char *)numbers, count * sizeof *numbers);
}

struct vkr_command_info *vkr_access_names_info(struct vkr_access_names *names,
					       const struct vkr_command_info *info)
{
	// Kept names are equal exactly when their pointers are.
	const uint64_t numbers[] = {(uint64_t)info->index << 1 | info->indirect,
				    info->caller,
				    (uintptr_t)info->name,
				    (uintptr_t)info->labels,
				    (uintptr_t)info->command_buffer,
				    (uintptr_t)info->pipeline,
				    (uintptr_t)info->source,
				    (uintptr_t)info->destination,
				    (uint64_t)info->groups[0] << 32 | info->groups[1],
				    (uint64_t)info->groups[2] << 32 | info->base[0],
				    (uint64_t)info->base[1] << 32 | info->base[2]};
	const char *key = keep_key(names, numbers, sizeof numbers / sizeof numbers[0]);
	if (key == NULL)
		return NULL;
	uint64_t found = 0;
	if (vkr_map_get(&names->infos, (uintptr_t)key, &found))
		return (struct vkr_command_info *)(uintptr_t)found;
	struct vkr_command_info *made = vkr_arena_alloc(&names->arena, sizeof *made);
	if (made == NULL || !vkr_map_set(&names->infos, (uintptr_t)key, (uintptr_t)made))
		return NULL;
	*made = *info;
	return made;
}

uint32_t *vkr_access_names_command_site(struct vkr_access_names *names,
					struct vkr_command_info *info, enum vkr_command_site site,
					const void *object, uint32_t part)
{
	uint64_t found = 0;
	if (part == 0 && (info->sites[site] == 0 || info->site_objects[site] == object)) {
		info->site_objects[site] = object;
		return &info->sites[site];
	}
	const uint64_t numbers[] = {(uintptr_t)info, (uint64_t)site | (uint64_t)part << 32,
				    (uintptr_t)object};
	const char *key = keep_key(names, numbers, sizeof numbers / sizeof numbers[0]);
	if (key == NULL)
		return NULL;
	if (vkr_map_get(&names->command_sites, (uintptr_t)key, &found))
		return (uint32_t *)(uintptr_t)found;
	uint32_t *made = vkr_arena_alloc(&names->arena, sizeof *made);
	if (made == NULL || !vkr_map_set(&names->command_sites, (uintptr_t)key, (uintptr_t)made))
		return NULL;
	return made;
}

static uint32_t number_of(struct vkr_access_names *names, const struct vkr_reference *reference)
{
	const struct vkr_image_view *view = reference->view;
	const uint64_t numbers[] = {
		(uint64_t)reference->heap << 3 | (uint64_t)reference->structure << 2 |
			(uint64_t)(view != NULL) << 1 | reference->address,
		view != NULL ? view->reference : reference->buffer->id,
		(uint64_t)reference->set << 32 | reference->binding, reference->element};
	const char *key = keep_key(names, numbers, sizeof numbers / sizeof numbers[0]);
	uint64_t found = 0;
	if (key == NULL)
		return 0;
	if (vkr_map_get(&names->reference_places, (uintptr_t)key, &found))
		return (uint32_t)found;
	if (!VKR_ARRAY_RESERVE(&names->references, 1) ||
	    !vkr_map_set(&names->reference_places, (uintptr_t)key, names->references.count + 1))
		return 0;
	names->references.items[names->references.count++] = *reference;
	return (uint32_t)names->references.count;
}

uint32_t vkr_access_names_reference(struct vkr_access_names *names,
				    const struct vkr_reference *reference)
{
	const uint32_t number = number_of(names, reference);
	names->lost |= number == 0;
	return number;
}

bool vkr_access_names_site(struct vkr_access_names *names, const struct vkr_access_site *site,
			   uint64_t *tag)
{
	if (!VKR_ARRAY_RESERVE(&names->sites, 1))
		return false;
	*tag = names->sites.count;
	names->sites.items[names->sites.count++] = *site;
	return true;
}

bool vkr_access_names_executed(struct vkr_access_names *names, const struct vkr_executed *executed,
			       uint64_t *tag)
{
	if (names->spare.count > 0) {
		*tag = names->spare.items[--names->spare.count];
	} else {
		if (!VKR_ARRAY_RESERVE(&names->executed, 1))
			return false;
		*tag = names->executed.count++;
	}
	names->executed.items[*tag] = *executed;
	return true;
}

#define FIRST_COLLECT ((size_t)1 << 12)

static void access_names_keep(void *context, uint64_t tag)
{
	struct vkr_access_names *names = context;
	names->executed.items[tag].kept = true;
}

void vkr_access_names_collect(struct vkr_access_names *names, const struct vkr_engine *engine)
{
	const size_t least = names->collect_at > FIRST_COLLECT ? names->collect_at : FIRST_COLLECT;
	if (names->spare.count > 0 || names->executed.count < least)
		return;
	vkr_engine_tags(engine, access_names_keep, names);
	for (size_t tag = names->executed.count; tag-- > 0;) {
		const bool kept = names->executed.items[tag].kept;
		names->executed.items[tag].kept = false;
		// Without memory for the list a tag is lost, and nothing else.
		if (!kept && VKR_ARRAY_RESERVE(&names->spare, 1))
			names->spare.items[names->spare.count++] = tag;
	}
	// At least as many as are kept pass before the next time.
	names->collect_at = 2 * (names->executed.count - names->spare.count);
}
