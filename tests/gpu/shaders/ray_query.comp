// SPDX-License-Identifier: Apache-2.0
// Each invocation asks whether a ray meets the scene: through one of two variables of one binding.
#version 460
#extension GL_EXT_ray_query : require

layout(local_size_x = 8) in;
layout(std430, binding = 1) buffer Result { uint result[]; };
#ifdef ADDRESS
layout(std430, binding = 0) buffer Data { uvec2 address; };
#define GIVEN
#define structure accelerationStructureEXT(address)
#else
layout(set = 1, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 1, binding = 0) uniform accelerationStructureEXT again;
#define GIVEN accelerationStructureEXT structure
#endif

uint meets(GIVEN)
{
	rayQueryEXT query;
	rayQueryInitializeEXT(query, structure, gl_RayFlagsOpaqueEXT, 0xff, vec3(0.25, 0.25, -1),
			      0.0, vec3(0, 0, 1), 2.0); // @query
	while (rayQueryProceedEXT(query))
		;
	return rayQueryGetIntersectionTypeEXT(query, true);
}

void main()
{
	const uint i = gl_GlobalInvocationID.x;
#ifdef ADDRESS
	result[i] = meets();
#else
	result[i] = i < 4 ? meets(scene) : meets(again);
#endif
}
