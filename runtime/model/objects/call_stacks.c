// SPDX-License-Identifier: Apache-2.0
#include "call_stacks.h"

#include "array.h"
#include "error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void vkr_call_stacks_finish(struct vkr_call_stacks *stacks)
{
	free(stacks->modules.items);
	vkr_map_finish(&stacks->known);
	vkr_map_finish(&stacks->coming);
	vkr_map_finish(&stacks->told);
}

enum vkr_result vkr_call_stacks_module(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				       const struct vkr_trace_module *module,
				       struct vkr_error *error)
{
	const char *path = (const char *)(module + 1);
	const struct vkr_loaded_module made = {
		.first = module->first,
		.end = module->end,
		.bias = module->bias,
		.path = vkr_texts_keep(texts, path, module->path_bytes),
		.build_id =
			vkr_texts_keep(texts, path + module->path_bytes, module->build_id_bytes)};
	if (made.path == NULL || made.build_id == NULL || !VKR_ARRAY_RESERVE(&stacks->modules, 1))
		return vkr_error_memory(error, "modules of the program");
	stacks->modules.items[stacks->modules.count++] = made;
	return VKR_OK;
}

enum vkr_result vkr_call_stacks_place(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				      const struct vkr_trace_call_place *place,
				      struct vkr_error *error)
{
	const char *text = vkr_texts_keep(texts, (const char *)(place + 1), place->text_bytes);
	if (text == NULL || !vkr_map_set(&stacks->known, place->address, (uintptr_t)text))
		return vkr_error_memory(error, "places of calls");
	return VKR_OK;
}

const struct vkr_call_stack *vkr_call_stack_keep(struct vkr_texts *texts, const uint64_t *frames,
						 uint32_t count)
{
	const size_t bytes = (size_t)count * sizeof *frames;
	struct vkr_call_stack *made = malloc(sizeof *made + bytes);
	if (made == NULL)
		return NULL;
	memset(made, 0, sizeof *made);
	made->frame_count = count;
	memcpy(made->frames, frames, bytes);
	const char *kept = vkr_texts_keep(texts, (const char *)made, sizeof *made + bytes);
	free(made);
	return (const void *)kept;
}

enum vkr_result vkr_call_stacks_coming(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				       uint32_t thread, const struct vkr_trace_call_stack *coming,
				       struct vkr_error *error)
{
	const struct vkr_call_stack *stack =
		vkr_call_stack_keep(texts, (const uint64_t *)(coming + 1), coming->frame_count);
	if (stack == NULL || !vkr_map_set(&stacks->coming, thread, (uintptr_t)stack))
		return vkr_error_memory(error, "a call stack");
	return VKR_OK;
}

const struct vkr_call_stack *vkr_call_stacks_take(struct vkr_call_stacks *stacks,
						  struct vkr_texts *texts, uint32_t thread)
{
	uint64_t stack = 0;
	if (!vkr_map_get(&stacks->coming, thread, &stack))
		return vkr_call_stack_keep(texts, &(uint64_t){0}, 0);
	vkr_map_remove(&stacks->coming, thread);
	return (const void *)(uintptr_t)stack;
}

void vkr_call_stacks_gone(struct vkr_call_stacks *stacks, uint32_t thread)
{
	if (stacks->coming.count > 0)
		vkr_map_remove(&stacks->coming, thread);
}

static const struct vkr_loaded_module *find_module(const struct vkr_call_stacks *stacks,
						   uint64_t address)
{
	for (size_t at = stacks->modules.count; at > 0; at--) {
		const struct vkr_loaded_module *module = &stacks->modules.items[at - 1];
		if (address >= module->first && address < module->end)
			return module;
	}
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

// By the trace, or else by `words`; to be freed.
static char *words_of(const struct vkr_call_stacks *stacks, const struct vkr_loaded_module *module,
		      uint64_t address, vkr_place_words *words, void *user)
{
	uint64_t known = 0;
	if (vkr_map_get(&stacks->known, address, &known))
		return strdup((const char *)(uintptr_t)known);
	return words != NULL ? words(user, module->path, module->build_id, address - module->bias)
			     : NULL;
}

const char *vkr_call_stack_text(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				const struct vkr_call_stack *stack, vkr_place_words *words,
				void *user)
{
	const char *text = "";
	uint64_t told = 0;
	if (vkr_map_get(&stacks->told, (uintptr_t)stack, &told))
		return (const char *)(uintptr_t)told;
	for (uint32_t at = 0; at < stack->frame_count && text != NULL; at++) {
		const uint64_t address = stack->frames[at];
		const struct vkr_loaded_module *module = find_module(stacks, address);
		const char *newline = text[0] != '\0' ? "\n" : "";
		char *known = NULL;
		if (module != NULL)
			known = words_of(stacks, module, address, words, user);
		if (known != NULL && known[0] == '\0')
			newline = ""; // not to be shown
		else if (known != NULL)
			text = vkr_texts_format(texts, "%s%s%s", text, newline, known);
		else if (module != NULL)
			text = vkr_texts_format(texts, "%s%s%s+0x%" PRIx64, text, newline,
						base_name(module->path), address - module->bias);
		else
			text = vkr_texts_format(texts, "%s%s0x%" PRIx64, text, newline, address);
		free(known);
	}
	if (text == NULL || !vkr_map_set(&stacks->told, (uintptr_t)stack, (uintptr_t)text))
		return NULL;
	return text;
}

const char *vkr_call_place_text(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				uint64_t address, vkr_place_words *words, void *user)
{
	const struct vkr_call_stack *stack =
		vkr_call_stack_keep(texts, &address, address != 0 ? 1 : 0);
	return stack != NULL ? vkr_call_stack_text(stacks, texts, stack, words, user) : NULL;
}

const char *vkr_call_offset_text(const struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				 uint64_t address)
{
	const struct vkr_loaded_module *module = address != 0 ? find_module(stacks, address) : NULL;
	return module != NULL ? vkr_texts_format(texts, "%s+0x%" PRIx64, base_name(module->path),
						 address - module->bias)
			      : "";
}
