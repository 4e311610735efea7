// glslang: --target-env vulkan1.1
// Samples by projection, with references and with what is resident: of each the texels that it
// reads, and nothing of what only asks for a level.
#version 450
#extension GL_ARB_sparse_texture2 : require
layout(binding = 0) uniform sampler2DShadow shadow;
layout(binding = 1) uniform sampler2D plain;
layout(binding = 2, rgba8) uniform readonly image2D stored;
layout(location = 0) in vec4 at;
layout(location = 0) out vec4 color;
void main()
{
	float sum = textureProj(shadow, at);
	sum += textureProjLod(shadow, at, 1.0);
	sum += textureQueryLod(plain, at.xy).x;
	vec4 texel;
	float one;
	sum += sparseTextureARB(plain, at.xy, texel);
	sum += texel.x + sparseTextureARB(shadow, at.xyz, one);
	sum += one + sparseTextureLodARB(shadow, at.xyz, 2.0, one);
	sum += one + sparseTextureGatherARB(shadow, at.xy, at.z, texel);
	sum += texel.y + sparseImageLoadARB(stored, ivec2(at.xy), texel);
	color = texel + sum;
}
