// SPDX-License-Identifier: Apache-2.0
#include "source_quote.h"

#include "report_escape.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The name comes from a shader: it may name a device or a pipe, which must not block us.
static FILE *open_regular(const char *file)
{
	struct stat status;
	int handle = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (handle < 0)
		return NULL;
	if (fstat(handle, &status) == 0 && S_ISREG(status.st_mode)) {
		FILE *stream = fdopen(handle, "r");
		if (stream)
			return stream;
	}
	close(handle);
	return NULL;
}

// Tabs as blanks, so that the caret stands below its character on any terminal.
static void expand_tabs(char *text)
{
	for (; *text; text++) {
		if (*text == '\t')
			*text = ' ';
	}
}

static void print_caret(FILE *out, const char *text, uint32_t column, int indent)
{
	if (!column || column > strlen(text))
		return;
	fprintf(out, "%*s", indent, "");
	for (uint32_t i = 0; i + 1 < column; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			fputc(' ', out);
	}
	fputs("^\n", out);
}

static uint32_t line_count(const char *text)
{
	uint32_t count = 0;
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		count++;
	return count;
}

const struct vkr_source_report *vkr_source_kept(const struct vkr_report *report,
						const struct vkr_source_spot *spot, uint32_t around)
{
	const struct vkr_source_report *best = NULL;
	const uint32_t first = spot->line > around ? spot->line - around : 1;
	uint64_t most = 0;
	for (uint32_t i = 0; spot->line && report && i < report->source_count; i++) {
		const struct vkr_source_report *source = &report->sources[i];
		if (source->shader_hash != spot->shader || strcmp(source->file, spot->file) != 0 ||
		    source->first_line > spot->line)
			continue;
		const uint64_t end = (uint64_t)source->first_line + line_count(source->text);
		const uint64_t from = source->first_line > first ? source->first_line : first;
		const uint64_t to = end < (uint64_t)spot->line + around + 1
					    ? end
					    : (uint64_t)spot->line + around + 1;
		if (end <= spot->line || to - from <= most)
			continue;
		best = source;
		most = to - from;
	}
	return best;
}

static void put_kept(const struct vkr_source_report *source, uint32_t line, uint32_t around,
		     void (*put)(void *user, uint32_t number, const char *text), void *user)
{
	const char *at = source->text;
	for (uint64_t number = source->first_line; *at && number <= (uint64_t)line + around;
	     number++) {
		const size_t length = strcspn(at, "\n");
		char *text = strndup(at, length);
		if (text)
			text[strcspn(text, "\r")] = 0;
		if (text)
			expand_tabs(text);
		if (text && number + around >= line)
			put(user, (uint32_t)number, text);
		free(text);
		at += length + (at[length] == '\n');
	}
}

static void put_file(const char *file, uint32_t line, uint32_t around,
		     void (*put)(void *user, uint32_t number, const char *text), void *user)
{
	FILE *stream = line && *file ? open_regular(file) : NULL;
	if (!stream)
		return;
	const uint32_t first = line > around ? line - around : 1;
	char *text = NULL;
	size_t capacity = 0;
	// Lines before the one that is meant are kept, and shown once it is known to be there.
	char **before = calloc((size_t)(line - first) + 1, sizeof *before);
	bool found = before != NULL;
	for (uint32_t number = 1; found && number <= line; number++) {
		found = getline(&text, &capacity, stream) >= 0;
		if (!found || number < first)
			continue;
		text[strcspn(text, "\r\n")] = 0;
		expand_tabs(text);
		before[number - first] = strdup(text);
	}
	for (uint32_t number = first; found && number <= line; number++)
		put(user, number, before[number - first] ? before[number - first] : "");
	for (uint32_t more = 1; found && more <= around; more++) {
		if (getline(&text, &capacity, stream) < 0)
			break;
		text[strcspn(text, "\r\n")] = 0;
		expand_tabs(text);
		put(user, line + more, text);
	}
	for (uint32_t number = first; before && number <= line; number++)
		free(before[number - first]);
	free(before);
	free(text);
	fclose(stream);
}

void vkr_source_lines(const struct vkr_report *report, const struct vkr_source_spot *spot,
		      uint32_t around, void (*put)(void *user, uint32_t number, const char *text),
		      void *user)
{
	const struct vkr_source_report *kept = vkr_source_kept(report, spot, around);
	if (kept)
		put_kept(kept, spot->line, around, put, user);
	else
		put_file(spot->file, spot->line, around, put, user);
}

struct quote {
	FILE *out;
	uint32_t column;
	int indent;
};

static void print_quote(void *user, uint32_t line, const char *text)
{
	const struct quote *quote = user;
	const int number = snprintf(NULL, 0, "%" PRIu32 " | ", line);
	fprintf(quote->out, "%*s%" PRIu32 " | ", quote->indent, "", line);
	vkr_escape_plain(quote->out, text);
	fputc('\n', quote->out);
	print_caret(quote->out, text, quote->column, quote->indent + number);
}

void vkr_source_quote(FILE *out, const struct vkr_report *report,
		      const struct vkr_source_spot *spot, uint32_t column, int indent)
{
	struct quote quote = {out, column, indent};
	vkr_source_lines(report, spot, 0, print_quote, &quote);
}
