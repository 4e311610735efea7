// SPDX-License-Identifier: Apache-2.0
// SIGSEGV in every way that a program may meet it, each in a child of its own. Knows no Vulkan.
#pragma once

// Prints of each way how the child ended and what it saw.
void signals_all(void);
