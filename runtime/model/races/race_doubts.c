// SPDX-License-Identifier: Apache-2.0
#include "race_doubts.h"

#include "array.h"
#include "error.h"
#include "model_state.h"
#include "race_places.h"

#include <stdlib.h>
#include <string.h>

struct vkr_race_doubt {
	const char *pair; // kept text
	enum vkr_trace_coverage_kind kind;
	const char *text; // kept
};

void vkr_race_doubts_finish(struct vkr_race_doubts *doubts)
{
	free(doubts->items.items);
	vkr_map_finish(&doubts->certain);
}

static const struct vkr_command_info *command_of(const struct vkr_model *model,
						 const struct vkr_engine_access *access)
{
	const struct vkr_access_site *site = vkr_race_site(model, access);
	return site->kind == VKR_SITE_OF_COMMAND ? site->info
						 : model->names.executed.items[access->tag].info;
}

// Equal for races between the same two commands in the same object; NULL for lack of memory.
static const char *pair_of(struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct vkr_race_object first = vkr_race_object_of(model, race, &race->first);
	const struct vkr_race_object second = vkr_race_object_of(model, race, &race->second);
	const void *objects[] = {first.image != NULL ? (const void *)first.image : first.buffer,
				 second.image != NULL ? (const void *)second.image : second.buffer};
	const void *one = command_of(model, &race->first),
		   *other = command_of(model, &race->second);
	return vkr_texts_format(&model->texts, "pair %p %p in %p",
				(uintptr_t)one < (uintptr_t)other ? one : other,
				(uintptr_t)one < (uintptr_t)other ? other : one,
				objects[0] != NULL ? objects[0] : objects[1]);
}

static const char *name_of(const struct vkr_model *model, const struct vkr_engine_access *access)
{
	const struct vkr_command_info *info = command_of(model, access);
	return info != NULL ? info->name : "a host thread";
}

static const char *object_name(struct vkr_model *model, const struct vkr_engine_race *race,
			       const struct vkr_engine_access *access)
{
	const struct vkr_race_object object = vkr_race_object_of(model, race, access);
	const struct vkr_memory *memory = vkr_objects_memory(&model->objects, race->memory);
	return object.image != NULL    ? object.image->name
	       : object.buffer != NULL ? object.buffer->name
	       : memory != NULL        ? memory->name
				       : "memory";
}

static const char *class_words(enum vkr_race_class class)
{
	switch (class) {
	case VKR_RACE_UNAVAILABLE:
		return "which is in order with it, and not made available";
	case VKR_RACE_INVISIBLE:
		return "which is in order with it, and not made visible";
	default:
		return "which nothing orders";
	}
}

static const char *text_of(struct vkr_model *model, const struct vkr_engine_race *race,
			   const char *operation)
{
	const bool is_first = vkr_race_site(model, &race->first)->possible;
	const struct vkr_engine_access *possible = is_first ? &race->first : &race->second;
	const struct vkr_engine_access *other = is_first ? &race->second : &race->first;
	const struct vkr_access_site *site = vkr_race_site(model, possible);
	const char *object = object_name(model, race, other);
	if (site->kind == VKR_SITE_OF_SHADER)
		return vkr_texts_format(
			&model->texts,
			"samples of %s may read texels of %s that %s of %s writes without order: "
			"the precision of the driver decides on it, for they lie at the edge of "
			"what filtering reads",
			vkr_shader_title(site->shader), object, operation, name_of(model, other));
	return vkr_texts_format(&model->texts,
				"how far the %s of %s reaches is not known: it may race in %s with "
				"%s of %s, %s%s%s",
				site->operation, name_of(model, possible), object, operation,
				name_of(model, other), class_words(race->race_class),
				site->doubt != NULL ? "; " : "",
				site->doubt != NULL ? site->doubt : "");
}

bool vkr_race_doubts_add(struct vkr_model *model, const struct vkr_engine_race *race,
			 const char *operation)
{
	struct vkr_race_doubts *doubts = &model->doubts;
	const bool shader = vkr_race_site(model, &race->first)->kind == VKR_SITE_OF_SHADER &&
			    vkr_race_site(model, &race->first)->possible;
	const bool other = vkr_race_site(model, &race->second)->kind == VKR_SITE_OF_SHADER &&
			   vkr_race_site(model, &race->second)->possible;
	const struct vkr_race_doubt made = {.pair = pair_of(model, race),
					    .kind = shader || other ? VKR_COVERAGE_SHADER
								    : VKR_COVERAGE_COMMAND,
					    .text = text_of(model, race, operation)};
	if (made.pair == NULL || made.text == NULL || !VKR_ARRAY_RESERVE(&doubts->items, 1))
		return false;
	doubts->items.items[doubts->items.count++] = made;
	return true;
}

bool vkr_race_doubts_certain(struct vkr_model *model, const struct vkr_engine_race *race)
{
	const char *pair = pair_of(model, race);
	return pair != NULL && vkr_map_set(&model->doubts.certain, (uintptr_t)pair, 1);
}

enum vkr_result vkr_race_doubts_end(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_race_doubts *doubts = &model->doubts;
	bool added = true;
	for (size_t at = 0; at < doubts->items.count && added; at++) {
		const struct vkr_race_doubt *doubt = &doubts->items.items[at];
		uint64_t certain = 0;
		if (!vkr_map_get(&doubts->certain, (uintptr_t)doubt->pair, &certain))
			added = vkr_coverage_add(&model->coverage, doubt->kind, 0, doubt->text,
						 strlen(doubt->text));
	}
	doubts->items.count = 0;
	return added ? VKR_OK : vkr_error_memory(error, "coverage");
}
