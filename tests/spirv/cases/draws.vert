#version 460
#extension GL_EXT_multiview : require
// glslang: -g0
// What only some vertex shaders read of themselves: draw and view.
layout(set = 0, binding = 0) buffer Seen { uint seen[]; };

void main()
{
	seen[gl_VertexIndex] = uint(gl_DrawID + gl_ViewIndex);
	gl_Position = vec4(0);
}
