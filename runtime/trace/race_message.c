// SPDX-License-Identifier: Apache-2.0
// A line for each member, "number N", "name TEXT", "object KIND ID NAME", "label TEXT", and then
// the text after a line "text".
#include "race_message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_line(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	fputc('\n', out);
}

char *vkr_race_message_write(const struct vkr_race_message *message)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	if (!out)
		return NULL;
	fprintf(out, "number %" PRId32 "\nname ", message->number);
	put_line(out, message->name);
	for (uint32_t i = 0; i < message->object_count; i++) {
		const struct vkr_race_message_object *object = &message->objects[i];
		fprintf(out, "object %d %" PRIu32 " ", object->kind, object->id);
		put_line(out, object->name);
	}
	for (uint32_t i = 0; i < message->label_count; i++) {
		fputs("label ", out);
		put_line(out, message->labels[i]);
	}
	fputs("text\n", out);
	fputs(message->text, out);
	const int failed = ferror(out);
	if (fclose(out) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}

// The rest of the line where it begins with the word, else NULL.
static char *rest_of(char *line, const char *word)
{
	const size_t length = strlen(word);
	return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static void read_line(char *line, struct vkr_race_message *message)
{
	char *rest;
	if ((rest = rest_of(line, "number")) != NULL) {
		message->number = (int32_t)strtol(rest, NULL, 10);
	} else if ((rest = rest_of(line, "name")) != NULL) {
		message->name = rest;
	} else if ((rest = rest_of(line, "label")) != NULL) {
		if (message->label_count < VKR_RACE_MESSAGE_LABELS)
			message->labels[message->label_count++] = rest;
	} else if ((rest = rest_of(line, "object")) != NULL &&
		   message->object_count < VKR_RACE_MESSAGE_OBJECTS) {
		const unsigned long kind = strtoul(rest, &rest, 10);
		const unsigned long id = strtoul(rest, &rest, 10);
		message->objects[message->object_count++] = (struct vkr_race_message_object){
			(enum vkr_trace_object)kind, (uint32_t)id, *rest == ' ' ? rest + 1 : rest};
	}
}

void vkr_race_message_read(char *text, struct vkr_race_message *message)
{
	*message = (struct vkr_race_message){.name = "vkrace", .text = text};
	char *line = text, *end;
	while ((end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		if (strcmp(line, "text") == 0) {
			message->text = end + 1;
			return;
		}
		read_line(line, message);
		line = end + 1;
	}
}
