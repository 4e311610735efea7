// SPDX-License-Identifier: Apache-2.0
// Scopes, semantics and memory operands in the terms of the site table, legacy ones upgraded.
// Knows SPIR-V's bits, nothing of places or logs.
#pragma once

#include "spirv_constants.h"
#include "vkrace/site.h"

struct vkr_memory_order {
	uint8_t order;   // enum vkr_site_order
	uint8_t classes; // enum vkr_site_class
};

// Memory operands, from the mask on.
struct vkr_memory_operands {
	uint16_t flags; // enum vkr_site_flags
	uint8_t available_scope, visible_scope;
	uint32_t words; // operand words read, mask included
};

// False where the scope or semantics id is no constant.
bool vkr_order_scope(const struct vkr_constants *constants, bool is_legacy, uint32_t id,
		     uint8_t *scope);
bool vkr_order_semantics(const struct vkr_constants *constants, bool is_legacy, uint32_t id,
			 struct vkr_memory_order *order);
bool vkr_order_operands(const struct vkr_constants *constants, bool is_legacy,
			const uint32_t *operands, uint32_t count,
			struct vkr_memory_operands *result);
