// glslang: --target-env vulkan1.1
// args: --summary
// Signed arithmetic, logic and components that are chosen at run time, all of which follow from
// where an invocation stands.
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 3) const bool wide = true;
layout(binding = 0) buffer Words { int words[]; };
void main()
{
	int at = int(gl_GlobalInvocationID.x) - 32;
	ivec3 parts = ivec3(at / 3, at % 5, at >> 1);
	bool low = at >= -4 && at <= 9, far = at > 20 || (wide == low);
	if (low != far)
		words[(parts[at & 1] | 8) + 40] = 1;
	uint end = gl_LocalInvocationIndex | 3u;
	if (end >= 17u || end <= 5u)
		words[end + 80u] = 2;
}
