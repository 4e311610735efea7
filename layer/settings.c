// SPDX-License-Identifier: Apache-2.0
// Reading settings from the environment and the layer settings file.
// Knows nothing of what they do.
#include "settings.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PREFIX "vkrace."

// The settings file's lines that concern us, "name\0value\0", read once.
static struct {
	char *text;
	size_t bytes;
} file;

static char *trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

static void keep(const char *name, const char *value)
{
	size_t name_bytes = strlen(name) + 1, value_bytes = strlen(value) + 1;
	char *text = realloc(file.text, file.bytes + name_bytes + value_bytes);
	if (!text)
		return;
	memcpy(text + file.bytes, name, name_bytes);
	memcpy(text + file.bytes + name_bytes, value, value_bytes);
	file.text = text;
	file.bytes += name_bytes + value_bytes;
}

static FILE *open_file(void)
{
	// The path names the file or the folder it is in, as for the Khronos layers.
	const char *path = secure_getenv("VK_LAYER_SETTINGS_PATH");
	if (!path || !*path)
		return fopen("vk_layer_settings.txt", "re");
	char *inside = NULL;
	FILE *stream = NULL;
	if (asprintf(&inside, "%s/vk_layer_settings.txt", path) >= 0) {
		stream = fopen(inside, "re");
		free(inside);
	}
	return stream ? stream : fopen(path, "re");
}

static void read_file(void)
{
	FILE *stream = open_file();
	if (!stream)
		return;
	char *line = NULL;
	size_t capacity = 0;
	while (getline(&line, &capacity, stream) >= 0) {
		char *name = trim(line), *equals = strchr(name, '=');
		if (*name == '#' || !equals || strncmp(name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		*equals = '\0';
		keep(trim(name + strlen(PREFIX)), trim(equals + 1));
	}
	free(line);
	fclose(stream);
}

const char *vkr_setting_text(const char *name)
{
	char variable[64];
	snprintf(variable, sizeof variable, "VKRACE_%s", name);
	const char *value = secure_getenv(variable);
	if (value)
		return *value ? value : NULL;

	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_file);
	for (size_t at = 0; at < file.bytes;) {
		const char *found = file.text + at;
		value = found + strlen(found) + 1;
		if (strcasecmp(found, name) == 0)
			return *value ? value : NULL;
		at = (size_t)(value - file.text) + strlen(value) + 1;
	}
	return NULL;
}

uint64_t vkr_setting_number(const char *name, uint64_t otherwise)
{
	const char *text = vkr_setting_text(name);
	if (!text)
		return otherwise;
	char *end;
	unsigned long long value = strtoull(text, &end, 0);
	return *end ? otherwise : value;
}

bool vkr_setting_flag(const char *name, bool otherwise)
{
	const char *text = vkr_setting_text(name);
	if (!text)
		return otherwise;
	return strcmp(text, "0") != 0 && strcasecmp(text, "off") != 0 &&
	       strcasecmp(text, "false") != 0 && strcasecmp(text, "no") != 0;
}

void vkr_setting_wrong(atomic_flag *told, const char *name, const char *what)
{
	const char *text = vkr_setting_text(name);
	if (!atomic_flag_test_and_set(told))
		fprintf(stderr, "vkrace: VKRACE_%s=%s: %s\n", name, text ? text : "", what);
}
