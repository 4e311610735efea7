// SPDX-License-Identifier: Apache-2.0
#include "instrument.h"

#include "error.h"
#include "rewrite.h"
#include "site_table.h"
#include "sites.h"
#include "spirv_tools.h"

#include <stdlib.h>
#include <string.h>

static enum vkr_result copy_words(const uint32_t *words, size_t word_count,
				  struct vkr_instrumented *out, struct vkr_error *error)
{
	out->words = malloc(word_count * sizeof *words);
	if (!out->words)
		return vkr_error_memory(error, "a module's words");
	memcpy(out->words, words, word_count * sizeof *words);
	out->word_count = word_count;
	return VKR_OK;
}

static enum vkr_result list_unobserved(const struct vkr_survey *survey,
				       struct vkr_instrumented *out, struct vkr_error *error)
{
	size_t count = survey->unobserved.count;
	out->unobserved = calloc(count ? count : 1, sizeof *out->unobserved);
	if (!out->unobserved)
		return vkr_error_memory(error, "what is not observed");
	for (size_t i = 0; i < count; i++) {
		out->unobserved[i] = strdup(survey->strings.items + survey->unobserved.items[i]);
		if (!out->unobserved[i])
			return vkr_error_memory(error, "what is not observed");
		out->unobserved_count++;
	}
	return VKR_OK;
}

// Words, each record's first included.
static void measure(const struct vkr_survey *survey, struct vkr_instrumented_log *log)
{
	*log = (struct vkr_instrumented_log){
		.words_most = survey->chunks_grow ? 0 : survey->chunk_words,
		.room_first = survey->entry_room,
		.room_most = survey->most_room,
		.spills = survey->spills,
		.streams = survey->streams,
	};
	if (survey->streams && log->words_most)
		log->words_most += 2; // the first word
	for (size_t i = 0; i < survey->runs.count; i++)
		if (log->record_most <= survey->runs.items[i].segment.words)
			log->record_most = survey->runs.items[i].segment.words + 1;
}

static enum vkr_result rewrite(const struct vkr_survey *survey, uint32_t **words,
			       size_t *word_count, bool *reads_pushed, struct vkr_error *error)
{
	enum vkr_result result = vkr_rewrite(survey, words, word_count, reads_pushed, error);
	if (result != VKR_OK)
		return result;
	// Whatever we did wrong ends here, not in a driver. It takes less than a tenth of what the
	// driver's compiler takes.
	return vkr_spirv_validate(*words, *word_count, survey->options->environment,
				  VKR_ERROR_UNSUPPORTED, "the rewritten module is not valid",
				  error);
}

static enum vkr_result instrument(const uint32_t *words, size_t word_count,
				  struct vkr_survey *survey, struct vkr_instrumented *out,
				  struct vkr_error *error)
{
	enum vkr_result result = vkr_survey_make(survey, error);
	if (result == VKR_OK)
		result = vkr_survey_write(survey, &out->sites, error);
	if (result == VKR_OK)
		result = list_unobserved(survey, out, error);
	if (result != VKR_OK)
		return result;
	measure(survey, &out->log);
	out->changed = survey->drafts.count > 0 || survey->asks;
	out->only_asked = survey->drafts.count == 0 && survey->asks;
	if (!out->changed)
		return copy_words(words, word_count, out, error);
	result = rewrite(survey, &out->words, &out->word_count, &out->reads_pushed, error);
	if (result != VKR_OK || !survey->records.count)
		return result;
	result = vkr_survey_use_records(survey, error);
	if (result == VKR_OK)
		result = rewrite(survey, &out->rest_words, &out->rest_word_count,
				 &out->reads_pushed, error);
	measure(survey, &out->rest);
	return result;
}

enum vkr_result vkr_instrument(const uint32_t *words, size_t word_count,
			       const struct vkr_instrument_options *options,
			       struct vkr_instrumented *out, struct vkr_error *error)
{
	struct vkr_arena arena;
	struct vkr_module module;
	*out = (struct vkr_instrumented){0};
	enum vkr_result result = vkr_spirv_validate(words, word_count, options->environment,
						    VKR_ERROR_FORMAT, "invalid SPIR-V", error);
	if (result != VKR_OK)
		return result;
	vkr_arena_init(&arena);
	struct vkr_constants constants = {&module, options->specializations,
					  options->specialization_count};
	struct vkr_types types = {&module, &constants};
	struct vkr_survey survey = {
		.module = &module,
		.types = &types,
		.constants = &constants,
		.options = options,
		.arena = &arena,
		// An invocation that goes on in chunks has no columns to count in.
		.wants_streams = !options->spills && !(options->without & VKR_REDUCE_STREAMS)};
	result = vkr_module_read(&module, &arena, words, word_count, options->environment, error);
	if (result == VKR_OK)
		result = instrument(words, word_count, &survey, out, error);
	// What no reader would take is better told here: the shader stays as it is.
	if (result == VKR_OK &&
	    vkr_site_table_check(out->sites, out->sites->bytes, error) != VKR_OK)
		result = VKR_ERROR_UNSUPPORTED;
	if (result != VKR_OK)
		vkr_instrumented_finish(out);
	vkr_survey_finish(&survey);
	vkr_arena_finish(&arena);
	return result;
}

void vkr_instrumented_finish(struct vkr_instrumented *out)
{
	for (size_t i = 0; i < out->unobserved_count; i++)
		free(out->unobserved[i]);
	free(out->unobserved);
	free(out->words);
	free(out->rest_words);
	free(out->sites);
	*out = (struct vkr_instrumented){0};
}

uint32_t vkr_instrument_environment(uint32_t api_version)
{
	return vkr_spirv_environment(api_version);
}

bool vkr_instrument_reductions(const char *list, uint32_t *without)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} names[] = {{"words", VKR_REDUCE_WORDS},       {"repeats", VKR_REDUCE_REPEATS},
		     {"identity", VKR_REDUCE_IDENTITY}, {"turns", VKR_REDUCE_TURNS},
		     {"lists", VKR_REDUCE_LISTS},       {"ways", VKR_REDUCE_WAYS},
		     {"streams", VKR_REDUCE_STREAMS},   {"summaries", VKR_REDUCE_SUMMARIES}};
	*without = 0;
	if (!list)
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		*without |= names[i].bit;
	if (!strcmp(list, "none"))
		return true;
	while (*list) {
		size_t length = strcspn(list, ","), i = 0;
		const size_t count = sizeof names / sizeof *names;
		while (i < count && (strlen(names[i].name) != length ||
				     strncmp(list, names[i].name, length) != 0))
			i++;
		if (i == count)
			return false;
		*without &= ~names[i].bit;
		list += length + (list[length] == ',');
	}
	return true;
}
