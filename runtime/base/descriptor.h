// SPDX-License-Identifier: Apache-2.0
// File descriptors in a program whose own are anything. Knows nothing of what they are of.
#pragma once

// The descriptor, or, where it has the number of a standard stream that the program has closed, a
// copy of it that has none, close-on-exec: what the program still prints must not go there. Below
// 0 (errno): there is none, and the descriptor is closed.
int vkr_descriptor_above_streams(int descriptor);
