// SPDX-License-Identifier: Apache-2.0
// Debug names and labels, by VK_EXT_debug_utils and VK_EXT_debug_marker.
// Knows which kind of handle is which kind of object of ours.
#include "command_buffer.h"
#include "record.h"
#include "shader_cache.h"

// The id is the first member of all that is kept, but for modules.
static void name_object(struct vkr_handles *handles, uint64_t handle, enum vkr_trace_object kind,
			const char *name)
{
	const uint32_t *id = vkr_handles_get(handles, handle);
	if (id)
		vkr_record_name(kind, *id, name);
}

static_assert(offsetof(struct vkr_layer_memory, id) == 0 &&
		      offsetof(struct vkr_layer_buffer, id) == 0 &&
		      offsetof(struct vkr_layer_buffer_view, id) == 0 &&
		      offsetof(struct vkr_layer_image, id) == 0 &&
		      offsetof(struct vkr_layer_image_view, id) == 0 &&
		      offsetof(struct vkr_layer_sampler, id) == 0 &&
		      offsetof(struct vkr_layer_set_layout, id) == 0 &&
		      offsetof(struct vkr_layer_set, id) == 0 &&
		      offsetof(struct vkr_layer_pipeline_layout, id) == 0 &&
		      offsetof(struct vkr_layer_pipeline, id) == 0 &&
		      offsetof(struct vkr_layer_fence, id) == 0 &&
		      offsetof(struct vkr_layer_semaphore, id) == 0 &&
		      offsetof(struct vkr_layer_event, id) == 0 &&
		      offsetof(struct vkr_layer_render_pass, id) == 0 &&
		      offsetof(struct vkr_layer_query_pool, id) == 0 &&
		      offsetof(struct vkr_layer_structure, id) == 0 &&
		      offsetof(struct vkr_layer_video_session, id) == 0,
	      "name_object reads the id there");

static void name_dispatchable(struct vkr_layer_device *device, VkObjectType type, uint64_t handle,
			      const char *name)
{
	const void *pointer = (const void *)(uintptr_t)handle;
	if (type == VK_OBJECT_TYPE_DEVICE) {
		vkr_record_name(VKR_OBJECT_DEVICE, device->id, name);
	} else if (type == VK_OBJECT_TYPE_QUEUE) {
		const struct vkr_layer_queue *queue = vkr_queue_of((VkQueue)(uintptr_t)pointer);
		if (queue)
			vkr_record_name(VKR_OBJECT_QUEUE, queue->id, name);
	} else {
		const struct vkr_layer_command_buffer *buffer =
			vkr_command_buffer_find((VkCommandBuffer)(uintptr_t)pointer);
		if (buffer)
			vkr_record_name(VKR_OBJECT_COMMAND_BUFFER, buffer->id, name);
	}
}

static void name_module(struct vkr_layer_device *device, uint64_t handle, const char *name)
{
	struct vkr_layer_module *module = vkr_handles_get(&device->objects.modules, handle);
	if (module)
		vkr_shader_name_module(device, module, name);
}

// Where a device keeps what is known of its objects.
static const struct {
	VkObjectType type;
	enum vkr_trace_object kind;
	size_t handles;
} kept[] = {
	{VK_OBJECT_TYPE_DEVICE_MEMORY, VKR_OBJECT_MEMORY,
	 offsetof(struct vkr_layer_device, objects.memories)},
	{VK_OBJECT_TYPE_BUFFER, VKR_OBJECT_BUFFER,
	 offsetof(struct vkr_layer_device, objects.buffers)},
	{VK_OBJECT_TYPE_IMAGE, VKR_OBJECT_IMAGE, offsetof(struct vkr_layer_device, objects.images)},
	{VK_OBJECT_TYPE_IMAGE_VIEW, VKR_OBJECT_IMAGE_VIEW,
	 offsetof(struct vkr_layer_device, objects.image_views)},
	{VK_OBJECT_TYPE_SAMPLER, VKR_OBJECT_SAMPLER,
	 offsetof(struct vkr_layer_device, objects.samplers)},
	{VK_OBJECT_TYPE_BUFFER_VIEW, VKR_OBJECT_BUFFER_VIEW,
	 offsetof(struct vkr_layer_device, objects.views)},
	{VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, VKR_OBJECT_SET_LAYOUT,
	 offsetof(struct vkr_layer_device, objects.set_layouts)},
	{VK_OBJECT_TYPE_DESCRIPTOR_SET, VKR_OBJECT_SET,
	 offsetof(struct vkr_layer_device, objects.sets)},
	{VK_OBJECT_TYPE_PIPELINE_LAYOUT, VKR_OBJECT_PIPELINE_LAYOUT,
	 offsetof(struct vkr_layer_device, objects.pipeline_layouts)},
	{VK_OBJECT_TYPE_PIPELINE, VKR_OBJECT_PIPELINE,
	 offsetof(struct vkr_layer_device, objects.pipelines)},
	{VK_OBJECT_TYPE_FENCE, VKR_OBJECT_FENCE, offsetof(struct vkr_layer_device, objects.fences)},
	{VK_OBJECT_TYPE_SEMAPHORE, VKR_OBJECT_SEMAPHORE,
	 offsetof(struct vkr_layer_device, objects.semaphores)},
	{VK_OBJECT_TYPE_EVENT, VKR_OBJECT_EVENT, offsetof(struct vkr_layer_device, objects.events)},
	{VK_OBJECT_TYPE_FRAMEBUFFER, VKR_OBJECT_FRAMEBUFFER,
	 offsetof(struct vkr_layer_device, objects.framebuffers)},
	{VK_OBJECT_TYPE_QUERY_POOL, VKR_OBJECT_QUERY_POOL,
	 offsetof(struct vkr_layer_device, objects.query_pools)},
	{VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR, VKR_OBJECT_STRUCTURE,
	 offsetof(struct vkr_layer_device, objects.structures)},
	{VK_OBJECT_TYPE_RENDER_PASS, VKR_OBJECT_RENDER_PASS,
	 offsetof(struct vkr_layer_device, objects.render_passes)},
#ifdef VK_KHR_video_queue
	{VK_OBJECT_TYPE_VIDEO_SESSION_KHR, VKR_OBJECT_VIDEO_SESSION,
	 offsetof(struct vkr_layer_device, objects.video_sessions)},
#endif
};

static bool has_id(const void *object, void *id)
{
	return *(const uint32_t *)object == *(const uint32_t *)id;
}

void vkr_object_handle(struct vkr_layer_device *device, enum vkr_trace_object kind, uint32_t id,
		       VkObjectType *type, uint64_t *handle)
{
	*handle = 0;
	if (kind == VKR_OBJECT_QUEUE) {
		const struct vkr_layer_queue *queue = device->queues;
		while (queue && queue->id != id)
			queue = queue->next_of_device;
		*type = VK_OBJECT_TYPE_QUEUE;
		*handle = queue ? VKR_KEY(queue->handle) : 0;
	} else if (kind == VKR_OBJECT_COMMAND_BUFFER) {
		*type = VK_OBJECT_TYPE_COMMAND_BUFFER;
		*handle = VKR_KEY(vkr_command_buffer_of_id(id));
	}
	for (size_t i = 0; i < sizeof kept / sizeof *kept && !*handle; i++) {
		if (kept[i].kind != kind)
			continue;
		*type = kept[i].type;
		*handle = vkr_handles_find((struct vkr_handles *)((char *)device + kept[i].handles),
					   has_id, &id);
	}
}

static void record_name(struct vkr_layer_device *device, VkObjectType type, uint64_t handle,
			const char *name)
{
	if (!name)
		name = "";
	if (type == VK_OBJECT_TYPE_DEVICE || type == VK_OBJECT_TYPE_QUEUE ||
	    type == VK_OBJECT_TYPE_COMMAND_BUFFER)
		name_dispatchable(device, type, handle, name);
	else if (type == VK_OBJECT_TYPE_SHADER_MODULE)
		name_module(device, handle, name);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		if (kept[i].type == type)
			name_object((struct vkr_handles *)((char *)device + kept[i].handles),
				    handle, kept[i].kind, name);
	}
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = VK_SUCCESS;
	if (device->next.SetDebugUtilsObjectNameEXT)
		result = device->next.SetDebugUtilsObjectNameEXT(handle, info);
	record_name(device, info->objectType, info->objectHandle, info->pObjectName);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_DebugMarkerSetObjectNameEXT(VkDevice handle, const VkDebugMarkerObjectNameInfoEXT *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.DebugMarkerSetObjectNameEXT(handle, info);
	// The older enumeration's values are the newer one's for all kinds that are kept.
	record_name(device, (VkObjectType)info->objectType, info->object, info->pObjectName);
	return result;
}

static VKR_OF_HOOKS void hooks_names_label(VkCommandBuffer handle, enum vkr_trace_type type,
					   const char *text)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		vkr_command_label(buffer, type, text);
}

static VKR_OF_HOOKS void label_end(VkCommandBuffer handle)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_cmd_label_end payload = {0};
	if (buffer)
		vkr_command_event(buffer, VKR_TRACE_CMD_LABEL_END, &payload, sizeof payload, 0);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer handle,
							  const VkDebugUtilsLabelEXT *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	hooks_names_label(handle, VKR_TRACE_CMD_LABEL_BEGIN, info->pLabelName);
	if (device->next.CmdBeginDebugUtilsLabelEXT)
		device->next.CmdBeginDebugUtilsLabelEXT(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndDebugUtilsLabelEXT(VkCommandBuffer handle)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	label_end(handle);
	if (device->next.CmdEndDebugUtilsLabelEXT)
		device->next.CmdEndDebugUtilsLabelEXT(handle);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer handle,
							   const VkDebugUtilsLabelEXT *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	hooks_names_label(handle, VKR_TRACE_CMD_LABEL, info->pLabelName);
	if (device->next.CmdInsertDebugUtilsLabelEXT)
		device->next.CmdInsertDebugUtilsLabelEXT(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDebugMarkerBeginEXT(VkCommandBuffer handle,
						      const VkDebugMarkerMarkerInfoEXT *info)
{
	hooks_names_label(handle, VKR_TRACE_CMD_LABEL_BEGIN, info->pMarkerName);
	vkr_device_of(handle)->next.CmdDebugMarkerBeginEXT(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDebugMarkerEndEXT(VkCommandBuffer handle)
{
	label_end(handle);
	vkr_device_of(handle)->next.CmdDebugMarkerEndEXT(handle);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDebugMarkerInsertEXT(VkCommandBuffer handle,
						       const VkDebugMarkerMarkerInfoEXT *info)
{
	hooks_names_label(handle, VKR_TRACE_CMD_LABEL, info->pMarkerName);
	vkr_device_of(handle)->next.CmdDebugMarkerInsertEXT(handle, info);
}
