// SPDX-License-Identifier: Apache-2.0
// Every offset is logged.
// args: --reduce none
// glslang: --target-env vulkan1.1
#version 450
layout(local_size_x = 8) in;
struct Body { vec3 at; float mass; };
layout(set = 0, binding = 0) buffer Bodies { Body bodies[]; };
layout(set = 0, binding = 1) buffer Words { uint words[]; };
layout(set = 0, binding = 2) buffer More { uint more[]; } several[2];
shared uint tile[8];

void main()
{
	uint i = gl_GlobalInvocationID.x;
	bodies[i].mass += bodies[i].at.y;
	words[i] = words[i + 1u] + words[i - 1u] + words[2u * i] + words[(i << 1) + 3u];
	several[i & 1u].more[i] = words[7];
	tile[gl_LocalInvocationIndex] = words[int(i) - 5] + words[3];
	several[1].more[i] = words[words[i] + 2u];
}
