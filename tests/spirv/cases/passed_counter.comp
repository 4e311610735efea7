// glslang: --target-env vulkan1.1
// A function may change the counter: how often the loop is gone through is not known.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };

void change(inout uint i, uint at)
{
	i -= at & 1;
}

void main()
{
	uint at = gl_LocalInvocationIndex;
	for (uint i = 0; i < 5; i++) {
		at = words[at];
		change(i, at);
	}
	words[at] = 1;
}
