// SPDX-License-Identifier: Apache-2.0
// The ladder of order: what one access X needs to be location-ordered before another, Y (Vulkan
// specification, appendix "Memory Model", "Location-Ordered"), and the class of a race that lacks a
// rung. Knows the rungs; not how they are met.
//
// Whoever decides an order climbs this ladder and only says, rung by rung, how a pair meets it:
//
//   interval.c          two invocations of one dispatch, by control barriers
//   queue_verdict.c     two commands, or a command and a host thread, by operations of the API
//   order_location.c    any two accesses, by the letter: where no bullet is met as a whole, how far
//                       the furthest path got. Happens-before is not transitive there, so that the
//                       bullets are looked for as paths
//   call_order.c        invocations that call each other, by barriers (model)
//   shader_order.c      overlapping fragments, by their interlock (model)
//
// The bridge between them: judge.c asks interval.c about accesses of one dispatch and
// queue_verdict.c about all others. What these leave unordered and shaders may have ordered is
// asked of the model (vkr_engine_options.ask), which collects the bytes until the command's log has
// ended. Then sync_judge.c asks order_location.c about each pair, with what the atomics' values say
// synchronizes-with. An operation of the API that shaders carry on is no event of order_location.c:
// there sync_judge.c asks back for what queue_verdict.c knows (vkr_sync_commands.is_available,
// is_visible). Before all of them, two atomics may be mutually ordered ("Data Race").
#pragma once

#include "vkrace/race_class.h"

#include <stdbool.h>

enum vkr_rung {
	VKR_RUNG_HAPPENS_BEFORE, // X happens-before Y
	VKR_RUNG_NONPRIVATE,     // both are non-private, or X system-synchronizes-with Y
	VKR_RUNG_REFERENCE,      // of one reference, or through the device and host domains
	VKR_RUNG_AVAILABLE,      // X -> AV: made available in X's domain
	VKR_RUNG_DOMAIN,         // -> DOM: a memory domain operation from host to device, or back
	VKR_RUNG_VISIBLE,        // -> VIS -> Y: made visible to Y
	VKR_RUNG_TOP,            // location-ordered
};

// The first rung that `has` says the pair lacks. Where X is a read, order is enough: no write is to
// be made available; where Y only writes, nothing need be visible to it.
static inline __attribute__((always_inline)) enum vkr_rung
vkr_ladder_climb(bool (*has)(void *pair, enum vkr_rung rung), void *pair, bool x_writes,
		 bool y_reads)
{
	if (!has(pair, VKR_RUNG_HAPPENS_BEFORE))
		return VKR_RUNG_HAPPENS_BEFORE;
	if (!has(pair, VKR_RUNG_NONPRIVATE))
		return VKR_RUNG_NONPRIVATE;
	if (!x_writes)
		return VKR_RUNG_TOP;
	if (!has(pair, VKR_RUNG_REFERENCE))
		return VKR_RUNG_REFERENCE;
	if (!has(pair, VKR_RUNG_AVAILABLE))
		return VKR_RUNG_AVAILABLE;
	if (!has(pair, VKR_RUNG_DOMAIN))
		return VKR_RUNG_DOMAIN;
	if (y_reads && !has(pair, VKR_RUNG_VISIBLE))
		return VKR_RUNG_VISIBLE;
	return VKR_RUNG_TOP;
}

// The class of a race of a pair that lacks a rung.
static inline enum vkr_race_class vkr_rung_class(enum vkr_rung rung)
{
	switch (rung) {
	case VKR_RUNG_HAPPENS_BEFORE:
		return VKR_RACE_UNORDERED;
	case VKR_RUNG_NONPRIVATE:
		return VKR_RACE_PRIVATE;
	case VKR_RUNG_REFERENCE:
		return VKR_RACE_REFERENCE;
	case VKR_RUNG_AVAILABLE:
		return VKR_RACE_UNAVAILABLE;
	case VKR_RUNG_DOMAIN:
		return VKR_RACE_DOMAIN;
	case VKR_RUNG_VISIBLE:
		return VKR_RACE_INVISIBLE;
	case VKR_RUNG_TOP:
		return VKR_RACE_NONE;
	}
	return VKR_RACE_NONE;
}
