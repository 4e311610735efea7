// SPDX-License-Identifier: Apache-2.0
#include "reader.h"

#include "array.h"
#include "byte_planes.h"
#include "chunk_checksum.h"
#include "error.h"
#include "event_check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

// A chunk's bytes are read in steps of this size, so that a size that the file does not have never
// becomes an allocation.
#define STEP_BYTES ((size_t)16 * 1024 * 1024)

// The most that zstd makes of a stored byte: a block of 128 KiB takes 4 bytes at least.
#define ZSTD_EXPANSION 32768u

struct byte_array {
	unsigned char *items;
	size_t count, capacity;
};

struct vkr_reader {
	char *name;
	int descriptor;            // -1: memory
	const unsigned char *data; // of a trace in memory
	size_t data_bytes;
	uint64_t offset;       // in the file, after what was read
	uint64_t chunk_offset; // of the chunk at hand
	uint64_t number;       // of the next chunk
	struct byte_array stored, raw;
	const unsigned char *events; // of the chunk at hand: in `stored` or `raw`
	size_t events_bytes, at;
	char cut[128]; // empty: not cut
};

static enum vkr_result reader_damaged(const struct vkr_reader *reader, struct vkr_error *error,
				      uint64_t offset, const char *reason)
{
	return vkr_error_set(error, VKR_ERROR_FORMAT, "%s: byte offset %" PRIu64 ": %s",
			     reader->name, offset, reason);
}

// Reads up to `bytes` bytes; less only where the file ends.
static enum vkr_result read_some(struct vkr_reader *reader, void *to, size_t bytes, size_t *done,
				 struct vkr_error *error)
{
	*done = 0;
	if (reader->descriptor < 0) {
		size_t left = reader->data_bytes - (size_t)reader->offset;
		*done = bytes < left ? bytes : left;
		if (*done)
			memcpy(to, reader->data + reader->offset, *done);
		reader->offset += *done;
		return VKR_OK;
	}
	while (*done < bytes) {
		ssize_t got = read(reader->descriptor, (unsigned char *)to + *done, bytes - *done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return vkr_error_set(error, VKR_ERROR_IO,
					     "%s: byte offset %" PRIu64 ": cannot read: %s",
					     reader->name, reader->offset, strerror(errno));
		if (got == 0)
			break;
		*done += (size_t)got;
		reader->offset += (size_t)got;
	}
	return VKR_OK;
}

static enum vkr_result read_file_header(struct vkr_reader *reader, struct vkr_error *error)
{
	struct vkr_trace_file header;
	size_t done;
	enum vkr_result result = read_some(reader, &header, sizeof header, &done, error);
	if (result != VKR_OK)
		return result;
	size_t magic = done < sizeof header.magic ? done : sizeof header.magic;
	if (memcmp(header.magic, VKR_TRACE_MAGIC, magic) != 0)
		return reader_damaged(reader, error, 0, "this is no vkrace trace");
	if (done < sizeof header)
		return reader_damaged(reader, error, done, "the file ends within its header");
	if (header.version != VKR_TRACE_VERSION)
		return vkr_error_set(error, VKR_ERROR_VERSION,
				     "%s: byte offset 8: version %" PRIu32
				     " of the format, and this build reads version %u",
				     reader->name, header.version, VKR_TRACE_VERSION);
	if (header.reserved != 0)
		return reader_damaged(reader, error, 12, "a reserved member is not 0");
	return VKR_OK;
}

static struct vkr_reader *create_reader(const char *name)
{
	struct vkr_reader *reader = calloc(1, sizeof *reader);
	if (!reader)
		return NULL;
	reader->descriptor = -1;
	reader->name = strdup(name);
	if (reader->name)
		return reader;
	vkr_reader_close(reader);
	return NULL;
}

static enum vkr_result begin_reader(struct vkr_reader *reader, struct vkr_reader **out,
				    struct vkr_error *error)
{
	enum vkr_result result = read_file_header(reader, error);
	if (result != VKR_OK)
		vkr_reader_close(reader);
	else
		*out = reader;
	return result;
}

enum vkr_result vkr_reader_open(struct vkr_reader **out, const char *path, struct vkr_error *error)
{
	bool standard = strcmp(path, "-") == 0;
	struct vkr_reader *reader = create_reader(standard ? "standard input" : path);
	if (!reader)
		return vkr_error_memory(error, "the trace reader");
	struct stat status;
	reader->descriptor = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				      : open(path, O_RDONLY | O_CLOEXEC);
	enum vkr_result result = VKR_OK;
	if (reader->descriptor < 0 || fstat(reader->descriptor, &status) != 0)
		result = vkr_error_set(error, VKR_ERROR_IO, "%s: cannot open: %s", reader->name,
				       strerror(errno));
	else if (S_ISDIR(status.st_mode))
		result = vkr_error_set(error, VKR_ERROR_IO, "%s: cannot open: %s", reader->name,
				       strerror(EISDIR));
	if (result != VKR_OK) {
		vkr_reader_close(reader);
		return result;
	}
	return begin_reader(reader, out, error);
}

enum vkr_result vkr_reader_open_memory(struct vkr_reader **out, const char *name, const void *data,
				       size_t bytes, struct vkr_error *error)
{
	struct vkr_reader *reader = create_reader(name);
	if (!reader)
		return vkr_error_memory(error, "the trace reader");
	reader->data = data;
	reader->data_bytes = bytes;
	return begin_reader(reader, out, error);
}

static void set_cut(struct vkr_reader *reader)
{
	snprintf(reader->cut, sizeof reader->cut,
		 "the trace ends early, at byte offset %" PRIu64 ": chunk %" PRIu64 " is not whole",
		 reader->offset, reader->number);
}

// Reads the stored bytes of a chunk. *whole is false where the file ends before.
static enum vkr_result read_stored(struct vkr_reader *reader, uint64_t bytes, bool *whole,
				   struct vkr_error *error)
{
	struct byte_array *stored = &reader->stored;
	stored->count = 0;
	*whole = true;
	while (stored->count < bytes && *whole) {
		uint64_t left = bytes - stored->count;
		size_t step = left < STEP_BYTES ? (size_t)left : STEP_BYTES, done;
		if (!VKR_ARRAY_RESERVE(stored, step))
			return vkr_error_memory(error, "a chunk of the trace");
		enum vkr_result result =
			read_some(reader, stored->items + stored->count, step, &done, error);
		if (result != VKR_OK)
			return result;
		stored->count += done;
		*whole = done == step;
	}
	return VKR_OK;
}

// The events, of which `raw` has the bytes in planes.
static enum vkr_result join_planes(struct vkr_reader *reader, size_t bytes, struct vkr_error *error)
{
	struct byte_array *events = &reader->stored; // what was stored there is in `raw` now
	events->count = 0;
	if (!VKR_ARRAY_RESERVE(events, bytes))
		return vkr_error_memory(error, "a chunk of the trace");
	vkr_planes_join(reader->raw.items, events->items, bytes);
	reader->events = events->items;
	return VKR_OK;
}

static enum vkr_result decompress(struct vkr_reader *reader, const struct vkr_trace_chunk *chunk,
				  struct vkr_error *error)
{
	struct byte_array *raw = &reader->raw;
	uint64_t offset = reader->chunk_offset;
	if (chunk->raw_bytes / ZSTD_EXPANSION > chunk->stored_bytes)
		return reader_damaged(reader, error, offset,
				      "the chunk claims more than zstd can expand");
	raw->count = 0;
	if (!VKR_ARRAY_RESERVE(raw, (size_t)chunk->raw_bytes))
		return vkr_error_memory(error, "a chunk of the trace");
	size_t frame = ZSTD_findFrameCompressedSize(reader->stored.items, reader->stored.count);
	if (ZSTD_isError(frame) || reader->stored.count - frame >= 8)
		return reader_damaged(reader, error, offset, "the chunk is no zstd frame");
	size_t bytes =
		ZSTD_decompress(raw->items, (size_t)chunk->raw_bytes, reader->stored.items, frame);
	if (bytes != chunk->raw_bytes)
		return reader_damaged(
			reader, error, offset,
			"the chunk's zstd frame is not of the size that its header says");
	if (chunk->flags & VKR_CHUNK_PLANES)
		return join_planes(reader, bytes, error);
	reader->events = raw->items;
	return VKR_OK;
}

static enum vkr_result check_chunk(const struct vkr_reader *reader,
				   const struct vkr_trace_chunk *chunk, struct vkr_error *error)
{
	uint64_t offset = reader->chunk_offset;
	if (vkr_chunk_checksum(*chunk, reader->stored.items) != chunk->checksum)
		return reader_damaged(reader, error, offset, "the chunk's checksum is wrong");
	if (chunk->flags & ~(uint32_t)(VKR_CHUNK_ZSTD | VKR_CHUNK_PLANES) ||
	    chunk->flags == VKR_CHUNK_PLANES)
		return reader_damaged(reader, error, offset,
				      "the chunk has flags that are not known");
	if (chunk->number != reader->number)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "%s: byte offset %" PRIu64 ": chunk %" PRIu64
				     " stands where chunk %" PRIu64 " belongs",
				     reader->name, offset, chunk->number, reader->number);
	if (chunk->raw_bytes == 0 || chunk->raw_bytes % 8 != 0 || chunk->stored_bytes % 8 != 0)
		return reader_damaged(reader, error, offset,
				      "the chunk's sizes are no multiples of 8");
	return VKR_OK;
}

// The next chunk's events; none where the file ends or is cut.
static enum vkr_result read_chunk(struct vkr_reader *reader, struct vkr_error *error)
{
	struct vkr_trace_chunk chunk;
	size_t done;
	bool whole;
	reader->events_bytes = reader->at = 0;
	reader->chunk_offset = reader->offset;
	enum vkr_result result = read_some(reader, &chunk, sizeof chunk, &done, error);
	if (result != VKR_OK || done == 0)
		return result;
	if (done >= sizeof chunk.magic && chunk.magic != VKR_TRACE_CHUNK_MAGIC)
		return reader_damaged(reader, error, reader->chunk_offset, "no chunk begins here");
	if (done < sizeof chunk) {
		set_cut(reader);
		return VKR_OK;
	}
	result = read_stored(reader, chunk.stored_bytes, &whole, error);
	if (result != VKR_OK)
		return result;
	if (!whole) {
		set_cut(reader);
		return VKR_OK;
	}
	result = check_chunk(reader, &chunk, error);
	if (result != VKR_OK)
		return result;
	if (chunk.flags & VKR_CHUNK_ZSTD) {
		result = decompress(reader, &chunk, error);
		if (result != VKR_OK)
			return result;
	} else if (chunk.raw_bytes == chunk.stored_bytes) {
		reader->events = reader->stored.items;
	} else {
		return reader_damaged(reader, error, reader->chunk_offset,
				      "the chunk's sizes disagree");
	}
	reader->events_bytes = (size_t)chunk.raw_bytes;
	reader->number++;
	return VKR_OK;
}

enum vkr_result vkr_reader_next(struct vkr_reader *reader, const struct vkr_trace_event **event,
				struct vkr_error *error)
{
	*event = NULL;
	if (reader->at == reader->events_bytes && !reader->cut[0]) {
		enum vkr_result result = read_chunk(reader, error);
		if (result != VKR_OK)
			return result;
	}
	if (reader->at == reader->events_bytes)
		return VKR_OK;
	struct vkr_error cause;
	const struct vkr_trace_event *next = (const void *)(reader->events + reader->at);
	enum vkr_result result = vkr_event_check(next, reader->events_bytes - reader->at, &cause);
	if (result != VKR_OK)
		return vkr_error_set(error, result,
				     "%s: byte offset %" PRIu64
				     ": in this chunk, at its byte %zu: %s",
				     reader->name, reader->chunk_offset, reader->at, cause.message);
	reader->at += next->bytes;
	*event = next;
	return VKR_OK;
}

const char *vkr_reader_cut(const struct vkr_reader *reader)
{
	return reader->cut[0] ? reader->cut : NULL;
}

void vkr_reader_close(struct vkr_reader *reader)
{
	if (!reader)
		return;
	if (reader->descriptor >= 0)
		close(reader->descriptor);
	free(reader->stored.items);
	free(reader->raw.items);
	free(reader->name);
	free(reader);
}
