#version 450
// glslang: -g0
// A fragment shader: position, sample, primitive and layer as far as the shader reads them; nothing
// behind a discard, and what was stored before it counts.
layout(set = 0, binding = 0) buffer Counts { uint total; uint counts[]; };
layout(set = 0, binding = 1) uniform Parameters { vec4 tint; float edge; };
layout(push_constant) uniform Pushed { uint width; };
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;

void main()
{
	uint pixel = uint(gl_FragCoord.y) * width + uint(gl_FragCoord.x);
	counts[pixel] = uint(gl_PrimitiveID);
	if (place.x > edge)
		discard;
	atomicAdd(total, 1u);
	color = tint * float(counts[pixel + 1] + uint(gl_SampleID));
}
