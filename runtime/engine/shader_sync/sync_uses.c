// SPDX-License-Identifier: Apache-2.0
// Which agents are fed to vkr_order in place of others, and which acquires have no effect.
#include "sync_uses.h"

#include "site_scope.h"

// ---- Who is fed ---------------------------------------------------------------------------------

// Finds which of an agent's events matter, and whether an atomic does.
static bool count_events(struct vkr_sync *sync, struct vkr_sync_agent *agent)
{
	uint32_t previous = VKR_SYNC_NONE;
	bool synchronizes = false;
	agent->fed_count = 0;
	for (uint32_t at = 0; at < agent->event_count; at++) {
		const size_t index = agent->first_event + at;
		struct vkr_sync_event *event = &sync->events.items[index];
		event->before = agent->fed_count;
		event->previous = previous;
		if (!vkr_sync_matters(sync, event))
			continue;
		synchronizes = synchronizes || event->atomic != VKR_SYNC_NONE;
		previous = (uint32_t)index;
		agent->fed_count++;
	}
	return synchronizes;
}

static bool sync_uses_alike(const struct vkr_sync *sync, const struct vkr_sync_agent *x,
			    const struct vkr_sync_agent *y)
{
	const struct vkr_sync_event *a = &sync->events.items[x->first_event];
	const struct vkr_sync_event *b = &sync->events.items[y->first_event];
	const struct vkr_sync_event *a_end = a + x->event_count, *b_end = b + y->event_count;
	if (x->subgroup != y->subgroup || x->fed_count != y->fed_count)
		return false;
	for (;; a++, b++) {
		while (a < a_end && !vkr_sync_matters(sync, a))
			a++;
		while (b < b_end && !vkr_sync_matters(sync, b))
			b++;
		if (a == a_end || b == b_end)
			return a == a_end && b == b_end;
		if (a->site != b->site)
			return false;
	}
}

// Joins an agent whose atomics do not matter with those of its workgroup that are ordered alike.
static void join_alike(struct vkr_sync *sync, uint32_t index)
{
	struct vkr_sync_agent *agents = sync->agents.items;
	for (uint32_t at = index; at-- > 0 && agents[at].workgroup == agents[index].workgroup;) {
		if (agents[at].stand_in[0] != at || agents[at].has_atomics ||
		    !sync_uses_alike(sync, &agents[at], &agents[index]))
			continue;
		agents[index].stand_in[0] = at;
		if (agents[at].stand_in[1] == at)
			agents[at].stand_in[1] = index;
		agents[index].stand_in[1] = agents[at].stand_in[1];
		return;
	}
}

void vkr_sync_find_stand_ins(struct vkr_sync *sync)
{
	for (uint32_t at = 0; at < sync->agents.count; at++) {
		struct vkr_sync_agent *agent = &sync->agents.items[at];
		const bool had_atomics = agent->has_atomics;
		agent->has_atomics = count_events(sync, agent);
		if (had_atomics && !agent->has_atomics && !sync->calls.each)
			join_alike(sync, at);
	}
}

uint32_t vkr_sync_fed_before(const struct vkr_sync *sync, const struct vkr_sync_access *access)
{
	const struct vkr_sync_agent *agent = &sync->agents.items[access->agent];
	return access->events < agent->event_count
		       ? sync->events.items[agent->first_event + access->events].before
		       : agent->fed_count;
}

// ---- Acquires without effect --------------------------------------------------------------------

static void use_up_to(struct vkr_sync *sync, uint32_t agent, uint32_t events)
{
	for (unsigned at = 0; at < 2; at++) {
		struct vkr_sync_agent *used =
			&sync->agents.items[sync->agents.items[agent].stand_in[at]];
		if (used->last_use < events)
			used->last_use = events;
	}
}

static bool use_barriers(struct vkr_map *last, uint32_t workgroup, uint32_t barriers)
{
	uint64_t known = 0;
	if (vkr_map_get(last, workgroup, &known) && known >= barriers)
		return true;
	return vkr_map_set(last, workgroup, barriers);
}

bool vkr_sync_find_uses(struct vkr_sync *sync, struct vkr_map *last)
{
	for (size_t at = 0; at < sync->accesses.count; at++) {
		const struct vkr_sync_access *access = &sync->accesses.items[at];
		if (access->agent == VKR_SYNC_NONE)
			continue;
		use_up_to(sync, access->agent, vkr_sync_fed_before(sync, access) + 1);
		if (!use_barriers(last, access->workgroup, access->barriers))
			return false;
	}
	for (size_t at = 0; at < sync->atomics.count; at++) {
		const struct vkr_sync_atomic *atomic = &sync->atomics.items[at];
		const struct vkr_sync_event *event = &sync->events.items[atomic->event];
		if (!atomic->matters || !atomic->releases)
			continue;
		use_up_to(sync, event->agent, event->before + 1);
		if (!use_barriers(last, sync->agents.items[event->agent].workgroup,
				  event->barriers))
			return false;
	}
	// Along shader calls any barrier may hand it on.
	for (size_t at = 0; sync->calls.released != NULL && at < sync->events.count; at++) {
		const uint32_t *releases = vkr_sync_released(sync, &sync->events.items[at]);
		for (; *releases != VKR_SYNC_NONE; releases++) {
			const struct vkr_sync_event *event = &sync->events.items[*releases];
			use_up_to(sync, event->agent, event->before + 1);
		}
	}
	return true;
}

bool vkr_sync_is_of_use(const struct vkr_sync *sync, const struct vkr_map *last,
			const struct vkr_sync_event *event)
{
	const struct vkr_sync_agent *agent = &sync->agents.items[event->agent];
	const bool barrier = vkr_site_is_workgroup_barrier(&sync->sites[event->site]);
	uint64_t barriers = 0;
	if (agent->last_use > event->before + 1)
		return true;
	return vkr_map_get(last, agent->workgroup, &barriers) &&
	       barriers > event->barriers + barrier;
}
