// SPDX-License-Identifier: Apache-2.0
// Writes the sample run as a trace file: write_sample FILE [killed|compressed], of a program that
// was killed without its last event. Knows nothing of what is done with it.
#include "chunk_writer.h"
#include "output_file.h"
#include "sample_trace.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct sample_trace trace;
	struct vkr_output_file file;
	struct vkr_chunk_writer *writer = NULL;
	struct vkr_error error;
	const char *kind = argc == 3 ? argv[2] : "";
	const bool killed = strcmp(kind, "killed") == 0, compress = strcmp(kind, "compressed") == 0;
	if (argc != 2 && !killed && !compress)
		return 2;
	sample_trace_make(&trace);
	if (killed)
		trace.count -= sizeof(struct vkr_trace_event) + sizeof(struct vkr_trace_run_end);
	enum vkr_result result = vkr_output_file_open(&file, argv[1], 0, false, &error);
	if (result != VKR_OK)
		goto fail;
	result = vkr_chunk_writer_create(&writer, file.descriptor, file.path, compress, &error);
	for (size_t at = 0; result == VKR_OK && at < trace.count;) {
		const struct vkr_trace_event *event = (const void *)(trace.items + at);
		result = vkr_chunk_writer_event(writer, event, &error);
		at += event->bytes;
	}
	if (result == VKR_OK)
		result = vkr_chunk_writer_flush(writer, &error);
	vkr_chunk_writer_destroy(writer);
	vkr_output_file_close(&file);
fail:
	sample_trace_finish(&trace);
	if (result != VKR_OK)
		fprintf(stderr, "write_sample: %s\n", error.message);
	return result == VKR_OK ? 0 : 1;
}
