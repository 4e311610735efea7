// SPDX-License-Identifier: Apache-2.0
// The names of a .vlit file, its numbers, and what is wrong with a line of it. Knows no statement.
#include "array.h"
#include "error.h"
#include "litmus_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum vkr_result vkr_litmus_fail(struct vkr_litmus_parser *parser, const char *format, ...)
{
	char message[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return vkr_error_set(parser->error, VKR_ERROR_FORMAT, "%s:%u: %s", parser->path,
			     parser->line, message);
}

// FNV-1a; the salt finds another key where two names share one.
static uint64_t name_key(const char *name, uint64_t salt)
{
	uint64_t key = UINT64_C(0xcbf29ce484222325) ^ salt;
	for (; *name; name++)
		key = (key ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return key;
}

// The index of the name, or VKR_LITMUS_NONE and the key to put it under.
static uint32_t look_up(const struct vkr_litmus_names *names, const char *name, uint64_t *key)
{
	for (uint64_t salt = 0;; salt++) {
		uint64_t index = 0;
		*key = name_key(name, salt);
		if (!vkr_map_get(&names->indices, *key, &index))
			return VKR_LITMUS_NONE;
		if (strcmp(names->items[index], name) == 0)
			return (uint32_t)index;
	}
}

uint32_t vkr_litmus_find(const struct vkr_litmus_names *names, const char *name)
{
	uint64_t key = 0;
	return look_up(names, name, &key);
}

enum vkr_result vkr_litmus_declare(struct vkr_litmus_parser *parser, struct vkr_litmus_names *names,
				   const char *what, const char *name, char **copy)
{
	uint64_t key = 0;
	if (look_up(names, name, &key) != VKR_LITMUS_NONE)
		return vkr_litmus_fail(parser, "%s %s is there already", what, name);
	if (copy && !(*copy = strdup(name)))
		return vkr_error_memory(parser->error, "litmus names");
	if (!VKR_ARRAY_RESERVE(names, 1) || !vkr_map_set(&names->indices, key, names->count))
		return vkr_error_memory(parser->error, "litmus names");
	if (!(names->items[names->count] = strdup(name))) {
		vkr_map_remove(&names->indices, key);
		return vkr_error_memory(parser->error, "litmus names");
	}
	names->count++;
	return VKR_OK;
}

bool vkr_litmus_number(const char *word, uint32_t *number)
{
	uint64_t value = 0;
	if (!*word)
		return false;
	for (; *word; word++) {
		if (*word < '0' || *word > '9')
			return false;
		value = value * 10 + (uint64_t)(*word - '0');
		if (value >= VKR_LITMUS_NONE)
			return false;
	}
	*number = (uint32_t)value;
	return true;
}
