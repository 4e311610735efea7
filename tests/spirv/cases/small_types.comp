// glslang: --target-env vulkan1.2
// 8-, 16- and 64-bit values.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0, std430) buffer Data {
	uint8_t bytes[16];
	int16_t halves[16];
	u8vec3 vectors[4];
	f16vec3 floats[4];
	uint64_t longs[4];
	f64vec3 doubles[];
};
void main()
{
	uint i = gl_GlobalInvocationID.x;
	bytes[i] = uint8_t(halves[uint(bytes[3])]);
	vectors[i * 3] = vectors[int(halves[0])];
	floats[i & 3].z = floats[0].x;
	longs[i] = longs[i + 1] + uint64_t(bytes[i]);
	doubles[i] = doubles[uint(longs[0])];
}
