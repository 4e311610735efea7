// SPDX-License-Identifier: Apache-2.0
#include "race_identity.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY // the size of XXH3_state_t
#include <xxhash.h>

// Bytes of the folders in front of a path's name; a path ends at a blank or a colon.
static size_t folder_length(const char *path)
{
	size_t folder = 0;
	for (size_t at = 0; path[at] && !strchr(": \n", path[at]); at++) {
		if (path[at] == '/')
			folder = at + 1;
	}
	return folder;
}

// Hashes the text's first line without its numbers: "step() nbody.c:81 in nbody", "buffer 3",
// "main+0x1f20". Digits that belong to a word ("vec4") stay. The NUL at the end keeps "ab", "c"
// from being "a", "bc".
static void hash_words(XXH3_state_t *state, const char *text)
{
	const size_t length = strcspn(text, "\n");
	size_t word = 0; // length of the word that ends before text[at]
	for (size_t at = 0; at < length; at++) {
		const size_t folder = word ? 0 : folder_length(text + at);
		at += folder;
		const size_t digits = word ? 0 : strspn(text + at, "0123456789");
		if (strncmp(text + at, "+0x", 3) == 0)
			at += 2 + strspn(text + at + 3, "0123456789abcdef");
		else if (digits)
			at += digits - 1;
		else
			XXH3_64bits_update(state, text + at, 1);
		word = text[at] == ' ' || text[at] == ':' ? 0 : word + 1;
	}
	XXH3_64bits_update(state, "", 1);
}

static void hash_string(XXH3_state_t *state, const char *text)
{
	XXH3_64bits_update(state, text, strlen(text) + 1);
}

static void hash_source(XXH3_state_t *state, const struct vkr_source_place *source)
{
	const char *slash = strrchr(source->file, '/');
	hash_string(state, source->entry_point);
	if (*source->file && source->line) {
		hash_string(state, slash ? slash + 1 : source->file);
	} else {
		hash_string(state, source->shader);
		XXH3_64bits_update(state, &source->spirv_word, sizeof source->spirv_word);
	}
	hash_string(state, source->expression);
}

static uint64_t access_identity(const struct vkr_access_report *access)
{
	const uint32_t agent = access->agent;
	XXH3_state_t state;
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, &agent, sizeof agent);
	hash_string(&state, access->operation);
	hash_words(&state, access->object);
	hash_string(&state, access->image.aspect);
	hash_string(&state, access->storage_class);
	hash_string(&state, access->command.name);
	hash_words(&state, access->command.recorded);
	if (access->agent == VKR_AGENT_INVOCATION)
		hash_source(&state, &access->source);
	if (access->agent == VKR_AGENT_HOST)
		hash_words(&state, access->stack);
	return XXH3_64bits_digest(&state);
}

uint64_t vkr_race_identity(const struct vkr_race_report *race)
{
	const uint64_t first = access_identity(&race->first);
	const uint64_t second = access_identity(&race->second);
	const uint64_t parts[] = {race->race_class, first < second ? first : second,
				  first < second ? second : first};
	return XXH3_64bits(parts, sizeof parts);
}
