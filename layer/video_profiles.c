// SPDX-License-Identifier: Apache-2.0
#include "video_profiles.h"

#ifdef VK_KHR_video_queue

// Room for any codec's capabilities.
union codec {
	VkBaseOutStructure base;
#ifdef VK_KHR_video_decode_h264
	VkVideoDecodeH264CapabilitiesKHR decode_h264;
#endif
#ifdef VK_KHR_video_decode_h265
	VkVideoDecodeH265CapabilitiesKHR decode_h265;
#endif
#ifdef VK_KHR_video_decode_av1
	VkVideoDecodeAV1CapabilitiesKHR decode_av1;
#endif
#ifdef VK_KHR_video_decode_vp9
	VkVideoDecodeVP9CapabilitiesKHR decode_vp9;
#endif
#ifdef VK_KHR_video_encode_h264
	VkVideoEncodeH264CapabilitiesKHR encode_h264;
#endif
#ifdef VK_KHR_video_encode_h265
	VkVideoEncodeH265CapabilitiesKHR encode_h265;
#endif
#ifdef VK_KHR_video_encode_av1
	VkVideoEncodeAV1CapabilitiesKHR encode_av1;
#endif
};

// The structure that the capabilities' chain must have for the codec (VUIDs 07183 and following of
// vkGetPhysicalDeviceVideoCapabilitiesKHR); 0: not known.
static VkStructureType codec_type(VkVideoCodecOperationFlagBitsKHR codec)
{
	switch (codec) {
#ifdef VK_KHR_video_decode_h264
	case VK_VIDEO_CODEC_OPERATION_DECODE_H264_BIT_KHR:
		return VK_STRUCTURE_TYPE_VIDEO_DECODE_H264_CAPABILITIES_KHR;
#endif
#ifdef VK_KHR_video_decode_h265
	case VK_VIDEO_CODEC_OPERATION_DECODE_H265_BIT_KHR:
		return VK_STRUCTURE_TYPE_VIDEO_DECODE_H265_CAPABILITIES_KHR;
#endif
#ifdef VK_KHR_video_decode_av1
	case VK_VIDEO_CODEC_OPERATION_DECODE_AV1_BIT_KHR:
		return VK_STRUCTURE_TYPE_VIDEO_DECODE_AV1_CAPABILITIES_KHR;
#endif
#ifdef VK_KHR_video_decode_vp9
	case VK_VIDEO_CODEC_OPERATION_DECODE_VP9_BIT_KHR:
		return VK_STRUCTURE_TYPE_VIDEO_DECODE_VP9_CAPABILITIES_KHR;
#endif
#ifdef VK_KHR_video_encode_h264
	case VK_VIDEO_CODEC_OPERATION_ENCODE_H264_BIT_KHR:
		return VK_STRUCTURE_TYPE_VIDEO_ENCODE_H264_CAPABILITIES_KHR;
#endif
#ifdef VK_KHR_video_encode_h265
	case VK_VIDEO_CODEC_OPERATION_ENCODE_H265_BIT_KHR:
		return VK_STRUCTURE_TYPE_VIDEO_ENCODE_H265_CAPABILITIES_KHR;
#endif
#ifdef VK_KHR_video_encode_av1
	case VK_VIDEO_CODEC_OPERATION_ENCODE_AV1_BIT_KHR:
		return VK_STRUCTURE_TYPE_VIDEO_ENCODE_AV1_CAPABILITIES_KHR;
#endif
	default:
		return (VkStructureType)0;
	}
}

bool vkr_video_granularity(const struct vkr_layer_device *device,
			   const VkVideoProfileInfoKHR *profile, VkExtent2D *granularity)
{
	union codec codec = {.base.sType = codec_type(profile->videoCodecOperation)};
	VkVideoCapabilitiesKHR all = {.sType = VK_STRUCTURE_TYPE_VIDEO_CAPABILITIES_KHR};
#ifdef VK_KHR_video_decode_queue
	VkVideoDecodeCapabilitiesKHR decode = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_DECODE_CAPABILITIES_KHR, .pNext = &codec};
	all.pNext = &decode;
#endif
#ifdef VK_KHR_video_encode_queue
	VkVideoEncodeCapabilitiesKHR encode = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_ENCODE_CAPABILITIES_KHR, .pNext = &codec};
	if (profile->videoCodecOperation >= VK_VIDEO_CODEC_OPERATION_ENCODE_H264_BIT_KHR)
		all.pNext = &encode;
#endif
	const struct vkr_instance_table *next = &device->instance->next;
	if (!codec.base.sType || !next->GetPhysicalDeviceVideoCapabilitiesKHR ||
	    next->GetPhysicalDeviceVideoCapabilitiesKHR(device->physical, profile, &all) !=
		    VK_SUCCESS)
		return false;
	*granularity = all.pictureAccessGranularity;
	return granularity->width > 0 && granularity->height > 0;
}

bool vkr_video_separate_fields(const VkVideoProfileInfoKHR *profile)
{
#ifdef VK_KHR_video_decode_h264
	const VkVideoDecodeH264ProfileInfoKHR *h264 = vkr_chain_find(
		profile->pNext, VK_STRUCTURE_TYPE_VIDEO_DECODE_H264_PROFILE_INFO_KHR);
	return h264 &&
	       h264->pictureLayout ==
		       VK_VIDEO_DECODE_H264_PICTURE_LAYOUT_INTERLACED_SEPARATE_PLANES_BIT_KHR;
#else
	(void)profile;
	return false;
#endif
}

bool vkr_video_output_is_field(const void *chain)
{
#ifdef VK_KHR_video_decode_h264
	const VkVideoDecodeH264PictureInfoKHR *picture =
		vkr_chain_find(chain, VK_STRUCTURE_TYPE_VIDEO_DECODE_H264_PICTURE_INFO_KHR);
	return picture && picture->pStdPictureInfo &&
	       picture->pStdPictureInfo->flags.field_pic_flag;
#else
	(void)chain;
	return false;
#endif
}

bool vkr_video_slot_is_field(const void *chain)
{
#ifdef VK_KHR_video_decode_h264
	const VkVideoDecodeH264DpbSlotInfoKHR *slot =
		vkr_chain_find(chain, VK_STRUCTURE_TYPE_VIDEO_DECODE_H264_DPB_SLOT_INFO_KHR);
	return slot && slot->pStdReferenceInfo &&
	       slot->pStdReferenceInfo->flags.top_field_flag !=
		       slot->pStdReferenceInfo->flags.bottom_field_flag;
#else
	(void)chain;
	return false;
#endif
}
#endif
