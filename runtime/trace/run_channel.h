// SPDX-License-Identifier: Apache-2.0
// How the judges of a run reach `vkrace run`, and how the layer announces to it that it is loaded.
// Knows sockets; not what is judged.
//
// The address of the run is in the environment, because programs close descriptors that they do not
// know. It is an abstract socket, which any user of the machine can find and send to, so each
// message begins with a secret that only the environment holds, which the kernel shows to no other
// user. A judge passes one end of a socket pair with its first message. So the run waits only for
// those who have shown the secret, and each side sees the other's end by the pair.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stdint.h>

#define VKR_RUN_VARIABLE "VKRACE_RUN"

#define VKR_RUN_SECRET_BYTES  32
#define VKR_RUN_ADDRESS_BYTES 128

struct vkr_run_listener {
	int socket;
	char secret[VKR_RUN_SECRET_BYTES + 1]; // hexadecimal
	char address[VKR_RUN_ADDRESS_BYTES];   // the environment variable's value
};

struct vkr_run_verdict {
	uint32_t groups; // of races
	bool incomplete;
	bool failed; // not judged to its end, or a file not written: the judge has said so
	uint64_t races;
};

// The run's side.

enum vkr_result vkr_run_channel_listen(struct vkr_run_listener *listener,
				       struct vkr_error *error) VKR_MUST_USE;

enum vkr_run_message {
	VKR_RUN_NONE,     // there is no message now
	VKR_RUN_INSTANCE, // a program has made a Vulkan instance under the layer
	VKR_RUN_JUDGE,    // a judge has begun
	VKR_RUN_FAILED,   // a program's run is not recorded, and why
};

// Longer reasons are cut.
#define VKR_RUN_REASON_BYTES 512

// The next message that shows the secret; others are dropped. *connection is the judge's, or -1
// where there is no descriptor left for it. `reason` has room for VKR_RUN_REASON_BYTES.
enum vkr_run_message vkr_run_channel_next(const struct vkr_run_listener *listener, int *connection,
					  char *reason);

// Tells a judge of a signal: a program that lives has got it, too, or has ended.
void vkr_run_channel_signal(int connection, bool program_ended);

// Waits for a judge's verdict; false where it has ended without one.
bool vkr_run_channel_receive(int connection, struct vkr_run_verdict *verdict);

// The judge's side: the connection to the run that the environment names, or -1 for none.
enum vkr_result vkr_run_channel_connect(int *connection, struct vkr_error *error) VKR_MUST_USE;

// What the run wants of the judge; never waits.
enum vkr_run_wish {
	VKR_RUN_NOTHING,
	VKR_RUN_SIGNALED, // there was a signal, which the program has got
	VKR_RUN_STOP,     // there was a signal, and the program has ended
	VKR_RUN_GONE,     // the run has ended
};
enum vkr_run_wish vkr_run_channel_asked(int connection);

void vkr_run_channel_send(int connection, const struct vkr_run_verdict *verdict);

// The layer's side: an instance was made. Nothing where there is no run.
void vkr_run_channel_tell_instance(void);

// The layer's side: nothing is recorded, for this reason.
void vkr_run_channel_tell_failed(const char *reason);
