// SPDX-License-Identifier: Apache-2.0
// Invocations take what they read from stacks of their own, so that nothing else tells what it is.
// OTHERS: the last workgroup also reads what the first one reads and writes. LANE: all read 32 words
// from the one on that is on the stack. PHASES: all read word 0 before a barrier and after it, where
// the first one writes it, FIXED: after one more. GROUPS: invocations of a workgroup read what others
// of it have written before a barrier.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define GROUP                                                                                      \
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,            \
		       gl_SemanticsAcquireRelease)
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) workgroupcoherent buffer Words { uint words[]; };
layout(set = 0, binding = 0) workgroupcoherent readonly buffer Seen { uint seen[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
layout(set = 0, binding = 1) readonly buffer Told { uint told[]; };

void main()
{
	uint own = gl_GlobalInvocationID.x, stack[4], depth = 0, sum = 0;
#if defined LANE
	stack[depth++] = 0;
	sum += seen[stack[--depth] + gl_LocalInvocationIndex]; // @lane
#elif defined PHASES
	stack[depth++] = 0;
	for (uint phase = 0; phase < 2; phase++) {
		sum += seen[stack[depth - 1]]; // @phase
#ifdef FIXED
		GROUP;
#endif
		if (phase == 1 && own == 0)
			words[0] = sum; // @last
		GROUP;
	}
#else
#ifdef GROUPS
	words[own] = own; // @before
	GROUP;
	stack[depth++] = own ^ 1;
#else
	stack[depth++] = own;
#endif
#ifdef OTHERS
	if (gl_WorkGroupID.x == gl_NumWorkGroups.x - 1)
		stack[depth++] = gl_LocalInvocationIndex;
#endif
	while (depth > 0) {
		uint at = stack[--depth];
#ifndef GROUPS
		sum += told[at];
#endif
		if (sum < 0x10000)
			sum += seen[at]; // @read
	}
#endif
#ifdef WRITES
	words[own] = sum; // @write
#else
	result[own] = sum;
#endif
}
