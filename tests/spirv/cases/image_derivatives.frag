// glslang: --target-env vulkan1.1
// Samples whose level derivatives choose, and input attachments.
#version 450
#extension GL_ARB_sparse_texture_clamp : require
layout(binding = 0) uniform sampler2D plane;
layout(binding = 1) uniform samplerCubeArray cubes;
layout(binding = 2) uniform sampler3D volume;
layout(binding = 3) uniform sampler2DShadow depth;
layout(input_attachment_index = 1, binding = 4) uniform subpassInput before;
layout(input_attachment_index = 2, binding = 5) uniform subpassInputMS samples_before;
layout(location = 0) in vec4 p;
layout(location = 0) out vec4 color;
void main()
{
	color = texture(plane, p.xy) + texture(plane, p.xy, p.z) + textureProj(plane, p);
	color += texture(cubes, p) + textureOffset(volume, p.xyz, ivec3(1, 2, 3));
	color += vec4(texture(depth, p.xyz)) + textureClampARB(plane, p.xy, p.w);
	color += subpassLoad(before) + subpassLoad(samples_before, 3);
}
