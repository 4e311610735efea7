// SPDX-License-Identifier: Apache-2.0
// Results and errors: how every fallible function of vkrace reports a failure. Does not know what
// the functions do.
#pragma once

#include <stdarg.h>
#include <stdint.h>

#if defined(__GNUC__)
#define VKR_MUST_USE           __attribute__((warn_unused_result))
#define VKR_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define VKR_MUST_USE
#define VKR_PRINTF(text, rest)
#endif

enum vkr_result {
	VKR_OK = 0,
	VKR_ERROR_MEMORY,      // an allocation failed
	VKR_ERROR_IO,          // a file could not be opened, read, written
	VKR_ERROR_FORMAT,      // input is damaged or breaks its format's rules
	VKR_ERROR_VERSION,     // input is of a version this build does not know
	VKR_ERROR_UNSUPPORTED, // input is valid, but beyond what this build handles
	VKR_ERROR_DRIVER,      // a Vulkan call failed
	VKR_ERROR_STOPPED,     // the caller has asked for an early end
};

// One failure. The message is one line, names the file, the offset and the reason, and ends
// without a full stop or newline. An over-long one is cut at its end: lack of memory is an error,
// too, so none is allocated.
struct vkr_error {
	enum vkr_result result;
	char message[1024];
};
