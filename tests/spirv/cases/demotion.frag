#version 450
#extension GL_EXT_demote_to_helper_invocation : require
// glslang: -g0 --target-env vulkan1.3
// Behind a demotion nothing is logged, so the record of what stands before it ends there.
layout(set = 0, binding = 0) buffer Values { uint before; uint behind; };
layout(location = 0) in float edge;
layout(location = 0) out vec4 color;

void main()
{
	before = 1;
	if (edge > 0.5)
		demote;
	before = 2;
	demote;
	behind = helperInvocationEXT() ? 1 : 2;
	color = vec4(dFdx(edge));
}
