// SPDX-License-Identifier: Apache-2.0
// Looks names of memory models and readings up. Knows no rule of any model.
#include "memory_names.h"

#include "error.h"

#include <string.h>

static const char *const model_names[] = {
#define VKR_MODEL_NAME(name, text, document) text,
	VKR_MEMORY_MODELS(VKR_MODEL_NAME)
#undef VKR_MODEL_NAME
};

static const struct {
	const char *name, *usual, *other;
	size_t member;
} reading_names[] = {
#define VKR_READING_NAME(member, name, usual, other, gist)                                         \
	{name, usual, other, offsetof(struct vkr_readings, member)},
	VKR_READINGS(VKR_READING_NAME)
#undef VKR_READING_NAME
};

const char *vkr_memory_model_name(enum vkr_memory_model model)
{
	return model_names[model];
}

bool vkr_memory_model_find(const char *name, size_t length, enum vkr_memory_model *model)
{
	for (size_t i = 0; i < sizeof model_names / sizeof *model_names; i++) {
		if (strlen(model_names[i]) != length || memcmp(model_names[i], name, length) != 0)
			continue;
		*model = (enum vkr_memory_model)i;
		return true;
	}
	return false;
}

enum vkr_result vkr_memory_model_parse(const char *word, enum vkr_memory_model *model,
				       struct vkr_error *error)
{
	if (vkr_memory_model_find(word, strlen(word), model))
		return VKR_OK;
	return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
			     "there is no memory model '%s'; there are:"
#define VKR_MODEL_NAME(name, text, document) " " text
			     VKR_MEMORY_MODELS(VKR_MODEL_NAME)
#undef VKR_MODEL_NAME
				     ,
			     word);
}

// Chooses the reading of `length` bytes; false where there is none of this name and value.
static bool memory_names_choose(const char *word, size_t length, struct vkr_readings *readings)
{
	for (size_t i = 0; i < sizeof reading_names / sizeof *reading_names; i++) {
		const size_t name = strlen(reading_names[i].name);
		if (length <= name || memcmp(word, reading_names[i].name, name) != 0 ||
		    word[name] != '=')
			continue;
		const char *value = word + name + 1, *other = reading_names[i].other;
		const char *usual = reading_names[i].usual;
		const size_t bytes = length - name - 1;
		const bool chosen = strlen(other) == bytes && memcmp(value, other, bytes) == 0;
		if (!chosen && (strlen(usual) != bytes || memcmp(value, usual, bytes) != 0))
			return false;
		*(bool *)(void *)((char *)readings + reading_names[i].member) = chosen;
		return true;
	}
	return false;
}

enum vkr_result vkr_reading_parse(const char *word, struct vkr_readings *readings,
				  struct vkr_error *error)
{
	for (;; word++) {
		const size_t length = strcspn(word, ",");
		if (!memory_names_choose(word, length, readings))
			return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
					     "there is no reading '%.*s'; there are:"
#define VKR_READING_NAME(member, name, usual, other, gist) " " name "=" usual "|" other
					     VKR_READINGS(VKR_READING_NAME)
#undef VKR_READING_NAME
						     ,
					     (int)length, word);
		word += length;
		if (!*word)
			return VKR_OK;
	}
}
