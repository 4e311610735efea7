// SPDX-License-Identifier: Apache-2.0
// A fragment of odd columns is discarded before or behind its store.
#version 450
#extension GL_EXT_terminate_invocation : enable
#extension GL_EXT_demote_to_helper_invocation : enable
#ifndef END
#define END discard
#endif
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
	uint x = uint(gl_FragCoord.x);
	uint pair = uint(gl_FragCoord.y) * 4 + x / 2;
#ifdef FIXED
	if ((x & 1) == 1)
		END;
#endif
	data[pair] = 1; // @write
	if ((x & 1) == 1)
		END;
}
