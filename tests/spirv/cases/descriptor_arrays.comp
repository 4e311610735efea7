// glslang: --target-env vulkan1.2
// Arrays of descriptors: fixed, runtime-sized, non-uniformly indexed.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Fixed { uint values[]; } fixed_array[4];
layout(set = 1, binding = 0) readonly buffer Bindless { uint values[]; } bindless[];
layout(set = 0, binding = 2) uniform Uniforms { uvec4 value; } uniforms[2];
void main()
{
	uint i = gl_GlobalInvocationID.x;
	fixed_array[2].values[i] = bindless[nonuniformEXT(i)].values[1];
	fixed_array[i & 3].values.length();
	fixed_array[i & 3].values[0] = uniforms[1].value.z;
}
