// SPDX-License-Identifier: Apache-2.0
// Synchronization by the values of atomics, race-free, in the forms that programs use; KIND chooses
// one. `count` is the number of rounds of an invocation, or that of workgroups where each has one.
// Nothing waits: what is not there yet is gone past.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { uint count; };
layout(set = 0, binding = 1) buffer Data
{
	uint word, total, flags[1 << 20];
	nonprivate uint data[];
};
#define SCOPE   gl_ScopeQueueFamily
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable
#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#define BOTH                                                                                       \
	gl_StorageSemanticsBuffer,                                                                 \
		gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible

void main()
{
	uint own = gl_WorkGroupID.x;
#if KIND == 0 // a spin lock
	for (uint i = 0; i < count; i++)
		if (atomicCompSwap(word, 0u, 1u, SCOPE, ACQUIRE, 0, 0) == 0) {
			data[0] = data[0] + 1;
			atomicStore(word, 0u, SCOPE, RELEASE);
		}
#elif KIND == 1 // adds that acquire and release, many of few invocations
	data[own] = own;
	uint last = 0, sum = 0;
	for (uint i = 0; i < count; i++)
		last = atomicAdd(word, 1u, SCOPE, BOTH);
	for (uint i = 0; last == gl_NumWorkGroups.x * count - 1 && i < gl_NumWorkGroups.x; i++)
		sum += data[i];
	if (sum == 0xffffffff)
		total = 0;
#elif KIND == 2 // a ticket each of many workgroups; the last one reads what others have written
	data[own] = own;
	if (atomicAdd(word, 1u, SCOPE, BOTH) == gl_NumWorkGroups.x - 1) {
		uint sum = 0;
		for (uint i = 0; i < min(gl_NumWorkGroups.x, 256); i++)
			sum += data[i];
		total = sum;
	}
#elif KIND == 3 // look-back over all predecessors
	data[own] = own;
	atomicStore(flags[own], 1u, SCOPE, RELEASE);
	uint sum = 0;
	for (uint i = 0; i < own; i++)
		if (atomicLoad(flags[i], SCOPE, ACQUIRE) == 1)
			sum += data[i];
	if (sum == 0xffffffff)
		total = 0;
#elif KIND == 4 // decoupled look-back: up to the first predecessor that has its prefix
	data[own] = own;
	atomicStore(flags[own], 1u, SCOPE, RELEASE);
	uint sum = own;
	for (uint i = own; i-- > 0;) {
		uint state = atomicLoad(flags[i], SCOPE, ACQUIRE);
		if (state == 0)
			break;
		sum += data[i + (state == 2 ? 1 << 20 : 0)];
		if (state == 2)
			break;
	}
	data[(1 << 20) + own] = sum;
	atomicStore(flags[own], 2u, SCOPE, RELEASE);
#elif KIND == 5 // a work queue: items are put in and taken out
	for (uint i = 0; i < count; i++) {
		uint place = atomicAdd(word, 1u, SCOPE, 0, 0);
		data[place] = place;
		atomicStore(flags[place], 1 + place, SCOPE, RELEASE);
		uint taken = atomicAdd(total, 1u, SCOPE, 0, 0);
		if (atomicLoad(flags[taken], SCOPE, ACQUIRE) == 1 + taken)
			data[taken] = data[taken] + 1;
	}
#elif KIND == 6 // a barrier of all workgroups, which writes and reads lie between
	for (uint i = 0; i < count; i++) {
		data[i * gl_NumWorkGroups.x + own] = i;
		atomicAdd(word, 1u, SCOPE, RELEASE);
		for (uint k = 0; k < 4; k++)
			if (atomicLoad(word, SCOPE, ACQUIRE) >= (i + 1) * gl_NumWorkGroups.x) {
				if (data[i * gl_NumWorkGroups.x] == count)
					total = 0;
				break;
			}
	}
#endif
}
