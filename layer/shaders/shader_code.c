// SPDX-License-Identifier: Apache-2.0
#include "shader_code.h"

#include "map.h"
#include "record.h"
#include "site_table.h"
#include "spirv_stream.h"

#include "vkrace/trace.h"

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool vkr_shader_lacks_lines(const struct vkr_site_table *table)
{
	const struct vkr_site *sites = vkr_site_table_sites(table);
	for (uint32_t i = 0; i < table->site_count; i++)
		if (!sites[i].line && sites[i].operation <= VKR_SITE_MEMORY_BARRIER)
			return true;
	return false;
}

static bool may_hold_source(uint32_t opcode)
{
	return opcode == SpvOpSource || opcode == SpvOpSourceContinued || opcode == SpvOpString;
}

void vkr_shader_code_record(const uint32_t *words, size_t word_count, uint64_t hash)
{
	const struct vkr_trace_shader_code payload = {.content_hash = hash,
						      .word_count = (uint32_t)word_count};
	struct vkr_spirv_stream at = vkr_spirv_stream_of(words, word_count);
	uint32_t *code = malloc(word_count * sizeof *code);
	if (!code) {
		vkr_record_no_memory("a shader's code: its instructions are not shown");
		return;
	}
	memcpy(code, words, word_count * sizeof *code);
	while (vkr_spirv_stream_next(&at)) {
		for (size_t i = at.next - at.length; may_hold_source(at.opcode) && i < at.next; i++)
			code[i] = SpvOpNop | 1u << SpvWordCountShift;
	}
	vkr_record_event(VKR_TRACE_SHADER_CODE, &payload, sizeof payload, code,
			 word_count * sizeof *code);
	free(code);
}

#define DEBUG_INFO "NonSemantic.Shader.DebugInfo.100"

// What is known of a module as its words are gone through, and the source at hand.
struct source_reader {
	uint64_t hash;
	struct vkr_map strings; // id -> its OpString, a word of the module
	uint32_t debug_info;    // id of the instruction set; 0: none
	FILE *text;             // path and text; NULL: no source is at hand
	char *texts;
	size_t bytes, path_bytes;
};

// A text within an instruction; its length.
static size_t text_at(const struct vkr_spirv_stream *at, uint32_t word, const char **text)
{
	*text = word < at->length ? (const char *)&at->in[word] : "";
	return word < at->length ? strnlen(*text, (at->length - word) * sizeof *at->in) : 0;
}

static void put_string(struct source_reader *reader, uint32_t id)
{
	uint64_t string = 0;
	if (!vkr_map_get(&reader->strings, id, &string))
		return;
	const uint32_t *in = (const uint32_t *)(uintptr_t)string;
	const struct vkr_spirv_stream at = {.in = in, .length = in[0] >> SpvWordCountShift};
	const char *text;
	const size_t bytes = text_at(&at, 2, &text);
	fwrite(text, 1, bytes, reader->text);
}

// glslang writes how it was called before the text, and where that begins: "#line 1".
static const char *skip_preamble(const char *text, uint32_t *line)
{
	static const char processed[] = "// OpModuleProcessed", directive[] = "#line ";
	const char *at = text;
	while (strncmp(at, processed, sizeof processed - 1) == 0)
		at += strcspn(at, "\n") + (strchr(at, '\n') != NULL);
	if (at == text || strncmp(at, directive, sizeof directive - 1) != 0)
		return text;
	*line = (uint32_t)strtoul(at + sizeof directive - 1, NULL, 10);
	return at + strcspn(at, "\n") + (strchr(at, '\n') != NULL);
}

static void end_source(struct source_reader *reader)
{
	if (!reader->text)
		return;
	if (fclose(reader->text) == 0 && reader->bytes > reader->path_bytes) {
		struct vkr_trace_source payload = {.content_hash = reader->hash,
						   .first_line = 1,
						   .path_bytes = (uint32_t)reader->path_bytes};
		char *text = reader->texts + reader->path_bytes;
		const char *rest = skip_preamble(text, &payload.first_line);
		memmove(text, rest, strlen(rest) + 1);
		payload.text_bytes = (uint32_t)strlen(text);
		vkr_record_text(VKR_TRACE_SOURCE, &payload, sizeof payload, reader->texts);
	}
	free(reader->texts);
	reader->text = NULL;
	reader->texts = NULL;
}

static void begin_source(struct source_reader *reader, uint32_t file)
{
	end_source(reader);
	reader->text = open_memstream(&reader->texts, &reader->bytes);
	if (!reader->text)
		return;
	put_string(reader, file);
	reader->path_bytes = fflush(reader->text) == 0 ? reader->bytes : 0;
}

static void put_text(struct source_reader *reader, const struct vkr_spirv_stream *at, uint32_t word)
{
	const char *text;
	const size_t bytes = text_at(at, word, &text);
	if (reader->text)
		fwrite(text, 1, bytes, reader->text);
}

static void read_debug_info(struct source_reader *reader, const struct vkr_spirv_stream *at)
{
	const uint32_t instruction = at->length > 5 ? at->in[4] : UINT32_MAX;
	if (!reader->debug_info || at->in[3] != reader->debug_info)
		return;
	if (instruction == NonSemanticShaderDebugInfo100DebugSource && at->length > 6) {
		begin_source(reader, at->in[5]);
		if (reader->text)
			put_string(reader, at->in[6]);
	} else if (instruction == NonSemanticShaderDebugInfo100DebugSourceContinued &&
		   reader->text) {
		put_string(reader, at->in[5]);
	}
}

static void read_source(struct source_reader *reader, const struct vkr_spirv_stream *at)
{
	const char *name;
	switch (at->opcode) {
	case SpvOpString:
		if (at->length > 2)
			(void)vkr_map_set(&reader->strings, at->in[1], (uintptr_t)at->in);
		break;
	case SpvOpExtInstImport:
		if (text_at(at, 2, &name) == sizeof DEBUG_INFO - 1 &&
		    memcmp(name, DEBUG_INFO, sizeof DEBUG_INFO - 1) == 0)
			reader->debug_info = at->in[1];
		break;
	case SpvOpSource:
		end_source(reader);
		if (at->length > 4) {
			begin_source(reader, at->in[3]);
			put_text(reader, at, 4);
		}
		break;
	case SpvOpSourceContinued:
		put_text(reader, at, 1);
		break;
	case SpvOpExtInst:
		read_debug_info(reader, at);
		break;
	default:
		break;
	}
}

void vkr_shader_sources_record(const uint32_t *words, size_t word_count, uint64_t hash)
{
	struct vkr_spirv_stream at = vkr_spirv_stream_of(words, word_count);
	struct source_reader reader = {.hash = hash};
	while (vkr_spirv_stream_next(&at) && at.opcode != SpvOpFunction)
		read_source(&reader, &at);
	end_source(&reader);
	vkr_map_finish(&reader.strings);
}
