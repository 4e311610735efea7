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

void vkr_source_quote(FILE *out, const char *file, uint32_t line, uint32_t column, int indent)
{
	FILE *stream = line && *file ? open_regular(file) : NULL;
	if (!stream)
		return;
	char *text = NULL;
	size_t capacity = 0;
	bool found = true;
	for (uint32_t i = 0; i < line && found; i++)
		found = getline(&text, &capacity, stream) >= 0;
	if (found) {
		text[strcspn(text, "\r\n")] = 0;
		expand_tabs(text);
		int number = snprintf(NULL, 0, "%" PRIu32 " | ", line);
		fprintf(out, "%*s%" PRIu32 " | ", indent, "", line);
		vkr_escape_plain(out, text);
		fputc('\n', out);
		print_caret(out, text, column, indent + number);
	}
	free(text);
	fclose(stream);
}
