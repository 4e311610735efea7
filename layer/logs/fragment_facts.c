// SPDX-License-Identifier: Apache-2.0
#include "fragment_facts.h"

#include "record.h"

#define FRAGMENTS_DIFFER ((uint32_t)VKR_FRAGMENTS_LOCAL | (uint32_t)VKR_FRAGMENTS_STORE)

void vkr_fragments_note(struct vkr_layer_device *device, uint32_t fact)
{
	const uint32_t before = atomic_fetch_or(&device->fragment_facts, fact);
	if ((before & FRAGMENTS_DIFFER) != FRAGMENTS_DIFFER &&
	    ((before | fact) & FRAGMENTS_DIFFER) == FRAGMENTS_DIFFER &&
	    before & VKR_FRAGMENTS_MARKED)
		vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
				    "fragments of draws that were recorded before the first "
				    "dependency by region and the first fragment shader that "
				    "writes: of their reads of the same bytes one was logged");
}

bool vkr_fragments_are_alike(struct vkr_layer_device *device)
{
	const uint32_t before = atomic_fetch_or(&device->fragment_facts, VKR_FRAGMENTS_MARKED);
	return (before & FRAGMENTS_DIFFER) != FRAGMENTS_DIFFER;
}
