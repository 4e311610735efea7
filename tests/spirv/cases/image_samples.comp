// glslang: --target-env vulkan1.1
// Samples, gathers and fetches where no derivatives are implied; samplers alone and combined, of
// arrays, and as arguments.
#version 450
#extension GL_ARB_sparse_texture2 : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 4) in;
layout(binding = 0) uniform sampler2D plane;
layout(binding = 1) uniform sampler1D line;
layout(binding = 2) uniform sampler3D volume;
layout(binding = 3) uniform samplerCube cube;
layout(binding = 4) uniform sampler2DArray planes;
layout(binding = 5) uniform samplerCubeArray cubes;
layout(binding = 6) uniform sampler2DShadow depth;
layout(binding = 7) uniform sampler2DArrayShadow depths;
layout(binding = 8) uniform sampler2DMS samples;
layout(binding = 9) uniform texture2D textures[];
layout(binding = 10) uniform sampler filters[4];
layout(binding = 11) uniform texture2D single;
layout(binding = 12) uniform isampler2D integers;
layout(binding = 13) buffer Result { vec4 result[]; };
layout(push_constant) uniform Push { uint which; ivec2 shift; };

vec4 read_one(texture2D from, sampler by, vec2 at)
{
	return textureLod(sampler2D(from, by), at, 1);
}

void main()
{
	vec4 p = vec4(gl_GlobalInvocationID, 2), sum = vec4(0), got;
	ivec2 at = ivec2(gl_GlobalInvocationID.xy);
	const ivec2 four[4] = {ivec2(-1, 0), ivec2(1, 0), ivec2(0, -1), ivec2(0, 7)};
	sum += textureLod(plane, p.xy, 0) + textureLod(line, p.x, 1) + textureLod(volume, p.xyz, p.w);
	sum += textureLod(cube, p.xyz, 0) + textureLod(planes, p.xyz, 0) + textureLod(cubes, p, 0);
	sum += textureGrad(plane, p.xy, p.xz, p.zy) + textureGrad(cube, p.xyz, p.xyz, p.zyx);
	sum += textureLodOffset(plane, p.xy, 0, ivec2(1, -2)) + textureProjLod(plane, p.xyz, 0);
	sum += textureProjGradOffset(plane, p, p.xy, p.yx, ivec2(3, 4));
	sum += textureLod(depth, p.xyz, 0) + textureGrad(depths, p, p.xy, p.yx);
	sum += textureGather(plane, p.xy, 2) + textureGatherOffset(plane, p.xy, shift, 1);
	sum += textureGatherOffsets(plane, p.xy, four) + textureGather(depth, p.xy, 0.5);
	sum += texelFetch(plane, at, 3) + texelFetch(samples, at, 2);
	sum += texelFetchOffset(planes, ivec3(at, 1), 0, ivec2(-1, 1));
	sum += texelFetch(single, at, int(which)) + vec4(textureLod(integers, p.xy, 0));
	sum += textureLod(sampler2D(textures[nonuniformEXT(which)], filters[which & 3]), p.xy, 0);
	sum += read_one(single, filters[1], p.xy);
	sparseTextureLodARB(plane, p.xy, 0, got);
	sum += got;
	sparseTexelFetchARB(plane, at, 0, got);
	sum += got;
	sparseTextureGatherARB(plane, p.xy, got);
	result[at.x] = sum + got + vec4(textureSize(plane, 0), textureQueryLevels(plane), 0);
}
