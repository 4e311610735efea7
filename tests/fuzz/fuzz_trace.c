// SPDX-License-Identifier: Apache-2.0
// Any bytes as a trace file: the reader refuses them or gives out events that can be printed and
// judged. Checksums are set right first, so that damage reaches what lies behind them.
#include "chunk_checksum.h"
#include "event_text.h"
#include "reader.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void correct_checksums(unsigned char *bytes, size_t size)
{
	struct vkr_trace_chunk chunk;
	size_t at = sizeof(struct vkr_trace_file);
	while (size >= at && size - at >= sizeof chunk) {
		memcpy(&chunk, bytes + at, sizeof chunk);
		if (chunk.stored_bytes > size - at - sizeof chunk)
			return;
		chunk.checksum = vkr_chunk_checksum(chunk, bytes + at + sizeof chunk);
		memcpy(bytes + at, &chunk, sizeof chunk);
		at += sizeof chunk + chunk.stored_bytes;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *out;
	struct vkr_reader *reader;
	struct vkr_session *session = NULL;
	const struct vkr_trace_event *event;
	struct vkr_error error;
	unsigned char *bytes = malloc(size + 1);
	if (!out)
		out = fopen("/dev/null", "w");
	if (!bytes || !out)
		abort();
	memcpy(bytes, data, size);
	correct_checksums(bytes, size);
	if (vkr_session_create(NULL, &session, &error) != VKR_OK)
		abort();
	if (vkr_reader_open_memory(&reader, "input", bytes, size, &error) == VKR_OK) {
		while (vkr_reader_next(reader, &event, &error) == VKR_OK && event) {
			vkr_event_text(event, 1, NULL, out);
			if (vkr_session_event(session, event, &error) == VKR_ERROR_MEMORY)
				break;
		}
		vkr_reader_close(reader);
	}
	if (vkr_session_end(session, &error) == VKR_OK && !vkr_session_report(session))
		abort();
	vkr_session_destroy(session);
	free(bytes);
	return 0;
}
