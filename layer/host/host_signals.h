// SPDX-License-Identifier: Apache-2.0
// SIGSEGV: our handler first, then the program's own disposition. Knows how signals are delivered;
// not what a fault means.
//
// SIGSEGV stays unblocked and handled in every thread; otherwise a fault in watched memory would
// end the process. For the program's own SIGSEGV the kernel uses another signal, VKR_STAND_IN, in
// its place: a SIGSEGV that is not ours is queued again as that signal, with the flags, the stack
// and the blocked bit that the program set for SIGSEGV. So the kernel keeps pending signals, new
// threads inherit the blocked bit, and siglongjmp() restores it. The program sees SIGSEGV
// throughout.
#pragma once

#include <signal.h>
#include <stdbool.h>

// Neither Linux nor a library sends it. As SIGSEGV it is pending once at most.
#define VKR_STAND_IN SIGSTKFLT

// Installs `handle`, which returns false for faults that are the program's: those do what they
// would have done without it. False where it could not be installed.
bool vkr_signals_start(bool (*handle)(siginfo_t *info, void *context));

// Puts our handler back where something has replaced it; what replaced it gets the program's
// faults.
void vkr_signals_check(void);

// sigaction() of SIGSEGV or of VKR_STAND_IN as the program shall see it: it sets and gets its own.
int vkr_signals_action(int number, const struct sigaction *set, struct sigaction *get);

// A set of the program's as the kernel shall have it, and back.
sigset_t vkr_signals_to_kernel(const sigset_t *set);
sigset_t vkr_signals_to_program(const sigset_t *set);

// Translates the result of a wait for signals to what the program must see: the number, and *info
// if it is not NULL.
int vkr_signals_taken(int number, siginfo_t *info);
