// SPDX-License-Identifier: Apache-2.0
// Which release barriers of a trace-ray command synchronize with which acquire barriers along
// shader calls ("Synchronizes-With"), for commands whose invocations are also ordered by atomics.
// Knows who has called whom; nothing of accesses.
//
// Everything before an acquire barrier in shader call order is of its own invocation's callees, of
// its callers, or of earlier callees of these. For each invocation the last release of a kind is
// enough. The search stops at an acquire of the same kind after which its invocation releases
// again, because that acquire has already brought everything before it.
#include "array.h"
#include "call_order.h"

#include <stdlib.h>

struct releasing {
	struct vkr_calls *calls;
	const struct vkr_sync *sync;
	const struct vkr_call_event *acquire;
	struct {
		uint32_t *items;
		size_t count, capacity;
	} stack; // agents
	bool failed;
};

static const struct vkr_call_event *event_at(const struct vkr_calls *calls,
					     const struct vkr_call_agent *agent, size_t at)
{
	return &calls->events.items[agent->first_event + at];
}

static bool is_barrier(const struct vkr_call_event *event, unsigned order)
{
	return event->operation == VKR_SITE_MEMORY_BARRIER && event->order & order &&
	       vkr_calls_reached(event->scope);
}

static bool is_like(const struct vkr_call_event *event, const struct vkr_call_event *acquire)
{
	return is_barrier(event, VKR_ORDER_ACQUIRE) && event->scope == acquire->scope &&
	       event->semantics == acquire->semantics;
}

// Among the agent's first `end` events, the last acquire that brings at least as much as this one
// and is followed by a release of the agent, which passes that on; `end`: none.
static size_t find_handed_on(const struct releasing *releasing, const struct vkr_call_agent *agent,
			     size_t end)
{
	const unsigned semantics = releasing->acquire->semantics;
	bool releases = false;
	for (size_t at = end; at-- > 0;) {
		const struct vkr_call_event *event = event_at(releasing->calls, agent, at);
		releases |= is_barrier(event, VKR_ORDER_RELEASE) &&
			    (event->semantics & semantics) == semantics;
		if (releases && is_like(event, releasing->acquire))
			return at;
	}
	return end;
}

// Finds such an acquire in the agent of the barrier itself, where no release need follow it.
static size_t find_earlier(const struct releasing *releasing, const struct vkr_call_agent *agent,
			   size_t end)
{
	for (size_t at = end; at-- > 0;)
		if (is_like(event_at(releasing->calls, agent, at), releasing->acquire))
			return at;
	return end;
}

// The last release of each kind among the agent's events [first, end).
static void add_releases(struct releasing *releasing, uint32_t index, size_t first, size_t end)
{
	struct vkr_calls *calls = releasing->calls;
	const struct vkr_call_agent *agent = &calls->agents.items[index];
	const size_t own = calls->released.count;
	for (size_t at = end; at-- > first && !releasing->failed;) {
		const struct vkr_call_event *event = event_at(calls, agent, at);
		bool is_known = !is_barrier(event, VKR_ORDER_RELEASE);
		for (size_t i = own; i < calls->released.count && !is_known; i++) {
			const size_t later = calls->released.items[i] -
					     releasing->sync->agents.items[index].first_event;
			const struct vkr_call_event *other = event_at(calls, agent, later);
			is_known = other->scope == event->scope &&
				   other->semantics == event->semantics;
		}
		if (is_known)
			continue;
		if (!VKR_ARRAY_RESERVE(&calls->released, 1))
			releasing->failed = true;
		else
			calls->released.items[calls->released.count++] =
				(uint32_t)(releasing->sync->agents.items[index].first_event + at);
	}
}

static void push_release(struct releasing *releasing, uint32_t index)
{
	if (!VKR_ARRAY_RESERVE(&releasing->stack, 1))
		releasing->failed = true;
	else
		releasing->stack.items[releasing->stack.count++] = index;
}

// All of an agent that has ended, and of all that it has called.
static void add_ended(struct releasing *releasing, uint32_t index)
{
	const struct vkr_call_agent *agents = releasing->calls->agents.items;
	releasing->stack.count = 0;
	push_release(releasing, index);
	while (releasing->stack.count > 0 && !releasing->failed) {
		const uint32_t ended = releasing->stack.items[--releasing->stack.count];
		add_releases(releasing, ended, 0, agents[ended].event_count);
		for (uint32_t callee = agents[ended].callee; callee != 0;
		     callee = agents[callee - 1].older)
			push_release(releasing, callee - 1);
	}
}

// Adds the releases before the agent's event `end`, back to its event `first`: its own, and those
// of invocations that it has called. False if the search ends there.
static bool add_stretch(struct releasing *releasing, uint32_t index, size_t first, size_t end)
{
	const struct vkr_calls *calls = releasing->calls;
	const struct vkr_call_agent *agents = calls->agents.items;
	bool goes_on = first == end;
	size_t floor = goes_on ? 0 : first;
	for (uint32_t callee = agents[index].callee; callee != 0;
	     callee = agents[callee - 1].older) {
		const struct vkr_call_agent *called = &agents[callee - 1];
		if (called->call >= end || !vkr_calls_returned(calls, &agents[index], called->call))
			continue;
		if (called->call < floor)
			break;
		add_ended(releasing, callee - 1);
		// Invocations that were called together with it do not come before it.
		if (find_handed_on(releasing, called, called->event_count) != called->event_count) {
			floor = called->call;
			goes_on = false;
		}
	}
	add_releases(releasing, index, floor, end);
	return goes_on;
}

// All that synchronizes with the agent's acquire barrier at event `end`.
static void add_all(struct releasing *releasing, uint32_t index, size_t end)
{
	const struct vkr_call_agent *agents = releasing->calls->agents.items;
	size_t first = find_earlier(releasing, &agents[index], end);
	while (add_stretch(releasing, index, first, end) && !releasing->failed) {
		end = agents[index].call;
		index = agents[index].caller;
		if (index == VKR_SYNC_NONE)
			break;
		first = find_handed_on(releasing, &agents[index], end);
	}
	if (releasing->calls->released.count >= VKR_SYNC_NONE ||
	    !VKR_ARRAY_RESERVE(&releasing->calls->released, 1))
		releasing->failed = true;
	else
		releasing->calls->released.items[releasing->calls->released.count++] =
			VKR_SYNC_NONE;
}

bool vkr_calls_release(struct vkr_calls *calls, struct vkr_sync *sync)
{
	struct releasing releasing = {.calls = calls, .sync = sync};
	calls->released.count = 0;
	if (!vkr_calls_link(calls))
		return false;
	for (uint32_t index = 0; index < calls->agents.count && !releasing.failed; index++) {
		const struct vkr_call_agent *agent = &calls->agents.items[index];
		for (size_t at = 0; at < agent->event_count && !releasing.failed; at++) {
			releasing.acquire = event_at(calls, agent, at);
			if (!is_barrier(releasing.acquire, VKR_ORDER_ACQUIRE))
				continue;
			sync->events.items[sync->agents.items[index].first_event + at].value =
				(uint32_t)calls->released.count + 1;
			add_all(&releasing, index, at);
		}
	}
	free(releasing.stack.items);
	sync->calls.launch_order = calls->launch_order.items;
	sync->calls.launch_ends = calls->launch_ends.items;
	sync->calls.launch_count = (uint32_t)calls->launch_ends.count;
	sync->calls.released = calls->released.items;
	return !releasing.failed;
}
