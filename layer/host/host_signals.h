// SPDX-License-Identifier: Apache-2.0
// SIGSEGV: ours first, the program's own handler behind it. Knows how handlers are called; not what
// a fault means.
#pragma once

#include <signal.h>
#include <stdbool.h>

// Installs `handle`, which returns false for faults that are the program's: those reach the
// program's handler, or end it as they would have. False where it could not be installed.
bool vkr_signals_start(bool (*handle)(siginfo_t *info, void *context));

// Puts our handler back where something has replaced it; what replaced it gets the program's
// faults.
void vkr_signals_check(void);

// sigaction() of SIGSEGV as the program shall see it: it sets and gets its own handler.
int vkr_signals_action(const struct sigaction *set, struct sigaction *get);
