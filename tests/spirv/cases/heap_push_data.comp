// SPDX-License-Identifier: Apache-2.0
// With descriptor heaps: push data where the place of the block is, which become a storage block.
// args: --heaps 31 --push-constant 240 --mapping 0:0:1:2147483647:1:0:0:64:0:0:0:0:0:0:0:0:0:0
#version 450
layout(local_size_x = 32) in;
struct Part { mat2 turn; vec2 shift; uint first; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(push_constant) uniform Push { uint which; Part parts[7]; uvec4 last; };

uint pick(uint i)
{
	return parts[i].first + uint(parts[i].turn[1].x + parts[i].shift.y);
}

void main()
{
	Part all[7] = parts;
	words[gl_GlobalInvocationID.x] = pick(which) + last.w + all[0].first;
}
