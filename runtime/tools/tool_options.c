// SPDX-License-Identifier: Apache-2.0
#include "tool_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct option {
	const char *text;
	bool takes_value;
	size_t member; // offset in struct vkr_tool_options
};

static const struct option all_options[VKR_OPTION_COUNT] = {
#define OPTION(name, member, text, value) {text, value, offsetof(struct vkr_tool_options, member)},
	VKR_TOOL_OPTIONS(OPTION)
#undef OPTION
};

// The accepted option that `word` names, with or without "=VALUE".
static const struct option *find_option(const char *word, size_t length,
					const struct vkr_tool_option_set *accepted)
{
	for (size_t i = 0; i < VKR_OPTION_COUNT; i++) {
		const struct option *option = &all_options[i];
		if (accepted->has[i] && strlen(option->text) == length &&
		    memcmp(option->text, word, length) == 0)
			return option;
	}
	return NULL;
}

// Parses the option at argv[at]; returns the index after it, or 0 if it is wrong.
static int parse_option(int argc, char **argv, int at, const struct vkr_tool_option_set *accepted,
			struct vkr_tool_options *options)
{
	const char *word = argv[at], *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	const struct option *option = find_option(word, length, accepted);
	if (!option) {
		fprintf(stderr, "vkrace %s: there is no option '%.*s' (see vkrace help)\n", argv[0],
			(int)length, word);
		return 0;
	}
	const char *value = "";
	if (option->takes_value) {
		value = equals ? equals + 1 : at + 1 < argc ? argv[++at] : NULL;
	} else if (equals) {
		fprintf(stderr, "vkrace %s: option '%s' takes no value\n", argv[0], option->text);
		return 0;
	}
	if (!value || (option->takes_value && !*value)) {
		fprintf(stderr, "vkrace %s: option '%s' needs a value\n", argv[0], option->text);
		return 0;
	}
	*(const char **)(void *)((char *)options + option->member) = value;
	return at + 1;
}

static bool add_practical(const char *command, struct vkr_tool_options *options)
{
	static char *list; // until the process ends
	if (!options->only_practical)
		return true;
	if (!options->only) {
		options->only = "practical";
		return true;
	}
	free(list);
	if (asprintf(&list, "%s,practical", options->only) < 0) {
		list = NULL;
		fprintf(stderr, "vkrace %s: out of memory\n", command);
		return false;
	}
	options->only = list;
	return true;
}

bool vkr_tool_options_parse(int argc, char **argv, const struct vkr_tool_option_set *accepted,
			    bool mixed, struct vkr_tool_options *options)
{
	*options = (struct vkr_tool_options){0};
	int kept = 1; // operands moved to the front so far
	int at = 1;
	while (at < argc) {
		if (strcmp(argv[at], "--") == 0) {
			at++;
			break;
		}
		if (argv[at][0] != '-' || !argv[at][1]) {
			if (!mixed)
				break;
			argv[kept++] = argv[at++];
			continue;
		}
		at = parse_option(argc, argv, at, accepted, options);
		if (at == 0)
			return false;
	}
	// Moves operands between options to the end.
	while (kept > 1)
		argv[--at] = argv[--kept];
	options->operands = at;
	if (options->strict) // which only stands for others
		options->any_image = options->noncoherent = options->strict;
	return add_practical(argv[0], options);
}

bool vkr_tool_option_number(const char *command, const char *name, const char *text, long most,
			    int *number)
{
	char *end;
	errno = 0;
	long value = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end || value < 0 || value > most) {
		fprintf(stderr, "vkrace %s: option '%s' takes a number from 0 to %ld, not '%s'\n",
			command, name, most, text);
		return false;
	}
	*number = (int)value;
	return true;
}
