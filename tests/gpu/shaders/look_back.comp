// SPDX-License-Identifier: Apache-2.0
// Decoupled look-back: each workgroup stores its sum, sets its flag, and goes back along the flags
// that are set already. It never waits, so that it takes whatever it has seen. RACE: the flags are
// relaxed; FIXED: they release and acquire.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { nonprivate uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint flags[256], prefix[]; };
#ifdef FIXED
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable
#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#else
#define RELEASE 0, 0
#define ACQUIRE 0, 0
#endif

void main()
{
	uint own = gl_WorkGroupID.x, sum = 0;
	data[own] = own + 1; // @own
	atomicStore(flags[own], 1u, gl_ScopeQueueFamily, RELEASE);
	for (uint i = 0; i < gl_NumWorkGroups.x; i++)
		if (i != own && atomicLoad(flags[i], gl_ScopeQueueFamily, ACQUIRE) == 1)
			sum += data[i]; // @other
	prefix[own] = sum;
}
