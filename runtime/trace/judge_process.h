// SPDX-License-Identifier: Apache-2.0
// The judge as a process: starting it beside a program, and the messages between the two. Knows
// processes and sockets, and not what is judged.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// One message a packet of a SOCK_SEQPACKET pair.
enum vkr_judge_message {
	VKR_JUDGE_READY = 'R',   // no text
	VKR_JUDGE_FAILED = 'F',  // why it cannot start
	VKR_JUDGE_RACE = 'M',    // one line about a new group of races
	VKR_JUDGE_VERDICT = 'V', // "groups races incomplete" as numbers
};

// Longer texts are cut at the end: a packet must fit into the socket's buffer
// (net.core.wmem_default, 208 KiB where nobody has lowered it). What is cut is a note of a race;
// the report has it whole.
#define VKR_JUDGE_MESSAGE_BYTES (UINT32_C(64) << 10)

// A program's side.
struct vkr_judge {
	pid_t process;
	int socket;
	uint64_t identity; // of the socket: a program may close it and get its number anew
};

// Makes the socket: the program's end in *judge, the judge's in *other. Both are close-on-exec.
enum vkr_result vkr_judge_connect(struct vkr_judge *judge, int *other,
				  struct vkr_error *error) VKR_MUST_USE;

// Starts the program at `path` with the descriptors in `kept` open. It runs in a session of its own
// and is no child of the caller's: its end sends no signal, and no wait() returns it.
enum vkr_result vkr_judge_spawn(struct vkr_judge *judge, const char *path, char *const *arguments,
				const int *kept, size_t kept_count,
				struct vkr_error *error) VKR_MUST_USE;

// False once the program has closed the socket behind our back.
bool vkr_judge_connected(const struct vkr_judge *judge);

// True once the judge has ended.
bool vkr_judge_gone(const struct vkr_judge *judge);

// Sends a message; false where the other side is gone, or where it does not read and `wait` is
// false.
bool vkr_judge_send(int descriptor, enum vkr_judge_message kind, const char *text, bool wait);

// Sends a message as soon as there is room for it; false where *gone says that nobody reads it any
// more: others than the program may hold its end of the socket open.
bool vkr_judge_send_unless(int descriptor, enum vkr_judge_message kind, const char *text,
			   const _Atomic bool *gone);

// The text of the next message, to be released with free(); NULL where the other side is gone,
// where there is none now and `wait` is false, or for lack of memory.
char *vkr_judge_receive(int descriptor, bool wait, enum vkr_judge_message *kind) VKR_MUST_USE;
