// glslang: --target-env vulkan1.1
// Atomics on texels: of images, of a texel buffer, of an array's element, of samples.
#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 4) in;
layout(binding = 0, r32ui) uniform uimage2D counts;
layout(binding = 1, r32i) uniform iimageBuffer signed_counts;
layout(binding = 2, r32ui) uniform uimage2D several[3];
layout(binding = 3, r32ui) uniform uimage2DMS samples;
layout(binding = 4, r64ui) uniform u64image2D wide;
layout(binding = 5, r32f) uniform image2D floats;
layout(binding = 6) buffer Result { uint result[]; };
void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	uint a = imageAtomicAdd(counts, p, 1);
	a += imageAtomicMin(counts, p, 2) + imageAtomicMax(counts, p, 3);
	a += imageAtomicAnd(counts, p, 4) + imageAtomicOr(counts, p, 5) + imageAtomicXor(counts, p, 6);
	a += imageAtomicExchange(counts, p, 7);
	a += imageAtomicCompSwap(counts, p, 8, 9);
	a += uint(imageAtomicAdd(signed_counts, p.x, -1));
	a += imageAtomicAdd(several[gl_WorkGroupID.x % 3], p, 1);
	a += imageAtomicAdd(samples, p, 2, 1);
	a += uint(imageAtomicAdd(wide, p, 1ul));
	imageAtomicExchange(floats, p, 1.0);
	a += uint(imageAtomicAdd(floats, p, 2.0));
	a += uint(imageAtomicCompSwap(wide, p, 3ul, 4ul));
	result[p.x] = a;
}
