// SPDX-License-Identifier: Apache-2.0
// The recorder and its judge, which this program plays itself when it is started as one. Knows the
// recorder, and the judge's side of its protocol.
#include "error.h"
#include "judge_process.h"
#include "race_message.h"
#include "reader.h"
#include "recorder.h"
#include "ring.h"
#include "source.h"
#include "temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SELF "/proc/self/exe"

static volatile sig_atomic_t child_signals;

static void count_signal(int number)
{
	(void)number;
	child_signals++;
}

static void record_idle(struct vkr_recorder *recorder)
{
	const struct vkr_trace_device_idle idle = {.device = 1};
	vkr_recorder_event(recorder, VKR_TRACE_DEVICE_IDLE, 1, &idle, sizeof idle, NULL, 0);
}

// A message as long as a report's longest lines.
static const char *race_message(void)
{
	static char text[5000];
	memset(text, 'x', sizeof text - 1);
	return text;
}

// Texts become UTF-8, and an event beyond all bounds a note.
static void record_texts(struct vkr_recorder *recorder)
{
	static const char dirty[] = "a\xff\0b\xc3\xa9";
	const struct vkr_trace_name name = {
		.kind = VKR_OBJECT_BUFFER, .object = 1, .text_bytes = sizeof dirty - 1};
	const struct vkr_trace_gpu_log log = {.execution = 1};
	const struct vkr_bytes huge = {&log, (size_t)5 << 30};
	vkr_recorder_text(recorder, VKR_TRACE_NAME, 2, &name, sizeof name, dirty, sizeof dirty - 1);
	vkr_recorder_event(recorder, VKR_TRACE_GPU_LOG, 2, &log, sizeof log, &huge, 1);
}

static bool is_text_event(const struct vkr_trace_event *event, unsigned at)
{
	static const uint16_t types[] = {VKR_TRACE_RUN_BEGIN, VKR_TRACE_NAME, VKR_TRACE_COVERAGE,
					 VKR_TRACE_RUN_END};
	if (at >= sizeof types / sizeof *types || event->type != types[at])
		return false;
	return event->type != VKR_TRACE_NAME ||
	       memcmp((const char *)(event + 1) + sizeof(struct vkr_trace_name), "a??b\xc3\xa9\0\0",
		      8) == 0;
}

// The judge that --trace names: "fail" cannot start, "vanish" ends at once, "die" ends while events
// still come; "texts" counts those that record_texts() records; else it counts all events.
static int play_judge(int argc, char **argv)
{
	int memory = -1, socket = -1;
	const char *kind = "";
	for (int i = 2; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--ring") == 0)
			memory = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--socket") == 0)
			socket = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--trace") == 0)
			kind = argv[i + 1];
	}
	if (strcmp(kind, "vanish") == 0)
		return 1;
	if (strcmp(kind, "fail") == 0) {
		vkr_judge_send(socket, VKR_JUDGE_FAILED, "the disk is full", true);
		return 2;
	}
	struct vkr_ring ring;
	struct vkr_source *source;
	const struct vkr_trace_event *event;
	char text[64];
	unsigned count = 0;
	if (vkr_ring_attach(&ring, memory, NULL) != VKR_OK ||
	    vkr_source_open_ring(&source, &ring, NULL, NULL) != VKR_OK)
		return 3;
	vkr_judge_send(socket, VKR_JUDGE_READY, "", true);
	for (unsigned at = 0; vkr_source_next(source, &event, NULL) == VKR_OK && event; at++) {
		count += strcmp(kind, "texts") != 0 || is_text_event(event, at);
		if (event->type == VKR_TRACE_DEVICE_IDLE && strcmp(kind, "die") == 0)
			return 4;
		if (event->type == VKR_TRACE_DEVICE_IDLE)
			vkr_judge_send(socket, VKR_JUDGE_RACE, race_message(), false);
	}
	snprintf(text, sizeof text, "%u 5000000000 1", count);
	vkr_judge_send(socket, VKR_JUDGE_VERDICT, text, true);
	vkr_source_close(source);
	vkr_ring_finish(&ring);
	return 0;
}

static struct vkr_recorder *start(const char *kind)
{
	const struct vkr_recorder_options options = {
		.judge = SELF, .trace = kind, .ring_bytes = 65536};
	struct vkr_recorder *recorder;
	struct vkr_error error;
	if (vkr_recorder_start(&recorder, &options, &error) != VKR_OK)
		fail_msg("%s", error.message);
	return recorder;
}

static void count_message(void *user, const char *line)
{
	assert_string_equal(line, race_message());
	++*(unsigned *)user;
}

static void test_judged(void **state)
{
	struct vkr_recorder *recorder;
	struct vkr_recorder_verdict verdict;
	unsigned told = 0, later = 0;
	(void)state;
	signal(SIGCHLD, count_signal);
	recorder = start(NULL);
	record_idle(recorder);
	vkr_recorder_drain(recorder);
	// The judge is no child that the program can see.
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
	char *line = vkr_recorder_message(recorder);
	assert_non_null(line);
	count_message(&told, line);
	free(line);
	assert_null(vkr_recorder_message(recorder));
	record_idle(recorder);
	vkr_recorder_stop(recorder, VKR_END_EXIT, count_message, &later, &verdict);
	assert_int_equal(later, 1);
	assert_true(verdict.known && verdict.incomplete);
	assert_int_equal(verdict.race_groups, 4); // RUN_BEGIN, two, RUN_END
	assert_int_equal(verdict.races, 5000000000);
	assert_int_equal(child_signals, 0);
	signal(SIGCHLD, SIG_DFL);
}

static void test_judge_dies(void **state)
{
	struct vkr_recorder *recorder = start("die");
	struct vkr_recorder_verdict verdict;
	(void)state;
	for (int i = 0; i < 20000; i++)
		record_idle(recorder);
	vkr_recorder_stop(recorder, VKR_END_EXIT, NULL, NULL, &verdict);
	assert_false(verdict.known);
}

// A child that the program forked holds its end of the socket, and reads nothing.
static void test_verdict_for_nobody(void **state)
{
	struct vkr_judge judge;
	int other;
	_Atomic bool gone = false;
	char *text;
	enum vkr_judge_message kind;
	(void)state;
	assert_int_equal(vkr_judge_connect(&judge, &other, NULL), VKR_OK);
	while (vkr_judge_send(other, VKR_JUDGE_RACE, race_message(), false))
		continue;
	gone = true;
	assert_false(vkr_judge_send_unless(other, VKR_JUDGE_VERDICT, "1 1 1", &gone));
	// Who still reads gets it.
	gone = false;
	while ((text = vkr_judge_receive(judge.socket, false, &kind)) != NULL)
		free(text);
	assert_true(vkr_judge_send_unless(other, VKR_JUDGE_VERDICT, "1 1 1", &gone));
	close(judge.socket);
	assert_false(vkr_judge_send_unless(other, VKR_JUDGE_VERDICT, "1 1 1", &gone));
	close(other);
}

static void check_refused(const char *judge, const char *kind, const char *reason)
{
	const struct vkr_recorder_options options = {.judge = judge, .trace = kind};
	struct vkr_recorder *recorder;
	struct vkr_error error;
	assert_int_equal(vkr_recorder_start(&recorder, &options, &error), VKR_ERROR_IO);
	assert_non_null(strstr(error.message, reason));
	assert_int_equal(waitpid(-1, NULL, __WALL), -1);
}

static void test_judge_cannot_start(void **state)
{
	(void)state;
	check_refused("/nonexistent/vkrace", NULL, "/nonexistent/vkrace");
	check_refused(SELF, "fail", "the disk is full");
	check_refused(SELF, "vanish", "ended");
}

static void test_forked_child_stays_out(void **state)
{
	struct vkr_recorder *recorder = start(NULL);
	struct vkr_recorder_verdict verdict;
	int status;
	(void)state;
	pid_t child = fork();
	if (child == 0) {
		record_idle(recorder);
		vkr_recorder_flush(recorder);
		vkr_recorder_drain(recorder);
		bool message = vkr_recorder_message(recorder) != NULL;
		vkr_recorder_stop(recorder, VKR_END_EXIT, NULL, NULL, &verdict);
		_exit(message || verdict.known);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	record_idle(recorder);
	vkr_recorder_stop(recorder, VKR_END_EXIT, NULL, NULL, &verdict);
	assert_int_equal(verdict.race_groups, 3);
}

static void test_texts(void **state)
{
	struct vkr_recorder *recorder = start("texts");
	struct vkr_recorder_verdict verdict;
	(void)state;
	record_texts(recorder);
	vkr_recorder_stop(recorder, VKR_END_SIGNAL, NULL, NULL, &verdict);
	assert_int_equal(verdict.race_groups, 4);
}

// The copy of a ring's events is in its file as soon as it is flushed, whatever comes next.
static void test_copy_flushed(void **state)
{
	char *path = temporary_file_make(NULL, 0);
	const int file = open(path, O_WRONLY | O_CLOEXEC);
	struct vkr_ring producer, consumer;
	struct vkr_chunk_writer *writer;
	struct vkr_source *source;
	struct vkr_reader *reader;
	const struct vkr_trace_event *event;
	struct vkr_error error;
	struct {
		struct vkr_trace_event event;
		struct vkr_trace_device_idle idle;
	} idle = {{.bytes = sizeof idle, .type = VKR_TRACE_DEVICE_IDLE}, {.device = 1}};
	(void)state;
	assert_int_equal(vkr_ring_create(&producer, 65536, NULL, NULL, &error), VKR_OK);
	assert_int_equal(vkr_ring_attach(&consumer, producer.memory, &error), VKR_OK);
	assert_int_equal(vkr_chunk_writer_create(&writer, file, path, true, &error), VKR_OK);
	assert_int_equal(vkr_source_open_ring(&source, &consumer, writer, &error), VKR_OK);
	vkr_ring_begin(&producer, &idle.event);
	vkr_ring_put(&producer, &idle.idle, sizeof idle.idle);
	vkr_ring_commit(&producer);
	assert_int_equal(vkr_source_next(source, &event, &error), VKR_OK);
	vkr_source_flush_copy(source);
	assert_int_equal(vkr_reader_open(&reader, path, &error), VKR_OK);
	assert_int_equal(vkr_reader_next(reader, &event, &error), VKR_OK);
	assert_non_null(event);
	assert_memory_equal(event, &idle, sizeof idle);
	vkr_reader_close(reader);
	vkr_source_close(source);
	vkr_chunk_writer_destroy(writer);
	vkr_ring_finish(&consumer);
	vkr_ring_finish(&producer);
	close(file);
	temporary_file_remove(path);
}

static void test_race_message(void **state)
{
	struct vkr_race_message message = {
		.number = 1001,
		.name = "vkrace-unordered",
		.object_count = 2,
		.label_count = 2,
		.objects = {{VKR_OBJECT_BUFFER, 7, "two\nlines"}, {VKR_OBJECT_QUEUE, 1, ""}},
		.labels = {"label text", "text"},
		.text = "first\ntext\nobject 1 2 3"};
	struct vkr_race_message read;
	(void)state;
	char *text = vkr_race_message_write(&message);
	assert_non_null(text);
	vkr_race_message_read(text, &read);
	assert_int_equal(read.number, 1001);
	assert_string_equal(read.name, message.name);
	assert_int_equal(read.object_count, 2);
	assert_int_equal(read.objects[0].kind, VKR_OBJECT_BUFFER);
	assert_int_equal(read.objects[0].id, 7);
	assert_string_equal(read.objects[0].name, "two lines");
	assert_string_equal(read.objects[1].name, "");
	assert_int_equal(read.label_count, 2);
	assert_string_equal(read.labels[0], "label text");
	assert_string_equal(read.labels[1], "text");
	assert_string_equal(read.text, message.text);
	free(text);
	char plain[] = "no message";
	vkr_race_message_read(plain, &read);
	assert_string_equal(read.text, "no message");
	assert_int_equal(read.object_count, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judged),
		cmocka_unit_test(test_judge_dies),
		cmocka_unit_test(test_verdict_for_nobody),
		cmocka_unit_test(test_judge_cannot_start),
		cmocka_unit_test(test_forked_child_stays_out),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_copy_flushed),
		cmocka_unit_test(test_race_message),
	};
	if (argc > 1 && strcmp(argv[1], "judge") == 0)
		return play_judge(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
