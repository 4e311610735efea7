// SPDX-License-Identifier: Apache-2.0
#version 450
void main()
{
}
