// SPDX-License-Identifier: Apache-2.0
// Calls of the program's that set, block, wait for or ask about SIGSEGV. Knows the C library's
// functions; not how the signal reaches the program.
#pragma once

#include <stdbool.h>

// Replaces these functions: our handler of SIGSEGV stays, and the program finds what it set itself.
// Calls that it makes past the C library are not seen, and those that read a signalfd() find no
// SIGSEGV there. False for lack of memory.
bool vkr_signal_calls_start(void);
