// SPDX-License-Identifier: Apache-2.0
// Variables of a set that are mapped to descriptor heaps, to addresses and to push data.
// args: --heaps 31 --push-constant 240 --mapping 0:0:1:2147483647:3:0:64:256:0:8:16:0:0:0:0:0:0:0 --mapping 0:1:1:2147483647:6:0:0:0:0:16:0:0:0:0:0:0:0:0 --mapping 0:2:1:2147483647:1:1:0:64:0:24:0:0:0:32:0:0:0:0 --mapping 0:3:2:2147483647:0:0:512:0:64:0:0:0:0:0:0:0:0:0 --mapping 0:5:1:2147483647:4:0:1024:1:0:28:0:0:0:0:0:0:0:0 --mapping 0:6:1:2147483647:5:0:0:0:0:32:0:0:0:0:0:0:0:0 --mapping 0:7:1:2147483647:0:0:0:0:0:0:0:1:0:0:0:0:0:0 --mapping 0:8:1:2147483647:2:0:0:64:0:40:4:0:0:0:0:0:0:0 --mapping 0:9:1:2147483647:7:0:0:0:0:48:8:0:0:0:0:0:0:0
// glslang: --target-env vulkan1.1
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; } buffers[4];
layout(set = 0, binding = 1) uniform Addressed { uvec4 addressed[4]; };
layout(set = 0, binding = 2) uniform sampler2D combined;
layout(set = 0, binding = 4, rgba8) uniform image2D image;
layout(set = 0, binding = 5) uniform Placed { uvec4 placed[4]; };
layout(set = 0, binding = 6) uniform Pushed { uvec4 pushed; };
layout(set = 0, binding = 7) uniform sampler embedded;
layout(set = 0, binding = 8) uniform texture2D sampled;
layout(set = 0, binding = 9) buffer Behind { uint behind[]; };
layout(push_constant) uniform Push { uint which; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint value = addressed[i & 3].x + placed[i & 3].y + pushed.z;
	buffers[which].words[i] = value;
	vec4 color = textureLod(combined, vec2(0.5), 0) +
		     textureLod(sampler2D(sampled, embedded), vec2(0.25), 0);
	imageStore(image, ivec2(i, 0), color);
	behind[i] = value;
}
