// SPDX-License-Identifier: Apache-2.0
#include "host_signals.h"

#include "host_own_stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

typedef int sigaction_function(int, const struct sigaction *, struct sigaction *);

static bool (*ours)(siginfo_t *info, void *context);
static sigaction_function *real_action;

// The program's handler: two copies, of which `shown` is in use, so that a fault on another thread
// reads a whole one.
static struct sigaction theirs[2];
static _Atomic unsigned shown;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

// As if it had never been ours: the signal ends the process when the instruction faults again.
static void give_up(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	real_action(SIGSEGV, &plain, NULL);
}

// As the kernel would have called it, but for the stack (sigaction(2)).
static void call_theirs(int number, siginfo_t *info, void *context)
{
	const struct sigaction action = theirs[atomic_load(&shown)];
	ucontext_t *at = context;
	if (!(action.sa_flags & SA_SIGINFO) &&
	    (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) {
		// A fault that is ignored ends the process as well (signal(7)); one that was only
		// sent, by kill(2), may be ignored.
		if (action.sa_handler == SIG_DFL || info->si_code > 0)
			give_up();
		if (action.sa_handler == SIG_DFL && info->si_code <= 0)
			raise(SIGSEGV);
		return;
	}
	sigset_t mask, before;
	sigorset(&mask, &at->uc_sigmask, &action.sa_mask);
	if (!(action.sa_flags & SA_NODEFER))
		sigaddset(&mask, SIGSEGV);
	// Mapped memory may be touched in the program's handler.
	sigdelset(&mask, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &mask, &before);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(number, info, context);
	else
		action.sa_handler(number);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct signal_frame {
	siginfo_t *info;
	void *context;
};

static bool call_ours(void *argument)
{
	const struct signal_frame *frame = argument;
	return ours(frame->info, frame->context);
}

// The program's handler runs on the stack that the program chose for it.
static void on_signal(int number, siginfo_t *info, void *context)
{
	const int error = errno;
	struct signal_frame frame = {.info = info, .context = context};
	if (!vkr_own_stack_call(call_ours, &frame))
		call_theirs(number, info, context);
	errno = error;
}

static void keep_theirs(const struct sigaction *action)
{
	const unsigned other = 1 - atomic_load(&shown);
	theirs[other] = *action;
	atomic_store(&shown, other);
}

static bool is_ours(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_signal;
}

// All signals wait while the handler runs: it must not be entered twice on one thread.
static bool install(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
	action.sa_sigaction = on_signal;
	sigfillset(&action.sa_mask);
	if (real_action(SIGSEGV, &action, &old) != 0)
		return false;
	if (!is_ours(&old))
		keep_theirs(&old);
	return true;
}

bool vkr_signals_start(bool (*handle)(siginfo_t *info, void *context))
{
	// The C library's own: a sanitizer's stands in front of it.
	void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *found = library ? dlsym(library, "sigaction") : NULL;
	memcpy(&real_action, &found, sizeof found);
	ours = handle;
	vkr_own_stack_start();
	return real_action && install();
}

void vkr_signals_check(void)
{
	struct sigaction now;
	if (!real_action || real_action(SIGSEGV, NULL, &now) != 0 || is_ours(&now))
		return;
	pthread_mutex_lock(&changing);
	install();
	pthread_mutex_unlock(&changing);
}

int vkr_signals_action(const struct sigaction *set, struct sigaction *get)
{
	pthread_mutex_lock(&changing);
	const struct sigaction old = theirs[atomic_load(&shown)];
	if (set)
		keep_theirs(set);
	pthread_mutex_unlock(&changing);
	if (get)
		*get = old;
	return 0;
}
