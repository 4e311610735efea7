// SPDX-License-Identifier: Apache-2.0
#include "report_picture.h"

#include "report_escape.h"
#include "report_facts.h"

#include <inttypes.h>
#include <string.h>

// Lengths are the picture's own units; a page scales it.
enum {
	WIDTH = 900,
	BOX_WIDTH = 330,
	FIRST_X = 110,
	SECOND_X = 550,
	LANE_HEIGHT = 88,
	TEXT_UNITS = 7, // of a letter, about
};

static void put_text(FILE *out, int x, int y, const char *class, const char *text, int room)
{
	const size_t most = (size_t)(room / TEXT_UNITS);
	size_t bytes = 0, letters = 0;
	fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
	while (text[bytes] && letters < most) {
		const size_t length = vkr_escape_sequence(text + bytes);
		bytes += length ? length : 1;
		letters++;
	}
	char cut[256];
	const bool whole = !text[bytes] || bytes >= sizeof cut;
	if (!whole) {
		memcpy(cut, text, bytes);
		cut[bytes] = 0;
	}
	vkr_escape_markup(out, whole ? text : cut);
	fputs(whole ? "</text>\n" : "…</text>\n", out);
}

// What the lane of an access is called: a queue with its submission, or a host thread.
static const char *lane_of(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const struct vkr_command_place *command = &access->command;
	if (access->agent == VKR_AGENT_HOST || !command->command)
		return *access->thread ? access->thread : "host";
	return vkr_arena_print(arena, "%s, submission %" PRIu32, command->queue,
			       command->submission);
}

static const char *title_of(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const struct vkr_command_place *command = &access->command;
	if (!command->command)
		return access->operation;
	return vkr_arena_print(arena, "%" PRIu32 " %s%s%s", command->command, command->name,
			       *command->labels ? " · " : "", command->labels);
}

// The line of the shader, or of the call.
static const char *place_of(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const char *stack = vkr_report_stack(
		access->agent == VKR_AGENT_HOST ? access->stack : access->command.recorded, arena);
	if (!stack)
		return NULL;
	return vkr_arena_string(arena, stack, strcspn(stack, "\n"));
}

static bool put_box(FILE *out, const struct vkr_access_report *access, int x, int y,
		    struct vkr_arena *arena)
{
	const char *title = title_of(access, arena), *place = place_of(access, arena);
	const char *site = vkr_report_site(access, arena);
	if (!title || !place || !site)
		return false;
	fprintf(out,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"66\" rx=\"6\" class=\"box\"/>\n", x,
		y, BOX_WIDTH);
	put_text(out, x + 12, y + 20, "", title, BOX_WIDTH - 24);
	put_text(out, x + 12, y + 36, "soft", place, BOX_WIDTH - 24);
	fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"20\" rx=\"3\" class=\"%s\"/>\n",
		x + 8, y + 42, BOX_WIDTH - 16, access->write ? "write" : "read");
	const char *what = vkr_arena_print(arena, "%s %s",
					   access->write ? access->read ? "RW" : "W" : "R", site);
	if (!what)
		return false;
	put_text(out, x + 16, y + 56, "on", what, BOX_WIDTH - 32);
	return true;
}

// The bytes of both accesses on one scale: from the first to the last that either has.
static bool put_bytes(FILE *out, const struct vkr_race_report *race, int y, struct vkr_arena *arena)
{
	const struct vkr_access_report *sides[] = {&race->first, &race->second};
	const double from =
		(double)(sides[0]->offset < sides[1]->offset ? sides[0]->offset : sides[1]->offset);
	double to = from + 1;
	for (int i = 0; i < 2; i++) {
		const double end = (double)sides[i]->offset + (double)sides[i]->bytes;
		to = end > to ? end : to;
	}
	const char *object = *sides[0]->object ? sides[0]->object : "unnamed memory";
	put_text(out, 4, y + 14, "soft", "bytes", FIRST_X);
	for (int i = 0; i < 2; i++) {
		const double scale = (SECOND_X + BOX_WIDTH - FIRST_X) / (to - from);
		double width = (double)sides[i]->bytes * scale;
		fprintf(out,
			"<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"8\" class=\"%s\"/>\n",
			FIRST_X + ((double)sides[i]->offset - from) * scale, y + i * 10,
			width < 2 ? 2 : width, sides[i]->write ? "write" : "read");
	}
	const char *text = vkr_arena_print(
		arena, "%" PRIu64 " to %" PRIu64 " of %s, %" PRIu64 " time%s", sides[0]->offset,
		sides[0]->bytes ? sides[0]->offset + sides[0]->bytes - 1 : sides[0]->offset, object,
		race->count, race->count == 1 ? "" : "s");
	if (!text)
		return false;
	put_text(out, FIRST_X, y + 36, "soft", text, SECOND_X + BOX_WIDTH - FIRST_X);
	return true;
}

// The dashed arrow from the first access to the second, through the bar that is not there.
static void put_missing(FILE *out, int first_y, int second_y, int height)
{
	const int middle = (FIRST_X + BOX_WIDTH + SECOND_X) / 2;
	fprintf(out,
		"<rect x=\"%d\" y=\"24\" width=\"10\" height=\"%d\" class=\"missing\"/>\n"
		"<path d=\"M%d %d L%d %d\" class=\"edge\"/>\n"
		"<path d=\"M%d %d l-9 -5 v10 z\" class=\"tip\"/>\n",
		middle - 5, height, FIRST_X + BOX_WIDTH + 2, first_y, SECOND_X - 8, second_y,
		SECOND_X - 1, second_y);
	fprintf(out,
		"<text x=\"%d\" y=\"16\" class=\"no\" text-anchor=\"middle\">no order</text>\n",
		middle);
}

bool vkr_report_picture(FILE *out, const struct vkr_race_report *race, struct vkr_arena *arena)
{
	const char *first = lane_of(&race->first, arena), *second = lane_of(&race->second, arena);
	if (!first || !second)
		return false;
	const bool one_lane = strcmp(first, second) == 0;
	const int second_y = one_lane ? 30 : 30 + LANE_HEIGHT;
	const int lanes = one_lane ? LANE_HEIGHT : 2 * LANE_HEIGHT;
	fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"the two accesses\">\n",
		WIDTH, lanes + 80);
	put_text(out, 4, 16, "lane", first, FIRST_X + BOX_WIDTH);
	if (!one_lane)
		put_text(out, 4, 16 + LANE_HEIGHT, "lane", second, FIRST_X + BOX_WIDTH);
	for (int y = 63; y < lanes; y += LANE_HEIGHT)
		fprintf(out, "<path d=\"M4 %d H%d\" class=\"line\"/>\n", y, WIDTH - 4);
	const bool whole = put_box(out, &race->first, FIRST_X, 30, arena) &&
			   put_box(out, &race->second, SECOND_X, second_y, arena);
	put_missing(out, 30 + 52, second_y + 52, lanes - 10);
	if (!whole || !put_bytes(out, race, lanes + 34, arena))
		return false;
	fputs("</svg>\n", out);
	return true;
}
