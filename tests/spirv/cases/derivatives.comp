// SPDX-License-Identifier: Apache-2.0
// needs: GL_KHR_compute_shader_derivatives
// glslang: --target-env vulkan1.3
// Implicit levels in a compute shader, whose derivatives are those of its quads; and modes that change
// nothing in what is accessed.
#version 460
#extension GL_KHR_compute_shader_derivatives : require
#extension GL_EXT_maximal_reconvergence : require
#extension GL_EXT_shader_realtime_clock : require
layout(derivative_group_quadsKHR) in;
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) buffer Data { vec4 data[]; };
void main() [[maximally_reconverges]]
{
	vec2 at = vec2(gl_GlobalInvocationID.xy) / 64;
	uvec2 now = clockRealtime2x32EXT();
	data[gl_LocalInvocationIndex] = texture(picture, at) + vec4(now, 0, 0);
}
