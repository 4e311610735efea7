// glslang: --target-env vulkan1.1
// Storage images and texel buffers of every dimensionality, read and written.
#version 450
layout(local_size_x = 4) in;
layout(binding = 0, r32ui) uniform uimage1D line;
layout(binding = 1, rgba8) uniform image2D plane;
layout(binding = 2, rgba16f) uniform image3D volume;
layout(binding = 3, r32f) uniform imageCube cube;
layout(binding = 4, r32i) uniform iimage1DArray lines;
layout(binding = 5, rg32f) uniform image2DArray planes;
layout(binding = 6, r32f) uniform imageCubeArray cubes;
layout(binding = 7, r32ui) uniform uimageBuffer words;
layout(binding = 8, rgba8) uniform image2DMS samples;
layout(binding = 9, rgba8) uniform image2DMSArray many_samples;
layout(binding = 10, rgba8) writeonly uniform image2D target;
layout(binding = 11, rgba8) readonly uniform image2D source;
layout(binding = 12, rgba8) coherent uniform image2D shared_plane;
layout(binding = 13, rgba8) volatile uniform image2D loud_plane;
layout(binding = 14) uniform samplerBuffer fetched;
layout(binding = 15) uniform textureBuffer bare;
void main()
{
	ivec3 p = ivec3(gl_GlobalInvocationID);
	imageStore(line, p.x, imageLoad(line, p.x + 1));
	imageStore(plane, p.xy, imageLoad(plane, p.yx));
	imageStore(volume, p, imageLoad(volume, p.zyx));
	imageStore(cube, p, imageLoad(cube, p));
	imageStore(lines, p.xy, imageLoad(lines, p.xy));
	imageStore(planes, p, imageLoad(planes, p));
	imageStore(cubes, p, imageLoad(cubes, p));
	imageStore(words, p.x, imageLoad(words, p.x));
	imageStore(samples, p.xy, 2, imageLoad(samples, p.xy, p.z));
	imageStore(many_samples, p, 1, imageLoad(many_samples, p, 3));
	imageStore(target, p.xy, imageLoad(source, p.xy));
	imageStore(shared_plane, p.xy, imageLoad(shared_plane, p.yx));
	imageStore(loud_plane, p.xy, imageLoad(loud_plane, p.yx));
	imageStore(plane, p.xy, texelFetch(fetched, p.x) + texelFetch(bare, p.y));
}
