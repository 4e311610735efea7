// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below vkrace: one call that reaches it fails, as the driver's would for lack
// of memory or of a device. Knows which commands may fail, and how; not who calls them.
//
// VKRACE_TEST_FAULT=COMMAND:NUMBER:RESULT names the call: the NUMBERth of COMMAND, the first being
// 1, returns RESULT and is not handed on. A device that is lost stays so: behind it every command
// that may say so does. VKRACE_TEST_CALLS=FILE: each call that may fail is told there, a line each,
// with what it may return. VKRACE_TEST_NOWHERE=1: zeros are pushed in place of vkrace's own push
// constants, as a driver has been seen to read them.
#pragma once

#include "next_layer.h"

// Results that a command may fail with, of those that a program cannot help.
#define FAULT_HOST_MEMORY   1u
#define FAULT_DEVICE_MEMORY 2u
#define FAULT_DEVICE_LOST   4u

// What this call of the command is to return; VK_SUCCESS: what the next layer does.
VkResult fault_of(const char *command, unsigned results);

// The commands that may fail, which the registry's are written as. A number is a place in the list.
struct fault_command {
	const char *name;
	PFN_vkVoidFunction hook;
};
extern const struct fault_command fault_commands[];
extern const size_t fault_command_count;

// The next layer's command, by a handle of its device or instance.
PFN_vkVoidFunction fault_next(const void *dispatchable, size_t number);
