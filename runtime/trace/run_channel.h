// SPDX-License-Identifier: Apache-2.0
// How the judges of a run tell `vkrace run` their verdicts: a socket that each judge connects to as
// it begins and holds until its reports are written; and how the layer tells it that it is loaded.
// Knows sockets, and not what is judged.
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
	bool unwritten; // a report that was asked for could not be written
	uint64_t races;
};

// The listener, and the name (of at least VKR_RUN_NAME_BYTES) under which judges find it.
#define VKR_RUN_NAME_BYTES 64
enum vkr_result vkr_run_channel_listen(int *listener, char *name,
				       struct vkr_error *error) VKR_MUST_USE;

enum vkr_run_message {
	VKR_RUN_ENDED,    // a judge has ended without a verdict
	VKR_RUN_INSTANCE, // a program has made a Vulkan instance under the layer: no judge speaks
	VKR_RUN_VERDICT,
};

// The next judge, or layer, that has connected; -1 where there is none now.
int vkr_run_channel_accept(int listener);

// Waits for what a connection says; `verdict` is written only where it is one.
enum vkr_run_message vkr_run_channel_receive(int connection, struct vkr_run_verdict *verdict);

// The judge's side: the connection to the run that the environment names, or -1 for none.
enum vkr_result vkr_run_channel_connect(int *connection, struct vkr_error *error) VKR_MUST_USE;

void vkr_run_channel_send(int connection, const struct vkr_run_verdict *verdict);

// The layer's side: an instance was made. Nothing where there is no run.
void vkr_run_channel_tell_instance(void);
