// SPDX-License-Identifier: Apache-2.0
// needs: GL_AMD_texture_gather_bias_lod
// glslang: --target-env vulkan1.1
// Gathers of a level that is given, biased or chosen, and storage images of several levels.
#version 450
#extension GL_AMD_texture_gather_bias_lod : require
#extension GL_AMD_shader_image_load_store_lod : require
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1, rgba8) uniform image2D image;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
void main()
{
	color = textureGather(picture, at, 0, 2.0);
	color += textureGatherLodAMD(picture, at, 1.0);
	color += imageLoadLodAMD(image, ivec2(1, 2), 3);
	imageStoreLodAMD(image, ivec2(gl_FragCoord), 2, color);
}
