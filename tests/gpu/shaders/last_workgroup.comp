// SPDX-License-Identifier: Apache-2.0
// Each workgroup stores a part and takes a ticket; the one that takes the last adds up all parts.
// The ticket's release and acquire order the parts before the sum, or with RELAXED the fences of a
// storage class FENCE around it do.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;
#ifndef MEMBER
#define MEMBER nonprivate
#endif
#ifndef SCOPE
#define SCOPE gl_ScopeQueueFamily
#endif
#ifndef VISIBLE
#define VISIBLE gl_SemanticsMakeVisible
#endif
#ifdef RELAXED
#define TICKET 0, 0
#else
#define TICKET                                                                                     \
	gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | VISIBLE
#endif
#define PASTE(a, b) a##b
#define STORAGE(name) PASTE(gl_StorageSemantics, name)
layout(set = 0, binding = 0) buffer Data { MEMBER uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint ticket, sum; };

void main()
{
	if (gl_LocalInvocationID.x != 0)
		return;
	data[gl_WorkGroupID.x] = gl_WorkGroupID.x; // @part
#ifdef FENCE
	memoryBarrier(SCOPE, STORAGE(FENCE), gl_SemanticsRelease | gl_SemanticsMakeAvailable);
#endif
	uint taken = atomicAdd(ticket, 1, SCOPE, TICKET); // @ticket
#ifdef FENCE
	memoryBarrier(SCOPE, STORAGE(FENCE), gl_SemanticsAcquire | VISIBLE);
#endif
	if (taken % gl_NumWorkGroups.x != gl_NumWorkGroups.x - 1)
		return;
	uint all = 0;
	for (uint i = 0; i < gl_NumWorkGroups.x; i++)
		all += data[i]; // @sum
	sum = all;
}
