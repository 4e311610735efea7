// SPDX-License-Identifier: Apache-2.0
#include "instruction_text.h"

#include "array.h"
// The header defines an external constant, which spirv_tools.c has too.
#define kDefaultMaxIdBound kTextMaxIdBound
#include "spirv_calls.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One line of the disassembly.
struct text_line {
	const char *text;
	size_t length; // without what follows the instruction
};

static bool has_opcode(const struct text_line *line, const char *opcode)
{
	const char *at = memmem(line->text, line->length, opcode, strlen(opcode));
	const size_t before = at ? (size_t)(at - line->text) : 0;
	return at && (before == 0 || line->text[before - 1] == ' ');
}

// The first `length` bytes of a text are "%name" of an id; 0: they are not.
static size_t id_length(const char *text, size_t length)
{
	size_t count = 0;
	while (length && *text == '%' && count < length && text[count] != ' ')
		count++;
	return count;
}

// Whether the line's instruction has the id of the other one's result as an operand.
static bool is_operand_of(const struct text_line *other, const struct text_line *line)
{
	const size_t id = id_length(other->text, other->length);
	for (size_t at = 1; id && at + id <= line->length; at++) {
		if (line->text[at - 1] == ' ' && memcmp(line->text + at, other->text, id) == 0 &&
		    (at + id == line->length || line->text[at + id] == ' '))
			return true;
	}
	return false;
}

// "OpLoad ... ; 0x00000544": the offset in bytes of the instruction, cut off from the line.
static bool cut_offset(struct text_line *line, uint64_t *offset)
{
	const char *mark = NULL;
	for (const char *at = line->text;
	     (at = memmem(at, (size_t)(line->text + line->length - at), " ; 0x", 5)); at++)
		mark = at;
	if (!mark)
		return false;
	*offset = strtoull(mark + 3, NULL, 16);
	line->length = (size_t)(mark - line->text);
	while (line->length && line->text[line->length - 1] == ' ')
		line->length--;
	return true;
}

// The lines of the function up to the instruction, which is the last one; NULL: it is not there, or
// memory is lacking.
static struct text_line *lines_up_to(const char *text, uint64_t offset, size_t *count)
{
	struct {
		struct text_line *items;
		size_t count, capacity;
	} lines = {0};
	bool found = false;
	while (*text && !found) {
		struct text_line line = {text, strcspn(text, "\n")};
		uint64_t own = 0;
		text += line.length + (text[line.length] == '\n');
		if (!cut_offset(&line, &own))
			continue;
		if (has_opcode(&line, "OpFunction "))
			lines.count = 0;
		if (!VKR_ARRAY_RESERVE(&lines, 1))
			break;
		lines.items[lines.count++] = line;
		found = own == offset;
	}
	if (!found) {
		free(lines.items);
		return NULL;
	}
	*count = lines.count;
	return lines.items;
}

static char *join_lines(const struct text_line *lines, size_t count)
{
	const struct text_line *last = &lines[count - 1];
	char *joined = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&joined, &bytes);
	if (!out)
		return NULL;
	for (size_t i = 0; i + 1 < count; i++) {
		if (is_operand_of(&lines[i], last))
			fprintf(out, "%.*s\n", (int)lines[i].length, lines[i].text);
	}
	fprintf(out, "%.*s", (int)last->length, last->text);
	if (fclose(out) == 0)
		return joined;
	free(joined);
	return NULL;
}

char *vkr_instruction_text(void *user, const uint32_t *words, size_t word_count, uint32_t word)
{
	(void)user;
	spv_text text = NULL;
	size_t count = 0;
	spv_context context = vkr_spirv_context(SPV_ENV_UNIVERSAL_1_6);
	if (!context)
		return NULL;
	const spv_result_t result = vkr_spirv_disassemble(context, words, word_count, &text);
	struct text_line *lines =
		result == SPV_SUCCESS ? lines_up_to(text->str, (uint64_t)word * 4, &count) : NULL;
	char *joined = lines ? join_lines(lines, count) : NULL;
	free(lines);
	spvTextDestroy(text);
	spvContextDestroy(context);
	return joined;
}
