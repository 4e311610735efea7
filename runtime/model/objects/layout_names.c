// SPDX-License-Identifier: Apache-2.0
#include "layout_names.h"

// By number: the installed headers may lack the name.
const char *vkr_layout_name(uint32_t layout)
{
	switch (layout) {
	case 0:
		return "UNDEFINED";
	case 1:
		return "GENERAL";
	case 2:
		return "COLOR_ATTACHMENT_OPTIMAL";
	case 3:
		return "DEPTH_STENCIL_ATTACHMENT_OPTIMAL";
	case 4:
		return "DEPTH_STENCIL_READ_ONLY_OPTIMAL";
	case 5:
		return "SHADER_READ_ONLY_OPTIMAL";
	case 6:
		return "TRANSFER_SRC_OPTIMAL";
	case 7:
		return "TRANSFER_DST_OPTIMAL";
	case 8:
		return "PREINITIALIZED";
	case 1000117000:
		return "DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL";
	case 1000117001:
		return "DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL";
	case 1000241000:
		return "DEPTH_ATTACHMENT_OPTIMAL";
	case 1000241001:
		return "DEPTH_READ_ONLY_OPTIMAL";
	case 1000241002:
		return "STENCIL_ATTACHMENT_OPTIMAL";
	case 1000241003:
		return "STENCIL_READ_ONLY_OPTIMAL";
	case 1000314000:
		return "READ_ONLY_OPTIMAL";
	case 1000314001:
		return "ATTACHMENT_OPTIMAL";
	case 1000001002:
		return "PRESENT_SRC_KHR";
	case 1000024000:
		return "VIDEO_DECODE_DST_KHR";
	case 1000024001:
		return "VIDEO_DECODE_SRC_KHR";
	case 1000024002:
		return "VIDEO_DECODE_DPB_KHR";
	case 1000111000:
		return "SHARED_PRESENT_KHR";
	case 1000218000:
		return "FRAGMENT_DENSITY_MAP_OPTIMAL_EXT";
	case 1000164003:
		return "FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR";
	case 1000299000:
		return "VIDEO_ENCODE_DST_KHR";
	case 1000299001:
		return "VIDEO_ENCODE_SRC_KHR";
	case 1000299002:
		return "VIDEO_ENCODE_DPB_KHR";
	case 1000339000:
		return "ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT";
	default:
		return "a layout that is not known";
	}
}
