// SPDX-License-Identifier: Apache-2.0
// The dispatch of each push constant but 2 stores a word of its own and sets the flag to 1; that of
// 2 reads the words once the flag is set. Which of the others' flags it was nobody can tell. RACE:
// the second stores its word behind the flag.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { nonprivate uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint flag, result; };
layout(push_constant) uniform Push { uint first; };

void main()
{
	if (first == 2) {
		while (atomicLoad(flag, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
				  gl_SemanticsAcquire | gl_SemanticsMakeVisible) == 0)
			;
		result = data[0] + data[1]; // @read
		return;
	}
	bool late = false;
#ifndef FIXED
	late = first == 1;
#endif
	if (!late)
		data[first] = 7;
	atomicStore(flag, 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
		    gl_SemanticsRelease | gl_SemanticsMakeAvailable);
	if (late)
		data[first] = 7; // @stored
}
