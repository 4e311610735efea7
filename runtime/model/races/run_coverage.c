// SPDX-License-Identifier: Apache-2.0
// What was not observed. Knows the kinds, not the causes.
#include "run_coverage.h"

#include "array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void vkr_coverage_init(struct vkr_coverage *coverage, struct vkr_texts *texts)
{
	*coverage = (struct vkr_coverage){.texts = texts};
	vkr_map_init(&coverage->places);
}

bool vkr_coverage_reserve(struct vkr_coverage *coverage)
{
	return VKR_ARRAY_RESERVE(coverage, 1);
}

void vkr_coverage_finish(struct vkr_coverage *coverage)
{
	vkr_map_finish(&coverage->places);
	free(coverage->items);
}

static const char *kind_name(enum vkr_trace_coverage_kind kind)
{
	switch (kind) {
	case VKR_COVERAGE_SHADER:
		return "shader";
	case VKR_COVERAGE_COMMAND:
		return "command";
	case VKR_COVERAGE_EXTENSION:
		return "extension";
	case VKR_COVERAGE_LOG:
		return "log";
	case VKR_COVERAGE_DEVICE:
		return "device";
	case VKR_COVERAGE_MEMORY:
		return "memory";
	case VKR_COVERAGE_HOST:
		return "host";
	case VKR_COVERAGE_TRACE:
		return "trace";
	case VKR_COVERAGE_SYNC:
		return "synchronization";
	case VKR_COVERAGE_CHOICE:
		return "choice";
	}
	return "unknown";
}

bool vkr_coverage_add(struct vkr_coverage *coverage, enum vkr_trace_coverage_kind kind,
		      uint64_t amount, const char *text, size_t length)
{
	const char *kept = vkr_texts_keep(coverage->texts, text, length);
	if (kept == NULL)
		return false;

	// Kept texts are equal exactly when their pointers are; kinds are small numbers.
	const uint64_t key = (uint64_t)(uintptr_t)kept * 16 + (uint64_t)kind;
	uint64_t place = 0;
	if (!vkr_map_get(&coverage->places, key, &place)) {
		if (!VKR_ARRAY_RESERVE(coverage, 2) ||
		    !vkr_map_set(&coverage->places, key, coverage->count + 1))
			return false;
		coverage->items[coverage->count++] =
			(struct vkr_coverage_report){.kind = kind_name(kind), .text = kept};
		place = coverage->count;
	}
	coverage->items[place - 1].count++;
	coverage->items[place - 1].amount += amount;
	return true;
}

void vkr_coverage_add_last(struct vkr_coverage *coverage, enum vkr_trace_coverage_kind kind,
			   uint64_t amount, const char *text)
{
	const char *kept = vkr_texts_keep(coverage->texts, text, strlen(text));
	assert(coverage->count < coverage->capacity);
	coverage->items[coverage->count++] = (struct vkr_coverage_report){
		.kind = kind_name(kind),
		.text = kept ? kept : "no memory to say why the rest was not judged",
		.count = 1,
		.amount = amount};
}
