// SPDX-License-Identifier: Apache-2.0
// Each invocation asks whether a ray meets the scene.
#version 460
#extension GL_EXT_ray_query : require

layout(local_size_x = 8) in;
layout(std430, binding = 1) buffer Result { uint result[]; };
#ifdef ADDRESS
layout(std430, binding = 0) buffer Data { uvec2 address; };
#define SCENE accelerationStructureEXT(address)
#else
layout(set = 1, binding = 0) uniform accelerationStructureEXT scene;
#define SCENE scene
#endif

void main()
{
	rayQueryEXT query;
	rayQueryInitializeEXT(query, SCENE, gl_RayFlagsOpaqueEXT, 0xff, vec3(0.25, 0.25, -1), 0.0,
			      vec3(0, 0, 1), 2.0); // @query
	while (rayQueryProceedEXT(query))
		;
	result[gl_GlobalInvocationID.x] = rayQueryGetIntersectionTypeEXT(query, true);
}
