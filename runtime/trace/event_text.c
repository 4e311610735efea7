// SPDX-License-Identifier: Apache-2.0
#include "event_text.h"

#include "event_layout.h"
#include "map.h"
#include "site_table.h"
#include "utf8.h"
#include "vkrace/gpu_log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct vkr_event_objects {
	struct vkr_map names; // kind << 32 | id -> text, a char *
};

struct vkr_event_objects *vkr_event_objects_create(void)
{
	struct vkr_event_objects *objects = calloc(1, sizeof *objects);
	if (objects)
		vkr_map_init(&objects->names);
	return objects;
}

void vkr_event_objects_destroy(struct vkr_event_objects *objects)
{
	for (size_t i = 0; objects && i < objects->names.capacity; i++) {
		if (objects->names.slots[i].used)
			free((char *)(uintptr_t)objects->names.slots[i].value);
	}
	if (objects)
		vkr_map_finish(&objects->names);
	free(objects);
}

bool vkr_event_objects_add(struct vkr_event_objects *objects, const struct vkr_trace_event *event)
{
	const struct vkr_trace_name *name = (const void *)(event + 1);
	uint64_t earlier = 0;
	if (event->type != VKR_TRACE_NAME)
		return true;
	const uint64_t key = (uint64_t)name->kind << 32 | name->object;
	char *text = strndup((const char *)(name + 1), name->text_bytes);
	vkr_map_get(&objects->names, key, &earlier);
	if (!text || !vkr_map_set(&objects->names, key, (uintptr_t)text)) {
		free(text);
		return false;
	}
	free((char *)(uintptr_t)earlier);
	return true;
}

// The kind of objects that a member names: "command_buffer" is a command buffer. 0: none.
static uint64_t kind_of_member(const char *member)
{
	const struct vkr_event_field *kinds = vkr_trace_name_layout.payload.fields;
	for (const struct vkr_event_field_name *kind = kinds->names; kind->name; kind++) {
		size_t at = 0;
		while (kind->name[at] && (kind->name[at] == member[at] ||
					  (kind->name[at] == ' ' && member[at] == '_')))
			at++;
		if (!kind->name[at] && !member[at])
			return kind->value;
	}
	return 0;
}

// NULL: it has none.
static const char *name_of_object(const struct vkr_event_objects *objects, const char *member,
				  uint64_t id)
{
	uint64_t text = 0;
	if (!objects || !objects->names.count ||
	    !vkr_map_get(&objects->names, kind_of_member(member) << 32 | id, &text))
		return NULL;
	return (const char *)(uintptr_t)text;
}

// In quotes, with \\ and \xNN for what would break the line or is no UTF-8.
static void print_quoted(const char *text, size_t bytes, FILE *out)
{
	putc('"', out);
	for (size_t i = 0, valid = 0; i < bytes; i++) {
		unsigned char byte = (unsigned char)text[i];
		if (i >= valid)
			valid = i + vkr_utf8_valid(text + i, bytes - i);
		if (byte == '"' || byte == '\\')
			fprintf(out, "\\%c", byte);
		else if (byte < 0x20 || byte == 0x7f || i >= valid)
			fprintf(out, "\\x%02x", (unsigned)byte);
		else
			putc(byte, out);
	}
	putc('"', out);
}

// Enough digits that the float can be read back.
static void print_real(uint32_t bits, FILE *out)
{
	float real;
	memcpy(&real, &bits, sizeof real);
	fprintf(out, "%.9g", (double)real);
}

// "VERTEX|FRAGMENT|0x800".
static void print_bits(const struct vkr_event_field *field, uint64_t value, FILE *out)
{
	const char *bar = "";
	uint64_t rest = 0;
	for (unsigned bit = 0; bit < 64; bit++) {
		const uint64_t one = value & UINT64_C(1) << bit;
		const char *name =
			field->names && one ? vkr_event_field_value_name(field, one) : NULL;
		rest |= name ? 0 : one;
		if (name)
			fprintf(out, "%s%s", bar, name);
		bar = name ? "|" : bar;
	}
	if (rest || !*bar)
		fprintf(out, "%s0x%" PRIx64, bar, rest);
}

static void print_value(const struct vkr_event_field *field, uint64_t value, FILE *out)
{
	switch (field->form) {
	case VKR_EVENT_FIELD_HEX:
		fprintf(out, "0x%" PRIx64, value);
		return;
	case VKR_EVENT_FIELD_FLAGS:
		print_bits(field, value, out);
		return;
	case VKR_EVENT_FIELD_VALUE:
		if (vkr_event_field_value_name(field, value))
			fputs(vkr_event_field_value_name(field, value), out);
		else
			fprintf(out, "%" PRIu64, value);
		return;
	case VKR_EVENT_FIELD_SIZE:
		if (value == UINT64_MAX)
			fputs("whole", out);
		else
			fprintf(out, "%" PRIu64, value);
		return;
	case VKR_EVENT_FIELD_OPTIONAL:
		if (value == UINT32_MAX)
			fputs("none", out);
		else
			fprintf(out, "%" PRIu64, value);
		return;
	case VKR_EVENT_FIELD_REAL:
		print_real((uint32_t)value, out);
		return;
	case VKR_EVENT_FIELD_VERSION: // VK_API_VERSION_MAJOR, _MINOR, _PATCH
		fprintf(out, "%" PRIu64 ".%" PRIu64 ".%" PRIu64, value >> 22 & 0x7f,
			value >> 12 & 0x3ff, value & 0xfff);
		return;
	case VKR_EVENT_FIELD_NAMED:
		fputs(vkr_event_field_value_name(field, value), out);
		return;
	case VKR_EVENT_FIELD_NUMBER:
	case VKR_EVENT_FIELD_COUNT:
	case VKR_EVENT_FIELD_RESERVED:
		fprintf(out, "%" PRIu64, value);
		return;
	}
}

// " name=value" for each member, or "name=value,..." within an item.
static void print_members(const struct vkr_event_field_list *list, const void *structure, bool item,
			  const struct vkr_event_text_options *options, FILE *out)
{
	bool first = true;
	for (size_t i = 0; i < list->count; i++) {
		const struct vkr_event_field *field = &list->fields[i];
		if (field->form == VKR_EVENT_FIELD_RESERVED || field->form == VKR_EVENT_FIELD_COUNT)
			continue;
		if (!item || !first)
			putc(item ? ',' : ' ', out);
		first = false;
		fprintf(out, "%s=", field->name);
		for (unsigned n = 0; n < field->count; n++) {
			const uint64_t value = vkr_event_field_value(field, structure, n);
			const char *name = name_of_object(options ? options->objects : NULL,
							  field->name, value);
			if (n)
				putc('x', out);
			// Commands count from 0 in a trace, and from 1 in reports.
			print_value(field, value + (strcmp(field->name, "command") == 0), out);
			if (name)
				print_quoted(name, strlen(name), out);
		}
	}
}

static uint32_t word_at(const unsigned char *data, size_t index)
{
	uint32_t word;
	memcpy(&word, data + index * sizeof word, sizeof word);
	return word;
}

static void print_words(const struct vkr_tail_part *part, const unsigned char *data, uint32_t count,
			FILE *out)
{
	fprintf(out, " %s=[", part->name);
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", word_at(data, i));
	putc(']', out);
}

static void print_frames(const struct vkr_tail_part *part, const unsigned char *data,
			 uint32_t count, FILE *out)
{
	fprintf(out, " %s=[", part->name);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t frame;
		memcpy(&frame, data + i * sizeof frame, sizeof frame);
		fprintf(out, "%s0x%" PRIx64, i ? "," : "", frame);
	}
	putc(']', out);
}

static void print_items(const struct vkr_tail_part *part, const unsigned char *data, uint32_t count,
			const struct vkr_event_text_options *options, FILE *out)
{
	for (uint32_t i = 0; i < count; i++) {
		fprintf(out, " %s(", part->name);
		print_members(part->item, data + i * part->item->bytes, true, options, out);
		putc(')', out);
	}
}

// The chunks of a log, a line each: who took it, then its records as words.
static void print_log(const unsigned char *data, uint32_t count, unsigned depth, FILE *out)
{
	for (uint32_t at = 0; at < count;) {
		uint32_t left = count - at;
		uint32_t words = left >= VKR_CHUNK_HEADER_WORDS ? word_at(data, at + 3) : 0;
		fprintf(out, "%*s", (int)depth * 2, "");
		if (words < VKR_CHUNK_HEADER_WORDS || words > left) {
			fprintf(out, "no chunk: %" PRIu32 " words from word %" PRIu32 " on\n", left,
				at);
			return;
		}
		fprintf(out,
			"chunk command=%" PRIu32 " workgroup=%" PRIu32 " local=%" PRIu32
			" words=%" PRIu32 ":",
			word_at(data, at) + 1, word_at(data, at + 1), word_at(data, at + 2), words);
		for (uint32_t i = VKR_CHUNK_HEADER_WORDS; i < words; i++)
			fprintf(out, " %" PRIx32, word_at(data, at + i));
		putc('\n', out);
		at += words;
	}
}

// The invocations that logged something, a line each.
static void print_column_log(const struct vkr_trace_gpu_column_log *column_log,
			     const unsigned char *data, unsigned depth, FILE *out)
{
	const uint32_t count = column_log->group_count * column_log->local_size;
	for (uint32_t i = 0; i < count; i++) {
		if (word_at(data, 2 * (size_t)i) == 0)
			continue;
		fprintf(out, "%*sworkgroup=%" PRIu32 " invocation=%" PRIu32 ":", (int)depth * 2, "",
			column_log->first_group + i / column_log->local_size,
			i % column_log->local_size);
		for (uint32_t column = 0; column < column_log->columns; column++) {
			const size_t at = 2 * ((size_t)column * count + i);
			fprintf(out, " %" PRIx32 " %" PRIx32, word_at(data, at),
				word_at(data, at + 1));
		}
		putc('\n', out);
	}
}

static void print_string(const char *name, const struct vkr_site_table *table, uint32_t offset,
			 FILE *out)
{
	const char *text = vkr_site_table_string(table, offset);
	fprintf(out, " %s=", name);
	print_quoted(text, strlen(text), out);
}

static void print_site(const struct vkr_site_table *table, uint32_t index, FILE *out)
{
	const struct vkr_site *site = &vkr_site_table_sites(table)[index];
	fprintf(out,
		"site %" PRIu32 " operation=%u class=%u order=0x%x scope=%u flags=0x%x words=%u "
		"bytes=%" PRIu32 " spirv=%" PRIu32,
		index, (unsigned)site->operation, (unsigned)site->storage_class,
		(unsigned)site->order, (unsigned)site->scope, (unsigned)site->flags,
		(unsigned)site->words, site->bytes, site->spirv_word);
	print_string("file", table, site->file, out);
	fprintf(out, " line=%" PRIu32, site->line);
	print_string("member", table, site->member, out);
	putc('\n', out);
}

static void print_sites(const struct vkr_site_table *table, unsigned depth, FILE *out)
{
	const struct vkr_variable *variables = vkr_site_table_variables(table);
	const struct vkr_segment *segments = vkr_site_table_segments(table);
	static const char *const kinds[] = {"", " list", " ways"};
	int indent = (int)depth * 2;
	for (uint32_t i = 0; i < table->variable_count; i++) {
		fprintf(out,
			"%*svariable %" PRIu32 " kind=%" PRIu32 " set=%" PRIu32 " binding=%" PRIu32
			" count=%" PRIu32 " flags=0x%" PRIx32,
			indent, "", i, variables[i].kind, variables[i].set, variables[i].binding,
			variables[i].count, variables[i].flags);
		print_string("name", table, variables[i].name, out);
		putc('\n', out);
	}
	for (uint32_t i = 0; i < table->segment_count; i++) {
		fprintf(out, "%*ssegment %" PRIu32 " words=%" PRIu32 "%s\n", indent, "", i + 1,
			segments[i].words, kinds[segments[i].kind]);
		for (uint32_t n = 0; n < segments[i].site_count; n++) {
			fprintf(out, "%*s", indent + 2, "");
			print_site(table, segments[i].first_site + n, out);
		}
	}
}

static void print_event(const struct vkr_trace_event *event, unsigned depth,
			const struct vkr_event_text_options *options, FILE *out);

// The parts that stand on the event's own line, or those below it.
static void print_tail(const struct vkr_event_layout *layout, const struct vkr_trace_event *event,
		       bool below, unsigned depth, const struct vkr_event_text_options *options,
		       FILE *out)
{
	const unsigned char *payload = (const unsigned char *)(event + 1);
	const unsigned char *at = payload + layout->payload.bytes;
	for (const struct vkr_tail_part *part = layout->tail; part->kind != VKR_TAIL_END; part++) {
		uint32_t count = word_at(payload + part->count_offset, 0);
		uint64_t bytes = vkr_tail_part_bytes(part, count);
		switch (part->kind) {
		case VKR_TAIL_TEXT:
			if (!below) {
				fprintf(out, " %s=", part->name);
				print_quoted((const char *)at, count, out);
			}
			break;
		case VKR_TAIL_ITEMS:
			if (!below)
				print_items(part, at, count, options, out);
			break;
		case VKR_TAIL_WORDS:
			if (!below)
				print_words(part, at, count, out);
			break;
		case VKR_TAIL_FRAMES:
			if (!below)
				print_frames(part, at, count, out);
			break;
		case VKR_TAIL_SITES:
			if (below && count)
				print_sites((const void *)at, depth, out);
			break;
		case VKR_TAIL_LOG:
			if (below)
				print_log(at, count, depth, out);
			break;
		case VKR_TAIL_COLUMN_LOG:
			if (below)
				print_column_log((const void *)payload, at, depth, out);
			break;
		case VKR_TAIL_EVENTS:
			for (uint64_t inner = 0; below && inner < bytes;) {
				const struct vkr_trace_event *command = (const void *)(at + inner);
				inner += command->bytes;
				if (options && options->shows &&
				    !options->shows(options->user,
						    vkr_event_layout(command->type)->name))
					continue;
				fprintf(out, "%*s", (int)depth * 2, "");
				print_event(command, depth, options, out);
			}
			break;
		case VKR_TAIL_END:
			break;
		}
		at += bytes;
	}
}

static void print_event(const struct vkr_trace_event *event, unsigned depth,
			const struct vkr_event_text_options *options, FILE *out)
{
	const struct vkr_event_layout *layout = vkr_event_layout(event->type);
	fputs(layout->name, out);
	if (depth > 0 && event->caller != 0)
		fprintf(out, " caller=0x%" PRIx64, event->caller);
	else if (depth == 0 && event->thread != 0)
		fprintf(out, " by=%" PRIu32, event->thread);
	print_members(&layout->payload, event + 1, false, options, out);
	print_tail(layout, event, false, depth, options, out);
	putc('\n', out);
	print_tail(layout, event, true, depth + 1, options, out);
}

void vkr_event_text(const struct vkr_trace_event *event, uint64_t number,
		    const struct vkr_event_text_options *options, FILE *out)
{
	fprintf(out, "%" PRIu64 " ", number);
	print_event(event, 0, options, out);
}
