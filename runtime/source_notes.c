// SPDX-License-Identifier: Apache-2.0
#include "source_notes.h"

#include "arena.h"
#include "array.h"
#include "map.h"
#include "report_facts.h"
#include "report_sources.h"
#include "site_table.h"
#include "source_quote.h"
#include "stack_places.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct note_module {
	uint64_t first, end, bias;
	char *path, *build_id;
};

struct vkr_source_notes {
	struct vkr_stack_places *places;
	struct vkr_arena arena; // for one event
	struct {
		struct note_module *items;
		size_t count, capacity;
	} modules;                // the newest that holds an address counts
	struct vkr_map addresses; // that were noted since the last module came
	struct vkr_map lines;     // hashes of files and lines that were noted
	struct vkr_map embedded;  // hashes of files whose text the program's shaders hold
	struct {
		uint64_t *items;
		size_t count, capacity;
	} out; // words of 8 bytes
};

struct vkr_source_notes *vkr_source_notes_create(void)
{
	struct vkr_source_notes *notes = calloc(1, sizeof *notes);
	if (!notes)
		return NULL;
	vkr_arena_init(&notes->arena);
	notes->places = vkr_stack_places_create();
	if (notes->places)
		return notes;
	vkr_source_notes_destroy(notes);
	return NULL;
}

void vkr_source_notes_destroy(struct vkr_source_notes *notes)
{
	if (!notes)
		return;
	for (size_t i = 0; i < notes->modules.count; i++) {
		free(notes->modules.items[i].path);
		free(notes->modules.items[i].build_id);
	}
	vkr_stack_places_destroy(notes->places);
	vkr_arena_finish(&notes->arena);
	vkr_map_finish(&notes->addresses);
	vkr_map_finish(&notes->lines);
	vkr_map_finish(&notes->embedded);
	free(notes->modules.items);
	free(notes->out.items);
	free(notes);
}

// ---- What is written ----------------------------------------------------------------------------

static void make_valid(char *text, size_t bytes)
{
	for (size_t at = 0; at < bytes; at++) {
		at += vkr_utf8_valid(text + at, bytes - at);
		if (at < bytes)
			text[at] = '?';
	}
}

// An event whose tail is one text or two, one after the other.
static void put_event(struct vkr_source_notes *notes, enum vkr_trace_type type, const void *payload,
		      size_t payload_bytes, const char *texts, size_t text_bytes)
{
	const struct vkr_trace_event head = {
		.bytes = (uint32_t)(sizeof head + payload_bytes + (text_bytes + 7) / 8 * 8),
		.type = (uint16_t)type};
	const size_t words = head.bytes / sizeof *notes->out.items;
	if (!VKR_ARRAY_RESERVE(&notes->out, words))
		return;
	char *to = (char *)(notes->out.items + notes->out.count);
	memset(to, 0, head.bytes);
	memcpy(to, &head, sizeof head);
	memcpy(to + sizeof head, payload, payload_bytes);
	memcpy(to + sizeof head + payload_bytes, texts, text_bytes);
	make_valid(to + sizeof head + payload_bytes, text_bytes);
	notes->out.count += words;
}

// ---- Files --------------------------------------------------------------------------------------

static uint64_t hash_text(uint64_t hash, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		hash = vkr_map_hash(hash ^ (unsigned char)text[i]);
	return hash;
}

// True the first time.
static bool is_new(struct vkr_map *told, uint64_t hash)
{
	uint64_t before = 0;
	return !vkr_map_get(told, hash, &before) && vkr_map_set(told, hash, 1);
}

struct excerpt {
	FILE *out;
	uint32_t first;
};

static void add_line(void *user, uint32_t number, const char *text)
{
	struct excerpt *excerpt = user;
	if (!excerpt->first)
		excerpt->first = number;
	fprintf(excerpt->out, "%s\n", text);
}

static void note_lines(struct vkr_source_notes *notes, uint64_t shader, const char *file,
		       uint32_t line)
{
	struct vkr_trace_source payload = {.content_hash = shader,
					   .path_bytes = (uint32_t)strlen(file)};
	const struct vkr_source_spot spot = {file, line, shader};
	const uint64_t hash = hash_text(shader, file, payload.path_bytes);
	struct excerpt excerpt = {NULL, 0};
	uint64_t embedded = 0;
	char *texts = NULL;
	size_t bytes = 0;
	if (!*file || !line || vkr_map_get(&notes->embedded, hash, &embedded) ||
	    !is_new(&notes->lines, vkr_map_hash(hash ^ line)) ||
	    !(excerpt.out = open_memstream(&texts, &bytes)))
		return;
	fputs(file, excerpt.out);
	vkr_source_lines(NULL, &spot, VKR_SOURCE_LINES_AROUND, add_line, &excerpt);
	if (fclose(excerpt.out) == 0 && excerpt.first) {
		payload.first_line = excerpt.first;
		payload.text_bytes = (uint32_t)(bytes - payload.path_bytes);
		put_event(notes, VKR_TRACE_SOURCE, &payload, sizeof payload, texts, bytes);
	}
	free(texts);
}

// The lines that a shader's accesses come from.
static void note_shader(struct vkr_source_notes *notes, const struct vkr_trace_shader *shader)
{
	const struct vkr_site_table *table = (const void *)(shader + 1);
	if (!shader->sites_bytes)
		return;
	const struct vkr_site *sites = vkr_site_table_sites(table);
	for (uint32_t i = 0; i < table->site_count; i++) {
		const char *file = vkr_site_table_string(table, sites[i].file);
		note_lines(notes, shader->content_hash,
			   *file ? file : vkr_site_table_string(table, table->source_file),
			   sites[i].line);
	}
}

// ---- Calls --------------------------------------------------------------------------------------

static void add_module(struct vkr_source_notes *notes, const struct vkr_trace_module *module)
{
	const char *texts = (const char *)(module + 1);
	const struct note_module made = {
		module->first, module->end, module->bias, strndup(texts, module->path_bytes),
		strndup(texts + module->path_bytes, module->build_id_bytes)};
	// What was at these addresses before may be another file.
	vkr_map_finish(&notes->addresses);
	if (made.path && made.build_id && VKR_ARRAY_RESERVE(&notes->modules, 1)) {
		notes->modules.items[notes->modules.count++] = made;
		return;
	}
	free(made.path);
	free(made.build_id);
}

static const struct note_module *find_module(const struct vkr_source_notes *notes, uint64_t address)
{
	for (size_t at = notes->modules.count; at > 0; at--) {
		const struct note_module *module = &notes->modules.items[at - 1];
		if (address >= module->first && address < module->end)
			return module;
	}
	return NULL;
}

static void note_call(struct vkr_source_notes *notes, uint64_t address)
{
	const struct note_module *module = address ? find_module(notes, address) : NULL;
	if (!module || !is_new(&notes->addresses, address))
		return;
	char *words = vkr_stack_places_words(notes->places, module->path, module->build_id,
					     address - module->bias);
	if (!words)
		return;
	const struct vkr_trace_call_place payload = {.address = address,
						     .text_bytes = (uint32_t)strlen(words)};
	put_event(notes, VKR_TRACE_CALL_PLACE, &payload, sizeof payload, words, payload.text_bytes);
	for (const char *at = words; at && *at;) {
		struct vkr_report_call call;
		at = vkr_report_call(at, &notes->arena, &call);
		if (at)
			note_lines(notes, 0, call.file, call.line);
	}
	vkr_arena_finish(&notes->arena);
	free(words);
}

static void note_calls(struct vkr_source_notes *notes, const uint64_t *frames, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		note_call(notes, frames[i]);
}

static void note_recording(struct vkr_source_notes *notes,
			   const struct vkr_trace_recording *recording)
{
	const struct vkr_trace_event *event = (const void *)(recording + 1);
	const struct vkr_trace_event *end =
		(const void *)((const char *)event + recording->event_bytes);
	for (; event < end; event = (const void *)((const char *)event + event->bytes))
		note_call(notes, event->caller);
}

// ---- Events -------------------------------------------------------------------------------------

struct vkr_noted_events vkr_source_notes_event(void *user, const struct vkr_trace_event *event)
{
	struct vkr_source_notes *notes = user;
	const void *payload = event + 1;
	const struct vkr_trace_host_access *access = payload;
	const struct vkr_trace_call_stack *stack = payload;
	const struct vkr_trace_source *source = payload;
	notes->out.count = 0;
	switch (event->type) {
	case VKR_TRACE_MODULE:
		add_module(notes, payload);
		break;
	case VKR_TRACE_SOURCE: // of the layer
		(void)vkr_map_set(&notes->embedded,
				  hash_text(source->content_hash, (const char *)(source + 1),
					    source->path_bytes),
				  1);
		break;
	case VKR_TRACE_SHADER:
		note_shader(notes, payload);
		break;
	case VKR_TRACE_RECORDING:
		note_recording(notes, payload);
		break;
	case VKR_TRACE_HOST_ACCESS:
		note_calls(notes, (const uint64_t *)(access + 1), access->frame_count);
		break;
	case VKR_TRACE_CALL_STACK:
		note_calls(notes, (const uint64_t *)(stack + 1), stack->frame_count);
		break;
	default:
		break;
	}
	return (struct vkr_noted_events){(const void *)notes->out.items,
					 notes->out.count * sizeof *notes->out.items};
}
