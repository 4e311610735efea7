// SPDX-License-Identifier: Apache-2.0
// Knows how to find and quote a line of a file; nothing of reports.
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

void vkr_source_lines(const char *file, uint32_t line, uint32_t around,
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

void vkr_source_quote(FILE *out, const char *file, uint32_t line, uint32_t column, int indent)
{
	struct quote quote = {out, column, indent};
	vkr_source_lines(file, line, 0, print_quote, &quote);
}
