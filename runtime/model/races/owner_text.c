// SPDX-License-Identifier: Apache-2.0
#include "owner_text.h"

#include "model_state.h"

static uint32_t queue_family(const struct vkr_model *model, const struct vkr_engine_access *access)
{
	const struct vkr_executed *executed = &model->names.executed.items[access->tag];
	const struct vkr_queue *queue = vkr_objects_queue(&model->objects, executed->queue);
	return queue != NULL ? queue->family : 0;
}

void vkr_owner_missing(const struct vkr_model *model, const struct vkr_engine_race *race,
		       const struct vkr_race_report *report, struct vkr_text *text)
{
	const uint32_t from = queue_family(model, &race->first),
		       to = queue_family(model, &race->second);
	const bool acquired = race->shortfall & VKR_SHORT_NOT_RELEASED;
	const char *object = report->second.object;
	if (!race->has_nearest) {
		vkr_text_add(
			text,
			"queue family %u owns the bytes of %s, which is exclusive, and no pair of "
			"barriers hands them to queue family %u",
			from, object, to);
		return;
	}
	const struct vkr_executed *half = &model->names.executed.items[race->nearest];
	vkr_text_add(
		text,
		"queue family %u owns the bytes of %s, which is exclusive, %s %s in command %u of "
		"submission %u %s them: no barrier like it on queue family %u %s them",
		from, object, acquired ? "when" : "until",
		half->info != NULL ? half->info->name : "a barrier",
		half->info != NULL ? half->info->index + 1 : 0, half->submission,
		acquired ? "acquires" : "releases", acquired ? from : to,
		acquired ? "has released" : "acquires");
}

void vkr_owner_change(const struct vkr_model *model, const struct vkr_engine_race *race,
		      const struct vkr_race_report *report, struct vkr_text *text)
{
	vkr_text_add(
		text,
		"add a barrier with srcQueueFamilyIndex %u and dstQueueFamilyIndex %u behind "
		"command %u of submission %u, and the same before command %u of submission %u, or "
		"create %s with VK_SHARING_MODE_CONCURRENT",
		queue_family(model, &race->first), queue_family(model, &race->second),
		report->first.command.command, report->first.command.submission,
		report->second.command.command, report->second.command.submission,
		report->second.object);
}

void vkr_atomics_missing(const struct vkr_model *model, const struct vkr_engine_race *race,
			 const struct vkr_race_report *report, struct vkr_text *text)
{
	vkr_text_add(
		text,
		"the two are atomics of %s and %s scope in different commands, on queue families "
		"%u and %u, and these scopes do not hold both",
		report->first.scope, report->second.scope, queue_family(model, &race->first),
		queue_family(model, &race->second));
}

void vkr_atomics_change(const struct vkr_model *model, const struct vkr_engine_race *race,
			const struct vkr_race_report *report, struct vkr_text *text)
{
	const bool one = queue_family(model, &race->first) == queue_family(model, &race->second);
	vkr_text_add(
		text,
		"use %s scope for both atomics, or order command %u of submission %u and command "
		"%u of submission %u",
		one ? "QueueFamily" : "Device", report->first.command.command,
		report->first.command.submission, report->second.command.command,
		report->second.command.submission);
}
