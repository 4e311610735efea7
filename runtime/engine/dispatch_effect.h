// SPDX-License-Identifier: Apache-2.0
// What a dispatch makes of shadow memory. One that accesses the same again, and finds what an
// earlier one has found, ordered in the same way, leaves what that one has left: it need not be
// judged access by access. Knows shadow memory before and after; not what the accesses are.
#pragma once

#include "engine_access.h"

struct vkr_effect;

// Accesses of a site through a target.
struct vkr_effect_use {
	uint32_t site;
	struct vkr_engine_target target;
};

// The open dispatch, or a part of it, is to be judged, `uses` are all that it may do to memory, and
// nothing orders its invocations but barriers. *effect is NULL where it is not to be looked at: it
// races in a way that is asked about, or its targets have more than `pages_most` pages of shadow
// memory in use. `feeds`: ranges of which reads that wait (read_deferral.h) are fed first, as
// *mixed of vkr_effect_end.
enum vkr_result vkr_effect_begin(struct vkr_engine *engine, const struct vkr_effect_use *uses,
				 size_t count, size_t pages_most, uint64_t feeds,
				 struct vkr_effect **effect, struct vkr_error *error) VKR_MUST_USE;

// It was judged. Destroys *effect and makes it NULL where races with other commands were asked
// about, something may have been accessed, or sites were made meanwhile, of which `uses` say
// nothing; and where some reads of a range wait and others do not: *mixed has bits for these ranges
// then, which are the same ones for the same uses.
enum vkr_result vkr_effect_end(struct vkr_engine *engine, struct vkr_effect **effect,
			       uint64_t *mixed, struct vkr_error *error) VKR_MUST_USE;

// Makes the effect again, and counts the accesses and their races, in place of feeding those of the
// open dispatch. *done is false, and nothing has changed, where shadow memory, or what orders it
// before the dispatch, is not as it was.
enum vkr_result vkr_effect_repeat(struct vkr_engine *engine, struct vkr_effect *effect, bool *done,
				  struct vkr_error *error) VKR_MUST_USE;

// NULL is allowed.
void vkr_effect_destroy(struct vkr_engine *engine, struct vkr_effect *effect);

// Bytes that it takes.
uint64_t vkr_effect_bytes(const struct vkr_effect *effect);
