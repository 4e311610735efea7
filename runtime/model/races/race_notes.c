// SPDX-License-Identifier: Apache-2.0
// Two sentences on races that their authors would call false: what the specification says, and
// where. Knows what made the accesses; not how races are found.
#include "race_notes.h"

#include "model_state.h"
#include "race_places.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

// Only a dependency by region is between the two, from or to what is outside of the pass.
static bool is_region_of_external(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	if (!(race->shortfall & VKR_SHORT_OTHER_REGION) || !race->has_nearest)
		return false;
	const struct vkr_executed *nearest = &model->names.executed.items[race->nearest];
	return nearest->between_subpasses && (nearest->source_subpass == VK_SUBPASS_EXTERNAL ||
					      nearest->destination_subpass == VK_SUBPASS_EXTERNAL);
}

static bool is_done(const struct vkr_race_report *report, const char *operation)
{
	const size_t length = strlen(operation);
	return strncmp(report->first.operation, operation, length) == 0 ||
	       strncmp(report->second.operation, operation, length) == 0;
}

void vkr_race_note(const struct vkr_model *model, const struct vkr_engine_race *race,
		   struct vkr_race_report *report)
{
	report->note = "";
	report->letter_only = true;
	if (is_region_of_external(model, race))
		report->note =
			"a dependency with VK_DEPENDENCY_BY_REGION_BIT orders accesses at one "
			"place of the framebuffer only, and \"Framebuffer Region Dependencies\" "
			"makes no exception for VK_SUBPASS_EXTERNAL; known implementations order "
			"everything there";
	else if (race->race_class == VKR_RACE_REFERENCE)
		report->note =
			"each descriptor, pointer and address range is a reference of its own, and "
			"availability and visibility operations of shaders are of one reference "
			"(\"Memory Model\", \"References\"); known implementations do them for all "
			"memory";
	if (*report->note != '\0')
		return;
	report->letter_only = false;
	if (is_done(report, "layout transition"))
		report->note =
			"a layout transition reads and writes the whole subresource range, also "
			"where a driver has nothing to do (\"Image Layout Transitions\")";
	else if (is_done(report, "attachment load") || is_done(report, "attachment store"))
		report->note =
			"load and store operations access the whole render area of an attachment, "
			"also where no draw does (\"Render Pass Load Operations\", \"Render Pass "
			"Store Operations\")";
}
