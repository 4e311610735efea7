// SPDX-License-Identifier: Apache-2.0
#include "trace_info.h"

#include "array.h"
#include "error.h"
#include "event_layout.h"
#include "reader.h"
#include "report_escape.h"

#include "vkrace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TYPES 65536 // of struct vkr_trace_event

struct kind {
	uint64_t count, bytes;
};

struct contents {
	struct kind *kinds; // by type; those of commands in recordings too
	uint64_t events, bytes, uncovered;
	bool ended;
};

// A text of an event, as a line.
static void print_text(const char *text, size_t bytes)
{
	char *copy = strndup(text, bytes);
	if (copy)
		vkr_escape_plain(stdout, copy);
	free(copy);
}

static void print_begin(const struct vkr_trace_run_begin *begin)
{
	const time_t seconds = (time_t)(begin->time_ns / 1000000000);
	struct tm parts;
	char text[64] = "";
	if (gmtime_r(&seconds, &parts))
		strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
	printf("recorded %s UTC, process %" PRIu32 ": ", text, begin->process);
	print_text((const char *)(begin + 1), begin->text_bytes);
	putchar('\n');
}

static void print_device(const struct vkr_trace_device *device)
{
	printf("device %" PRIu32 ": ", device->device);
	print_text((const char *)(device + 1), device->text_bytes);
	printf(", Vulkan %" PRIu32 ".%" PRIu32 ".%" PRIu32 ", vendor 0x%" PRIx32
	       ", driver version 0x%" PRIx32 "\n",
	       device->api_version >> 22 & 0x7f, device->api_version >> 12 & 0x3ff,
	       device->api_version & 0xfff, device->vendor, device->driver_version);
}

static void count_commands(struct contents *contents, const struct vkr_trace_recording *recording)
{
	const char *at = (const char *)(recording + 1), *end = at + recording->event_bytes;
	while (at < end) {
		const struct vkr_trace_event *event = (const void *)at;
		contents->kinds[event->type].count++;
		contents->kinds[event->type].bytes += event->bytes;
		at += event->bytes;
	}
}

static void take_event(struct contents *contents, const struct vkr_trace_event *event)
{
	const void *payload = event + 1;
	contents->events++;
	contents->bytes += event->bytes;
	contents->kinds[event->type].count++;
	contents->kinds[event->type].bytes += event->bytes;
	switch (event->type) {
	case VKR_TRACE_RUN_BEGIN:
		print_begin(payload);
		break;
	case VKR_TRACE_DEVICE:
		print_device(payload);
		break;
	case VKR_TRACE_RECORDING:
		count_commands(contents, payload);
		break;
	case VKR_TRACE_COVERAGE:
		contents->uncovered++;
		break;
	case VKR_TRACE_RUN_END:
		contents->ended = true;
		break;
	default:
		break;
	}
}

static uint64_t count_of(const struct contents *contents, uint32_t type)
{
	return contents->kinds[type].count;
}

// Prints which data of the program the file contains.
static void print_program_data(const struct contents *contents)
{
	printf("holds of the program: the command line, %" PRIu64 " paths of its files, %" PRIu64
	       " names of objects, what %" PRIu64 " shaders access with names of their sources and "
	       "variables, the SPIR-V of %" PRIu64 " modules, %" PRIu64
	       " pieces of source files, %" PRIu64
	       " bytes of memory that commands take parameters from, %" PRIu64
	       " bytes of logs of addresses\n",
	       count_of(contents, VKR_TRACE_MODULE), count_of(contents, VKR_TRACE_NAME),
	       count_of(contents, VKR_TRACE_SHADER), count_of(contents, VKR_TRACE_SHADER_CODE),
	       count_of(contents, VKR_TRACE_SOURCE), contents->kinds[VKR_TRACE_SNAPSHOT].bytes,
	       contents->kinds[VKR_TRACE_GPU_LOG].bytes +
		       contents->kinds[VKR_TRACE_GPU_COLUMN_LOG].bytes);
}

static int compare_types(const void *left, const void *right, void *of)
{
	const struct kind *kinds = of;
	const uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
	if (kinds[first].bytes != kinds[second].bytes)
		return kinds[first].bytes > kinds[second].bytes ? -1 : 1;
	return first < second ? -1 : first > second;
}

static enum vkr_result print_kinds(const struct contents *contents, struct vkr_error *error)
{
	struct {
		uint32_t *items;
		size_t count, capacity;
	} types = {0};
	for (uint32_t type = 0; type < TYPES; type++) {
		if (!contents->kinds[type].count)
			continue;
		if (!VKR_ARRAY_RESERVE(&types, 1)) {
			free(types.items);
			return vkr_error_memory(error, "the kinds of events");
		}
		types.items[types.count++] = type;
	}
	if (types.count)
		qsort_r(types.items, types.count, sizeof *types.items, compare_types,
			contents->kinds);
	for (size_t i = 0; i < types.count; i++) {
		const struct kind *kind = &contents->kinds[types.items[i]];
		printf("  %-28s %10" PRIu64 " %14" PRIu64 " bytes\n",
		       vkr_event_layout(types.items[i])->name, kind->count, kind->bytes);
	}
	free(types.items);
	return VKR_OK;
}

enum vkr_result vkr_trace_info_print(const char *path, struct vkr_error *error)
{
	struct vkr_reader *reader = NULL;
	const struct vkr_trace_event *event = NULL;
	struct contents contents = {.kinds = calloc(TYPES, sizeof *contents.kinds)};
	if (!contents.kinds)
		return vkr_error_memory(error, "the kinds of events");
	enum vkr_result result = vkr_reader_open(&reader, path, error);
	while (result == VKR_OK && (result = vkr_reader_next(reader, &event, error)) == VKR_OK &&
	       event)
		take_event(&contents, event);
	if (result == VKR_OK) {
		const char *cut = vkr_reader_cut(reader);
		printf("%" PRIu64 " events, %" PRIu64 " bytes before compression; %s\n",
		       contents.events, contents.bytes,
		       cut              ? cut
		       : contents.ended ? "whole"
					: "the run did not end by itself");
		printf("%" PRIu64 " submissions of %" PRIu64 " recordings; %" PRIu64
		       " things were not observed\n",
		       count_of(&contents, VKR_TRACE_SUBMIT),
		       count_of(&contents, VKR_TRACE_RECORDING), contents.uncovered);
		print_program_data(&contents);
		result = print_kinds(&contents, error);
	}
	if (result == VKR_OK && (fflush(stdout) != 0 || ferror(stdout)))
		result = vkr_error_set(error, VKR_ERROR_IO, "cannot print: %s", strerror(errno));
	vkr_reader_close(reader);
	free(contents.kinds);
	return result;
}
