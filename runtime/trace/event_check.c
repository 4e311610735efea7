// SPDX-License-Identifier: Apache-2.0
#include "event_check.h"

#include "error.h"
#include "event_layout.h"
#include "site_table.h"
#include "utf8.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

// Events of recordings are those whose names say so.
static bool is_command(unsigned type)
{
	const struct vkr_event_layout *layout = vkr_event_layout(type);
	return layout && strncmp(layout->name, "CMD_", strlen("CMD_")) == 0;
}

static enum vkr_result check_members(const char *event, const struct vkr_event_field_list *list,
				     const void *structure, struct vkr_error *error)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct vkr_event_field *field = &list->fields[i];
		uint64_t value = vkr_event_field_value(field, structure, 0);
		if (field->form == VKR_EVENT_FIELD_NAMED &&
		    !vkr_event_field_value_name(field, value))
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "%s: %s %" PRIu64 " is not known", event, field->name,
					     value);
		for (unsigned n = 0; n < field->count && field->form == VKR_EVENT_FIELD_RESERVED;
		     n++) {
			if (vkr_event_field_value(field, structure, n) != 0)
				return vkr_error_set(error, VKR_ERROR_FORMAT,
						     "%s: a reserved member is not 0", event);
		}
	}
	return VKR_OK;
}

static enum vkr_result check_text(const char *event, const char *text, size_t bytes,
				  struct vkr_error *error)
{
	if (bytes > INT_MAX) // a precision of printf
		return vkr_error_set(error, VKR_ERROR_FORMAT, "%s: a text of %zu bytes", event,
				     bytes);
	size_t valid = vkr_utf8_valid(text, bytes);
	if (valid != bytes)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "%s: byte %zu of its text is not UTF-8 or NUL", event, valid);
	return VKR_OK;
}

static enum vkr_result check_sites(const char *event, const void *table, size_t bytes,
				   struct vkr_error *error)
{
	struct vkr_error cause;
	if (bytes == 0 || vkr_site_table_check(table, bytes, &cause) == VKR_OK)
		return VKR_OK;
	return vkr_error_set(error, cause.result, "%s: its site table: %s", event, cause.message);
}

static enum vkr_result check_commands(const char *event, const unsigned char *commands,
				      size_t bytes, struct vkr_error *error)
{
	for (size_t at = 0; at < bytes;) {
		const struct vkr_trace_event *inner = (const void *)(commands + at);
		struct vkr_error cause;
		enum vkr_result result = VKR_OK;
		if (bytes - at >= sizeof *inner && !is_command(inner->type))
			result = vkr_error_set(&cause, VKR_ERROR_FORMAT,
					       "an event of number %u is no command",
					       (unsigned)inner->type);
		else
			result = vkr_event_check(inner, bytes - at, &cause);
		if (result != VKR_OK)
			return vkr_error_set(error, result, "%s: at byte %zu of its commands: %s",
					     event, at, cause.message);
		at += inner->bytes;
	}
	return VKR_OK;
}

static enum vkr_result check_part(const char *event, const struct vkr_tail_part *part,
				  const unsigned char *data, size_t bytes, struct vkr_error *error)
{
	switch (part->kind) {
	case VKR_TAIL_TEXT:
		return check_text(event, (const char *)data, bytes, error);
	case VKR_TAIL_SITES:
		return check_sites(event, data, bytes, error);
	case VKR_TAIL_EVENTS:
		return check_commands(event, data, bytes, error);
	case VKR_TAIL_ITEMS:
		for (size_t at = 0; at < bytes; at += part->item->bytes) {
			enum vkr_result result = check_members(event, part->item, data + at, error);
			if (result != VKR_OK)
				return result;
		}
		return VKR_OK;
	case VKR_TAIL_END:
	case VKR_TAIL_WORDS:
	case VKR_TAIL_FRAMES:
	case VKR_TAIL_LOG:
	case VKR_TAIL_COLUMN_LOG:
		break;
	}
	return VKR_OK;
}

// The counts of a submission's batches must add up to its own counts.
static enum vkr_result check_submit(const struct vkr_trace_submit *submit, struct vkr_error *error)
{
	const struct vkr_trace_batch *batches = (const void *)(submit + 1);
	uint64_t waits = 0, executions = 0, signals = 0;
	for (uint32_t i = 0; i < submit->batch_count; i++) {
		waits += batches[i].wait_count;
		executions += batches[i].execution_count;
		signals += batches[i].signal_count;
	}
	if (waits != submit->wait_count || executions != submit->execution_count ||
	    signals != submit->signal_count)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "SUBMIT: its batches do not add up to its counts");
	if (submit->sparse > 1 ||
	    (submit->sparse && (submit->batch_count != 1 || submit->execution_count != 0)))
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "SUBMIT: sparse is 0, or 1 of one batch without executions");
	return VKR_OK;
}

// A column log has as many words as its columns and invocations make.
static enum vkr_result check_column_log(const struct vkr_trace_gpu_column_log *column_log,
					struct vkr_error *error)
{
	const uint64_t invocations = (uint64_t)column_log->group_count * column_log->local_size;
	if (invocations == 0 || column_log->columns == 0 || column_log->groups[0] == 0 ||
	    column_log->groups[1] == 0 || column_log->groups[2] == 0 ||
	    column_log->word_count % 2 != 0 ||
	    column_log->word_count / 2 % column_log->columns != 0 ||
	    column_log->word_count / 2 / column_log->columns != invocations)
		return vkr_error_set(
			error, VKR_ERROR_FORMAT,
			"GPU_COLUMN_LOG: its columns and invocations do not make its words");
	return VKR_OK;
}

static enum vkr_result check_tail(const struct vkr_event_layout *layout,
				  const struct vkr_trace_event *header, struct vkr_error *error)
{
	const unsigned char *payload = (const unsigned char *)(header + 1);
	const unsigned char *end = (const unsigned char *)header + header->bytes;
	const unsigned char *at = payload + layout->payload.bytes;
	for (const struct vkr_tail_part *part = layout->tail; part->kind != VKR_TAIL_END; part++) {
		uint32_t count;
		memcpy(&count, payload + part->count_offset, sizeof count);
		uint64_t bytes = vkr_tail_part_bytes(part, count);
		if (bytes > (uint64_t)(end - at))
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "%s: %" PRIu32 " %s do not fit in its %" PRIu32
					     " bytes",
					     layout->name, count, part->name, header->bytes);
		enum vkr_result result = check_part(layout->name, part, at, (size_t)bytes, error);
		if (result != VKR_OK)
			return result;
		at += bytes;
	}
	if (end - at >= 8)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "%s: %td bytes behind what its counts say", layout->name,
				     end - at);
	for (; at < end; at++) {
		if (*at != 0)
			return vkr_error_set(error, VKR_ERROR_FORMAT, "%s: its padding is not 0",
					     layout->name);
	}
	return VKR_OK;
}

enum vkr_result vkr_event_check(const void *event, size_t bytes, struct vkr_error *error)
{
	const struct vkr_trace_event *header = event;
	if (bytes < sizeof *header)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "%zu bytes are too few for an event",
				     bytes);
	const struct vkr_event_layout *layout = vkr_event_layout(header->type);
	if (!layout)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "no event has the number %u",
				     (unsigned)header->type);
	if (header->bytes % 8 != 0 || header->bytes > bytes)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "%s: its size of %" PRIu32
				     " bytes is no multiple of 8, or more than the %zu there are",
				     layout->name, header->bytes, bytes);
	if (header->bytes < sizeof *header + layout->payload.bytes)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "%s: its size of %" PRIu32 " bytes is too small", layout->name,
				     header->bytes);
	if (header->reserved != 0 || (!is_command(header->type) && header->reserved2 != 0))
		return vkr_error_set(error, VKR_ERROR_FORMAT, "%s: a reserved member is not 0",
				     layout->name);
	enum vkr_result result = check_members(layout->name, &layout->payload, header + 1, error);
	if (result == VKR_OK)
		result = check_tail(layout, header, error);
	if (result == VKR_OK && header->type == VKR_TRACE_SUBMIT)
		result = check_submit((const void *)(header + 1), error);
	if (result == VKR_OK && header->type == VKR_TRACE_GPU_COLUMN_LOG)
		result = check_column_log((const void *)(header + 1), error);
	return result;
}
