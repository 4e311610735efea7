// SPDX-License-Identifier: Apache-2.0
// Random agents: each invocation shares some level of the hierarchy with an earlier one; some are
// host threads. Knows how scopes nest, and nothing of events.
#include "generate_agents.h"

static void copy_groups(struct vkr_litmus_agent *agent, const struct vkr_litmus_agent *other,
			enum vkr_litmus_scope shared)
{
	if (shared <= VKR_LITMUS_DEVICE)
		agent->device = other->device;
	if (shared <= VKR_LITMUS_QUEUE_FAMILY)
		agent->queue_family = other->queue_family;
	if (shared <= VKR_LITMUS_WORKGROUP_SCOPE)
		agent->workgroup = other->workgroup;
	if (shared <= VKR_LITMUS_SUBGROUP)
		agent->subgroup = other->subgroup;
}

void vkr_generate_agents(struct vkr_oracle_sample *sample, struct vkr_random *random)
{
	// Of a hundred: in the same subgroup, workgroup, queue family, device, or none.
	static const uint32_t shares[] = {20, 60, 77, 96};
	uint32_t count = 2 + vkr_random_below(random, vkr_random_percent(random, 10) ? 5 : 3);
	bool hosts = vkr_random_percent(random, 25);
	for (uint32_t i = 0; i < count; i++) {
		struct vkr_litmus_agent *agent = vkr_sample_add_agent(sample);
		agent->host = hosts && vkr_random_percent(random, 40);
		if (agent->host)
			continue;
		agent->device = agent->queue_family = agent->workgroup = agent->subgroup = i;
		uint32_t dice = vkr_random_below(random, 100);
		uint32_t other = i > 0 ? vkr_random_below(random, i) : 0;
		enum vkr_litmus_scope shared = VKR_LITMUS_SUBGROUP;
		for (uint32_t j = 0; j < 4 && dice >= shares[j]; j++)
			shared++;
		if (i > 0 && !sample->agents[other].host)
			copy_groups(agent, &sample->agents[other], shared);
	}
}

enum vkr_litmus_scope vkr_generate_common_scope(const struct vkr_litmus_agent *a,
						const struct vkr_litmus_agent *b)
{
	if (a->host || b->host || a->device != b->device)
		return VKR_LITMUS_CROSS_DEVICE;
	if (a->subgroup == b->subgroup)
		return VKR_LITMUS_SUBGROUP;
	if (a->workgroup == b->workgroup)
		return VKR_LITMUS_WORKGROUP_SCOPE;
	if (a->queue_family == b->queue_family)
		return VKR_LITMUS_QUEUE_FAMILY;
	return VKR_LITMUS_DEVICE;
}
