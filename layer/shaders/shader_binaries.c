// SPDX-License-Identifier: Apache-2.0
#include "shader_binaries.h"

#include "settings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#ifdef VK_EXT_shader_object
#define VERSION 1u

static const char magic[16] = "vkrace shader";

// The code, the entries, the data and the name follow it, in this order.
struct head {
	char magic[16];
	uint64_t bytes;    // of the whole
	uint64_t checksum; // of all bytes after it
	uint32_t version;
	uint32_t is_specialized;
	uint64_t code_bytes, entry_count, data_bytes, name_bytes;
};

struct entry {
	uint32_t constant, offset;
	uint64_t bytes;
};

bool vkr_binary_wraps(void)
{
	return vkr_setting_flag(VKR_SETTING_SHADERS, true);
}

XXH128_hash_t vkr_binary_identity(const void *driver, size_t bytes)
{
	struct {
		char magic[sizeof magic];
		XXH64_hash_t driver;
		uint64_t version;
	} named = {.driver = XXH3_64bits(driver, bytes), .version = VERSION};
	memcpy(named.magic, magic, sizeof magic);
	return XXH3_128bits(&named, sizeof named);
}

void vkr_binary_present(VkPhysicalDeviceShaderObjectPropertiesEXT *properties)
{
	if (!vkr_binary_wraps())
		return;
	const XXH128_hash_t uuid = vkr_binary_identity(properties->shaderBinaryUUID, VK_UUID_SIZE);
	static_assert(sizeof uuid == VK_UUID_SIZE, "all of it");
	memcpy(properties->shaderBinaryUUID, &uuid, sizeof uuid);
}

static uint64_t shader_binaries_checksum(const unsigned char *data, size_t bytes)
{
	const size_t behind = offsetof(struct head, version);
	return XXH3_64bits(data + behind, bytes - behind);
}

static void put_bytes(unsigned char **to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(*to, from, bytes);
	*to += bytes;
}

struct vkr_shader_binary *vkr_binary_wrap(const VkShaderCreateInfoEXT *info)
{
	static const VkSpecializationInfo none = {0};
	const VkSpecializationInfo *with =
		info->pSpecializationInfo ? info->pSpecializationInfo : &none;
	struct head head = {
		.version = VERSION,
		.is_specialized = info->pSpecializationInfo != NULL,
		.code_bytes = info->codeSize,
		.entry_count = with->mapEntryCount,
		.data_bytes = with->dataSize,
		.name_bytes = strlen(info->pName) + 1,
	};
	memcpy(head.magic, magic, sizeof magic);
	head.bytes = sizeof head + head.code_bytes + head.entry_count * sizeof(struct entry) +
		     head.data_bytes + head.name_bytes;
	struct vkr_shader_binary *made = malloc(sizeof *made + head.bytes);
	if (!made)
		return NULL;
	made->bytes = head.bytes;
	unsigned char *at = made->data + sizeof head;
	put_bytes(&at, info->pCode, info->codeSize);
	for (uint32_t i = 0; i < with->mapEntryCount; i++) {
		const VkSpecializationMapEntry *of = &with->pMapEntries[i];
		const struct entry entry = {of->constantID, of->offset, of->size};
		put_bytes(&at, &entry, sizeof entry);
	}
	put_bytes(&at, with->pData, with->dataSize);
	put_bytes(&at, info->pName, head.name_bytes);
	memcpy(made->data, &head, sizeof head);
	head.checksum = shader_binaries_checksum(made->data, made->bytes);
	memcpy(made->data, &head, sizeof head);
	return made;
}

// Takes `bytes` from *left on; false where fewer are left.
static bool take_bytes(uint64_t *left, uint64_t bytes)
{
	const bool fits = bytes <= *left;
	*left -= fits ? bytes : 0;
	return fits;
}

static bool is_whole(const struct head *head, size_t bytes)
{
	const unsigned char *data = (const unsigned char *)head;
	uint64_t left = bytes - sizeof *head;
	return head->bytes == bytes && head->version == VERSION &&
	       head->checksum == shader_binaries_checksum(data, bytes) &&
	       take_bytes(&left, head->code_bytes) && head->entry_count <= UINT32_MAX &&
	       take_bytes(&left, head->entry_count * sizeof(struct entry)) &&
	       take_bytes(&left, head->data_bytes) && left == head->name_bytes && left > 0 &&
	       !data[bytes - 1];
}

size_t vkr_binary_bytes(const void *data, size_t left)
{
	struct head head;
	if (left < sizeof head)
		return 0;
	memcpy(&head, data, sizeof head);
	const bool is_one = memcmp(head.magic, magic, sizeof magic) == 0;
	return is_one && head.bytes >= sizeof head && head.bytes <= left ? (size_t)head.bytes : 0;
}

static bool open_specialization(struct vkr_arena *arena, const struct head *head,
				const unsigned char *at, VkShaderCreateInfoEXT *info)
{
	VkSpecializationInfo *made = vkr_arena_alloc(arena, sizeof *made);
	VkSpecializationMapEntry *entries =
		vkr_arena_alloc(arena, (head->entry_count + 1) * sizeof *entries);
	if (!made || !entries)
		return false;
	for (uint64_t i = 0; i < head->entry_count; i++) {
		struct entry entry;
		memcpy(&entry, at + i * sizeof entry, sizeof entry);
		entries[i] = (VkSpecializationMapEntry){entry.constant, entry.offset, entry.bytes};
	}
	*made = (VkSpecializationInfo){
		.mapEntryCount = (uint32_t)head->entry_count,
		.pMapEntries = entries,
		.dataSize = head->data_bytes,
		.pData = at + head->entry_count * sizeof(struct entry),
	};
	info->pSpecializationInfo = head->is_specialized ? made : NULL;
	return true;
}

enum vkr_binary_kind vkr_binary_open(struct vkr_arena *arena, VkShaderCreateInfoEXT *info)
{
	if (info->codeSize < sizeof(struct head) || memcmp(info->pCode, magic, sizeof magic) != 0)
		return VKR_BINARY_OTHER;
	// Aligned, whatever the program's is.
	struct head *head = vkr_arena_alloc(arena, info->codeSize);
	if (!head)
		return VKR_BINARY_NO_MEMORY;
	memcpy(head, info->pCode, info->codeSize);
	if (!is_whole(head, info->codeSize))
		return VKR_BINARY_SPOILED;
	const unsigned char *code = (const unsigned char *)(head + 1);
	if (!open_specialization(arena, head, code + head->code_bytes, info))
		return VKR_BINARY_NO_MEMORY;
	info->codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
	info->codeSize = head->code_bytes;
	info->pCode = code;
	info->pName = (const char *)head + head->bytes - head->name_bytes;
	return VKR_BINARY_OPENED;
}
#endif
