// SPDX-License-Identifier: Apache-2.0
// Writing facts down: the process's one recorder, thread numbers, ids, coverage said once.
// Knows nothing of Vulkan objects.
#include "record.h"

#include "choice.h"
#include "error.h"
#include "host_threads.h"
#include "map.h"
#include "run_channel.h"
#include "settings.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

static struct {
	pthread_mutex_t lock;      // starting, and `said`
	pthread_mutex_t numbering; // threads
	bool started;
	// Held for reading by whoever records, so that stopping waits for them.
	pthread_rwlock_t use;
	struct vkr_recorder *recorder;
	_Atomic uint32_t ids[VKR_ID_COUNT];
	_Atomic uint32_t threads;
	struct vkr_map said; // hashes of coverage recorded
	_Atomic bool messenger;
	const struct vkr_record_watch *_Atomic watch; // NULL: nobody watches
	uint64_t begun;                               // by clock_ns()
} run = {.lock = PTHREAD_MUTEX_INITIALIZER,
	 .numbering = PTHREAD_MUTEX_INITIALIZER,
	 .use = PTHREAD_RWLOCK_INITIALIZER};

// The vkrace executable: VKRACE_COMMAND, or in a bin folder beside the library's (an installed
// library may lie one folder deeper, in lib/ARCHITECTURE).
static char *find_command(void)
{
	const char *command = vkr_setting_text(VKR_SETTING_COMMAND);
	if (command)
		return strdup(command);
	Dl_info info;
	if (!dladdr((void *)(uintptr_t)vkr_record_start, &info) || !info.dli_fname)
		return NULL;
	const char *slash = strrchr(info.dli_fname, '/');
	int length = slash ? (int)(slash - info.dli_fname) : 1;
	const char *folder = slash ? info.dli_fname : ".";
	char *path = NULL, *deeper = NULL;
	if (asprintf(&path, "%.*s/../bin/vkrace", length, folder) < 0)
		return NULL;
	if (access(path, X_OK) == 0 ||
	    asprintf(&deeper, "%.*s/../../bin/vkrace", length, folder) < 0)
		return path;
	if (access(deeper, X_OK) != 0) {
		free(deeper);
		return path; // its absence is what the user is told
	}
	free(path);
	return deeper;
}

void vkr_record_complain(_Atomic bool *said, const char *format, ...)
{
	if (atomic_exchange(said, true))
		return;
	char line[1200];
	va_list rest;
	va_start(rest, format);
	vsnprintf(line, sizeof line, format, rest);
	va_end(rest);
	fprintf(stderr, "vkrace: %s\n", line);
}

static uint64_t clock_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t vkr_record_time(void)
{
	return clock_ns() - run.begun;
}

void vkr_record_call(enum vkr_trace_timed call, uint32_t object, uint64_t begin, uint64_t end)
{
	const struct vkr_trace_call_time payload = {call, object, begin, end};
	vkr_record_event(VKR_TRACE_CALL_TIME, &payload, sizeof payload, NULL, 0);
}

void vkr_record_start(void)
{
	pthread_mutex_lock(&run.lock);
	bool first = !run.started;
	run.started = true;
	pthread_mutex_unlock(&run.lock);
	if (!first)
		return;

	run.begun = clock_ns();
	char *command = find_command();
	const bool quiet = vkr_setting_flag(VKR_SETTING_QUIET, false);
	struct vkr_recorder_options options = {
		.judge = command,
		.trace = vkr_setting_text(VKR_SETTING_TRACE),
		.json = vkr_setting_text(VKR_SETTING_JSON),
		.cut = vkr_setting_text(VKR_SETTING_CUT),
		.keep = vkr_setting_text(VKR_SETTING_KEEP),
		.suppressions = vkr_setting_text(VKR_SETTING_SUPPRESSIONS),
		.only = vkr_setting_text(VKR_SETTING_ONLY),
		.baseline = vkr_setting_text(VKR_SETTING_BASELINE),
		.any_image = vkr_setting_flag(VKR_SETTING_ANY_IMAGE, false),
		.shaders = vkr_setting_text(VKR_SETTING_SHADER),
		.not_shaders = vkr_setting_text(VKR_SETTING_NOT_SHADER),
		.labels = vkr_setting_text(VKR_SETTING_LABEL),
		.sample = vkr_choice_samples_commands(vkr_setting_text(VKR_SETTING_SAMPLE))
				  ? vkr_setting_text(VKR_SETTING_SAMPLE)
				  : NULL,
		.stop_after = vkr_setting_number(VKR_SETTING_STOP_AFTER, 0),
		.threads = (uint32_t)vkr_setting_number(VKR_SETTING_THREADS, 0),
		.cost = vkr_setting_flag(VKR_SETTING_COST, false),
		.with_sources = vkr_setting_flag(VKR_SETTING_WITH_SOURCES, false),
		.model = vkr_setting_text(VKR_SETTING_MODEL),
		.reading = vkr_setting_text(VKR_SETTING_READING),
		.quiet = quiet,
		.live = vkr_setting_flag(VKR_SETTING_LIVE, !quiet),
		.compress = vkr_setting_flag(VKR_SETTING_COMPRESS, true),
		.no_judge = !vkr_setting_flag(VKR_SETTING_JUDGE, true),
		.ring_bytes = vkr_setting_number(VKR_SETTING_RING_MB, 0) << 20,
	};
	struct vkr_error error = {.result = VKR_OK};
	struct vkr_recorder *recorder = NULL;
	if (vkr_recorder_start(&recorder, &options, &error) == VKR_OK) {
		pthread_rwlock_wrlock(&run.use);
		run.recorder = recorder;
		vkr_recorder_messenger(recorder, run.messenger);
		pthread_rwlock_unlock(&run.use);
	} else {
		static _Atomic bool said;
		vkr_record_complain(&said, "nothing is recorded: %s", error.message);
		vkr_run_channel_tell_failed(error.message);
	}
	free(command);
}

void vkr_record_watch(const struct vkr_record_watch *watch)
{
	run.watch = watch;
}

void vkr_record_stop(void)
{
	const struct vkr_record_watch *watch = run.watch;
	if (watch)
		watch->stop();
	pthread_rwlock_wrlock(&run.use);
	struct vkr_recorder *recorder = run.recorder;
	run.recorder = NULL;
	pthread_rwlock_unlock(&run.use);
	if (recorder)
		vkr_recorder_stop(recorder, VKR_END_EXIT, NULL, NULL, NULL);
}

static _Thread_local unsigned busy __attribute__((tls_model("initial-exec")));

bool vkr_record_busy(void)
{
	return busy != 0;
}

// The recorder, which stays until record_release(); NULL where nothing is recorded.
static struct vkr_recorder *record_acquire(void)
{
	busy++;
	pthread_rwlock_rdlock(&run.use);
	if (run.recorder)
		return run.recorder;
	pthread_rwlock_unlock(&run.use);
	busy--;
	return NULL;
}

static void record_host_release(void)
{
	pthread_rwlock_unlock(&run.use);
	busy--;
}

uint32_t vkr_record_id(unsigned kind)
{
	return atomic_fetch_add_explicit(&run.ids[kind], 1, memory_order_relaxed) + 1;
}

// A name that /proc shows, for threads that may be gone.
static void name_of(uint32_t system_id, char *name, size_t capacity)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%u/comm", system_id);
	FILE *stream = fopen(path, "re");
	name[0] = '\0';
	if (!stream)
		return;
	if (fgets(name, (int)capacity, stream))
		name[strcspn(name, "\n")] = '\0';
	fclose(stream);
}

// A thread's number is given by whoever first records something of it: itself, or another thread
// that takes away what it accessed.
static uint32_t number_of(struct vkr_recorder *recorder, struct vkr_host_thread *thread)
{
	_Atomic uint32_t *slot = vkr_host_thread_number(thread);
	uint32_t number = atomic_load(slot);
	if (number)
		return number;
	pthread_mutex_lock(&run.numbering);
	number = atomic_load(slot);
	if (!number) {
		number = atomic_fetch_add(&run.threads, 1) + 1;
		char name[64];
		struct vkr_trace_thread payload = {
			.thread = number,
			.system_id = vkr_host_thread_system_id(thread),
		};
		name_of(payload.system_id, name, sizeof name);
		payload.text_bytes = (uint32_t)strlen(name);
		vkr_recorder_text(recorder, VKR_TRACE_THREAD, 0, &payload, sizeof payload, name,
				  payload.text_bytes);
		atomic_store(slot, number);
	}
	pthread_mutex_unlock(&run.numbering);
	return number;
}

// 0 for lack of memory.
static uint32_t thread_number(struct vkr_recorder *recorder)
{
	struct vkr_host_thread *thread = vkr_host_thread_self();
	return thread ? number_of(recorder, thread) : 0;
}

void vkr_record_host_access(struct vkr_host_thread *thread,
			    const struct vkr_trace_host_access *payload, const uint64_t *frames)
{
	struct vkr_recorder *recorder = record_acquire();
	if (!recorder)
		return;
	struct vkr_bytes piece = {frames, payload->frame_count * sizeof *frames};
	vkr_recorder_event(recorder, VKR_TRACE_HOST_ACCESS, number_of(recorder, thread), payload,
			   sizeof *payload, &piece, payload->frame_count ? 1 : 0);
	record_host_release();
}

struct vkr_observed_judge vkr_record_judge(void)
{
	struct vkr_observed_judge judge = {0};
	struct vkr_recorder *recorder = record_acquire();
	if (!recorder)
		return judge;
	judge.behind = vkr_recorder_is_behind(recorder);
	judge.enough = vkr_recorder_has_enough(recorder);
	record_host_release();
	return judge;
}

bool vkr_record_host_raced(uint64_t place)
{
	if (pthread_rwlock_tryrdlock(&run.use) != 0)
		return false;
	const bool raced = run.recorder && vkr_recorder_host_raced(run.recorder, place);
	pthread_rwlock_unlock(&run.use);
	return raced;
}

void vkr_record_pieces(enum vkr_trace_type type, const void *payload, size_t payload_bytes,
		       const struct vkr_bytes *pieces, size_t piece_count)
{
	const struct vkr_record_watch *watch = run.watch;
	if (watch)
		watch->before(type, payload, pieces, piece_count);
	struct vkr_recorder *recorder = record_acquire();
	if (recorder) {
		vkr_recorder_event(recorder, type, thread_number(recorder), payload, payload_bytes,
				   pieces, piece_count);
		record_host_release();
	}
	if (watch)
		watch->after(type, payload, pieces, piece_count);
}

void vkr_record_event(enum vkr_trace_type type, const void *payload, size_t payload_bytes,
		      const void *tail, size_t tail_bytes)
{
	struct vkr_bytes piece = {tail, tail_bytes};
	vkr_record_pieces(type, payload, payload_bytes, &piece, tail_bytes ? 1 : 0);
}

void vkr_record_text(enum vkr_trace_type type, const void *payload, size_t payload_bytes,
		     const char *text)
{
	struct vkr_recorder *recorder = record_acquire();
	if (!recorder)
		return;
	vkr_recorder_text(recorder, type, thread_number(recorder), payload, payload_bytes, text,
			  strlen(text));
	record_host_release();
}

void vkr_record_layer(enum vkr_trace_type type, const void *payload, size_t payload_bytes,
		      const struct vkr_bytes *pieces, size_t piece_count)
{
	struct vkr_recorder *recorder = record_acquire();
	if (!recorder)
		return;
	vkr_recorder_event(recorder, type, 0, payload, payload_bytes, pieces, piece_count);
	record_host_release();
}

// True the first time that this is said.
static bool say_once(enum vkr_trace_coverage_kind kind, uint32_t object, const char *text)
{
	uint64_t hash = XXH3_64bits_withSeed(text, strlen(text), (uint64_t)kind << 32 | object);
	uint64_t value;
	pthread_mutex_lock(&run.lock);
	bool known = vkr_map_get(&run.said, hash, &value);
	if (!known)
		(void)vkr_map_set(&run.said, hash, 1); // without memory it is said twice
	pthread_mutex_unlock(&run.lock);
	return !known;
}

void vkr_record_coverage(enum vkr_trace_coverage_kind kind, uint32_t object, uint64_t amount,
			 const char *format, ...)
{
	char *text = NULL;
	va_list rest;
	va_start(rest, format);
	const int length = vasprintf(&text, format, rest);
	va_end(rest);
	if (length < 0) {
		text = NULL;
		kind = VKR_COVERAGE_MEMORY;
	}
	const char *said = text ? text : "no memory for the list of what is not observed";
	struct vkr_recorder *recorder = say_once(kind, object, said) ? record_acquire() : NULL;
	if (!recorder) {
		free(text);
		return;
	}
	struct vkr_trace_coverage payload = {
		.kind = kind,
		.object = object,
		.amount = amount,
		.text_bytes = (uint32_t)strlen(said),
	};
	vkr_recorder_text(recorder, VKR_TRACE_COVERAGE, 0, &payload, sizeof payload, said,
			  payload.text_bytes);
	free(text);
	record_host_release();
}

void vkr_record_no_memory(const char *what)
{
	vkr_record_coverage(VKR_COVERAGE_MEMORY, 0, 0, "no memory for %s", what);
}

void vkr_record_name(enum vkr_trace_object kind, uint32_t id, const char *name)
{
	struct vkr_trace_name payload = {
		.kind = kind,
		.object = id,
		.text_bytes = (uint32_t)strlen(name),
	};
	vkr_record_text(VKR_TRACE_NAME, &payload, sizeof payload, name);
}

void vkr_record_flush(void)
{
	struct vkr_recorder *recorder = record_acquire();
	if (!recorder)
		return;
	vkr_recorder_flush(recorder);
	record_host_release();
}

void vkr_record_drain(void)
{
	struct vkr_recorder *recorder = record_acquire();
	if (!recorder)
		return;
	vkr_recorder_drain(recorder);
	record_host_release();
}

void vkr_record_messenger(bool there)
{
	run.messenger = there;
	struct vkr_recorder *recorder = record_acquire();
	if (!recorder)
		return;
	vkr_recorder_messenger(recorder, there);
	record_host_release();
}

char *vkr_record_message(void)
{
	struct vkr_recorder *recorder = record_acquire();
	if (!recorder)
		return NULL;
	char *line = vkr_recorder_message(recorder);
	record_host_release();
	return line;
}
