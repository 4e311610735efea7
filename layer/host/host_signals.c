// SPDX-License-Identifier: Apache-2.0
#include "host_signals.h"

#include "host_own_stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

typedef int sigaction_function(int, const struct sigaction *, struct sigaction *);

// In si_errno, which neither faults nor senders use: a SIGSEGV that was queued again.
#define FORWARDED 0x766b7253

static bool (*ours)(siginfo_t *info, void *context);
static sigaction_function *real_action;

// The program's dispositions for SIGSEGV and for VKR_STAND_IN. Protected by `changing`, which is
// held with all signals blocked, because handlers take it, too.
static struct sigaction for_segv, for_stand_in;
static atomic_flag changing = ATOMIC_FLAG_INIT;

// A fault on its way from our handler to the program's: the mask it is to return to. Nothing but
// VKR_STAND_IN is delivered to its thread in between.
static _Thread_local struct {
	bool under_way;
	sigset_t mask;
} fault __attribute__((tls_model("initial-exec")));

// The kernel writes this much of a context's signal mask, and other data after it.
#define KERNEL_MASK_BYTES (_NSIG / 8)

static sigset_t context_mask(const ucontext_t *at)
{
	sigset_t mask;
	sigemptyset(&mask);
	memcpy(&mask, &at->uc_sigmask, KERNEL_MASK_BYTES);
	return mask;
}

static void set_context_mask(ucontext_t *at, const sigset_t *mask)
{
	memcpy(&at->uc_sigmask, mask, KERNEL_MASK_BYTES);
}

static void host_signals_lock(sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	while (atomic_flag_test_and_set_explicit(&changing, memory_order_acquire))
		sched_yield();
}

static void host_signals_unlock(const sigset_t *before)
{
	atomic_flag_clear_explicit(&changing, memory_order_release);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static struct sigaction *program_action(int number)
{
	return number == SIGSEGV ? &for_segv : &for_stand_in;
}

// SIG_DFL or SIG_IGN, with or without SA_SIGINFO, as the kernel sees it.
static bool is_plain(const struct sigaction *action, sighandler_t handler)
{
	return action->sa_handler == handler;
}

sigset_t vkr_signals_to_kernel(const sigset_t *set)
{
	sigset_t kernel = *set;
	sigdelset(&kernel, SIGSEGV);
	sigdelset(&kernel, VKR_STAND_IN);
	if (sigismember(set, SIGSEGV) == 1)
		sigaddset(&kernel, VKR_STAND_IN);
	return kernel;
}

sigset_t vkr_signals_to_program(const sigset_t *set)
{
	sigset_t program = *set;
	sigdelset(&program, VKR_STAND_IN);
	if (sigismember(set, VKR_STAND_IN) == 1)
		sigaddset(&program, SIGSEGV);
	return program;
}

int vkr_signals_taken(int number, siginfo_t *info)
{
	if (number != VKR_STAND_IN)
		return number;
	if (info && info->si_errno == FORWARDED)
		info->si_errno = 0;
	if (info)
		info->si_signo = SIGSEGV;
	return SIGSEGV;
}

// To one thread of this process, or to any of them.
static void host_signals_queue(int number, siginfo_t *info, bool to_thread)
{
	if (to_thread)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), number, info);
	else
		syscall(SYS_rt_sigqueueinfo, getpid(), number, info);
}

// By the signal itself, whose default that is: it is delivered when the handler that asks for this
// returns to *at.
static void end_process(int number, siginfo_t *info, ucontext_t *at)
{
	const struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t mask = context_mask(at);
	real_action(number, &plain, NULL);
	sigdelset(&mask, number);
	set_context_mask(at, &mask);
	info->si_signo = number;
	host_signals_queue(number, info, true);
}

// A fault cannot wait, nor be ignored (signal(7)): where nobody handles it, it ends the process. A
// signal that was sent is blocked, ignored or handled as its stand-in is.
static void host_signals_forward(siginfo_t *info, ucontext_t *at)
{
	const bool sent = info->si_code <= 0;
	sigset_t mask = context_mask(at), before;
	const bool blocked = sigismember(&mask, VKR_STAND_IN) == 1;
	host_signals_lock(&before);
	const bool by_default = is_plain(&for_segv, SIG_DFL);
	const bool ignored = is_plain(&for_segv, SIG_IGN);
	host_signals_unlock(&before);
	if (sent ? by_default && !blocked : by_default || ignored || blocked) {
		end_process(SIGSEGV, info, at);
		return;
	}
	// Of the signals that are sent, only those of tgkill() name a thread; any other may go to
	// any thread that does not block it.
	info->si_errno = FORWARDED;
	host_signals_queue(VKR_STAND_IN, info, !sent || !blocked || info->si_code == SI_TKILL);
	if (sent)
		return;
	// Its handler shall be entered from the instruction that faulted, and not from another
	// signal's handler.
	fault.under_way = true;
	fault.mask = mask;
	sigfillset(&mask);
	sigdelset(&mask, VKR_STAND_IN);
	set_context_mask(at, &mask);
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

static void on_segv(int number, siginfo_t *info, void *context)
{
	const int error = errno;
	struct signal_frame frame = {.info = info, .context = context};
	(void)number;
	if (!vkr_own_stack_call(call_ours, &frame))
		host_signals_forward(info, context);
	errno = error;
}

// The program's action as the kernel would have taken it for a delivery.
static struct sigaction take_action(int number)
{
	struct sigaction *action = program_action(number);
	sigset_t before;
	host_signals_lock(&before);
	const struct sigaction taken = *action;
	if ((unsigned)action->sa_flags & SA_RESETHAND)
		action->sa_handler = SIG_DFL;
	host_signals_unlock(&before);
	return taken;
}

// On the stack that the program chose, with all signals blocked until its own mask stands.
static void on_stand_in(int number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;
	if (info->si_errno == FORWARDED)
		number = vkr_signals_taken(number, info);
	if (fault.under_way)
		set_context_mask(at, &fault.mask);
	fault.under_way = false;
	const struct sigaction action = take_action(number);
	if (is_plain(&action, SIG_IGN))
		return;
	if (is_plain(&action, SIG_DFL)) {
		end_process(number, info, at);
		return;
	}
	const sigset_t before = context_mask(at), asked = vkr_signals_to_kernel(&action.sa_mask);
	sigset_t mask, back = vkr_signals_to_program(&before);
	sigorset(&mask, &before, &asked);
	if (!(action.sa_flags & SA_NODEFER))
		sigaddset(&mask, VKR_STAND_IN);
	set_context_mask(at, &back);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(number, info, context);
	else
		action.sa_handler(number);
	// The program may have changed it.
	back = context_mask(at);
	back = vkr_signals_to_kernel(&back);
	set_context_mask(at, &back);
}

static bool is_ours(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_segv;
}

// Calls that SIGSEGV interrupts go on, or fail with EINTR, by what our handler asks for; what the
// stand-in asks for is the stack. Called under `changing`.
static bool host_signals_install(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigfillset(&action.sa_mask);
	if ((for_segv.sa_flags & SA_RESTART) || is_plain(&for_segv, SIG_IGN))
		action.sa_flags |= SA_RESTART;
	action.sa_sigaction = on_segv;
	if (real_action(SIGSEGV, &action, NULL) != 0)
		return false;
	action.sa_flags = SA_SIGINFO | (for_segv.sa_flags & (SA_ONSTACK | SA_RESTART));
	action.sa_sigaction = on_stand_in;
	if (is_plain(&for_segv, SIG_IGN)) {
		// A pending signal is dropped (sigaction(2)).
		action.sa_flags = 0;
		action.sa_handler = SIG_IGN;
	}
	return real_action(VKR_STAND_IN, &action, NULL) == 0;
}

// Masks that were set before ours was installed.
static void translate_masks(void)
{
	struct sigaction action;
	sigset_t mask;
	for (int number = 1; number <= SIGRTMAX; number++)
		if (number != SIGSEGV && number != VKR_STAND_IN &&
		    real_action(number, NULL, &action) == 0 && !is_plain(&action, SIG_DFL) &&
		    !is_plain(&action, SIG_IGN) && sigismember(&action.sa_mask, SIGSEGV) == 1) {
			action.sa_mask = vkr_signals_to_kernel(&action.sa_mask);
			real_action(number, &action, NULL);
		}
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	mask = vkr_signals_to_kernel(&mask);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

bool vkr_signals_start(bool (*handle)(siginfo_t *info, void *context))
{
	// The C library's own: a sanitizer's stands in front of it.
	void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *found = library ? dlsym(library, "sigaction") : NULL;
	sigset_t before;
	memcpy(&real_action, &found, sizeof found);
	ours = handle;
	vkr_own_stack_start();
	if (!real_action)
		return false;
	host_signals_lock(&before);
	const bool done = real_action(SIGSEGV, NULL, &for_segv) == 0 &&
			  real_action(VKR_STAND_IN, NULL, &for_stand_in) == 0 &&
			  host_signals_install();
	host_signals_unlock(&before);
	if (done)
		translate_masks();
	return done;
}

void vkr_signals_check(void)
{
	struct sigaction now;
	sigset_t before;
	if (!real_action || real_action(SIGSEGV, NULL, &now) != 0 || is_ours(&now))
		return;
	host_signals_lock(&before);
	for_segv = now;
	host_signals_install();
	host_signals_unlock(&before);
}

int vkr_signals_action(int number, const struct sigaction *set, struct sigaction *get)
{
	struct sigaction *action = program_action(number);
	sigset_t before;
	host_signals_lock(&before);
	const struct sigaction old = *action;
	if (set)
		*action = *set;
	const bool done = !set || number != SIGSEGV || host_signals_install();
	host_signals_unlock(&before);
	if (get)
		*get = old;
	return done ? 0 : -1;
}
