// SPDX-License-Identifier: Apache-2.0
// Stacks of the layer's own, on which fault handlers work: a program's alternate stack may hold
// little more than the frame that the kernel lays there. Knows mappings; not what runs on them.
#pragma once

#include <stdbool.h>

// Makes the first stack, so that a handler finds one and the calls that make more have been linked.
void vkr_own_stack_start(void);

// Calls call(argument) on a stack of the layer's own, or on the present one if there is no memory,
// and returns its result. For handlers during which all signals are blocked. Async-signal-safe.
bool vkr_own_stack_call(bool (*call)(void *argument), void *argument);
