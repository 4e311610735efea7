// SPDX-License-Identifier: Apache-2.0
#include "memory_order.h"

#include <spirv/unified1/spirv.h>

bool vkr_order_scope(const struct vkr_constants *constants, bool is_legacy, uint32_t id,
		     uint8_t *scope)
{
	uint64_t value;
	if (!vkr_constant_value(constants, id, &value) || value > UINT8_MAX)
		return false;
	// Without VulkanMemoryModel, Device scope limits to the queue family (SPIR-V 3.27).
	if (is_legacy && value == SpvScopeDevice)
		value = SpvScopeQueueFamily;
	*scope = (uint8_t)value;
	return true;
}

bool vkr_order_semantics(const struct vkr_constants *constants, bool is_legacy, uint32_t id,
			 struct vkr_memory_order *order)
{
	static const struct {
		uint64_t mask;
		uint8_t bits;
	} orders[] =
		{
			{SpvMemorySemanticsAcquireMask, VKR_ORDER_ACQUIRE},
			{SpvMemorySemanticsReleaseMask, VKR_ORDER_RELEASE},
			{SpvMemorySemanticsAcquireReleaseMask,
			 VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE},
			{SpvMemorySemanticsSequentiallyConsistentMask,
			 VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE},
			{SpvMemorySemanticsMakeAvailableMask, VKR_ORDER_MAKE_AVAILABLE},
			{SpvMemorySemanticsMakeVisibleMask, VKR_ORDER_MAKE_VISIBLE},
			{SpvMemorySemanticsVolatileMask, VKR_ORDER_VOLATILE},
		},
	  classes[] = {
		  {SpvMemorySemanticsUniformMemoryMask, VKR_CLASS_UNIFORM},
		  {SpvMemorySemanticsWorkgroupMemoryMask, VKR_CLASS_WORKGROUP},
		  {SpvMemorySemanticsImageMemoryMask, VKR_CLASS_IMAGE},
		  {SpvMemorySemanticsOutputMemoryMask, VKR_CLASS_OUTPUT},
	  };
	uint64_t value;
	*order = (struct vkr_memory_order){0};
	if (!vkr_constant_value(constants, id, &value))
		return false;
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		if (value & orders[i].mask)
			order->order |= orders[i].bits;
	}
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		if (value & classes[i].mask)
			order->classes |= classes[i].bits;
	}
	// Memory model appendix, "Availability and Visibility Semantics": without VulkanMemoryModel
	// every release makes available and every acquire makes visible.
	if (is_legacy && (order->order & VKR_ORDER_RELEASE))
		order->order |= VKR_ORDER_MAKE_AVAILABLE;
	if (is_legacy && (order->order & VKR_ORDER_ACQUIRE))
		order->order |= VKR_ORDER_MAKE_VISIBLE;
	return true;
}

bool vkr_order_operands(const struct vkr_constants *constants, bool is_legacy,
			const uint32_t *operands, uint32_t count,
			struct vkr_memory_operands *result)
{
	*result = (struct vkr_memory_operands){0};
	if (!count)
		return true;
	uint32_t mask = operands[0], at = 1;
	if (mask & SpvMemoryAccessVolatileMask)
		result->flags |= VKR_SITE_VOLATILE;
	if (mask & SpvMemoryAccessNonPrivatePointerMask)
		result->flags |= VKR_SITE_NONPRIVATE;
	if (mask & SpvMemoryAccessAlignedMask)
		at++;
	if (mask & SpvMemoryAccessMakePointerAvailableMask) {
		result->flags |= VKR_SITE_MAKE_AVAILABLE;
		if (at >= count || !vkr_order_scope(constants, is_legacy, operands[at++],
						    &result->available_scope))
			return false;
	}
	if (mask & SpvMemoryAccessMakePointerVisibleMask) {
		result->flags |= VKR_SITE_MAKE_VISIBLE;
		if (at >= count ||
		    !vkr_order_scope(constants, is_legacy, operands[at++], &result->visible_scope))
			return false;
	}
	result->words = at;
	return true;
}
