// SPDX-License-Identifier: Apache-2.0
#include "model_compare.h"

#include "commands.h"
#include "error.h"
#include "judging.h"
#include "memory_names.h"
#include "report_facts.h"
#include "volume_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// One of the two judgements.
struct side {
	struct vkr_judging judging;
	struct vkr_report_view view;
	enum vkr_memory_model model;
	bool open; // the view is
};

// Whether two accesses are of one place in the program, whatever object and invocation made the
// first example of each judgement.
static bool same_site(const struct vkr_access_report *a, const struct vkr_access_report *b)
{
	return a->agent == b->agent && a->read == b->read && a->write == b->write &&
	       strcmp(a->operation, b->operation) == 0 &&
	       strcmp(a->stage_access, b->stage_access) == 0 &&
	       a->source.shader_hash == b->source.shader_hash &&
	       a->source.spirv_word == b->source.spirv_word &&
	       strcmp(a->source.entry_point, b->source.entry_point) == 0 &&
	       strcmp(a->command.name, b->command.name) == 0 &&
	       a->command.command == b->command.command &&
	       strcmp(a->command.recorded, b->command.recorded) == 0 &&
	       strcmp(a->thread, b->thread) == 0 && strcmp(a->stack, b->stack) == 0 &&
	       strcmp(a->object, b->object) == 0;
}

static bool same_pair(const struct vkr_race_report *x, const struct vkr_race_report *y)
{
	return (same_site(&x->first, &y->first) && same_site(&x->second, &y->second)) ||
	       (same_site(&x->first, &y->second) && same_site(&x->second, &y->first));
}

static bool model_compare_has(const struct vkr_report *report, const struct vkr_race_report *race)
{
	for (uint32_t i = 0; i < report->race_count; i++) {
		if (same_pair(&report->races[i], race))
			return true;
	}
	return false;
}

static bool is_hrf(enum vkr_memory_model model)
{
	return vkr_memory_is_hrf(&(struct vkr_memory_rules){.model = model});
}

// The rule by which a race of this class under `racy` is none under `other`.
static const char *rule_of_vulkan(enum vkr_race_class race_class)
{
	switch (race_class) {
	case VKR_RACE_UNAVAILABLE:
	case VKR_RACE_INVISIBLE:
		return "availability and visibility: under HRF what happens-before is observed";
	case VKR_RACE_DOMAIN:
		return "the host and device domains: HRF has none";
	case VKR_RACE_REFERENCE:
		return "references: HRF knows locations only";
	case VKR_RACE_PRIVATE:
		return "private accesses: under HRF every synchronization orders ordinary accesses";
	case VKR_RACE_SCOPE:
	case VKR_RACE_UNORDERED:
		return "synchronizes-with: storage classes are two address spaces under HRF, order "
		       "chains with program order, and overlapping atomics agree";
	case VKR_RACE_NONE:
	case VKR_RACE_FREE:
	case VKR_RACE_UNOBSERVABLE:
		break;
	}
	return "happens-before";
}

static const char *model_compare_rule(enum vkr_memory_model racy, enum vkr_memory_model other,
				      enum vkr_race_class race_class)
{
	if (!is_hrf(racy) && is_hrf(other))
		return rule_of_vulkan(race_class);
	if (racy == VKR_MEMORY_VULKAN_2018)
		return race_class == VKR_RACE_UNAVAILABLE || race_class == VKR_RACE_INVISIBLE
			       ? "availability and visibility chains, which 2018 does not have"
			       : "hypothetical release sequences, fragment interlock and shader "
				 "calls, which 2018 does not have";
	if (racy == VKR_MEMORY_HRF_OPENCL && (is_hrf(other) || race_class == VKR_RACE_SCOPE))
		return "definition 6.2: OpenCL's scopes include each other where they are equal";
	if (racy == VKR_MEMORY_HRF_DIRECT && is_hrf(other))
		return "figure 12: happens-before through another agent's scope is indirect";
	return "scoped synchronization order: under HRF fences synchronize through atomics only, "
	       "with fences only, and not around control barriers";
}

static void print_access(const struct vkr_access_report *access)
{
	printf("  %s", access->operation);
	if (*access->object)
		printf(" of %s", access->object);
	if (*access->source.file && access->source.line)
		printf(", %s:%" PRIu32, access->source.file, access->source.line);
	else if (*access->source.shader)
		printf(", %s word %" PRIu32, access->source.shader, access->source.spirv_word);
	if (access->command.command)
		printf(", %s in command %" PRIu32, access->command.name, access->command.command);
	if (*access->thread)
		printf(", %s", access->thread);
	printf("\n");
}

static uint32_t print_side(const struct side *racy, const struct side *other)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < racy->view.report.race_count; i++) {
		const struct vkr_race_report *race = &racy->view.report.races[i];
		if (model_compare_has(&other->view.report, race))
			continue;
		count++;
		printf("vkrace: race under %s, none under %s: %s\n",
		       vkr_memory_model_name(racy->model), vkr_memory_model_name(other->model),
		       vkr_report_class(race->race_class));
		print_access(&race->first);
		print_access(&race->second);
		printf("  parted by: %s\n\n",
		       model_compare_rule(racy->model, other->model, race->race_class));
	}
	return count;
}

// `other`: the other side's model. A reading is for those that have readings.
static enum vkr_result model_compare_judge(struct side *side, enum vkr_memory_model other,
					   const struct vkr_tool_options *options, const char *path,
					   struct vkr_error *error)
{
	const struct vkr_judging_options leave_out = {
		.model = vkr_memory_model_name(side->model),
		.reading = is_hrf(side->model) || !is_hrf(other) ? options->reading : NULL,
		.suppressions = options->suppressions,
		.only = options->only,
		.baseline = options->baseline,
		.any_image = options->any_image != NULL,
		.frames = options->frames,
		.sample = options->sample,
		.shaders = options->shader,
		.not_shaders = options->not_shader,
		.labels = options->label,
		.threads = options->threads,
	};
	enum vkr_result result = vkr_judging_init(&side->judging, &leave_out, error);
	if (result == VKR_OK)
		result = vkr_trace_open(&side->judging.source, path, error);
	if (result != VKR_OK)
		return result;
	result = vkr_judging_run(&side->judging, error);
	vkr_source_close(side->judging.source);
	if (result == VKR_OK)
		result = vkr_judging_view(&side->judging, &side->view, error);
	side->open = result == VKR_OK;
	return result;
}

static enum vkr_result read_models(const char *names, struct side sides[2], struct vkr_error *error)
{
	const char *comma = strchr(names, ',');
	if (!comma || strchr(comma + 1, ','))
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "--compare takes two models: A,B");
	if (!vkr_memory_model_find(names, (size_t)(comma - names), &sides[0].model))
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "there is no memory model '%.*s'", (int)(comma - names),
				     names);
	const enum vkr_result result = vkr_memory_model_parse(comma + 1, &sides[1].model, error);
	if (result == VKR_OK && sides[0].model == sides[1].model)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "--compare takes two different models");
	return result;
}

int vkr_model_compare(const struct vkr_tool_options *options, const char *path, int differ)
{
	struct side sides[2] = {{.open = false}, {.open = false}};
	struct vkr_error error;
	uint32_t apart = 0;
	enum vkr_result result = read_models(options->compare, sides, &error);
	for (unsigned i = 0; i < 2 && result == VKR_OK; i++)
		result = model_compare_judge(&sides[i], sides[1 - i].model, options, path, &error);
	if (result == VKR_OK) {
		const uint32_t first = print_side(&sides[0], &sides[1]);
		const uint32_t second = print_side(&sides[1], &sides[0]);
		apart = first + second;
		printf("vkrace: %" PRIu32 " race%s under %s, %" PRIu32 " under %s: %" PRIu32
		       " under the first only, %" PRIu32 " under the second only\n",
		       sides[0].view.report.race_count,
		       sides[0].view.report.race_count == 1 ? "" : "s",
		       vkr_memory_model_name(sides[0].model), sides[1].view.report.race_count,
		       vkr_memory_model_name(sides[1].model), first, second);
	} else {
		fprintf(stderr, "vkrace replay: %s\n", error.message);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (sides[i].open)
			vkr_report_view_finish(&sides[i].view);
		vkr_judging_finish(&sides[i].judging);
	}
	if (result != VKR_OK)
		return VKR_EXIT_FAILURE;
	return apart ? differ : 0;
}
