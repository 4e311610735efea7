// SPDX-License-Identifier: Apache-2.0
#include "report_github.h"

#include "error.h"
#include "report_causes.h"
#include "report_escape.h"
#include "report_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Workflow commands take % and line ends, in properties also : and , as percent and two digits.
static void put_escaped(FILE *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
		else
			fputc(*text, out);
	}
}

#define IN_MESSAGE  "%\r\n"
#define IN_PROPERTY "%\r\n:,"

// The text without what a terminal would obey, in *plain, to be freed; false for lack of memory.
static bool make_plain(const char *text, char **plain)
{
	size_t bytes = 0;
	FILE *memory = open_memstream(plain, &bytes);
	if (!memory)
		return false;
	for (const char *end;; text = end + 1) {
		end = strchrnul(text, '\n');
		char *line = strndup(text, (size_t)(end - text));
		if (line)
			vkr_escape_plain(memory, line);
		free(line);
		if (!*end)
			break;
		fputc('\n', memory);
	}
	return fclose(memory) == 0;
}

// `more`: further races of its cause.
static bool put_race(FILE *out, const struct vkr_race_report *race, bool possible, uint32_t more,
		     const char *root, struct vkr_arena *arena)
{
	const struct vkr_access_report *first = &race->first;
	const bool shader =
		first->agent == VKR_AGENT_INVOCATION && *first->source.file && first->source.line;
	struct vkr_report_call call = {"", first->source.file, first->source.line};
	const char *stack = first->agent == VKR_AGENT_HOST ? first->stack : first->command.recorded;
	if (!shader && !vkr_report_call(stack, arena, &call))
		return false;
	const char *headline = vkr_report_headline(race, arena);
	const char *text =
		headline ? vkr_arena_print(arena, "%s\nmissing: %s\nchange: %s\nid: %s", headline,
					   race->missing, race->change, race->id)
			 : NULL;
	if (text && more)
		text = vkr_arena_print(arena, "%s\nalso: %" PRIu32 " more race%s of this cause",
				       text, more, more == 1 ? "" : "s");
	char *plain = NULL;
	bool whole = text && make_plain(text, &plain);
	if (whole) {
		fputs(possible ? "::notice " : "::error ", out);
		if (call.line) {
			const char *below = vkr_report_below(root, call.file);
			fputs("file=", out);
			put_escaped(out, below ? below : call.file, IN_PROPERTY);
			fprintf(out, ",line=%" PRIu32 ",", call.line);
		}
		fprintf(out, "title=vkrace%%3A %s%s race::", possible ? "possible " : "",
			vkr_report_class(race->race_class));
		put_escaped(out, plain, IN_MESSAGE);
		fputc('\n', out);
	}
	free(plain);
	return whole;
}

static bool put_lack(FILE *out, const struct vkr_coverage_report *lack, struct vkr_arena *arena)
{
	const char *text = vkr_arena_print(arena, "%s: %s", lack->kind, lack->text);
	char *plain = NULL;
	bool whole = text && make_plain(text, &plain);
	if (whole) {
		fputs("::warning title=vkrace%3A not observed::", out);
		put_escaped(out, plain, IN_MESSAGE);
		fputc('\n', out);
	}
	free(plain);
	return whole;
}

enum vkr_result vkr_report_github(const struct vkr_report *report, const char *source_root,
				  FILE *out, struct vkr_error *error)
{
	struct vkr_report_causes causes;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	bool whole = vkr_report_causes_make(report, &arena, &causes);
	for (uint32_t i = 0; i < report->race_count && whole; i++) {
		if (causes.first[i] == i)
			whole = put_race(out, &report->races[i], false,
					 vkr_report_causes_more(&causes, report, i), source_root,
					 &arena);
	}
	for (uint32_t i = 0; i < report->possible_count && whole; i++)
		whole = put_race(out, &report->possible[i], true, 0, source_root, &arena);
	for (uint32_t i = 0; i < report->coverage_count && whole; i++)
		whole = put_lack(out, &report->coverage[i], &arena);
	vkr_arena_finish(&arena);
	if (!whole)
		return vkr_error_memory(error, "the annotations");
	if (fflush(out) != 0 || ferror(out))
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write the annotations: %s",
				     strerror(errno));
	return VKR_OK;
}
