// SPDX-License-Identifier: Apache-2.0
#include "judge_watch.h"

#include "commands.h"
#include "error.h"
#include "run_channel.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

// How often the watch looks up by itself: at a program that has ended its record, for progress, to
// write what the trace's file lacks, and, where the kernel does not tell (pidfd, Linux 5.3), for
// the program's end.
#define LOOK_MS 1000

// Of a judgement that nobody waits for, between its stop and the end of its process.
#define GRACE_MS 10000

// Between the program's end and the first word of progress; doubled after each where it is no
// terminal.
#define PROGRESS_MS 5000

static uint64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void watched_signals(sigset_t *signals)
{
	static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigemptyset(signals);
	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
		sigaddset(signals, watched[i]);
}

void vkr_judge_watch_block(void)
{
	sigset_t signals;
	watched_signals(&signals);
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
}

// As one text, which is one write: the program prints, too, and newer C libraries write what they
// format in pieces.
static void print_line(struct vkr_judge_watch *watch, const char *line)
{
	char *whole = NULL;
	pthread_mutex_lock(&watch->lock);
	if (!watch->reporting) {
		const char *clear = watch->on_line ? "\r\033[K" : "";
		if (asprintf(&whole, "%s%s\n", clear, line) >= 0) {
			fputs(whole, stderr);
			free(whole);
		} else {
			fprintf(stderr, "%s%s\n", clear, line);
		}
	}
	watch->on_line = false;
	pthread_mutex_unlock(&watch->lock);
}

static void judge_watch_say(struct vkr_judge_watch *watch, const char *line)
{
	if (!watch->quiet)
		print_line(watch, line);
}

void vkr_judge_watch_say(struct vkr_judge_watch *watch, const char *line)
{
	if (!watch->program_gone && !vkr_ring_is_awaited(watch->ring))
		print_line(watch, line);
}

static void judge_watch_stop(struct vkr_judge_watch *watch)
{
	if (atomic_exchange(&watch->judging->stop, true) || watch->records_only)
		return;
	judge_watch_say(watch, "vkrace: judging stops, what was found so far is reported");
}

// A signal that counts.
static void judge_watch_ask(struct vkr_judge_watch *watch)
{
	if (++watch->asked > 1)
		_exit(VKR_EXIT_FAILURE);
	judge_watch_stop(watch);
}

static void end_program(struct vkr_judge_watch *watch)
{
	watch->program_gone = true;
	vkr_ring_end_for_producer(watch->ring);
}

// By its process, if the kernel has pidfd: a forked child may keep the socket open.
static void look_at_program(struct vkr_judge_watch *watch, struct pollfd *program)
{
	if (watch->program_gone)
		return;
	const bool told = program->revents != 0;
	if (told || (kill(watch->process, 0) != 0 && errno == ESRCH)) {
		end_program(watch);
		program->fd = -1;
	}
}

static void take_signals(struct vkr_judge_watch *watch)
{
	struct signalfd_siginfo info;
	while (read(watch->signals, &info, sizeof info) == (ssize_t)sizeof info)
		if (watch->program_gone || vkr_ring_is_awaited(watch->ring))
			judge_watch_ask(watch);
}

static void look_at_run(struct vkr_judge_watch *watch, struct pollfd *run)
{
	while (run->fd >= 0) {
		switch (vkr_run_channel_asked(run->fd)) {
		case VKR_RUN_NOTHING:
			return;
		case VKR_RUN_STOP:
			judge_watch_ask(watch);
			break;
		case VKR_RUN_SIGNALED:
			if (vkr_ring_is_awaited(watch->ring))
				judge_watch_ask(watch);
			break;
		case VKR_RUN_GONE:
			watch->run_gone = true;
			run->fd = -1;
			break;
		}
	}
}

static bool is_waited_for(const struct vkr_judge_watch *watch)
{
	if (!watch->program_gone || (watch->run >= 0 && !watch->run_gone))
		return true;
	// A program that was killed before it waited leaves its report to whom it may concern.
	return watch->run < 0 && !vkr_ring_is_awaited(watch->ring);
}

static void stop_for_nobody(struct vkr_judge_watch *watch)
{
	if (is_waited_for(watch) || watch->records_only)
		return;
	if (watch->deadline == 0)
		watch->deadline = now_ms() + GRACE_MS;
	judge_watch_stop(watch);
	if (now_ms() >= watch->deadline)
		_exit(VKR_EXIT_FAILURE);
}

static void say_progress(struct vkr_judge_watch *watch)
{
	const bool terminal = isatty(STDERR_FILENO) == 1;
	const uint64_t now = now_ms(), all = vkr_ring_submitted(watch->ring);
	if (watch->over_since == 0) {
		watch->over_since = now;
		watch->progress_step = terminal ? LOOK_MS : PROGRESS_MS;
		watch->progress_due = now + watch->progress_step;
	}
	if (now < watch->progress_due || watch->quiet || watch->records_only)
		return;
	if (!terminal)
		watch->progress_step *= 2;
	watch->progress_due = now + watch->progress_step;
	pthread_mutex_lock(&watch->lock);
	if (!watch->reporting)
		fprintf(stderr,
			"%svkrace: judged %" PRIu64 " of %" PRIu64
			" command buffers (a signal to %s ends that)%s",
			terminal ? "\r" : "", watch->judging->begun, all,
			watch->run >= 0 ? "vkrace run" : "the judge", terminal ? "\033[K" : "\n");
	watch->on_line = terminal;
	pthread_mutex_unlock(&watch->lock);
}

// While the judge is at one event for long, or the machine hangs, the trace has what came before.
static void write_trace(struct vkr_judge_watch *watch)
{
	const uint64_t now = now_ms();
	if (now < watch->write_due)
		return;
	watch->write_due = now + LOOK_MS;
	pthread_mutex_lock(&watch->lock);
	if (watch->source)
		vkr_source_flush_copy(watch->source);
	pthread_mutex_unlock(&watch->lock);
}

static void *watch_all(void *argument)
{
	struct vkr_judge_watch *watch = argument;
	const bool by_process = watch->process_descriptor >= 0;
	struct pollfd program = {.fd = by_process ? watch->process_descriptor : watch->socket,
				 .events = by_process ? POLLIN : 0};
	struct pollfd seen[] = {program,
				{.fd = watch->signals, .events = POLLIN},
				{.fd = watch->run, .events = POLLIN}};
	for (;;) {
		if (poll(seen, sizeof seen / sizeof *seen, LOOK_MS) < 0)
			continue;
		look_at_program(watch, &seen[0]);
		take_signals(watch);
		look_at_run(watch, &seen[2]);
		stop_for_nobody(watch);
		write_trace(watch);
		if (watch->program_gone || vkr_ring_is_awaited(watch->ring))
			say_progress(watch);
	}
	return NULL;
}

enum vkr_result vkr_judge_watch_start(struct vkr_judge_watch *watch, struct vkr_error *error)
{
	pthread_t thread;
	sigset_t signals;
	watched_signals(&signals);
	pthread_mutex_init(&watch->lock, NULL);
	watch->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch->signals < 0)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot wait for signals: %s",
				     strerror(errno));
	if (pthread_create(&thread, NULL, watch_all, watch) != 0)
		return vkr_error_memory(error, "a thread of the judge");
	pthread_detach(thread);
	return VKR_OK;
}

void vkr_judge_watch_end_trace(struct vkr_judge_watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	watch->source = NULL;
	pthread_mutex_unlock(&watch->lock);
}

void vkr_judge_watch_report(struct vkr_judge_watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	watch->reporting = true;
	if (watch->on_line)
		fputs("\r\033[K", stderr);
	watch->on_line = false;
	pthread_mutex_unlock(&watch->lock);
}
