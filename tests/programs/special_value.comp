// SPDX-License-Identifier: Apache-2.0
// Stores a specialization constant in a word of its own.
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint value = 0;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint place; };

void main()
{
	data[place] = value;
}
