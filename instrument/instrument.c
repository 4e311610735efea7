// SPDX-License-Identifier: Apache-2.0
#include "instrument.h"

#include "analysis.h"
#include "error.h"
#include "rewrite.h"
#include "site_table.h"
#include "spirv_tools.h"
#include "spirv_validity.h"

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

static enum vkr_result list_unobserved(const struct vkr_analysis *analysis,
				       struct vkr_instrumented *out, struct vkr_error *error)
{
	size_t count = analysis->unobserved.count;
	out->unobserved = calloc(count ? count : 1, sizeof *out->unobserved);
	if (!out->unobserved)
		return vkr_error_memory(error, "what is not observed");
	for (size_t i = 0; i < count; i++) {
		out->unobserved[i] =
			strdup(analysis->strings.items + analysis->unobserved.items[i]);
		if (!out->unobserved[i])
			return vkr_error_memory(error, "what is not observed");
		out->unobserved_count++;
	}
	return VKR_OK;
}

// Words, each record's first included.
static void instrument_measure(const struct vkr_analysis *analysis,
			       struct vkr_instrumented_log *log)
{
	*log = (struct vkr_instrumented_log){
		.words_most = analysis->chunks_grow ? 0 : analysis->chunk_words,
		.room_first = analysis->entry_room,
		.room_most = analysis->most_room,
		.spills = analysis->spills,
		.streams = analysis->streams,
		.marks = analysis->marks || analysis->texel_sites ? 1 + analysis->marks : 0,
		.only_marked = analysis->marks && !analysis->texel_sites && !analysis->most_room,
	};
	if (analysis->streams && log->words_most)
		log->words_most += 2; // the first word
	for (size_t i = 0; i < analysis->segments.count; i++)
		if (log->record_most <= analysis->segments.items[i].segment.words)
			log->record_most = analysis->segments.items[i].segment.words + 1;
}

static enum vkr_result instrument_rewrite(const struct vkr_analysis *analysis,
					  const struct vkr_broken_rules *broken, uint32_t **words,
					  size_t *word_count, bool *reads_pushed,
					  struct vkr_error *error)
{
	enum vkr_result result = vkr_rewrite(analysis, words, word_count, reads_pushed, error);
	// A mistake of the instrumenter must end here, not in a driver. Validation takes less than
	// a tenth of the driver's compile time.
	return result != VKR_OK ? result
				: vkr_spirv_validate_rewritten(*words, *word_count,
							       analysis->options->environment,
							       broken, error);
}

static enum vkr_result instrument_module(const uint32_t *words, size_t word_count,
					 const struct vkr_broken_rules *broken,
					 struct vkr_analysis *analysis,
					 struct vkr_instrumented *out, struct vkr_error *error)
{
	enum vkr_result result = vkr_analysis_make(analysis, error);
	if (result == VKR_OK)
		result = vkr_analysis_write(analysis, &out->sites, error);
	if (result == VKR_OK)
		result = list_unobserved(analysis, out, error);
	if (result != VKR_OK)
		return result;
	instrument_measure(analysis, &out->log);
	out->changed = analysis->drafts.count > 0 || analysis->asks;
	out->only_asked = analysis->drafts.count == 0 && analysis->asks;
	if (!out->changed)
		return copy_words(words, word_count, out, error);
	result = instrument_rewrite(analysis, broken, &out->words, &out->word_count,
				    &out->reads_pushed, error);
	if (result != VKR_OK || (!analysis->records.count && !analysis->uniform_count))
		return result;
	result = vkr_analysis_use_records(analysis, error);
	if (result == VKR_OK)
		result = instrument_rewrite(analysis, broken, &out->rest_words,
					    &out->rest_word_count, &out->reads_pushed, error);
	instrument_measure(analysis, &out->rest);
	return result;
}

static void keep_broken(struct vkr_broken_rules *broken, struct vkr_instrumented *out)
{
	out->broken = broken->items;
	out->broken_count = broken->count;
	broken->items = NULL;
	broken->count = 0;
}

enum vkr_result vkr_instrument(const uint32_t *words, size_t word_count,
			       const struct vkr_instrument_options *options,
			       struct vkr_instrumented *out, struct vkr_error *error)
{
	struct vkr_arena arena;
	struct vkr_module module;
	struct vkr_broken_rules broken = {0};
	*out = (struct vkr_instrumented){0};
	enum vkr_result result =
		vkr_spirv_validate(words, word_count, options->environment, &broken, error);
	if (result != VKR_OK) {
		vkr_broken_rules_finish(&broken);
		return result;
	}
	vkr_arena_init(&arena);
	struct vkr_constants constants = {&module, options->specializations,
					  options->specialization_count};
	struct vkr_types types = {&module, &constants};
	struct vkr_analysis analysis = {
		.module = &module,
		.types = &types,
		.constants = &constants,
		.options = options,
		.arena = &arena,
		// An invocation that goes on in chunks has no columns to count in.
		.wants_streams = !options->spills && !(options->without & VKR_REDUCE_STREAMS)};
	result = vkr_module_read(&module, &arena, words, word_count, options->environment, error);
	if (result == VKR_OK)
		result = instrument_module(words, word_count, &broken, &analysis, out, error);
	// A site table that no reader would accept is reported here; the shader stays as it is.
	if (result == VKR_OK &&
	    vkr_site_table_check(out->sites, out->sites->bytes, error) != VKR_OK)
		result = VKR_ERROR_UNSUPPORTED;
	if (result != VKR_OK)
		vkr_instrumented_finish(out);
	else
		keep_broken(&broken, out);
	vkr_broken_rules_finish(&broken);
	vkr_analysis_finish(&analysis);
	vkr_arena_finish(&arena);
	return result;
}

void vkr_instrumented_finish(struct vkr_instrumented *out)
{
	for (size_t i = 0; i < out->unobserved_count; i++)
		free(out->unobserved[i]);
	free(out->unobserved);
	for (size_t i = 0; i < out->broken_count; i++)
		free(out->broken[i]);
	free(out->broken);
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
	} names[] = {{"words", VKR_REDUCE_WORDS},
		     {"repeats", VKR_REDUCE_REPEATS},
		     {"affine", VKR_REDUCE_AFFINE},
		     {"iterations", VKR_REDUCE_ITERATIONS},
		     {"run-lengths", VKR_REDUCE_RUN_LENGTHS},
		     {"chunks", VKR_REDUCE_CHUNKS},
		     {"streams", VKR_REDUCE_STREAMS},
		     {"summaries", VKR_REDUCE_SUMMARIES},
		     {"uniform", VKR_REDUCE_UNIFORM},
		     {"readers", VKR_REDUCE_READERS}};
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
