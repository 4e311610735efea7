// SPDX-License-Identifier: Apache-2.0
// How the judges of a run tell `vkrace run` their verdicts: a socket that each judge connects to as
// it begins and holds until its reports are written. Knows sockets, and not what is judged.
//
// A name in the environment, not a descriptor: programs close descriptors that they do not know.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stdint.h>

#define VKR_RUN_VARIABLE "VKRACE_RUN"

struct vkr_run_verdict {
	uint32_t groups; // of races
	bool incomplete;
	uint64_t races;
};

// The listener, and the name (of at least VKR_RUN_NAME_BYTES) under which judges find it.
#define VKR_RUN_NAME_BYTES 64
enum vkr_result vkr_run_channel_listen(int *listener, char *name,
				       struct vkr_error *error) VKR_MUST_USE;

// The next judge that has connected; -1 where there is none now.
int vkr_run_channel_accept(int listener);

// Waits for what a judge says. False where it ended without a verdict.
bool vkr_run_channel_receive(int connection, struct vkr_run_verdict *verdict);

// The judge's side: the connection to the run that the environment names, or -1 for none.
enum vkr_result vkr_run_channel_connect(int *connection, struct vkr_error *error) VKR_MUST_USE;

void vkr_run_channel_send(int connection, const struct vkr_run_verdict *verdict);
