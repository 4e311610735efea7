// SPDX-License-Identifier: Apache-2.0
#include "shader_binaries.h"

#include "arena.h"
#include "objects.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#ifdef VK_EXT_shader_object
struct vkr_plain_shaders {
	struct vkr_device *device;
	struct vkr_arena arena;
	_Atomic uint32_t users;
	uint32_t count;
	VkShaderCreateInfoEXT *infos;
	uint32_t **set_layouts;       // their ids, by shader: a handle may come again
	VkShaderEXT *_Atomic shaders; // NULL: not made yet
};

// NULL where `from` is, and for lack of memory.
static void *copy(struct vkr_arena *arena, const void *from, size_t bytes)
{
	void *made = from ? vkr_arena_alloc(arena, bytes ? bytes : 1) : NULL;
	if (made && bytes)
		memcpy(made, from, bytes);
	return made;
}

static bool copy_specialization(struct vkr_arena *arena, VkShaderCreateInfoEXT *info)
{
	VkSpecializationInfo *made =
		copy(arena, info->pSpecializationInfo, sizeof *info->pSpecializationInfo);
	info->pSpecializationInfo = made;
	if (!made)
		return false;
	const VkSpecializationMapEntry *entries = made->pMapEntries;
	const void *data = made->pData;
	made->pMapEntries = copy(arena, entries, made->mapEntryCount * sizeof *entries);
	made->pData = copy(arena, data, made->dataSize);
	return (!entries || made->pMapEntries) && (!data || made->pData);
}

// The only structure that shaders of today's Vulkan are made with.
static bool copy_chain(struct vkr_arena *arena, VkShaderCreateInfoEXT *info)
{
	const VkBaseInStructure *from = info->pNext;
	const void **end = &info->pNext;
	for (; from; from = from->pNext) {
		VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *made;
		if (from->sType !=
		    VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO)
			return false;
		made = copy(arena, from, sizeof *made);
		if (!made)
			return false;
		*end = made;
		end = (const void **)&made->pNext;
	}
	return true;
}

static bool copy_set_layouts(struct vkr_plain_shaders *plain, uint32_t index,
			     VkShaderCreateInfoEXT *info)
{
	const VkDescriptorSetLayout *from = info->pSetLayouts;
	uint32_t *ids = vkr_arena_alloc(&plain->arena, (info->setLayoutCount + 1) * sizeof *ids);
	info->pSetLayouts = copy(&plain->arena, from, info->setLayoutCount * sizeof *from);
	plain->set_layouts[index] = ids;
	if (!ids || (from && !info->pSetLayouts))
		return false;
	for (uint32_t i = 0; i < info->setLayoutCount; i++) {
		const struct vkr_set_layout *known =
			vkr_handles_get(&plain->device->set_layouts, VKR_KEY(from[i]));
		ids[i] = known ? known->id : 0;
	}
	return true;
}

static bool copy_info(struct vkr_plain_shaders *plain, uint32_t index, VkShaderCreateInfoEXT *info)
{
	struct vkr_arena *arena = &plain->arena;
	info->pCode = copy(arena, info->pCode, info->codeSize);
	info->pName = info->pName ? vkr_arena_string(arena, info->pName, strlen(info->pName)) : "";
	const VkPushConstantRange *ranges = info->pPushConstantRanges;
	info->pPushConstantRanges =
		copy(arena, ranges, info->pushConstantRangeCount * sizeof *ranges);
	return info->pCode && info->pName && (!ranges || info->pPushConstantRanges) &&
	       (!info->pSpecializationInfo || copy_specialization(arena, info)) &&
	       copy_set_layouts(plain, index, info) && copy_chain(arena, info);
}

struct vkr_plain_shaders *vkr_plain_shaders_copy(struct vkr_device *device, uint32_t count,
						 const VkShaderCreateInfoEXT *infos)
{
	struct vkr_plain_shaders *plain = calloc(1, sizeof *plain);
	if (!plain)
		return NULL;
	plain->device = device;
	plain->count = count;
	plain->users = 1;
	vkr_arena_init(&plain->arena);
	plain->infos = copy(&plain->arena, infos, count * sizeof *infos);
	plain->set_layouts = vkr_arena_alloc(&plain->arena, count * sizeof *plain->set_layouts);
	bool copied = plain->infos && plain->set_layouts;
	for (uint32_t i = 0; copied && i < count; i++)
		copied = copy_info(plain, i, &plain->infos[i]);
	if (copied)
		return plain;
	vkr_plain_shaders_release(plain);
	return NULL;
}

void vkr_plain_shaders_keep(struct vkr_plain_shaders *plain)
{
	atomic_fetch_add(&plain->users, 1);
}

static void destroy(const struct vkr_plain_shaders *plain, VkShaderEXT *shaders)
{
	const struct vkr_device *device = plain->device;
	for (uint32_t i = 0; shaders && i < plain->count; i++)
		device->next.DestroyShaderEXT(device->handle, shaders[i], NULL);
	free(shaders);
}

void vkr_plain_shaders_release(struct vkr_plain_shaders *plain)
{
	if (!plain || atomic_fetch_sub(&plain->users, 1) != 1)
		return;
	destroy(plain, atomic_load(&plain->shaders));
	vkr_arena_finish(&plain->arena);
	free(plain);
}

static bool set_layouts_live(const struct vkr_plain_shaders *plain)
{
	for (uint32_t i = 0; i < plain->count; i++)
		for (uint32_t k = 0; k < plain->infos[i].setLayoutCount; k++) {
			const struct vkr_set_layout *known =
				vkr_handles_get(&plain->device->set_layouts,
						VKR_KEY(plain->infos[i].pSetLayouts[k]));
			if (!known || known->id != plain->set_layouts[i][k])
				return false;
		}
	return true;
}

static VkShaderEXT *make(const struct vkr_plain_shaders *plain)
{
	const struct vkr_device *device = plain->device;
	if (!set_layouts_live(plain))
		return NULL;
	VkShaderEXT *made = calloc(plain->count, sizeof(VkShaderEXT));
	if (made && device->next.CreateShadersEXT(device->handle, plain->count, plain->infos, NULL,
						  made) != VK_SUCCESS) {
		destroy(plain, made);
		made = NULL;
	}
	return made;
}

VkShaderEXT vkr_plain_shader(struct vkr_plain_shaders *plain, uint32_t index)
{
	VkShaderEXT *made = atomic_load(&plain->shaders);
	if (!made) {
		VkShaderEXT *mine = make(plain);
		// Another thread may have been faster.
		if (mine && !atomic_compare_exchange_strong(&plain->shaders, &made, mine))
			destroy(plain, mine);
		else
			made = mine;
	}
	return made ? made[index] : VK_NULL_HANDLE;
}

// What a binary was made from, in one piece of memory.
struct vkr_known_binary {
	VkShaderCreateInfoEXT info; // code, name and specialization; no code: it accesses nothing
	VkSpecializationInfo specialization;
	_Alignas(max_align_t) unsigned char bytes[];
};

// Where the next of a piece's parts begins.
static size_t next_part(size_t at, size_t bytes)
{
	const size_t align = _Alignof(max_align_t);
	return (at + bytes + align - 1) / align * align;
}

// Copies a part into the piece at *at; only counts where there is no piece yet.
static const void *put_part(struct vkr_known_binary *binary, size_t *at, const void *from,
			    size_t bytes)
{
	void *to = binary ? binary->bytes + *at : NULL;
	*at = next_part(*at, bytes);
	if (to && bytes)
		memcpy(to, from, bytes);
	return to;
}

// Returns the bytes of all parts.
static size_t put_source(struct vkr_known_binary *binary, const VkShaderCreateInfoEXT *from)
{
	size_t at = 0;
	VkShaderCreateInfoEXT info = {.codeType = from->codeType, .codeSize = from->codeSize};
	VkSpecializationInfo own = {0};
	const VkSpecializationInfo *of = from->pSpecializationInfo;
	if (of) {
		own = *of;
		own.pMapEntries = put_part(binary, &at, of->pMapEntries,
					   of->mapEntryCount * sizeof *of->pMapEntries);
		own.pData = put_part(binary, &at, of->pData, of->dataSize);
	}
	info.pCode = put_part(binary, &at, from->pCode, from->codeSize);
	info.pName = put_part(binary, &at, from->pName, strlen(from->pName) + 1);
	if (binary) {
		binary->specialization = own;
		info.pSpecializationInfo = of ? &binary->specialization : NULL;
		binary->info = info;
	}
	return at;
}

void vkr_binary_learn(struct vkr_device *device, const void *data, size_t bytes,
		      const struct vkr_plain_shaders *plain, uint32_t index)
{
	const uint64_t hash = XXH3_64bits(data, bytes);
	const VkShaderCreateInfoEXT *from = plain ? &plain->infos[index] : NULL;
	if (vkr_handles_get(&device->shader_binaries, hash) ||
	    (from && from->codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT))
		return;
	struct vkr_known_binary *binary =
		calloc(1, sizeof *binary + (from ? put_source(NULL, from) : 0));
	if (!binary)
		return;
	if (from)
		put_source(binary, from);
	if (!vkr_handles_put(&device->shader_binaries, hash, binary))
		free(binary);
}

bool vkr_binary_known(struct vkr_device *device, VkShaderCreateInfoEXT *info)
{
	const struct vkr_known_binary *binary =
		vkr_handles_get(&device->shader_binaries, XXH3_64bits(info->pCode, info->codeSize));
	if (!binary)
		return false;
	if (!binary->info.pCode)
		return true;
	info->codeType = binary->info.codeType;
	info->codeSize = binary->info.codeSize;
	info->pCode = binary->info.pCode;
	info->pName = binary->info.pName;
	info->pSpecializationInfo = binary->info.pSpecializationInfo;
	return true;
}
#endif
