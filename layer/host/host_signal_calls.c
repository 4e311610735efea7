// SPDX-License-Identifier: Apache-2.0
#include "host_signal_calls.h"

#include "got_patch.h"
#include "host_signals.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

// The C library's functions.
static struct {
	int (*sigaction)(int number, const struct sigaction *set, struct sigaction *get);
	sighandler_t (*signal)(int number, sighandler_t handler);
	sighandler_t (*ssignal)(int number, sighandler_t handler);
	sighandler_t (*bsd_signal)(int number, sighandler_t handler);
	sighandler_t (*sysv_signal)(int number, sighandler_t handler);
	sighandler_t (*__sysv_signal)(int number, sighandler_t handler);
	sighandler_t (*sigset)(int number, sighandler_t handler);
	int (*sigignore)(int number);
	int (*siginterrupt)(int number, int interrupts);
	int (*sighold)(int number);
	int (*sigrelse)(int number);
	int (*sigblock)(int mask);
	int (*sigsetmask)(int mask);
	int (*sigprocmask)(int how, const sigset_t *set, sigset_t *get);
	int (*pthread_sigmask)(int how, const sigset_t *set, sigset_t *get);
	int (*pthread_attr_setsigmask_np)(pthread_attr_t *attributes, const sigset_t *set);
	int (*sigpending)(sigset_t *get);
	int (*sigsuspend)(const sigset_t *set);
	int (*sigwait)(const sigset_t *set, int *number);
	int (*sigwaitinfo)(const sigset_t *set, siginfo_t *info);
	int (*sigtimedwait)(const sigset_t *set, siginfo_t *info, const struct timespec *time);
	int (*ppoll)(struct pollfd *files, nfds_t count, const struct timespec *time,
		     const sigset_t *set);
	int (*pselect)(int count, fd_set *reads, fd_set *writes, fd_set *others,
		       const struct timespec *time, const sigset_t *set);
	int (*epoll_pwait)(int file, struct epoll_event *events, int count, int milliseconds,
			   const sigset_t *set);
	int (*epoll_pwait2)(int file, struct epoll_event *events, int count,
			    const struct timespec *time, const sigset_t *set);
} real;

static bool is_kept(int number)
{
	return number == SIGSEGV || number == VKR_STAND_IN;
}

// A handler of another signal that blocked SIGSEGV could not access mapped memory.
static int our_sigaction(int number, const struct sigaction *set, struct sigaction *get)
{
	struct sigaction copy;
	if (is_kept(number))
		return vkr_signals_action(number, set, get);
	if (set) {
		copy = *set;
		copy.sa_mask = vkr_signals_to_kernel(&copy.sa_mask);
		set = &copy;
	}
	const int done = real.sigaction(number, set, get);
	if (done == 0 && get)
		get->sa_mask = vkr_signals_to_program(&get->sa_mask);
	return done;
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags)
{
	struct sigaction set = {.sa_flags = flags}, get;
	set.sa_handler = handler;
	sigemptyset(&set.sa_mask);
	if (!(flags & SA_NODEFER))
		sigaddset(&set.sa_mask, number);
	return vkr_signals_action(number, &set, &get) == 0 ? get.sa_handler : SIG_ERR;
}

#define WRAP_SIGNAL(name, flags)                                                                   \
	static sighandler_t our_##name(int number, sighandler_t handler)                           \
	{                                                                                          \
		return is_kept(number) ? set_handler(number, handler, flags)                       \
				       : real.name(number, handler);                               \
	}
WRAP_SIGNAL(signal, SA_RESTART)
WRAP_SIGNAL(ssignal, SA_RESTART)
WRAP_SIGNAL(bsd_signal, SA_RESTART)
WRAP_SIGNAL(sysv_signal, (int)SA_RESETHAND | SA_NODEFER)
WRAP_SIGNAL(__sysv_signal, (int)SA_RESETHAND | SA_NODEFER)

// The mask of the kernel. SIGSEGV itself is never blocked, and so never to be unblocked.
static int change_mask(int (*change)(int how, const sigset_t *set, sigset_t *get), int how,
		       const sigset_t *set, sigset_t *get)
{
	sigset_t kernel;
	if (set) {
		kernel = vkr_signals_to_kernel(set);
		set = &kernel;
	}
	const int done = change(how, set, get);
	if (done == 0 && get)
		*get = vkr_signals_to_program(get);
	return done;
}

static int our_sigprocmask(int how, const sigset_t *set, sigset_t *get)
{
	return change_mask(real.sigprocmask, how, set, get);
}

static int our_pthread_sigmask(int how, const sigset_t *set, sigset_t *get)
{
	return change_mask(real.pthread_sigmask, how, set, get);
}

static int our_pthread_attr_setsigmask_np(pthread_attr_t *attributes, const sigset_t *set)
{
	sigset_t kernel;
	if (set) {
		kernel = vkr_signals_to_kernel(set);
		set = &kernel;
	}
	return real.pthread_attr_setsigmask_np(attributes, set);
}

static int change_one(int how, int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	return our_sigprocmask(how, &set, NULL);
}

static int our_sighold(int number)
{
	return number == SIGSEGV ? change_one(SIG_BLOCK, number) : real.sighold(number);
}

static int our_sigrelse(int number)
{
	return number == SIGSEGV ? change_one(SIG_UNBLOCK, number) : real.sigrelse(number);
}

static int our_sigignore(int number)
{
	if (!is_kept(number))
		return real.sigignore(number);
	return set_handler(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

// Sets the handler and unblocks the signal, or blocks it for SIG_HOLD (sigset(3)).
static sighandler_t our_sigset(int number, sighandler_t handler)
{
	struct sigaction old;
	sigset_t one, before;
	if (number != SIGSEGV)
		return real.sigset(number, handler);
	sigemptyset(&one);
	sigaddset(&one, number);
	vkr_signals_action(number, NULL, &old);
	if (handler != SIG_HOLD && set_handler(number, handler, 0) == SIG_ERR)
		return SIG_ERR;
	if (our_sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &one, &before) != 0)
		return SIG_ERR;
	return sigismember(&before, number) == 1 ? SIG_HOLD : old.sa_handler;
}

static int our_siginterrupt(int number, int interrupts)
{
	struct sigaction action;
	if (!is_kept(number))
		return real.siginterrupt(number, interrupts);
	vkr_signals_action(number, NULL, &action);
	action.sa_flags &= ~SA_RESTART;
	action.sa_flags |= interrupts ? 0 : SA_RESTART;
	return vkr_signals_action(number, &action, NULL);
}

// The masks of 4.2BSD hold the signals 1 to 32.
static int change_bits(int how, int mask)
{
	sigset_t set, before;
	unsigned bits = 0;
	sigemptyset(&set);
	for (int number = 1; number <= 32; number++)
		if ((unsigned)mask & 1u << (number - 1))
			sigaddset(&set, number);
	if (our_sigprocmask(how, &set, &before) != 0)
		return -1;
	for (int number = 1; number <= 32; number++)
		if (sigismember(&before, number) == 1)
			bits |= 1u << (number - 1);
	return (int)bits;
}

static int our_sigblock(int mask)
{
	return change_bits(SIG_BLOCK, mask);
}

static int our_sigsetmask(int mask)
{
	return change_bits(SIG_SETMASK, mask);
}

static int our_sigpending(sigset_t *get)
{
	const int done = real.sigpending(get);
	if (done == 0)
		*get = vkr_signals_to_program(get);
	return done;
}

// While it waits, a thread takes SIGSEGV itself, too: our handler would end the wait.
static sigset_t to_wait_for(const sigset_t *set)
{
	sigset_t kernel = vkr_signals_to_kernel(set);
	if (sigismember(set, SIGSEGV) == 1)
		sigaddset(&kernel, SIGSEGV);
	return kernel;
}

static int our_sigwait(const sigset_t *set, int *number)
{
	const sigset_t kernel = to_wait_for(set);
	const int done = real.sigwait(&kernel, number);
	if (done == 0)
		*number = vkr_signals_taken(*number, NULL);
	return done;
}

static int our_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	const sigset_t kernel = to_wait_for(set);
	return vkr_signals_taken(real.sigwaitinfo(&kernel, info), info);
}

static int our_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	const sigset_t kernel = to_wait_for(set);
	return vkr_signals_taken(real.sigtimedwait(&kernel, info, time), info);
}

static int our_sigsuspend(const sigset_t *set)
{
	const sigset_t kernel = vkr_signals_to_kernel(set);
	return real.sigsuspend(&kernel);
}

// Calls that wait with a mask of their own, or with the thread's for NULL.
#define WRAP_MASKED(name, parameters, arguments)                                                   \
	static int our_##name parameters                                                           \
	{                                                                                          \
		sigset_t kernel;                                                                   \
		if (set) {                                                                         \
			kernel = vkr_signals_to_kernel(set);                                       \
			set = &kernel;                                                             \
		}                                                                                  \
		return real.name arguments;                                                        \
	}
WRAP_MASKED(ppoll,
	    (struct pollfd * files, nfds_t count, const struct timespec *time, const sigset_t *set),
	    (files, count, time, set))
WRAP_MASKED(pselect,
	    (int count, fd_set *reads, fd_set *writes, fd_set *others, const struct timespec *time,
	     const sigset_t *set),
	    (count, reads, writes, others, time, set))
WRAP_MASKED(epoll_pwait,
	    (int file, struct epoll_event *events, int count, int milliseconds,
	     const sigset_t *set),
	    (file, events, count, milliseconds, set))
WRAP_MASKED(epoll_pwait2,
	    (int file, struct epoll_event *events, int count, const struct timespec *time,
	     const sigset_t *set),
	    (file, events, count, time, set))

#define EACH(X)                                                                                    \
	X(sigaction)                                                                               \
	X(signal)                                                                                  \
	X(ssignal)                                                                                 \
	X(bsd_signal)                                                                              \
	X(sysv_signal)                                                                             \
	X(__sysv_signal)                                                                           \
	X(sigset)                                                                                  \
	X(sigignore)                                                                               \
	X(siginterrupt)                                                                            \
	X(sighold)                                                                                 \
	X(sigrelse)                                                                                \
	X(sigblock)                                                                                \
	X(sigsetmask)                                                                              \
	X(sigprocmask)                                                                             \
	X(pthread_sigmask)                                                                         \
	X(pthread_attr_setsigmask_np)                                                              \
	X(sigpending)                                                                              \
	X(sigsuspend)                                                                              \
	X(sigwait)                                                                                 \
	X(sigwaitinfo)                                                                             \
	X(sigtimedwait)                                                                            \
	X(ppoll)                                                                                   \
	X(pselect)                                                                                 \
	X(epoll_pwait)                                                                             \
	X(epoll_pwait2)

bool vkr_signal_calls_start(void)
{
#define PATCH(name) {#name, (void (*)(void))our_##name, (void (**)(void)) & real.name},
	static const struct vkr_got_patch patches[] = {EACH(PATCH)};
#undef PATCH
	return vkr_got_patch_add(patches, sizeof patches / sizeof *patches, NULL);
}
