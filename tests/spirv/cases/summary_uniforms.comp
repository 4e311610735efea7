// glslang: --target-env vulkan1.1
// args: --summary
// What all invocations find alike in buffers that are not written is told by one of them, also in
// functions that are called several times; what lies in arrays of no fixed size, at places that are
// not constant, or in buffers that may be written, is logged.
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
struct Size { uvec2 extent; float scale; };
layout(set = 0, binding = 0, std140) uniform Params { Size sizes[2]; mat2 turn; uint rows; };
layout(set = 0, binding = 1) readonly buffer Header { uint offset; uint table[]; };
layout(set = 0, binding = 2) buffer Result { uint first; uint result[]; };

uint place(uint x, uint y)
{
	return y * sizes[1].extent.x + x + offset;
}

void main()
{
	const uvec2 at = gl_GlobalInvocationID.xy;
	if (at.y >= rows || any(greaterThanEqual(at, sizes[1].extent)))
		return;
	result[place(at.x, at.y)] = 1;
	result[place(at.x, at.y + rows)] = 2;
	result[uint(float(at.x) * 2) + table[1]] = 3;
	result[first] = sizes[at.x & 1].extent.y;
}
