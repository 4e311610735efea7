// SPDX-License-Identifier: Apache-2.0
// Who comes first stores a word and sets the flag; who comes second, in another dispatch, waits for
// the flag and reads the word. RACE: the flag is relaxed, or, with UNRELEASED, does no more than acquire, or,
// with UNAVAILABLE, makes nothing available; FIXED: it releases and acquires.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { nonprivate uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint flag, result, turn; };
#if defined(FIXED)
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable
#elif defined(UNAVAILABLE)
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease
#else
#define RELEASE 0, 0
#endif
#if defined(FIXED) || defined(UNAVAILABLE) || defined(UNRELEASED)
#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#else
#define ACQUIRE 0, 0
#endif

void main()
{
	if (atomicAdd(turn, 1u) == 0) {
		data[0] = 7; // @stored
		atomicStore(flag, 1u, gl_ScopeQueueFamily, RELEASE);
		return;
	}
	while (atomicLoad(flag, gl_ScopeQueueFamily, ACQUIRE) == 0)
		;
	result = data[0]; // @read
}
