// SPDX-License-Identifier: Apache-2.0
#include "live_races.h"

#include "race_message.h"
#include "report_escape.h"
#include "report_facts.h"

#include <stdio.h>
#include <string.h>

// Numbers of messages: 1000 and the class, in the order of race_class.h, which only grows.
#define FIRST_NUMBER 1000

#define LABEL_BETWEEN " / "

// In one line, whatever the program's names hold.
static const char *live_races_flatten(const char *text, struct vkr_arena *arena)
{
	char *flat = vkr_arena_string(arena, text, strlen(text));
	for (char *at = flat; at && *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = ' ';
	}
	return flat;
}

const char *vkr_live_race_line(const struct vkr_race_report *race, struct vkr_arena *arena)
{
	const char *headline = vkr_report_headline(race, arena);
	const char *line =
		headline ? vkr_arena_print(arena,
					   "vkrace: found: %s; missing: %s; change: "
					   "%s; id %s",
					   headline, race->missing, race->change, race->id)
			 : NULL;
	return line ? live_races_flatten(line, arena) : NULL;
}

static void add_object(struct vkr_race_message *message, uint32_t kind, uint32_t id,
		       const char *name)
{
	for (uint32_t i = 0; i < message->object_count; i++) {
		if (message->objects[i].kind == kind && message->objects[i].id == id)
			return;
	}
	if (kind && id && message->object_count < VKR_RACE_MESSAGE_OBJECTS)
		message->objects[message->object_count++] =
			(struct vkr_race_message_object){(enum vkr_trace_object)kind, id, name};
}

static void add_objects(struct vkr_race_message *message, const struct vkr_access_report *access)
{
	const struct vkr_command_place *command = &access->command;
	add_object(message, access->object_kind, access->object_id, access->object);
	add_object(message, VKR_OBJECT_COMMAND_BUFFER, command->command_buffer_id,
		   command->command_buffer);
	add_object(message, VKR_OBJECT_PIPELINE, command->pipeline_id, command->pipeline);
	add_object(message, VKR_OBJECT_QUEUE, command->queue_id, command->queue);
}

// Of the later command that has some, innermost first. False for lack of memory.
static bool add_labels(struct vkr_race_message *message, const struct vkr_race_report *race,
		       struct vkr_arena *arena)
{
	const char *labels = race->second.command.labels;
	if (!labels || !*labels)
		labels = race->first.command.labels;
	if (!labels || !*labels)
		return true;
	char *rest = vkr_arena_string(arena, labels, strlen(labels));
	while (rest && *rest && message->label_count < VKR_RACE_MESSAGE_LABELS) {
		char *last = rest;
		for (char *next = rest; (next = strstr(next, LABEL_BETWEEN)) != NULL;)
			last = next += strlen(LABEL_BETWEEN);
		message->labels[message->label_count++] = last;
		if (last == rest)
			break;
		last[-(ptrdiff_t)strlen(LABEL_BETWEEN)] = '\0';
	}
	return rest != NULL;
}

char *vkr_live_race_message(const struct vkr_race_report *race, struct vkr_arena *arena)
{
	const char *headline = vkr_report_headline(race, arena);
	const char *name = vkr_arena_print(arena, "vkrace-%s", vkr_report_class(race->race_class));
	const char *text =
		headline ? vkr_arena_print(arena, "%s\nmissing: %s\nchange: %s\nid: %s", headline,
					   race->missing, race->change, race->id)
			 : NULL;
	struct vkr_race_message message = {
		.number = FIRST_NUMBER + (int32_t)race->race_class, .name = name, .text = text};
	if (!name || !text || !add_labels(&message, race, arena))
		return NULL;
	add_objects(&message, &race->first);
	add_objects(&message, &race->second);
	return vkr_race_message_write(&message);
}
