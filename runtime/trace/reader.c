// SPDX-License-Identifier: Apache-2.0
#include "reader.h"

#include "array.h"
#include "byte_planes.h"
#include "chunk_checksum.h"
#include "crew.h"
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
#include <zstd_errors.h>

// A chunk's bytes are read in steps of this size, so that a size that the file does not have never
// becomes an allocation.
#define STEP_BYTES ((size_t)16 * 1024 * 1024)

// The most that zstd makes of a stored byte: a block of 128 KiB takes 4 bytes at least.
#define ZSTD_EXPANSION 32768u

struct byte_array {
	unsigned char *items;
	size_t count, capacity;
};

// One chunk of the file, or where there is none.
struct chunk {
	struct vkr_trace_chunk header;
	uint64_t offset; // in the file
	uint64_t number;
	struct byte_array stored, raw;
	const unsigned char *events; // in `stored` or `raw`
	size_t events_bytes;         // 0: the file ends here
	bool cut;                    // and the chunk is not whole
	uint64_t end;                // in the file: where what was read of it ends
	uint64_t ahead;              // its part in the reader's ahead_bytes
	const char *name;            // the reader's
	struct vkr_job job;          // checks it and takes its events out
	enum vkr_result result;
	struct vkr_error error; // of the result
};

// Chunks that are ahead of the one at hand, and the bytes of events in these.
#define AHEAD_MOST       64u
#define AHEAD_BYTES_MOST (UINT64_C(64) << 20)

struct vkr_reader {
	char *name;
	int descriptor;            // -1: memory
	const unsigned char *data; // of a trace in memory
	size_t data_bytes;
	uint64_t offset; // in the file, after what was read
	uint64_t number; // of the next chunk that is read
	struct vkr_crew *crew;
	bool waits; // reading may wait for who writes: nothing is read ahead
	// The one at hand and those ahead of it, in a circle.
	struct chunk *chunks;
	uint32_t room, first, count;
	uint64_t ahead_bytes; // of events, of all of these
	bool done;            // the last of them is the last one of all
	size_t at;            // in the events of the chunk at hand
	char cut[128];        // empty: not cut
};

static enum vkr_result reader_damaged(const char *name, struct vkr_error *error, uint64_t offset,
				      const char *reason)
{
	return vkr_error_set(error, VKR_ERROR_FORMAT, "%s: byte offset %" PRIu64 ": %s", name,
			     offset, reason);
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
		return reader_damaged(reader->name, error, 0, "this is no vkrace trace");
	if (done < sizeof header)
		return reader_damaged(reader->name, error, done, "the file ends within its header");
	if (header.version != VKR_TRACE_VERSION)
		return vkr_error_set(error, VKR_ERROR_VERSION,
				     "%s: byte offset 8: version %" PRIu32
				     " of the format, and this build reads version %u",
				     reader->name, header.version, VKR_TRACE_VERSION);
	if (header.reserved != 0)
		return reader_damaged(reader->name, error, 12, "a reserved member is not 0");
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

// Room for so many chunks; there are none yet.
static enum vkr_result make_room(struct vkr_reader *reader, uint32_t room, struct vkr_error *error)
{
	struct chunk *chunks = calloc(room, sizeof *chunks);
	if (!chunks)
		return vkr_error_memory(error, "the trace reader");
	free(reader->chunks);
	reader->chunks = chunks;
	reader->room = room;
	return VKR_OK;
}

static enum vkr_result begin_reader(struct vkr_reader *reader, struct vkr_reader **out,
				    struct vkr_error *error)
{
	enum vkr_result result = read_file_header(reader, error);
	if (result == VKR_OK)
		result = make_room(reader, 1, error);
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
	reader->waits = !S_ISREG(status.st_mode);
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

static void set_cut(struct vkr_reader *reader, const struct chunk *chunk)
{
	snprintf(reader->cut, sizeof reader->cut,
		 "the trace ends early, at byte offset %" PRIu64 ": chunk %" PRIu64 " is not whole",
		 chunk->end, chunk->number);
}

// Reads the stored bytes of a chunk. *whole is false where the file ends before; of an error it
// says nothing.
static enum vkr_result read_stored(struct vkr_reader *reader, struct byte_array *stored,
				   uint64_t bytes, bool *whole, struct vkr_error *error)
{
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
static enum vkr_result join_planes(struct chunk *chunk, size_t bytes, struct vkr_error *error)
{
	struct byte_array *events = &chunk->stored; // what was stored there is in `raw` now
	events->count = 0;
	if (!VKR_ARRAY_RESERVE(events, bytes))
		return vkr_error_memory(error, "a chunk of the trace");
	vkr_planes_join(chunk->raw.items, events->items, bytes);
	chunk->events = events->items;
	return VKR_OK;
}

static enum vkr_result chunk_damaged(const struct chunk *chunk, struct vkr_error *error,
				     const char *reason)
{
	return reader_damaged(chunk->name, error, chunk->offset, reason);
}

static enum vkr_result reader_decompress(struct chunk *chunk, struct vkr_error *error)
{
	const struct vkr_trace_chunk *header = &chunk->header;
	struct byte_array *raw = &chunk->raw;
	if (header->raw_bytes / ZSTD_EXPANSION > header->stored_bytes)
		return chunk_damaged(chunk, error, "the chunk claims more than zstd can expand");
	raw->count = 0;
	if (!VKR_ARRAY_RESERVE(raw, (size_t)header->raw_bytes))
		return vkr_error_memory(error, "a chunk of the trace");
	size_t frame = ZSTD_findFrameCompressedSize(chunk->stored.items, chunk->stored.count);
	if (ZSTD_isError(frame) || chunk->stored.count - frame >= 8)
		return chunk_damaged(chunk, error, "the chunk is no zstd frame");
	size_t bytes =
		ZSTD_decompress(raw->items, (size_t)header->raw_bytes, chunk->stored.items, frame);
	if (ZSTD_isError(bytes) && ZSTD_getErrorCode(bytes) == ZSTD_error_memory_allocation)
		return vkr_error_memory(error, "a chunk of the trace");
	if (bytes != header->raw_bytes)
		return chunk_damaged(
			chunk, error,
			"the chunk's zstd frame is not of the size that its header says");
	if (header->flags & VKR_CHUNK_PLANES)
		return join_planes(chunk, bytes, error);
	chunk->events = raw->items;
	return VKR_OK;
}

static enum vkr_result check_chunk(const struct chunk *chunk, struct vkr_error *error)
{
	const struct vkr_trace_chunk *header = &chunk->header;
	if (vkr_chunk_checksum(*header, chunk->stored.items) != header->checksum)
		return chunk_damaged(chunk, error, "the chunk's checksum is wrong");
	if (header->flags & ~(uint32_t)(VKR_CHUNK_ZSTD | VKR_CHUNK_PLANES) ||
	    header->flags == VKR_CHUNK_PLANES)
		return chunk_damaged(chunk, error, "the chunk has flags that are not known");
	if (header->number != chunk->number)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "%s: byte offset %" PRIu64 ": chunk %" PRIu64
				     " stands where chunk %" PRIu64 " belongs",
				     chunk->name, chunk->offset, header->number, chunk->number);
	if (header->raw_bytes == 0 || header->raw_bytes % 8 != 0 || header->stored_bytes % 8 != 0)
		return chunk_damaged(chunk, error, "the chunk's sizes are no multiples of 8");
	return VKR_OK;
}

static enum vkr_result open_chunk(struct chunk *chunk, struct vkr_error *error)
{
	const struct vkr_trace_chunk *header = &chunk->header;
	enum vkr_result result = check_chunk(chunk, error);
	if (result == VKR_OK && header->flags & VKR_CHUNK_ZSTD)
		result = reader_decompress(chunk, error);
	else if (result == VKR_OK && header->raw_bytes == header->stored_bytes)
		chunk->events = chunk->stored.items;
	else if (result == VKR_OK)
		result = chunk_damaged(chunk, error, "the chunk's sizes disagree");
	chunk->events_bytes = result == VKR_OK ? (size_t)header->raw_bytes : 0;
	return result;
}

static void run_job(void *user)
{
	struct chunk *chunk = user;
	chunk->result = open_chunk(chunk, &chunk->error);
}

// Reads the bytes of the next chunk, as far as there are some. *whole: it is to be opened.
static enum vkr_result read_chunk(struct vkr_reader *reader, struct chunk *chunk, bool *whole,
				  struct vkr_error *error)
{
	struct vkr_trace_chunk *header = &chunk->header;
	size_t done;
	*whole = false;
	enum vkr_result result = read_some(reader, header, sizeof *header, &done, error);
	if (result != VKR_OK || done == 0)
		return result;
	if (done >= sizeof header->magic && header->magic != VKR_TRACE_CHUNK_MAGIC)
		return chunk_damaged(chunk, error, "no chunk begins here");
	if (done == sizeof *header)
		result = read_stored(reader, &chunk->stored, header->stored_bytes, whole, error);
	chunk->cut = result == VKR_OK && !*whole;
	*whole = *whole && result == VKR_OK;
	return result;
}

// Reads one more chunk after those that there are.
static void read_ahead(struct vkr_reader *reader)
{
	struct chunk *chunk = &reader->chunks[(reader->first + reader->count) % reader->room];
	bool whole;
	chunk->offset = reader->offset;
	chunk->number = reader->number++;
	chunk->events_bytes = 0;
	chunk->cut = false;
	chunk->name = reader->name;
	chunk->job.run = run_job;
	chunk->job.user = chunk;
	chunk->result = read_chunk(reader, chunk, &whole, &chunk->error);
	chunk->end = reader->offset;
	reader->count++;
	reader->done = !whole;
	chunk->ahead = 0;
	if (!whole)
		return;
	const uint64_t bytes = chunk->header.raw_bytes; // as it says
	chunk->ahead = bytes < AHEAD_BYTES_MOST ? bytes : AHEAD_BYTES_MOST;
	reader->ahead_bytes += chunk->ahead;
	vkr_crew_start(reader->crew, &chunk->job);
}

static bool may_read_ahead(const struct vkr_reader *reader)
{
	if (reader->done || reader->count == 0)
		return !reader->done;
	return !reader->waits && reader->count < reader->room &&
	       reader->ahead_bytes < AHEAD_BYTES_MOST;
}

// Goes to the next chunk, whose events are at hand then; none where the file ends or is cut.
static enum vkr_result next_chunk(struct vkr_reader *reader, struct vkr_error *error)
{
	struct chunk *chunk = &reader->chunks[reader->first];
	const bool is_last = reader->done && reader->count == 1;
	if (reader->count > 0 && !is_last && chunk->result == VKR_OK) {
		reader->ahead_bytes -= chunk->ahead;
		reader->first = (reader->first + 1) % reader->room;
		reader->count--;
		reader->at = 0;
	}
	while (may_read_ahead(reader))
		read_ahead(reader);
	chunk = &reader->chunks[reader->first];
	vkr_crew_wait(reader->crew, &chunk->job);
	if (chunk->cut)
		set_cut(reader, chunk);
	return chunk->result == VKR_OK
		       ? VKR_OK
		       : vkr_error_set(error, chunk->result, "%s", chunk->error.message);
}

enum vkr_result vkr_reader_next(struct vkr_reader *reader, const struct vkr_trace_event **event,
				struct vkr_error *error)
{
	*event = NULL;
	const struct chunk *chunk = &reader->chunks[reader->first];
	if (reader->count == 0 || reader->at == chunk->events_bytes) {
		enum vkr_result result = next_chunk(reader, error);
		if (result != VKR_OK)
			return result;
		chunk = &reader->chunks[reader->first];
	}
	if (reader->at == chunk->events_bytes)
		return VKR_OK;
	struct vkr_error cause;
	const struct vkr_trace_event *next = (const void *)(chunk->events + reader->at);
	enum vkr_result result = vkr_event_check(next, chunk->events_bytes - reader->at, &cause);
	if (result != VKR_OK)
		return vkr_error_set(error, result,
				     "%s: byte offset %" PRIu64
				     ": in this chunk, at its byte %zu: %s",
				     reader->name, chunk->offset, reader->at, cause.message);
	reader->at += next->bytes;
	*event = next;
	return VKR_OK;
}

enum vkr_result vkr_reader_help(struct vkr_reader *reader, struct vkr_crew *crew,
				struct vkr_error *error)
{
	const uint32_t threads = vkr_crew_threads(crew);
	if (threads == 1 || reader->count > 0)
		return VKR_OK;
	reader->crew = crew;
	return make_room(reader, threads < AHEAD_MOST ? threads + 1 : AHEAD_MOST, error);
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
	for (uint32_t at = 0; at < reader->count; at++)
		vkr_crew_wait(reader->crew,
			      &reader->chunks[(reader->first + at) % reader->room].job);
	for (uint32_t at = 0; at < reader->room; at++) {
		free(reader->chunks[at].stored.items);
		free(reader->chunks[at].raw.items);
	}
	free(reader->chunks);
	free(reader->name);
	free(reader);
}
