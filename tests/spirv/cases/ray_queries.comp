// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.2
// Ray queries: one read of the structure where each begins, through parameters, too.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_nonuniform_qualifier : require

layout(local_size_x = 8) in;
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(binding = 1) uniform accelerationStructureEXT scenes[];
layout(std430, binding = 2) buffer Hits { uint hits[]; };
layout(push_constant) uniform Push { uvec2 address; };

bool meets(accelerationStructureEXT where)
{
	rayQueryEXT query;
	rayQueryInitializeEXT(query, where, gl_RayFlagsNoneEXT, 0xff, vec3(0), 0.0, vec3(1), 1.0);
	while (rayQueryProceedEXT(query))
		rayQueryConfirmIntersectionEXT(query);
	return rayQueryGetIntersectionTypeEXT(query, true) !=
	       gl_RayQueryCommittedIntersectionNoneEXT;
}

void main()
{
	uint at = gl_GlobalInvocationID.x;
	rayQueryEXT query;
	rayQueryInitializeEXT(query, scenes[nonuniformEXT(at)], gl_RayFlagsNoneEXT, 0xff, vec3(0),
			      0.0, vec3(1), 1.0);
	rayQueryProceedEXT(query);
	rayQueryInitializeEXT(query, accelerationStructureEXT(address), gl_RayFlagsNoneEXT, 0xff,
			      vec3(0), 0.0, vec3(1), 1.0);
	hits[at] = meets(scene) ? 1 : 0;
}
