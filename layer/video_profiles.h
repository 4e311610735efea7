// SPDX-License-Identifier: Apache-2.0
// What codecs have of their own that says which texels a video operation accesses. Knows their
// structures; no session and no event.
#pragma once

#include "layer.h"

#ifdef VK_KHR_video_queue
// VkVideoCapabilitiesKHR::pictureAccessGranularity of a profile. False where the driver does not
// say, or the codec is not known.
bool vkr_video_granularity(const struct vkr_layer_device *device,
			   const VkVideoProfileInfoKHR *profile, VkExtent2D *granularity);

// Whether pictures of the profile that are fields have their lines in subregions of their own.
bool vkr_video_separate_fields(const VkVideoProfileInfoKHR *profile);

// Whether a picture is a field: by the pNext chain of VkVideoDecodeInfoKHR, of the output picture,
// or that of VkVideoReferenceSlotInfoKHR.
bool vkr_video_output_is_field(const void *chain);
bool vkr_video_slot_is_field(const void *chain);
#endif
