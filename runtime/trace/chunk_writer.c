// SPDX-License-Identifier: Apache-2.0
#include "chunk_writer.h"

#include "array.h"
#include "byte_planes.h"
#include "chunk_checksum.h"
#include "error.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

// A chunk is written once this much is pending.
#define CHUNK_BYTES ((size_t)1024 * 1024)

// Faster than a disk writes, and logs of GPU accesses shrink to a fraction already.
#define ZSTD_LEVEL 1

struct byte_array {
	unsigned char *items;
	size_t count, capacity;
};

struct vkr_chunk_writer {
	int descriptor;
	char *path;
	bool compress;
	uint64_t number;           // of the next chunk
	struct byte_array pending; // events
	struct byte_array planes;  // their bytes in the order in which they are compressed
	struct byte_array stored;  // their compressed form
	ZSTD_CCtx *zstd;
};

static enum vkr_result write_all(struct vkr_chunk_writer *writer, const void *data, size_t bytes,
				 struct vkr_error *error)
{
	const unsigned char *from = data;
	while (bytes > 0) {
		ssize_t written = write(writer->descriptor, from, bytes);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot write: %s",
					     writer->path, strerror(errno));
		from += written;
		bytes -= (size_t)written;
	}
	return VKR_OK;
}

enum vkr_result vkr_chunk_writer_create(struct vkr_chunk_writer **out, int descriptor,
					const char *path, bool compress, struct vkr_error *error)
{
	const struct vkr_trace_file header = {.magic = VKR_TRACE_MAGIC,
					      .version = VKR_TRACE_VERSION};
	struct vkr_chunk_writer *writer = calloc(1, sizeof *writer);
	enum vkr_result result = VKR_OK;
	if (!writer)
		return vkr_error_memory(error, "the trace writer");
	writer->descriptor = descriptor;
	writer->compress = compress;
	writer->path = strdup(path);
	writer->zstd = compress ? ZSTD_createCCtx() : NULL;
	if (!writer->path || (compress && !writer->zstd)) {
		result = vkr_error_memory(error, "the trace writer");
		goto fail;
	}
	result = write_all(writer, &header, sizeof header, error);
	if (result != VKR_OK)
		goto fail;
	*out = writer;
	return VKR_OK;
fail:
	vkr_chunk_writer_destroy(writer);
	return result;
}

// Compresses the pending events into `stored`, padded to 8 bytes.
static enum vkr_result compress_pending(struct vkr_chunk_writer *writer, struct vkr_error *error)
{
	struct byte_array *stored = &writer->stored, *planes = &writer->planes;
	const size_t raw = writer->pending.count;
	size_t bound = ZSTD_compressBound(raw) + 8;
	stored->count = planes->count = 0;
	if (!VKR_ARRAY_RESERVE(stored, bound) || !VKR_ARRAY_RESERVE(planes, raw))
		return vkr_error_memory(error, "a compressed chunk");
	vkr_planes_split(writer->pending.items, planes->items, raw);
	size_t bytes = ZSTD_compressCCtx(writer->zstd, stored->items, stored->capacity - 8,
					 planes->items, raw, ZSTD_LEVEL);
	if (ZSTD_isError(bytes))
		return vkr_error_set(error, VKR_ERROR_MEMORY, "%s: cannot compress: %s",
				     writer->path, ZSTD_getErrorName(bytes));
	stored->count = (bytes + 7) / 8 * 8;
	memset(stored->items + bytes, 0, stored->count - bytes);
	return VKR_OK;
}

enum vkr_result vkr_chunk_writer_flush(struct vkr_chunk_writer *writer, struct vkr_error *error)
{
	struct vkr_trace_chunk chunk = {.magic = VKR_TRACE_CHUNK_MAGIC, .number = writer->number};
	const struct byte_array *stored = &writer->pending;
	if (writer->pending.count == 0)
		return VKR_OK;
	enum vkr_result result = VKR_OK;
	if (writer->compress) {
		result = compress_pending(writer, error);
		stored = &writer->stored;
		chunk.flags = VKR_CHUNK_ZSTD | VKR_CHUNK_PLANES;
	}
	chunk.raw_bytes = writer->pending.count;
	chunk.stored_bytes = stored->count;
	if (result == VKR_OK) {
		chunk.checksum = vkr_chunk_checksum(chunk, stored->items);
		result = write_all(writer, &chunk, sizeof chunk, error);
	}
	if (result == VKR_OK)
		result = write_all(writer, stored->items, stored->count, error);
	writer->number++;
	writer->pending.count = 0;
	return result;
}

enum vkr_result vkr_chunk_writer_event(struct vkr_chunk_writer *writer,
				       const struct vkr_trace_event *event, struct vkr_error *error)
{
	struct byte_array *pending = &writer->pending;
	// Also in front of a large event, which then has a chunk of its own.
	if (pending->count + event->bytes > CHUNK_BYTES) {
		enum vkr_result result = vkr_chunk_writer_flush(writer, error);
		if (result != VKR_OK)
			return result;
	}
	if (!VKR_ARRAY_RESERVE(pending, event->bytes))
		return vkr_error_memory(error, "an event of the trace");
	memcpy(pending->items + pending->count, event, event->bytes);
	pending->count += event->bytes;
	return VKR_OK;
}

void vkr_chunk_writer_destroy(struct vkr_chunk_writer *writer)
{
	if (!writer)
		return;
	free(writer->pending.items);
	free(writer->planes.items);
	free(writer->stored.items);
	free(writer->path);
	ZSTD_freeCCtx(writer->zstd);
	free(writer);
}
