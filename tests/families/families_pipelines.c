// SPDX-License-Identifier: Apache-2.0
// Pipelines made of identifiers of shader modules (VK_EXT_shader_module_identifier), as by a driver
// that never forgets a module: what it has seen once it makes pipelines of; and the key of a driver
// that has pipeline binaries, and should see none. Knows modules' words; nothing of what they do.
#include "families_layer.h"

#include <stdlib.h>
#include <string.h>

#define NEXT(name) ((PFN_##name)families_next(handle, #name, NULL))

struct module {
	struct module *next;
	VkShaderModule handle; // that it was last
	uint64_t identifier;
	size_t bytes;
	uint32_t words[];
};

static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;
static struct module *modules;

// FNV-1a.
static uint64_t identify(const uint32_t *words, size_t bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ ((const unsigned char *)words)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static struct module *find(uint64_t identifier)
{
	struct module *at = modules;
	while (at && at->identifier != identifier)
		at = at->next;
	return at;
}

static void remember(const VkShaderModuleCreateInfo *info, VkShaderModule handle)
{
	const uint64_t identifier = identify(info->pCode, info->codeSize);
	pthread_mutex_lock(&modules_lock);
	for (struct module *at = modules; at; at = at->next)
		at->handle = at->handle == handle ? VK_NULL_HANDLE : at->handle;
	struct module *module = find(identifier);
	if (!module) {
		module = calloc(1, sizeof *module + info->codeSize);
		if (!module)
			abort();
		module->identifier = identifier;
		module->bytes = info->codeSize;
		memcpy(module->words, info->pCode, info->codeSize);
		module->next = modules;
		modules = module;
	}
	module->handle = handle;
	pthread_mutex_unlock(&modules_lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice handle,
						    const VkShaderModuleCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkShaderModule *made)
{
	const VkResult result = NEXT(vkCreateShaderModule)(handle, info, allocator, made);
	if (result == VK_SUCCESS)
		remember(info, *made);
	return result;
}

static void tell(uint64_t identifier, VkShaderModuleIdentifierEXT *told)
{
	told->identifierSize = sizeof identifier;
	memcpy(told->identifier, &identifier, sizeof identifier);
}

static VKAPI_ATTR void VKAPI_CALL get_identifier(VkDevice handle, VkShaderModule module,
						 VkShaderModuleIdentifierEXT *told)
{
	(void)handle;
	pthread_mutex_lock(&modules_lock);
	struct module *at = modules;
	while (at && at->handle != module)
		at = at->next;
	tell(at ? at->identifier : 0, told);
	pthread_mutex_unlock(&modules_lock);
}

static VKAPI_ATTR void VKAPI_CALL get_code_identifier(VkDevice handle,
						      const VkShaderModuleCreateInfo *info,
						      VkShaderModuleIdentifierEXT *told)
{
	(void)handle;
	tell(identify(info->pCode, info->codeSize), told);
}

static const void *find_in(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *at = chain;
	while (at && at->sType != type)
		at = at->pNext;
	return at;
}

static const VkPipelineShaderStageModuleIdentifierCreateInfoEXT *given_in(const void *chain)
{
	return find_in(chain,
		       VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
}

// Nobody is to hand on what only this driver could have made.
static void expect_no_binaries(const VkComputePipelineCreateInfo *info)
{
#ifdef VK_KHR_pipeline_binary
	const VkPipelineCreateFlags2CreateInfoKHR *flags =
		find_in(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
	if (find_in(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR) ||
	    (flags && flags->flags & VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR))
		abort();
#else
	(void)info;
#endif
}

static VkShaderModule make_known(VkDevice handle,
				 const VkPipelineShaderStageModuleIdentifierCreateInfoEXT *given)
{
	uint64_t identifier = 0;
	VkShaderModule made = VK_NULL_HANDLE;
	if (given->identifierSize == sizeof identifier)
		memcpy(&identifier, given->pIdentifier, sizeof identifier);
	pthread_mutex_lock(&modules_lock);
	const struct module *module = find(identifier);
	pthread_mutex_unlock(&modules_lock);
	if (!module)
		return made;
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = module->bytes,
		.pCode = module->words,
	};
	NEXT(vkCreateShaderModule)(handle, &info, NULL, &made);
	return made;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_compute(VkDevice handle, VkPipelineCache cache,
						     uint32_t count,
						     const VkComputePipelineCreateInfo *infos,
						     const VkAllocationCallbacks *allocator,
						     VkPipeline *pipelines)
{
	VkResult all = VK_SUCCESS;
	for (uint32_t i = 0; i < count; i++) {
		VkComputePipelineCreateInfo info = infos[i];
		const VkPipelineShaderStageModuleIdentifierCreateInfoEXT *given =
			info.stage.module ? NULL : given_in(info.stage.pNext);
		const VkShaderModule known = given ? make_known(handle, given) : VK_NULL_HANDLE;
		VkResult result = VK_PIPELINE_COMPILE_REQUIRED;
		expect_no_binaries(&info);
		pipelines[i] = VK_NULL_HANDLE;
		if (known) { // a driver that has it need not compile
			info.flags &=
				~(VkPipelineCreateFlags)
					VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
			info.stage.module = known;
			info.stage.pNext = NULL;
		}
		if (known || !given)
			result = NEXT(vkCreateComputePipelines)(handle, cache, 1, &info, allocator,
								&pipelines[i]);
		NEXT(vkDestroyShaderModule)(handle, known, NULL);
		all = result != VK_SUCCESS ? result : all;
	}
	return all;
}

#ifdef VK_KHR_pipeline_binary
static VKAPI_ATTR VkResult VKAPI_CALL get_key(VkDevice handle, const VkPipelineCreateInfoKHR *info,
					      VkPipelineBinaryKeyKHR *key)
{
	(void)handle;
	key->keySize = 1;
	key->key[0] = info ? 1 : 2;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL make_binaries(VkDevice handle,
						    const VkPipelineBinaryCreateInfoKHR *info,
						    const VkAllocationCallbacks *allocator,
						    VkPipelineBinaryHandlesInfoKHR *binaries)
{
	(void)handle;
	(void)info;
	(void)allocator;
	(void)binaries;
	abort();
}
#endif

PFN_vkVoidFunction families_pipeline_hook(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} hooks[] = {
		{"vkCreateShaderModule", (PFN_vkVoidFunction)create_module},
		{"vkGetShaderModuleIdentifierEXT", (PFN_vkVoidFunction)get_identifier},
		{"vkGetShaderModuleCreateInfoIdentifierEXT",
		 (PFN_vkVoidFunction)get_code_identifier},
		{"vkCreateComputePipelines", (PFN_vkVoidFunction)create_compute},
#ifdef VK_KHR_pipeline_binary
		{"vkGetPipelineKeyKHR", (PFN_vkVoidFunction)get_key},
		{"vkCreatePipelineBinariesKHR", (PFN_vkVoidFunction)make_binaries},
		{"vkDestroyPipelineBinaryKHR", (PFN_vkVoidFunction)make_binaries},
		{"vkGetPipelineBinaryDataKHR", (PFN_vkVoidFunction)make_binaries},
		{"vkReleaseCapturedPipelineDataKHR", (PFN_vkVoidFunction)make_binaries},
#endif
	};
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	return NULL;
}
