// glslang: --target-env vulkan1.2
// The Vulkan memory model: operands, scopes and semantics as written.
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) workgroupcoherent buffer Near { uint near_data[]; };
layout(binding = 1) queuefamilycoherent buffer Far { uint far_data[]; };
layout(binding = 2) nonprivate buffer Loose { uint loose[]; };
layout(binding = 3) buffer Own { uint own[]; };
layout(binding = 4) buffer Flags { uint flag; uint64_t ticket; };
shared uint tile[64];
void main()
{
	uint i = gl_LocalInvocationIndex;
	near_data[i] = far_data[i] + loose[i];
	far_data[i + 64] = own[i];
	tile[i] = own[i + 1];
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared,
	               gl_SemanticsAcquireRelease);
	memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
	              gl_SemanticsRelease | gl_SemanticsMakeAvailable);
	atomicStore(flag, tile[i], gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
	            gl_SemanticsRelease | gl_SemanticsMakeAvailable);
	own[2] = atomicLoad(flag, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
	                    gl_SemanticsAcquire | gl_SemanticsMakeVisible);
	atomicAdd(ticket, uint64_t(3), gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed);
	atomicCompSwap(ticket, uint64_t(3), uint64_t(4), gl_ScopeQueueFamily,
	               gl_StorageSemanticsBuffer, gl_SemanticsAcquire, 0, gl_SemanticsRelaxed);
}
