// SPDX-License-Identifier: Apache-2.0
// Invocations pass a word of shared memory on by a ticket in shared memory; the last one of the
// workgroup reads some of them. RACE: the ticket is relaxed; FIXED: it releases and acquires.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint tile[64];
shared uint ticket;

void main()
{
	const int shared_memory = gl_StorageSemanticsShared;
	if (gl_LocalInvocationID.x == 0)
		atomicStore(ticket, 0u, gl_ScopeWorkgroup, 0, 0);
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, shared_memory,
		       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
			       gl_SemanticsMakeVisible);
	tile[gl_LocalInvocationID.x] = gl_LocalInvocationID.x; // @part
#ifdef FIXED
	uint taken = atomicAdd(ticket, 1, gl_ScopeWorkgroup, shared_memory,
			       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
				       gl_SemanticsMakeVisible);
#else
	uint taken = atomicAdd(ticket, 1, gl_ScopeWorkgroup, 0, 0);
#endif
	if (taken != 63)
		return;
	// No loop: a single invocation in one is lost by lavapipe 22.
	result[gl_WorkGroupID.x] = tile[0] + tile[21] + tile[42]; // @sum
}
