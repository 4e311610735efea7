// SPDX-License-Identifier: Apache-2.0
// Feeds a control barrier to the engine by its scope and semantics. Knows no fences.
#pragma once

#include "engine.h"
#include "site_scope.h"

// `order`: enum vkr_site_order bits; `classes`: enum vkr_site_class bits; as in struct vkr_site.
static inline enum vkr_result control_barrier(struct vkr_engine *engine, uint8_t scope,
					      uint8_t order, uint8_t classes,
					      struct vkr_error *error)
{
	const uint8_t both = VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE;
	const uint8_t ordered =
		vkr_scope_has_workgroup(scope) && (order & both) == both ? classes : 0;
	const struct vkr_engine_barrier barrier = {
		.ordered = ordered,
		.available = order & VKR_ORDER_MAKE_AVAILABLE ? ordered : 0,
		.visible = order & VKR_ORDER_MAKE_VISIBLE ? ordered : 0};
	return vkr_engine_barrier(engine, &barrier, error);
}
