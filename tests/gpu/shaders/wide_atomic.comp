// SPDX-License-Identifier: Apache-2.0
// Workgroups count in one number with atomics; one looks at it without, or with one.
#version 450
#ifdef WIDE
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#define NUMBER uint64_t
#else
#extension GL_EXT_shader_atomic_float : require
#define NUMBER float
#endif
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { NUMBER total; };
layout(set = 0, binding = 1) buffer Result { NUMBER seen; };

void main()
{
	atomicAdd(total, NUMBER(1)); // @count
	if (gl_WorkGroupID.x == 0)
#ifdef FIXED
		seen = atomicAdd(total, NUMBER(0));
#else
		seen = total; // @look
#endif
}
