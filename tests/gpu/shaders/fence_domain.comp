// SPDX-License-Identifier: Apache-2.0
// The pass of push constant 0 stores a word that the next one reads, behind a barrier that holds no
// accesses. FIXED: a fence of the one makes the word available, one of the other visible; RACE: the
// first fence does no more than release.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { nonprivate uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result; };
layout(push_constant) uniform Push { uint first; };
#ifdef FIXED
#define RELEASE gl_SemanticsRelease | gl_SemanticsMakeAvailable
#else
#define RELEASE gl_SemanticsRelease
#endif

void main()
{
	if (first == 0) {
		data[0] = 7; // @stored
		memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, RELEASE);
		return;
	}
	memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
		      gl_SemanticsAcquire | gl_SemanticsMakeVisible);
	result = data[0]; // @read
}
