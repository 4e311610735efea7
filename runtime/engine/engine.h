// SPDX-License-Identifier: Apache-2.0
// The fast engine: dependencies between commands and accesses go in, data races come out.
// Knows stages and accesses as opaque bits; knows nothing of Vulkan objects, files or reports.
//
// What happens-before what comes from the caller's order of calls and from nothing else:
//
//   timelines     one a queue, one a host thread. Commands stand on a timeline in submission order
//                 (a host thread: program order).
//   dependencies  between what stands earlier and what comes later on one timeline.
//   tokens        carry order from one timeline to another.
//
// The feeding order is part of the contract. Accesses come in an order that happens-before agrees
// with: an access is never fed after one that it happens-before. A command is judged by the
// dependencies that were given on its timeline before vkr_engine_command made it; its accesses may
// be fed at any later time, until vkr_engine_command_end. Within a dispatch workgroups are fed one
// after the other, each whole; within a workgroup all invocations' accesses up to a control barrier
// come before all accesses after it. The same calls give the same races, in the same order.
//
// One engine is used by one thread at a time. All functions that return enum vkr_result return
// VKR_ERROR_MEMORY for lack of memory, or VKR_ERROR_STOPPED; after a failure the engine can only be
// destroyed.
#pragma once

#include "byte_ranges.h"
#include "engine_access.h"
#include "engine_memory.h"
#include "engine_order.h"
#include "engine_parts.h"
#include "engine_past.h"
#include "engine_race.h"

#include "vkrace/memory_model.h"
#include "vkrace/race_class.h"
#include "vkrace/result.h"
#include "vkrace/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_engine;
struct vkr_engine_standing;
struct vkr_shard;

// Commands that are yet to be made on a queue timeline.
enum vkr_engine_coming {
	VKR_COMING_ANY,
	VKR_COMING_LATER,    // none but those for which its state now is known, and more
	VKR_COMING_SUBMITTED // none but those that hosts have yet to submit, if any: all that any
			     // host thread knows now is known to them
};

struct vkr_engine_options {
	// For the HRF models order in execution is all that accesses of different commands need:
	// memory dependencies, host domain and ownership are passed over. What shaders do is judged
	// as their sites say.
	struct vkr_memory_rules rules;
	void *context; // handed to the callbacks
	// Called once for each new (first site, second site, class), with the first example.
	// Must not call the engine. May be NULL.
	void (*race)(void *context, const struct vkr_engine_race *race);
	// The engine asks this before it counts a race between invocations of one dispatch, or
	// between accesses with VKR_ENGINE_ASK of different commands (once for each two
	// invocations), or one with VKR_SHORT_OTHER_REGION or VKR_SHORT_OTHER_VIEW, which is no
	// race if the two accesses are at one place. The answer is VKR_RACE_NONE if the shaders'
	// own releases and acquires order the two, otherwise the class to report. NULL: shaders
	// order nothing. Must not call the engine. Of several workgroups that read the same bytes
	// the engine remembers one, and asks about that one. For every byte at which two
	// invocations race by the engine's own rules, it asks about at least one such pair: so a
	// caller that answers VKR_RACE_NONE, judges these bytes itself and reports the races
	// through vkr_engine_race_found misses none.
	enum vkr_race_class (*ask)(void *context, const struct vkr_engine_race *candidate);
	// Whether all that is yet to be fed of commands made later comes after what the command, by
	// its standing, does in the stage, and its write of this access type, if it is not 0, is
	// available and visible to that. Asked about commands before ones that keep
	// (vkr_engine_command_keeps). It may ask what standing.h answers. NULL: yes.
	bool (*past)(void *context, const struct vkr_engine_standing *standing, uint64_t stage,
		     uint64_t written);
	// The stages that commands of queue timelines have. Which commands that access the memory
	// are yet to be made on such a timeline; NULL: any.
	uint64_t queue_stages;
	enum vkr_engine_coming (*coming)(void *context, uint32_t timeline, uint32_t memory);
	// The part of memory that is judged, and what was found in it; NULL: all memory.
	struct vkr_shard *shard;
	// Set by another thread: feeding accesses fails with VKR_ERROR_STOPPED. NULL: never.
	const _Atomic bool *stop;
};

enum vkr_result vkr_engine_create(const struct vkr_engine_options *options,
				  struct vkr_engine **engine, struct vkr_error *error) VKR_MUST_USE;
void vkr_engine_destroy(struct vkr_engine *engine);

// A race between two invocations that the caller has found, `count` times: counted and reported as
// the engine's own. The second access's command must not have ended, or be held
// (standing.h). The caller sets `command`,
// `site`, `reference` and the invocations of both accesses, the class, the bytes, and, within one
// command, why nothing orders the two; the engine sets the rest.
enum vkr_result vkr_engine_race_found(struct vkr_engine *engine, const struct vkr_engine_race *race,
				      uint64_t count, struct vkr_error *error) VKR_MUST_USE;

// ---- Results ------------------------------------------------------------------------------------

// Calls `tag` for each tag that may yet be reported: of commands that some byte remembers or that
// have not ended, of dependencies that may be the nearest to a race, and of halves of transfers. A
// tag may come several times.
void vkr_engine_tags(const struct vkr_engine *engine, void (*tag)(void *context, uint64_t tag),
		     void *context);

// How often the pair's race was found: the number of accesses by its second site that raced.
uint64_t vkr_engine_pair_count(const struct vkr_engine *engine, uint32_t pair);

// How many commands made the second access of these races, one that made it several times, with
// others between, as several.
uint64_t vkr_engine_pair_commands(const struct vkr_engine *engine, uint32_t pair);

// The bytes that raced; of workgroup memory, those of all workgroups together. Settled, until more
// is fed.
const struct vkr_byte_ranges *vkr_engine_pair_extent(struct vkr_engine *engine, uint32_t pair);

// How often any race was found: grows with each call that finds one.
uint64_t vkr_engine_races(const struct vkr_engine *engine);

// How many accesses were judged so far: one an invocation's access, one a range.
uint64_t vkr_engine_accesses(const struct vkr_engine *engine);

struct vkr_engine_statistics {
	uint64_t accesses; // as vkr_engine_accesses says
	uint64_t commands;
	uint64_t shadow_bytes, shadow_peak; // held by shadow memory now, and at most
	uint64_t epoch_bytes;               // held for epochs
};

void vkr_engine_statistics(const struct vkr_engine *engine,
			   struct vkr_engine_statistics *statistics);
