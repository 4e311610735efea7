// SPDX-License-Identifier: Apache-2.0
#include "chain_copy.h"

#include "layer.h"

#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// No structure that stands in a chain is larger: the largest of Vulkan 1.4 takes a quarter.
#define LARGEST 2048

// Reads what may end before LARGEST bytes, at the end of a page: the kernel copies page by page as
// far as there is memory.
static void *copy_readable(struct vkr_arena *arena, const void *from)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t first = (uintptr_t)from;
	const uintptr_t rest = page - first % page;
	unsigned char *copy = vkr_arena_alloc(arena, LARGEST);
	if (!copy)
		return NULL;
	const struct iovec to = {copy, LARGEST};
	struct iovec pieces[2] = {{(void *)first, rest < LARGEST ? rest : LARGEST}};
	pieces[1] =
		(struct iovec){(void *)(first + pieces[0].iov_len), LARGEST - pieces[0].iov_len};
	return process_vm_readv(getpid(), &to, 1, pieces, pieces[1].iov_len ? 2 : 1, 0) >=
			       (ssize_t)sizeof(VkBaseInStructure)
		       ? copy
		       : NULL;
}

const void *vkr_chain_find(const void *chain, VkStructureType type)
{
	for (const VkBaseInStructure *at = chain; at; at = at->pNext)
		if (at->sType == type)
			return at;
	return NULL;
}

void *vkr_chain_copy(struct vkr_arena *arena, const VkBaseInStructure *from, size_t bytes)
{
	if (!bytes)
		return copy_readable(arena, from);
	void *copy = vkr_arena_alloc(arena, bytes);
	return copy ? memcpy(copy, from, bytes) : NULL;
}

bool vkr_chain_replace(struct vkr_arena *arena, const void **chain, VkStructureType type,
		       VkBaseOutStructure *with)
{
	const VkBaseInStructure *found = vkr_chain_find(*chain, type);
	const void *first = NULL;
	VkBaseOutStructure *last = NULL;
	if (!found)
		return true;
	VkBaseOutStructure *rest = (VkBaseOutStructure *)(uintptr_t)found->pNext;
	for (const VkBaseInStructure *at = *chain; at != found; at = at->pNext) {
		VkBaseOutStructure *copy = vkr_chain_copy(arena, at, 0);
		if (!copy)
			return false;
		if (last)
			last->pNext = copy;
		else
			first = copy;
		last = copy;
	}
	if (with)
		with->pNext = rest;
	if (last)
		last->pNext = with ? with : rest;
	*chain = last ? first : with ? with : rest;
	return true;
}
