// glslang: --target-env vulkan1.1
// What is not observed is said.
#version 450
layout(local_size_x = 1) in;
layout(binding = 0, r32ui) uniform uimage2D image;
layout(binding = 1) uniform sampler2D picture;
layout(binding = 2) buffer Data { vec4 data; };
void main()
{
	imageStore(image, ivec2(0), imageLoad(image, ivec2(1)));
	imageAtomicAdd(image, ivec2(2), 1);
	data = textureLod(picture, vec2(0), 0);
}
