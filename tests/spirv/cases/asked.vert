#version 450
// SPDX-License-Identifier: Apache-2.0
// Nothing to log but which vertices there were, where a draw asks.
// args: --ask
layout(location = 0) in vec4 position;
void main()
{
	gl_Position = position;
}
