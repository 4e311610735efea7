#version 460
// SPDX-License-Identifier: Apache-2.0
// Images, samplers and acceleration structures that functions are given by several callers: which
// they are is known at run time, and logged.
// glslang: --target-env vulkan1.2 -g
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_shader_image_load_formatted : require
#extension GL_EXT_ray_query : require

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform sampler2D first;
layout(set = 0, binding = 1) uniform sampler2D second[3];
layout(set = 0, binding = 2) uniform uimage2D counts;
layout(set = 0, binding = 10) uniform uimage2D totals;
layout(set = 0, binding = 3) uniform uimage2D parts[4];
layout(set = 0, binding = 4) uniform texture2D plain;
layout(set = 0, binding = 11) uniform texture2D other;
layout(set = 0, binding = 5) uniform sampler nearest;
layout(set = 0, binding = 12) uniform sampler lines[2];
layout(set = 0, binding = 6) uniform textureBuffer words;
layout(set = 0, binding = 7) uniform uimageBuffer numbers[];
layout(set = 0, binding = 8) uniform accelerationStructureEXT near;
layout(set = 0, binding = 13) uniform accelerationStructureEXT far[2];
layout(set = 0, binding = 9) buffer Result
{
	vec4 result[];
};

vec4 sample_at(sampler2D image, vec2 at)
{
	return textureLod(image, at, 0);
}

// Given by callers, which are given it themselves.
vec4 sample_behind(sampler2D image, vec2 at)
{
	return sample_at(image, at) + texelFetch(image, ivec2(at), 1);
}

uint count_at(uimage2D image, ivec2 at)
{
	imageStore(image, at + 1, uvec4(1));
	return imageLoad(image, at).x;
}

vec4 combined(texture2D image, sampler by, vec2 at)
{
	return textureLod(sampler2D(image, by), at, 0);
}

// One variable, of which callers choose the element.
uint number_of(uimageBuffer buffer_of, int at)
{
	return imageLoad(buffer_of, at).x;
}

// An array of descriptors: the function chooses the element.
vec4 of_array(sampler2D images[3], int which)
{
	return texelFetch(images[which], ivec2(0), 0);
}

// One caller.
vec4 of_one(textureBuffer of, int at)
{
	return texelFetch(of, at);
}

bool hits(accelerationStructureEXT structure)
{
	rayQueryEXT query;
	rayQueryInitializeEXT(query, structure, 0, 0xff, vec3(0), 0, vec3(1), 1);
	return rayQueryProceedEXT(query);
}

void main()
{
	uint i = gl_LocalInvocationIndex;
	vec2 at = vec2(i) / 64;
	vec4 sum = sample_at(first, at) + sample_behind(second[i % 3], at);
	sum += sample_behind(first, at);
	sum += count_at(counts, ivec2(i)) + count_at(totals, ivec2(i)) +
	       count_at(parts[i & 3], ivec2(i));
	sum += combined(plain, nearest, at) + combined(other, lines[i & 1], at) +
	       combined(other, nearest, at);
	sum += number_of(numbers[nonuniformEXT(i)], 2) + number_of(numbers[7], 3);
	sum += of_array(second, int(i % 3)) + of_one(words, int(i));
	sum.x += hits(near) || hits(far[i & 1]) ? 1 : 0;
	result[i] = sum;
}
