// SPDX-License-Identifier: Apache-2.0
// What two accesses of different commands are to each other: whether they race, and whether the
// later stands for the earlier. Knows epochs and verdicts; not where they are remembered.
#include "judge.h"
#include "standing.h"

static enum vkr_relation command_relation(const struct vkr_engine *engine, uint32_t x, uint32_t y)
{
	const struct vkr_timeline *timelines = engine->queues.timelines.items;
	const struct vkr_command *commands = engine->queues.commands.items;
	const struct vkr_timeline *from = &timelines[commands[x - 1].timeline - 1];
	const struct vkr_timeline *to = &timelines[commands[y - 1].timeline - 1];
	return from->family == to->family ? VKR_OTHER_COMMAND : VKR_OTHER_FAMILY;
}

// Whether all that conflicts with x, an access since the last write, conflicts with y, for two on
// queues of one family. Atomics conflict with others by kind, bytes, scope and reference.
static bool conflicts_alike(const struct vkr_judge_site *x, uint32_t x_reference,
			    const struct vkr_judge_site *y, uint32_t y_reference)
{
	const bool alike = x->category == y->category && x_reference == y_reference;
	if ((y->flags & VKR_ENGINE_MAY_ACCESS) && !(x->flags & VKR_ENGINE_MAY_ACCESS))
		return false;
	if (x->flags & VKR_ENGINE_WRITE)
		return alike;
	// A plain read races with all that a read races with; an atomic one not with atomics, and
	// what shaders bring into order themselves is not private.
	return !(y->flags & VKR_ENGINE_WRITE) && (!(y->flags & VKR_ENGINE_ATOMIC) || alike) &&
	       (!(y->flags & VKR_ENGINE_ASK) || x->flags & VKR_ENGINE_NONPRIVATE);
}

// Whether each scope that takes in y takes in the earlier x: both are of one stage and access on
// one queue, and first scopes are prefixes of submission order, or of a stretch that both are in.
// Layout transitions have scopes of their own.
static bool is_prefix(const struct vkr_engine *engine, const struct vkr_judge_site *x,
		      uint32_t x_command, const struct vkr_judge_site *y, uint32_t y_command)
{
	const struct vkr_command *from = &engine->queues.commands.items[x_command - 1];
	const struct vkr_command *to = &engine->queues.commands.items[y_command - 1];
	if (engine->queues.local_stages & x->stage && x->flags & y->flags & VKR_ENGINE_PLACED)
		return false; // scopes of one place take in only what is there
	if (y->flags & VKR_ENGINE_LINKS &&
	    (!(y->flags & VKR_ENGINE_ATOMIC) || engine->several_families))
		return false; // what its own releases take in is not before its command
	return from->timeline == to->timeline && from->position < to->position &&
	       x->stage == y->stage && x->stage != VKR_ENGINE_TRANSITION &&
	       (!(x->flags & VKR_ENGINE_WRITE) || x->access == y->access) &&
	       !vkr_queues_cut(&engine->queues, from, to, x->stage);
}

// Whether what is yet to be fed may race with x, so that accesses of y's command do not take its
// place. `coherent`: the memory.
static bool is_kept(const struct vkr_engine *engine, const struct vkr_judge_site *x,
		    uint32_t x_command, uint32_t y_command, bool coherent)
{
	const struct vkr_command *from = &engine->queues.commands.items[x_command - 1];
	const struct vkr_engine_standing standing = {
		.number = from->number, .position = from->position, .timeline = from->timeline};
	uint64_t written = x->flags & VKR_ENGINE_WRITE ? x->access : 0;
	if (!vkr_judge_keeps(engine, y_command) || !engine->options.past)
		return false;
	if (engine->queues.timelines.items[from->timeline - 1].host && written != 0)
		written = coherent ? VKR_HOST_COHERENT_WRITE : VKR_HOST_NONCOHERENT_WRITE;
	return !engine->options.past(engine->options.context, &standing,
				     x->stage != 0 ? x->stage : VKR_HOST_STAGE, written);
}

bool vkr_judge_stands(const struct vkr_engine *engine, uint32_t command)
{
	return engine->queues.commands.items[command - 1].over && !vkr_judge_keeps(engine, command);
}

bool vkr_judge_subsumes(const struct vkr_engine *engine, const struct vkr_epoch *y,
			const struct vkr_epoch *x)
{
	const struct vkr_judge_site *from = &engine->sites.items[x->site - 1];
	const struct vkr_judge_site *to = &engine->sites.items[y->site - 1];
	return x->command != y->command && vkr_judge_stands(engine, y->command) &&
	       conflicts_alike(from, x->reference, to, y->reference) &&
	       is_prefix(engine, from, x->command, to, y->command);
}

// Whether what races with x, an access since the last write, races with the later y too, or is
// ordered after both: then x need not be remembered beside y. Where x happens-before y, order after
// y is order after x, by transitivity; for atomic writes their availability must have come along as
// well. The same holds within y's command, for what is ordered after y there is of y's stage or a
// later one. The other way, where x is in each scope that y is in (vkr_judge_subsumes), is open
// only once y's command is over: what follows y within it is ordered after y by no scope.
static bool judge_commands_subsumes(const struct vkr_engine *engine, const struct vkr_judge_site *x,
				    uint32_t x_command, uint32_t x_reference,
				    const struct vkr_access *access, bool before,
				    enum vkr_race_class plain)
{
	const struct vkr_judge_site *y = access->what;
	if (!conflicts_alike(x, x_reference, y, access->reference) ||
	    ((y->flags & VKR_ENGINE_ATOMIC) &&
	     command_relation(engine, x_command, access->command) == VKR_OTHER_FAMILY))
		return false;
	return x->flags & VKR_ENGINE_WRITE ? plain == VKR_RACE_NONE : before;
}

// What order is left of two that may be at different places, where local dependencies order them
// at one. All kinds of place by which they race are in the shortfall.
static enum vkr_race_class judge_commands_apart(const struct vkr_engine *engine,
						const struct vkr_side *from, struct vkr_side *to,
						struct vkr_verdict_range *place,
						struct vkr_cached_verdict *cached)
{
	static const uint32_t shortfalls[VKR_ENGINE_LOCALS] = {VKR_SHORT_OTHER_REGION,
							       VKR_SHORT_OTHER_VIEW};
	enum vkr_race_class worst = VKR_RACE_NONE;
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS; kind++) {
		uint32_t shortfall = 0;
		if (!vkr_queues_tells_apart(&engine->queues, to->command, kind))
			continue;
		to->apart = kind + 1;
		cached->before &= vkr_queues_before(&engine->queues, from, to, place);
		const enum vkr_race_class plain =
			vkr_queues_verdict(&engine->queues, from, to, place, &shortfall);
		if (plain == VKR_RACE_NONE)
			continue;
		cached->shortfall |= shortfall | shortfalls[kind];
		if (worst == VKR_RACE_NONE)
			worst = plain;
	}
	return worst;
}

// Whether two that are ordered are location-ordered through the domain of their queue family, or
// that of all shaders: what one invocation makes available there by itself another one may make
// visible to itself ("Location-Ordered", third bullet; "Per-Instruction Availability and Visibility
// Semantics"). So memory dependencies between their commands need hold no accesses.
static bool meet_in_shaders(const struct vkr_engine *engine, const struct vkr_epoch *x,
			    const struct vkr_access *access)
{
	const uint32_t from = engine->sites.items[x->site - 1].flags, to = access->what->flags;
	const bool family =
		command_relation(engine, x->command, access->command) == VKR_OTHER_COMMAND;
	return x->invocation && access->invocation && from & to & VKR_ENGINE_NONPRIVATE &&
	       x->reference == access->reference &&
	       from & (family ? VKR_ENGINE_FAR_AVAILABLE : VKR_ENGINE_DEVICE_AVAILABLE) &&
	       (to & VKR_ENGINE_WRITE ||
		to & (family ? VKR_ENGINE_FAR_VISIBLE : VKR_ENGINE_DEVICE_VISIBLE));
}

const struct vkr_cached_verdict *vkr_judge_commands(struct vkr_engine *engine, uint32_t epoch,
						    const struct vkr_access *access,
						    uint64_t offset)
{
	struct vkr_cached_verdict *cached =
		&engine->cache[(epoch * 0x9e3779b1u ^ access->epoch * 0x85ebca6bu) >> 16 &
			       (VKR_VERDICT_CACHE - 1)];
	const struct vkr_epoch *x;
	const struct vkr_judge_site *site;
	struct vkr_side from, to;
	struct vkr_verdict_range place = {
		.memory = access->shadow->serial, .offset = offset, .high = UINT64_MAX};
	enum vkr_race_class plain;
	uint32_t unused = 0;

	if (cached->x == epoch && cached->y == access->epoch &&
	    (cached->memory == 0 || (cached->memory == access->shadow->serial &&
				     cached->low <= offset && offset < cached->high)))
		return cached;
	x = &engine->epochs.items[epoch];
	site = &engine->sites.items[x->site - 1];
	from = vkr_judge_side(site, x->command, access->shadow->coherent);
	to = vkr_judge_side(access->what, access->command, access->shadow->coherent);
	*cached = (struct vkr_cached_verdict){.x = epoch, .y = access->epoch};
	cached->before = vkr_queues_before(&engine->queues, &from, &to, &place);
	plain = vkr_queues_verdict(&engine->queues, &from, &to, &place, &cached->shortfall);
	if (plain == VKR_RACE_NONE && site->flags & access->what->flags & VKR_ENGINE_PLACED &&
	    (x->invocation || access->invocation))
		plain = judge_commands_apart(engine, &from, &to, &place, cached);
	cached->only_in_order = vkr_queues_only_in_order(&engine->queues, &from, &to, &place);
	cached->kept = is_kept(engine, site, x->command, access->command, access->shadow->coherent);
	cached->subsumes = !cached->only_in_order && !cached->kept &&
			   judge_commands_subsumes(engine, site, x->command, x->reference, access,
						   cached->before, plain);
	cached->race_class = (uint8_t)plain;
	if (!((site->flags | access->what->flags) & VKR_ENGINE_WRITE)) {
		cached->race_class = VKR_RACE_NONE;
	} else if (plain != VKR_RACE_NONE) {
		const struct vkr_interval_access a = vkr_judge_step(site, x->reference, 0);
		const struct vkr_interval_access b =
			vkr_judge_step(access->what, access->reference, 0);
		if (vkr_atomics_mutual(&a, &b,
				       command_relation(engine, x->command, access->command),
				       &unused) ||
		    (plain != VKR_RACE_UNORDERED && meet_in_shaders(engine, x, access)))
			cached->race_class = VKR_RACE_NONE;
		else if (plain == VKR_RACE_UNORDERED && (unused & VKR_SHORT_ATOMIC_SCOPE))
			cached->race_class = VKR_RACE_SCOPE;
		else if (plain == VKR_RACE_UNORDERED && (unused & VKR_SHORT_OTHER_REFERENCE))
			cached->race_class = VKR_RACE_REFERENCE;
		cached->shortfall |= unused;
	}
	if (access->freeing)
		cached->race_class = cached->before ? VKR_RACE_NONE : VKR_RACE_FREE;
	else if (cached->race_class == VKR_RACE_NONE)
		vkr_judge_owner(engine, site, x->command, access, &place, cached);
	// Host accesses of coherent and other memory are alike in epochs.
	if (place.by_memory || site->stage == 0 || access->what->stage == 0) {
		cached->memory = access->shadow->serial;
		cached->low = place.low;
		cached->high = place.high;
	}
	return cached;
}
