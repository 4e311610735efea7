// SPDX-License-Identifier: Apache-2.0
// Reading traces that are whole, cut off at every byte, or damaged anywhere: what is read is what
// was written, and damage is told in one line. Knows the reader by its header only.
#include "chunk_checksum.h"
#include "chunk_writer.h"
#include "crew.h"
#include "event_check.h"
#include "event_layout.h"
#include "event_text.h"
#include "reader.h"
#include "sample_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#define EVENTS_A_CHUNK 5
#define FLIPS          10000

struct file {
	unsigned char *bytes;
	size_t count;
};

// splitmix64: the same numbers each time.
static uint64_t next_random(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15;
	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
	return mixed ^ mixed >> 31;
}

static struct file write_sample(const struct sample_trace *trace, bool compress)
{
	int memory = memfd_create("trace", 0);
	struct vkr_chunk_writer *writer;
	struct vkr_error error;
	assert_int_equal(vkr_chunk_writer_create(&writer, memory, "memory", compress, &error),
			 VKR_OK);
	size_t number = 0;
	for (size_t at = 0; at < trace->count; number++) {
		const struct vkr_trace_event *event = (const void *)(trace->items + at);
		assert_int_equal(vkr_chunk_writer_event(writer, event, &error), VKR_OK);
		at += event->bytes;
		if (number % EVENTS_A_CHUNK == EVENTS_A_CHUNK - 1)
			assert_int_equal(vkr_chunk_writer_flush(writer, &error), VKR_OK);
	}
	assert_int_equal(vkr_chunk_writer_flush(writer, &error), VKR_OK);
	vkr_chunk_writer_destroy(writer);
	struct file file = {.count = (size_t)lseek(memory, 0, SEEK_END)};
	file.bytes = malloc(file.count);
	assert_int_equal(pread(memory, file.bytes, file.count, 0), file.count);
	close(memory);
	return file;
}

enum outcome {
	WHOLE,
	CUT,
	DAMAGED,
};

// The threads that read chunks ahead, where they do.
static struct vkr_crew *crew;

// Reads the bytes; what comes must be the first events of `trace`, or any that pass the check where
// that is NULL.
static enum outcome read_with(const struct sample_trace *trace, const unsigned char *bytes,
			      size_t count, struct vkr_crew *helpers, size_t *read,
			      struct vkr_error *to)
{
	struct vkr_reader *reader;
	const struct vkr_trace_event *event;
	struct vkr_error error = {0};
	enum outcome outcome = DAMAGED;
	*read = 0;
	if (vkr_reader_open_memory(&reader, "sample", bytes, count, &error) == VKR_OK) {
		assert_int_equal(vkr_reader_help(reader, helpers, &error), VKR_OK);
		while (vkr_reader_next(reader, &event, &error) == VKR_OK) {
			if (!event) {
				outcome = vkr_reader_cut(reader) ? CUT : WHOLE;
				break;
			}
			if (trace) {
				assert_true(event->bytes <= trace->count - *read);
				assert_memory_equal(event, trace->items + *read, event->bytes);
			}
			*read += event->bytes;
		}
		vkr_reader_close(reader);
	}
	if (outcome == DAMAGED) {
		assert_int_not_equal(error.result, VKR_OK);
		assert_ptr_equal(strstr(error.message, "sample: "), error.message);
		assert_non_null(strstr(error.message, "byte offset"));
		assert_null(strchr(error.message, '\n'));
	}
	*to = error;
	return outcome;
}

// With and without threads that read ahead: they make no difference.
static enum outcome read_bytes(const struct sample_trace *trace, const unsigned char *bytes,
			       size_t count, size_t *read)
{
	struct vkr_error error, other;
	size_t other_read;
	const enum outcome outcome = read_with(trace, bytes, count, NULL, read, &error);
	assert_int_equal(read_with(trace, bytes, count, crew, &other_read, &other), outcome);
	assert_int_equal(other_read, *read);
	assert_string_equal(other.message, error.message);
	return outcome;
}

static int make_crew(void **state)
{
	struct vkr_error error;
	(void)state;
	return vkr_crew_create(3, VKR_CREW_LEAST, &crew, &error) == VKR_OK ? 0 : -1;
}

static int end_crew(void **state)
{
	(void)state;
	vkr_crew_destroy(crew);
	return 0;
}

static void test_reads_what_was_written(void **state)
{
	struct sample_trace trace;
	size_t read;
	(void)state;
	sample_trace_make(&trace);
	for (int compress = 0; compress < 2; compress++) {
		struct file file = write_sample(&trace, compress);
		assert_int_equal(read_bytes(&trace, file.bytes, file.count, &read), WHOLE);
		assert_int_equal(read, trace.count);
		free(file.bytes);
	}
	sample_trace_finish(&trace);
}

// Where the chunk that holds byte `at` begins; the file header counts as one.
static bool is_boundary(const struct file *file, size_t at)
{
	size_t boundary = sizeof(struct vkr_trace_file);
	while (boundary < at) {
		const struct vkr_trace_chunk *chunk = (const void *)(file->bytes + boundary);
		boundary += sizeof *chunk + chunk->stored_bytes;
	}
	return boundary == at;
}

static void test_every_prefix(void **state)
{
	struct sample_trace trace;
	(void)state;
	sample_trace_make(&trace);
	for (int compress = 0; compress < 2; compress++) {
		struct file file = write_sample(&trace, compress);
		size_t read, longest = 0;
		for (size_t count = 0; count < file.count; count++) {
			// A copy of its own, so that a read beyond it is seen by the sanitizer.
			unsigned char *prefix = malloc(count ? count : 1);
			memcpy(prefix, file.bytes, count);
			enum outcome outcome = read_bytes(&trace, prefix, count, &read);
			free(prefix);
			assert_int_equal(outcome, count < sizeof(struct vkr_trace_file) ? DAMAGED
						  : is_boundary(&file, count)           ? WHOLE
											: CUT);
			assert_true(read >= longest);
			longest = read;
		}
		assert_true(longest > trace.count / 2);
		free(file.bytes);
	}
	sample_trace_finish(&trace);
}

static void test_bit_flips(void **state)
{
	struct sample_trace trace;
	uint64_t random = 1;
	size_t read;
	(void)state;
	sample_trace_make(&trace);
	for (int compress = 0; compress < 2; compress++) {
		struct file file = write_sample(&trace, compress);
		for (int i = 0; i < FLIPS; i++) {
			uint64_t bit = next_random(&random) % (file.count * 8);
			file.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
			assert_int_not_equal(read_bytes(&trace, file.bytes, file.count, &read),
					     WHOLE);
			file.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		}
		free(file.bytes);
	}
	sample_trace_finish(&trace);
}

static void correct_checksums(struct file *file)
{
	struct vkr_trace_chunk chunk;
	size_t at = sizeof(struct vkr_trace_file);
	while (file->count - at >= sizeof chunk) {
		memcpy(&chunk, file->bytes + at, sizeof chunk);
		if (chunk.stored_bytes > file->count - at - sizeof chunk)
			return;
		chunk.checksum = vkr_chunk_checksum(chunk, file->bytes + at + sizeof chunk);
		memcpy(file->bytes + at, &chunk, sizeof chunk);
		at += sizeof chunk + chunk.stored_bytes;
	}
}

// The chunks of `plain` with other flags, their bytes compressed where these say so.
static struct file with_flags(const struct file *plain, uint32_t flags)
{
	struct file file = {.bytes = malloc(2 * plain->count + 4096)};
	size_t at = sizeof(struct vkr_trace_file);
	memcpy(file.bytes, plain->bytes, at);
	file.count = at;
	while (at < plain->count) {
		struct vkr_trace_chunk chunk;
		memcpy(&chunk, plain->bytes + at, sizeof chunk);
		const unsigned char *raw = plain->bytes + at + sizeof chunk;
		unsigned char *stored = file.bytes + file.count + sizeof chunk;
		at += sizeof chunk + chunk.stored_bytes;
		memcpy(stored, raw, chunk.raw_bytes);
		if (flags & VKR_CHUNK_ZSTD)
			chunk.stored_bytes =
				ZSTD_compress(stored, ZSTD_compressBound(chunk.raw_bytes), raw,
					      chunk.raw_bytes, 1);
		memset(stored + chunk.stored_bytes, 0, 8);
		chunk.stored_bytes = (chunk.stored_bytes + 7) / 8 * 8;
		chunk.flags = flags;
		memcpy(file.bytes + file.count, &chunk, sizeof chunk);
		file.count += sizeof chunk + chunk.stored_bytes;
	}
	correct_checksums(&file);
	return file;
}

// Older traces are compressed as they are. Without compression there are no planes.
static void test_other_flags(void **state)
{
	struct sample_trace trace;
	size_t read;
	(void)state;
	sample_trace_make(&trace);
	struct file plain = write_sample(&trace, false);
	struct file older = with_flags(&plain, VKR_CHUNK_ZSTD);
	assert_int_equal(read_bytes(&trace, older.bytes, older.count, &read), WHOLE);
	assert_int_equal(read, trace.count);
	struct file wrong = with_flags(&plain, VKR_CHUNK_PLANES);
	assert_int_equal(read_bytes(&trace, wrong.bytes, wrong.count, &read), DAMAGED);
	free(plain.bytes);
	free(older.bytes);
	free(wrong.bytes);
	sample_trace_finish(&trace);
}

// Damage that no checksum tells: whatever is given out must be sound, also when printed.
static void test_flips_under_a_right_checksum(void **state)
{
	struct sample_trace trace;
	uint64_t random = 2;
	size_t read, refused = 0;
	(void)state;
	sample_trace_make(&trace);
	for (int compress = 0; compress < 2; compress++) {
		struct file file = write_sample(&trace, compress);
		unsigned char *whole = malloc(file.count);
		memcpy(whole, file.bytes, file.count);
		for (int i = 0; i < FLIPS; i++) {
			for (uint64_t flips = next_random(&random) % 3 + 1; flips; flips--) {
				uint64_t bit = next_random(&random) % (file.count * 8);
				file.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
			}
			correct_checksums(&file);
			refused += read_bytes(NULL, file.bytes, file.count, &read) == DAMAGED;
			memcpy(file.bytes, whole, file.count);
		}
		free(whole);
		free(file.bytes);
	}
	assert_true(refused > FLIPS / 2);
	sample_trace_finish(&trace);
}

// An event may be cut or claim anything: the check refuses it or it can be printed.
static void test_events_alone(void **state)
{
	struct sample_trace trace;
	uint64_t random = 3;
	FILE *out = fopen("/dev/null", "w");
	(void)state;
	sample_trace_make(&trace);
	for (size_t at = 0; at < trace.count;) {
		const struct vkr_trace_event *event = (const void *)(trace.items + at);
		assert_int_equal(vkr_event_check(event, event->bytes, NULL), VKR_OK);
		assert_int_not_equal(vkr_event_check(event, event->bytes - 8, NULL), VKR_OK);
		for (int i = 0; i < 500; i++) {
			unsigned char *copy = malloc(event->bytes);
			memcpy(copy, event, event->bytes);
			uint64_t bit = next_random(&random) % (event->bytes * 8u);
			copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
			if (vkr_event_check(copy, event->bytes, NULL) == VKR_OK)
				vkr_event_text((const void *)copy, 1, NULL, out);
			free(copy);
		}
		at += event->bytes;
	}
	fclose(out);
	sample_trace_finish(&trace);
}

// No member of a payload is forgotten in the tables, and none stands twice.
static void test_layouts_cover_payloads(void **state)
{
	(void)state;
	for (uint32_t type = 0; type <= UINT16_MAX; type++) {
		const struct vkr_event_layout *layout = vkr_event_layout(type);
		if (!layout)
			continue;
		size_t covered = 0;
		for (size_t i = 0; i < layout->payload.count; i++) {
			const struct vkr_event_field *field = &layout->payload.fields[i];
			assert_int_equal(field->offset, covered);
			covered += (size_t)field->bytes * field->count;
		}
		assert_int_equal(covered, layout->payload.bytes);
		for (const struct vkr_tail_part *part = layout->tail; part->kind != VKR_TAIL_END;
		     part++) {
			bool counted = false;
			for (size_t i = 0; i < layout->payload.count; i++) {
				const struct vkr_event_field *field = &layout->payload.fields[i];
				counted |= field->form == VKR_EVENT_FIELD_COUNT &&
					   field->offset == part->count_offset;
			}
			assert_true(counted);
		}
	}
}

static void test_other_versions(void **state)
{
	struct vkr_trace_file header = {.magic = VKR_TRACE_MAGIC, .version = VKR_TRACE_VERSION + 1};
	struct vkr_reader *reader;
	struct vkr_error error;
	(void)state;
	assert_int_equal(vkr_reader_open_memory(&reader, "new", &header, sizeof header, &error),
			 VKR_ERROR_VERSION);
	assert_int_equal(vkr_reader_open_memory(&reader, "text", "#!/bin/sh\nexit 0\n", 17, &error),
			 VKR_ERROR_FORMAT);
	assert_int_equal(vkr_reader_open(&reader, "/nonexistent/trace", &error), VKR_ERROR_IO);
	assert_non_null(strstr(error.message, "/nonexistent/trace"));
	assert_int_equal(vkr_reader_open(&reader, "/", &error), VKR_ERROR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_what_was_written),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_bit_flips),
		cmocka_unit_test(test_flips_under_a_right_checksum),
		cmocka_unit_test(test_other_flags),
		cmocka_unit_test(test_events_alone),
		cmocka_unit_test(test_layouts_cover_payloads),
		cmocka_unit_test(test_other_versions),
	};
	return cmocka_run_group_tests(tests, make_crew, end_crew);
}
