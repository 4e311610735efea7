// SPDX-License-Identifier: Apache-2.0
// Each fragment reads its own texel of an attachment, of one sample or of four,
// or one of them.
#version 450
#ifdef EARLY
layout(early_fragment_tests) in;
#endif
#if defined SAMPLES || defined OWN_SAMPLE || defined OTHER_SAMPLE
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInputMS before;
#else
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput before;
#endif
layout(location = 0) out vec4 color;

void main()
{
#ifdef OWN_SAMPLE
	color = subpassLoad(before, gl_SampleID); // @own_sample
#elif defined OTHER_SAMPLE
	color = subpassLoad(before, gl_SampleID ^ 1); // @other_sample
#elif defined SAMPLES
	color = vec4(0);
	for (int at = 0; at < 4; at++)
		color += subpassLoad(before, at); // @samples
#else
	color = subpassLoad(before); // @read
#endif
}
