// glslang: --target-env vulkan1.2
// Image operands of the Vulkan memory model.
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 4) in;
layout(binding = 0, r32ui) nonprivate uniform uimage2D shared_plane;
layout(binding = 1, r32ui) devicecoherent uniform uimage2D device_plane;
layout(binding = 2, r32ui) workgroupcoherent uniform uimage2D group_plane;
layout(binding = 3, r32ui) volatile uniform uimage2D loud_plane;
layout(binding = 4, r32ui) uniform uimage2D plain_plane;
void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	imageStore(shared_plane, p, imageLoad(shared_plane, p.yx));
	imageStore(device_plane, p, imageLoad(device_plane, p.yx));
	imageStore(group_plane, p, imageLoad(group_plane, p.yx));
	imageStore(loud_plane, p, imageLoad(loud_plane, p.yx));
	imageStore(plain_plane, p, imageLoad(plain_plane, p.yx));
	uint a = imageAtomicLoad(plain_plane, p, gl_ScopeQueueFamily, gl_StorageSemanticsImage, gl_SemanticsAcquire);
	imageAtomicStore(plain_plane, p, a, gl_ScopeQueueFamily, gl_StorageSemanticsImage, gl_SemanticsRelease);
	memoryBarrier(gl_ScopeWorkgroup, gl_StorageSemanticsImage, gl_SemanticsAcquireRelease);
	imageAtomicAdd(plain_plane, p, 1, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
