// SPDX-License-Identifier: Apache-2.0
#include "host_watch.h"

#include "annotations.h"
#include "call_stack.h"
#include "host_calls.h"
#include "host_fault.h"
#include "host_regions.h"
#include "host_signals.h"
#include "host_threads.h"
#include "record.h"
#include "settings.h"
#include "watch_pages.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>

static _Atomic int mode; // enum vkr_host_mode
static pthread_mutex_t draining = PTHREAD_MUTEX_INITIALIZER;

static void take_access(struct vkr_host_thread *thread, const struct vkr_host_access *access)
{
	struct vkr_trace_host_access payload = {
		.memory = access->memory,
		.operation = access->operation,
		.offset = access->offset,
		.bytes = access->bytes,
		.frame_count = access->frame_count,
	};
	vkr_record_host_access(thread, &payload, access->frames);
}

static void host_watch_drain(void)
{
	pthread_mutex_lock(&draining);
	vkr_host_threads_take(take_access);
	pthread_mutex_unlock(&draining);
}

// This thread is draining, which records events of its own.
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

// In the handler of a fault, with all signals blocked. A thread that is recording holds what
// draining needs.
static void drain_filling_queue(void)
{
	if (inside || vkr_record_busy())
		return;
	host_watch_drain();
	vkr_record_flush();
}

static void tell_samples(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	if (vkr_regions_sampled() && !atomic_flag_test_and_set(&told))
		vkr_record_coverage(
			VKR_COVERAGE_HOST, 0, 0,
			"of host accesses to pages where a race was found, only samples: "
			"they race more often, on more bytes, perhaps at more places");
}

static void drain_waiting(void)
{
	if (inside || vkr_record_busy() || !vkr_host_threads_waiting())
		return;
	inside = true;
	vkr_call_stack_modules();
	host_watch_drain();
	vkr_regions_close_again();
	tell_samples();
	inside = false;
}

static void before_event(enum vkr_trace_type type, const void *payload,
			 const struct vkr_bytes *pieces, size_t piece_count)
{
	drain_waiting();
	vkr_watch_pages_before(type, payload, pieces, piece_count);
}

// Reports what was missed.
static void stop_watch(void)
{
	drain_waiting();
	const struct vkr_fault_counts counts = vkr_fault_counts();
	if (counts.unknown)
		vkr_record_coverage(VKR_COVERAGE_HOST, 0, counts.unknown,
				    "accesses of host threads by instructions that cannot be "
				    "followed are not observed");
	if (counts.lost)
		vkr_record_coverage(VKR_COVERAGE_HOST, 0, counts.lost,
				    "accesses of host threads were lost for lack of room");
	if (vkr_setting_flag(VKR_SETTING_HOST_STATISTICS, false))
		fprintf(stderr,
			"vkrace: %llu faults in mapped memory, %llu of them opened their page\n",
			(unsigned long long)counts.faults,
			(unsigned long long)vkr_regions_sampled());
}

static const struct vkr_record_watch watch = {
	.before = before_event,
	.after = vkr_watch_pages_after,
	.stop = stop_watch,
};

static enum vkr_host_mode wanted_mode(void)
{
	static const char *const cheap[] = {"cheap", "1", "on", "true", "yes"};
	static atomic_flag told = ATOMIC_FLAG_INIT;
	const char *text = vkr_setting_text(VKR_SETTING_HOST);
	if (!vkr_setting_flag(VKR_SETTING_HOST, true) || vkr_annotations_suffice())
		return VKR_HOST_UNWATCHED;
	if ((text && strcasecmp(text, "precise") == 0) ||
	    vkr_setting_flag(VKR_SETTING_HOST_SYNC, false))
		return VKR_HOST_PRECISE;
	for (size_t i = 0; text && i < sizeof cheap / sizeof *cheap; i++)
		if (strcasecmp(text, cheap[i]) == 0)
			return VKR_HOST_NEEDED;
	if (text)
		vkr_setting_wrong(&told, VKR_SETTING_HOST,
				  "no such way of watching: cheap is used");
	return VKR_HOST_NEEDED;
}

static void start_watch(void)
{
	enum vkr_host_mode wanted = wanted_mode();
	if (wanted == VKR_HOST_UNWATCHED)
		return;
	if (!vkr_fault_start(drain_filling_queue, vkr_record_host_raced) || !vkr_calls_start()) {
		vkr_record_coverage(VKR_COVERAGE_HOST, 0, 0,
				    "no handler of SIGSEGV could be installed");
		return;
	}
	pthread_atfork(NULL, NULL, vkr_regions_open_all);
	atomic_store(&mode, wanted);
	vkr_record_watch(&watch);
}

enum vkr_host_mode vkr_host_watch_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, start_watch);
	return vkr_host_watch_mode();
}

enum vkr_host_mode vkr_host_watch_mode(void)
{
	return (enum vkr_host_mode)atomic_load_explicit(&mode, memory_order_relaxed);
}
