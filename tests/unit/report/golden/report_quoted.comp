// SPDX-License-Identifier: Apache-2.0
// The report of the sample "full" quotes this file.
#version 450
layout(local_size_x = 64) in;
void main()
{
	/* é */	bodies[i].velocity += <a> & "b";
}
