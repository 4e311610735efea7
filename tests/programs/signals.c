// SPDX-License-Identifier: Apache-2.0
// Deprecated functions are used by programs as well.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES 65536
#define SIGNAL      SIGSEGV

// What the child saw, where its parent reads it however the child ends.
static struct {
	char text[4096];
	size_t used;
} * events;

static char *closed_page; // a fault at each access
static char *alternate;   // a stack
static pthread_t main_thread;

static void note(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const size_t room = sizeof events->text - events->used;
	const int length = vsnprintf(events->text + events->used, room, format, arguments);
	events->used += (size_t)length < room ? (size_t)length : room - 1;
	va_end(arguments);
}

static bool is_blocked(int number)
{
	sigset_t mask;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	return sigismember(&mask, number) == 1;
}

static void set_blocked(int how, int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(how, &set, NULL);
}

static bool is_pending(void)
{
	sigset_t set;
	sigpending(&set);
	return sigismember(&set, SIGNAL) == 1;
}

static void note_action(const char *what)
{
	struct sigaction now;
	sigaction(SIGNAL, NULL, &now);
	note(" %s:%s,%x", what,
	     now.sa_handler == SIG_DFL   ? "default"
	     : now.sa_handler == SIG_IGN ? "ignored"
					 : "handler",
	     (unsigned)now.sa_flags &
		     ((unsigned)SA_RESETHAND | SA_NODEFER | SA_ONSTACK | SA_SIGINFO));
}

enum cause { RAISE, KILL, PTHREAD_KILL, SIGQUEUE, FAULT, CAUSES };
static const char *const cause_names[] = {"raise", "kill", "pthread_kill", "sigqueue", "fault"};

enum ending { RETURNS, JUMPS, JUMPS_WITH_MASK, EXITS, RESTORES_DEFAULT, RAISES_AGAIN, ENDINGS };
static const char *const ending_names[] = {"returns", "jumps",    "jumps with mask",
					   "exits",   "restores", "raises"};

static enum cause cause;
static enum ending ending;
static int handled;
static jmp_buf back;
static sigjmp_buf back_with_mask;

static void signal_once(enum cause by)
{
	switch (by) {
	case RAISE:
		raise(SIGNAL);
		return;
	case KILL:
		kill(getpid(), SIGNAL);
		return;
	case PTHREAD_KILL:
		pthread_kill(main_thread, SIGNAL);
		return;
	case SIGQUEUE:
		sigqueue(getpid(), SIGNAL, (union sigval){.sival_int = 77});
		return;
	case FAULT:
	case CAUSES:
		*(volatile char *)(closed_page + 12) = 1;
		return;
	}
}

static bool on_alternate(void)
{
	volatile char here = 0;
	const uintptr_t at = (uintptr_t)&here, start = (uintptr_t)alternate;
	return at - start < STACK_BYTES;
}

static void end_handler(void)
{
	// A fault that nobody mends comes back for ever.
	if (handled == 4)
		mprotect(closed_page, 4096, PROT_READ | PROT_WRITE);
	if (handled == 6)
		_exit(6);
	switch (ending) {
	case RETURNS:
	case ENDINGS:
		return;
	case JUMPS:
		longjmp(back, 1);
	case JUMPS_WITH_MASK:
		siglongjmp(back_with_mask, 1);
	case EXITS:
		_exit(5);
	case RESTORES_DEFAULT:
		signal(SIGNAL, SIG_DFL);
		return;
	case RAISES_AGAIN:
		if (handled < 3)
			raise(SIGNAL);
		return;
	}
}

static void note_handled(int number)
{
	handled++;
	note(" [%d%s%s%s", number == SIGNAL, on_alternate() ? " alternate" : "",
	     is_blocked(SIGNAL) ? " blocked" : "", is_blocked(SIGUSR2) ? " masked" : "");
	note_action("now");
}

static void on_plain(int number)
{
	note_handled(number);
	note("]");
	end_handler();
}

static void on_info(int number, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	note_handled(number);
	note(" code %d signal %d errno %d", info->si_code, info->si_signo == SIGNAL,
	     info->si_errno);
	if (info->si_code > 0)
		note(" at %ld trap %d error %d",
		     info->si_addr ? (long)((char *)info->si_addr - closed_page) : -1L,
		     (int)at->uc_mcontext.gregs[REG_TRAPNO], (int)at->uc_mcontext.gregs[REG_ERR]);
	else
		note(" own %d value %d", info->si_pid == getpid(),
		     info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
	note(" returns to %d]", sigismember(&at->uc_sigmask, SIGNAL));
	end_handler();
}

static void use_alternate_stack(void)
{
	const stack_t stack = {.ss_sp = alternate, .ss_size = STACK_BYTES};
	sigaltstack(&stack, NULL);
}

// handler NULL: one of the two above.
static void install(sighandler_t handler, unsigned flags)
{
	struct sigaction action = {.sa_flags = (int)flags};
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR2);
	if (flags & SA_SIGINFO)
		action.sa_sigaction = on_info;
	else
		action.sa_handler = on_plain;
	if (handler != on_plain)
		action.sa_handler = handler;
	if (sigaction(SIGNAL, &action, NULL) != 0)
		note(" sigaction failed");
}

// Twice: what the first one leaves behind decides about the second one.
static void meet(bool blocked)
{
	volatile int round = 0;
	if (blocked)
		set_blocked(SIG_BLOCK, SIGNAL);
	(void)setjmp(back);
	(void)sigsetjmp(back_with_mask, 1);
	while (round < 2) {
		round++;
		signal_once(cause);
		note(" pending %d blocked %d", is_pending(), is_blocked(SIGNAL));
		note_action("after");
	}
	round = 2;
	if (blocked)
		set_blocked(SIG_UNBLOCK, SIGNAL);
	note(" at the end");
	note_action("it is");
}

static void print_child(const char *name, pid_t child)
{
	int status = 0;
	waitpid(child, &status, 0);
	printf("%s:%s", name, events->text);
	if (WIFSIGNALED(status))
		printf(" killed by %d\n", WTERMSIG(status));
	else
		printf(" exit %d\n", WEXITSTATUS(status));
}

static pid_t begin(void)
{
	memset(events, 0, sizeof *events);
	fflush(stdout);
	const pid_t child = fork();
	if (child != 0)
		return child;
	const struct rlimit no_core = {0, 0};
	setrlimit(RLIMIT_CORE, &no_core);
	alarm(20);
	main_thread = pthread_self();
	use_alternate_stack();
	return 0;
}

static void try_one(const char *name, sighandler_t handler, unsigned flags, bool blocked)
{
	char text[256];
	snprintf(text, sizeof text, "%s%s %s, %s", name, blocked ? " blocked" : "",
		 cause_names[cause], ending_names[ending]);
	const pid_t child = begin();
	if (child == 0) {
		install(handler, flags);
		meet(blocked);
		_exit(0);
	}
	print_child(text, child);
}

static void try_matrix(void)
{
	static const unsigned bits[] = {(unsigned)SA_RESETHAND, SA_NODEFER, SA_ONSTACK, SA_SIGINFO};
	for (unsigned way = 0; way < 16 * CAUSES * ENDINGS * 2; way++) {
		unsigned flags = 0;
		char name[64];
		cause = (enum cause)(way / 32 % CAUSES);
		ending = (enum ending)(way / 32 / CAUSES);
		for (unsigned bit = 0; bit < 4; bit++)
			flags |= way & 1u << bit ? bits[bit] : 0;
		snprintf(name, sizeof name, "%s%s%s%s", way & 1 ? "reset " : "",
			 way & 2 ? "nodefer " : "", way & 4 ? "onstack " : "",
			 way & 8 ? "info " : "");
		try_one(name, on_plain, flags, way & 16);
	}
	ending = RETURNS;
	for (unsigned way = 0; way < CAUSES * 8; way++) {
		cause = (enum cause)(way / 8);
		try_one(way & 2 ? "ignored" : "default", way & 2 ? SIG_IGN : SIG_DFL,
			way & 4 ? SA_SIGINFO : 0, way & 1);
	}
}

// Ways to wait for the signal, or for others while it is there.

static sigset_t only_signal(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGNAL);
	return set;
}

static void wait_pending(void)
{
	const sigset_t set = only_signal();
	int number = 0;
	set_blocked(SIG_BLOCK, SIGNAL);
	raise(SIGNAL);
	raise(SIGNAL);
	note(" pending %d", is_pending());
	note(" sigwait %d", sigwait(&set, &number));
	note(" %d pending %d", number == SIGNAL, is_pending());
}

static void *send_later(void *unused)
{
	usleep(20000);
	kill(getpid(), SIGNAL);
	return unused;
}

static void *send_to_main_later(void *unused)
{
	usleep(20000);
	pthread_sigqueue(main_thread, SIGNAL, (union sigval){.sival_int = 5});
	return unused;
}

static void wait_for_other(void *(*send)(void *))
{
	const sigset_t set = only_signal();
	siginfo_t info = {0};
	pthread_t other;
	set_blocked(SIG_BLOCK, SIGNAL);
	pthread_create(&other, NULL, send, NULL);
	const int number = sigwaitinfo(&set, &info);
	note(" sigwaitinfo %d signal %d code %d errno %d pending %d", number == SIGNAL,
	     info.si_signo == SIGNAL, info.si_code, info.si_errno, is_pending());
	pthread_join(other, NULL);
}

static void wait_for_process(void)
{
	wait_for_other(send_later);
}

static void wait_for_thread(void)
{
	wait_for_other(send_to_main_later);
}

static void wait_with_time(void)
{
	const sigset_t set = only_signal();
	const struct timespec none = {0};
	siginfo_t info = {0};
	set_blocked(SIG_BLOCK, SIGNAL);
	note(" nothing %d", sigtimedwait(&set, &info, &none) == -1 && errno == EAGAIN);
	sigqueue(getpid(), SIGNAL, (union sigval){.sival_int = 9});
	note(" %d", sigtimedwait(&set, &info, &none) == SIGNAL);
	note(" value %d signal %d", info.si_value.sival_int, info.si_signo == SIGNAL);
}

static void *wait_in_thread(void *unused)
{
	const sigset_t set = only_signal();
	int number = 0;
	note(" inherited %d", is_blocked(SIGNAL));
	sigwait(&set, &number);
	note(" other thread %d", number == SIGNAL);
	return unused;
}

// A thread of its own for all signals, as many programs have it.
static void wait_by_thread(void)
{
	pthread_t other;
	set_blocked(SIG_BLOCK, SIGNAL);
	pthread_create(&other, NULL, wait_in_thread, NULL);
	kill(getpid(), SIGNAL);
	pthread_join(other, NULL);
	note(" pending %d", is_pending());
}

static volatile bool done;

static void *handle_in_thread(void *unused)
{
	set_blocked(SIG_UNBLOCK, SIGNAL);
	while (!done)
		usleep(1000);
	return unused;
}

static void on_thread(int number)
{
	note(" [%d main %d]", number == SIGNAL, pthread_self() == main_thread);
	done = true;
}

// Sent to the process, the signal goes to a thread that does not block it.
static void handled_by_thread(void)
{
	pthread_t other;
	signal(SIGNAL, on_thread);
	set_blocked(SIG_BLOCK, SIGNAL);
	kill(getpid(), SIGNAL);
	note(" pending %d", is_pending());
	pthread_create(&other, NULL, handle_in_thread, NULL);
	pthread_join(other, NULL);
	note(" pending %d", is_pending());
}

// Sent to a thread that blocks it, it waits there.
static void waits_in_thread(void)
{
	pthread_t other;
	pthread_create(&other, NULL, handle_in_thread, NULL);
	signal(SIGNAL, on_thread);
	set_blocked(SIG_BLOCK, SIGNAL);
	raise(SIGNAL);
	usleep(20000);
	note(" pending %d done %d", is_pending(), done);
	set_blocked(SIG_UNBLOCK, SIGNAL);
	pthread_join(other, NULL);
}

static void *fault_in_thread(void *unused)
{
	*(volatile char *)(closed_page + 12) = 1;
	return unused;
}

static void fault_of_thread(void)
{
	pthread_t other;
	install(on_plain, SA_SIGINFO);
	pthread_create(&other, NULL, fault_in_thread, NULL);
	pthread_join(other, NULL);
	note(" joined");
}

static void suspend(void)
{
	sigset_t none;
	sigemptyset(&none);
	signal(SIGNAL, on_plain);
	set_blocked(SIG_BLOCK, SIGNAL);
	raise(SIGNAL);
	const int result = sigsuspend(&none);
	note(" sigsuspend %d %d", result, errno == EINTR);
	note(" blocked %d", is_blocked(SIGNAL));
}

static void poll_with_mask(void)
{
	sigset_t none;
	const struct timespec at_once = {0};
	sigemptyset(&none);
	signal(SIGNAL, on_plain);
	set_blocked(SIG_BLOCK, SIGNAL);
	raise(SIGNAL);
	note(" ppoll %d", ppoll(NULL, 0, NULL, &none));
	raise(SIGNAL);
	note(" pselect %d", pselect(0, NULL, NULL, NULL, NULL, &none));
	raise(SIGNAL);
	struct epoll_event event;
	const int file = epoll_create1(0);
	note(" epoll_pwait %d", epoll_pwait(file, &event, 1, -1, &none));
	none = only_signal();
	raise(SIGNAL);
	note(" blocked %d", ppoll(NULL, 0, &at_once, &none));
}

static void drop_ignored(void)
{
	set_blocked(SIG_BLOCK, SIGNAL);
	signal(SIGNAL, on_plain);
	raise(SIGNAL);
	signal(SIGNAL, SIG_IGN);
	note(" pending %d", is_pending());
	raise(SIGNAL);
	note(" pending %d", is_pending());
	signal(SIGNAL, on_plain);
	set_blocked(SIG_UNBLOCK, SIGNAL);
}

static void handlers_returned(void)
{
	note(" %d", signal(SIGNAL, on_plain) == SIG_DFL);
	note(" %d", signal(SIGNAL, SIG_IGN) == on_plain);
	note(" %d", sysv_signal(SIGNAL, on_plain) == SIG_IGN);
	note_action("sysv_signal");
	raise(SIGNAL);
	note_action("then");
	note(" %d %d", sigaction(0, NULL, NULL) == -1, signal(SIGKILL, on_plain) == SIG_ERR);
}

// 8 KiB a call, until the stack ends: volatile, so that no call is a jump.
static volatile int depth;

static int overflow(int level)
{
	volatile char room[8192];
	room[level % 8192] = (char)level;
	if (depth < 0)
		return room[0];
	return overflow(level + 1) + room[level % 8192];
}

static void on_overflow(int number)
{
	note(" [%d alternate %d]", number == SIGNAL, on_alternate());
	_exit(9);
}

static void *overflow_in_thread(void *stack)
{
	if (stack)
		use_alternate_stack();
	note(" %d", overflow(0));
	return NULL;
}

static void overflow_stack(unsigned flags, bool has_alternate)
{
	struct sigaction action = {.sa_flags = (int)flags};
	pthread_attr_t small;
	pthread_t other;
	action.sa_handler = on_overflow;
	sigaction(SIGNAL, &action, NULL);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 18);
	pthread_create(&other, &small, overflow_in_thread, has_alternate ? &small : NULL);
	pthread_join(other, NULL);
}

static void overflow_on_alternate(void)
{
	overflow_stack(SA_ONSTACK, true);
}

static void overflow_without_flag(void)
{
	overflow_stack(0, true);
}

static void overflow_without_stack(void)
{
	overflow_stack(SA_ONSTACK, false);
}

static void on_other(int number)
{
	struct sigaction other;
	sigaction(SIGUSR1, NULL, &other);
	note(" [%d blocked %d in mask %d", number, is_blocked(SIGNAL),
	     sigismember(&other.sa_mask, SIGNAL));
	raise(SIGNAL);
	note(" pending %d]", is_pending());
}

static void other_handler_blocks(void)
{
	struct sigaction action = {.sa_handler = on_other};
	sigfillset(&action.sa_mask);
	signal(SIGNAL, on_plain);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	note(" blocked %d", is_blocked(SIGNAL));
}

static void on_context(int number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;
	(void)number;
	(void)info;
	sigaddset(&at->uc_sigmask, SIGNAL);
}

static void mask_by_context(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};
	action.sa_sigaction = on_context;
	sigaction(SIGNAL, &action, NULL);
	raise(SIGNAL);
	note(" blocked %d", is_blocked(SIGNAL));
	raise(SIGNAL);
	note(" pending %d", is_pending());
}

static void on_stack_fault(int number)
{
	(void)number;
	note(" [other]");
}

// The signal whose part in the kernel another one could take.
static void other_signals(void)
{
	struct sigaction get;
	signal(SIGNAL, on_plain);
	signal(SIGSTKFLT, on_stack_fault);
	sigaction(SIGSTKFLT, NULL, &get);
	note(" set %d", get.sa_handler == on_stack_fault);
	raise(SIGSTKFLT);
	raise(SIGNAL);
	signal(SIGSTKFLT, SIG_IGN);
	raise(SIGSTKFLT);
	signal(SIGSTKFLT, SIG_DFL);
	raise(SIGSTKFLT);
	note(" alive");
}

// As libraries that report crashes do it: the one that was there before is called.
static struct sigaction former;

static void on_chained(int number, siginfo_t *info, void *context)
{
	note(" [chained]");
	sigaction(SIGNAL, &former, NULL);
	if (former.sa_flags & SA_SIGINFO)
		former.sa_sigaction(number, info, context);
	else if (info->si_code <= 0)
		raise(SIGNAL);
}

static void chain(bool faults)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
	action.sa_sigaction = on_chained;
	sigaction(SIGNAL, &action, &former);
	signal_once(faults ? FAULT : RAISE);
	note(" alive");
}

static void chain_fault(void)
{
	chain(true);
}

static void chain_raise(void)
{
	chain(false);
}

static void wild_address(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};
	action.sa_sigaction = on_info;
	ending = EXITS;
	sigaction(SIGNAL, &action, NULL);
	// Not canonical: the processor tells no address (SI_KERNEL).
	*(volatile char *)((uintptr_t)1 << 60) = 1;
}

static void hold(void)
{
	signal(SIGNAL, on_plain);
	sighold(SIGNAL);
	note(" held %d", is_blocked(SIGNAL));
	note(" sigset %d", sigset(SIGNAL, on_plain) == SIG_HOLD);
	note(" held %d", is_blocked(SIGNAL));
	note(" sigblock %x", sigblock(1 << (SIGNAL - 1)));
	note(" sigsetmask %x", sigsetmask(0));
	note(" held %d", is_blocked(SIGNAL));
	sigset(SIGNAL, SIG_HOLD);
	note(" held %d", is_blocked(SIGNAL));
	sigrelse(SIGNAL);
	note(" held %d", is_blocked(SIGNAL));
	sigignore(SIGNAL);
	note_action("sigignore");
}

// A pipe that another thread's signal interrupts, or not.
static void *interrupt_main(void *unused)
{
	usleep(20000);
	pthread_kill(main_thread, SIGNAL);
	usleep(20000);
	done = true;
	return unused;
}

static void interrupt(int interrupts)
{
	const struct timespec time = {.tv_nsec = 100000000};
	int ends[2];
	char byte;
	pthread_t other;
	signal(SIGNAL, on_plain);
	siginterrupt(SIGNAL, interrupts);
	if (pipe(ends) != 0)
		_exit(1);
	pthread_create(&other, NULL, interrupt_main, NULL);
	if (interrupts) {
		const ssize_t result = read(ends[0], &byte, 1);
		note(" read %zd %d", result, errno == EINTR);
	} else {
		// Never begun again, whatever the handler's flags are (signal(7)).
		note(" nanosleep %d", nanosleep(&time, NULL));
	}
	pthread_join(other, NULL);
}

static void interrupts_read(void)
{
	interrupt(1);
}

static void interrupts_sleep(void)
{
	interrupt(0);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{"sigwait of a pending one", wait_pending},
	{"sigwaitinfo, sent to the process", wait_for_process},
	{"sigwaitinfo, sent to the thread", wait_for_thread},
	{"sigtimedwait", wait_with_time},
	{"a thread for signals", wait_by_thread},
	{"another thread handles it", handled_by_thread},
	{"it waits in its thread", waits_in_thread},
	{"a fault of another thread", fault_of_thread},
	{"sigsuspend", suspend},
	{"waiting with a mask", poll_with_mask},
	{"ignoring drops", drop_ignored},
	{"signal and sysv_signal", handlers_returned},
	{"overflow, alternate stack", overflow_on_alternate},
	{"overflow, no SA_ONSTACK", overflow_without_flag},
	{"overflow, no alternate stack", overflow_without_stack},
	{"another handler blocks it", other_handler_blocks},
	{"blocked by the context", mask_by_context},
	{"SIGSTKFLT", other_signals},
	{"a chain, fault", chain_fault},
	{"a chain, raise", chain_raise},
	{"no canonical address", wild_address},
	{"holding", hold},
	{"interrupted read", interrupts_read},
	{"interrupted sleep", interrupts_sleep},
};

void signals_all(void)
{
	events = mmap(NULL, sizeof *events, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	closed_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	alternate =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (events == MAP_FAILED || closed_page == MAP_FAILED || alternate == MAP_FAILED)
		exit(EXIT_FAILURE);
	try_matrix();
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		const pid_t child = begin();
		if (child == 0) {
			ending = RETURNS;
			ways[i].run();
			_exit(0);
		}
		print_child(ways[i].name, child);
	}
	fflush(stdout);
}
