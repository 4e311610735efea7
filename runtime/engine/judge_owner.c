// SPDX-License-Identifier: Apache-2.0
// Races between queues of different families for want of ownership. Knows who reads what whom has
// written; not which transfers there were.
#include "judge.h"

// What the second reads of the first must be its queue family's.
static bool ask_owner(const struct vkr_engine *engine, const struct vkr_judge_site *x,
		      uint32_t x_command, const struct vkr_access *access,
		      struct vkr_ownership_question *question)
{
	const struct vkr_queues *queues = &engine->queues;
	const struct vkr_command *write = &queues->commands.items[x_command - 1];
	const struct vkr_command *read = &queues->commands.items[access->command - 1];
	const struct vkr_timeline *from = &queues->timelines.items[write->timeline - 1];
	const struct vkr_timeline *to = &queues->timelines.items[read->timeline - 1];
	*question = (struct vkr_ownership_question){from->family, to->family, write->number,
						    read->number};
	return engine->several_families && !from->host && !to->host &&
	       x->flags & VKR_ENGINE_WRITE && access->what->flags & VKR_ENGINE_READ;
}

void vkr_judge_owner(const struct vkr_engine *engine, const struct vkr_judge_site *x,
		     uint32_t x_command, const struct vkr_access *access,
		     struct vkr_verdict_range *place, struct vkr_cached_verdict *cached)
{
	struct vkr_ownership_question question;
	if (!ask_owner(engine, x, x_command, access, &question))
		return;
	const uint32_t lacks = vkr_ownership_lacks(&access->shadow->ownership, &question,
						   place->offset, &place->low, &place->high);
	place->by_memory = true;
	if (lacks == 0)
		return;
	cached->race_class = VKR_RACE_INVISIBLE;
	cached->shortfall = lacks;
}

void vkr_judge_owner_explain(const struct vkr_engine *engine, const struct vkr_access *access,
			     const struct vkr_found_race *found, struct vkr_engine_race *race)
{
	struct vkr_ownership_question question;
	if (ask_owner(engine, &engine->sites.items[found->first.site - 1], found->first.command,
		      access, &question))
		race->has_nearest = vkr_ownership_half(&access->shadow->ownership, &question,
						       found->low, &race->nearest);
}
