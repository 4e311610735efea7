// SPDX-License-Identifier: Apache-2.0
#include "report_suppressions.h"

#include "error.h"
#include "report_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

// A pattern in quotes that matches the text, and nothing else but what differs in control
// characters.
static void put_pattern(FILE *out, const char *prefix, const char *text)
{
	fprintf(out, "\"%s", prefix);
	for (; *text; text++) {
		const unsigned char byte = (unsigned char)*text;
		if (byte < ' ' || byte == 0x7f)
			fputc('?', out);
		else if (byte == '\\' || byte == '*' || byte == '[')
			fprintf(out, "[%s]", byte == '\\' ? "\\\\" : (char[]){*text, '\0'});
		else if (byte == '?')
			fputs("[?]", out);
		else if (byte == '"')
			fputs("\\\"", out);
		else
			fputc(byte, out);
	}
	fputc('"', out);
}

static bool put_place(FILE *out, const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const struct vkr_source_place *source = &access->source;
	const bool host = access->agent == VKR_AGENT_HOST;
	struct vkr_report_call call;
	fputc(' ', out);
	if (access->agent == VKR_AGENT_INVOCATION && *source->file && source->line) {
		const char *slash = strrchr(source->file, '/');
		const char *place = vkr_arena_print(arena, "%s:%" PRIu32,
						    slash ? slash + 1 : source->file, source->line);
		if (place)
			put_pattern(out, "", place);
		return place != NULL;
	}
	if (access->agent == VKR_AGENT_INVOCATION) {
		put_pattern(out, "shader:", source->shader);
		return true;
	}
	if (!vkr_report_call(host ? access->stack : access->command.recorded, arena, &call))
		return false;
	if (*call.function)
		put_pattern(out, "function:", call.function);
	else
		put_pattern(out, "", host ? access->operation : access->command.name);
	return true;
}

static bool put_rule(FILE *out, const struct vkr_race_report *race, struct vkr_arena *arena)
{
	const char *headline = vkr_report_headline(race, arena);
	if (!headline)
		return false;
	fputs("\n# ", out);
	for (; *headline; headline++)
		fputc((unsigned char)*headline < ' ' ? ' ' : *headline, out);
	fprintf(out, "\n%s ", vkr_report_class(race->race_class));
	put_pattern(out, "", race->first.object);
	const bool whole =
		put_place(out, &race->first, arena) && put_place(out, &race->second, arena);
	fputc('\n', out);
	return whole;
}

enum vkr_result vkr_report_suppressions(const struct vkr_report *report, FILE *out,
					struct vkr_error *error)
{
	bool whole = true;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	fputs("# Races that vkrace has found, to be left out: CLASS OBJECT PLACE PLACE. The "
	      "comment "
	      "above a\n# rule is the reason that reports show.\n",
	      out);
	for (uint32_t i = 0; i < report->race_count && whole; i++)
		whole = put_rule(out, &report->races[i], &arena);
	vkr_arena_finish(&arena);
	if (!whole)
		return vkr_error_memory(error, "the suppressions");
	if (fflush(out) != 0 || ferror(out))
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write the suppressions: %s",
				     strerror(errno));
	return VKR_OK;
}
