// SPDX-License-Identifier: Apache-2.0
// Order between invocations of different commands by acquire and release through atomics, as far as
// the values that they read and wrote tell of it. Knows which commands nothing else orders, and
// what they have done; not what exactly orders invocations (shader_sync.h).
//
// Nothing in the memory model limits synchronizes-with to one command: commands that nothing else
// orders run at the same time, and the one's atomic may read what the other's has written. So what
// shaders that could synchronize with others have done to memory that others see is kept until all
// to come is behind it, and where two commands race these and all that may have handed something on
// are judged as one. What of this only values decide that several have written is told as not
// observed.
#pragma once

#include "engine.h"
#include "joined_logs.h"
#include "map.h"

struct vkr_model;
struct vkr_access_site;
struct vkr_walk;

// What is known of one command.
struct vkr_linked {
	uint32_t command, family; // the engine's command
	uint64_t tag, stages;
	bool far;    // it has atomics that reach other commands
	bool chains; // vulkanMemoryModelAvailabilityVisibilityChains
	struct vkr_joined_logs logs;
};

// Races of the command under way that wait for what its whole log tells: alike ones together.
struct vkr_link_candidate {
	struct vkr_engine_race race;
	uint64_t count;
};

// The bytes at which an earlier command races with the one under way by accesses of one kind each,
// as far as dependencies between commands go.
struct vkr_link_bytes {
	uint32_t command;
	enum vkr_race_class race_class;
	bool first_writes, second_writes;
	uint64_t first_tag, second_tag; // of sites, as an example
	struct vkr_sync_ranges ranges;
	size_t accesses;         // where those in the ranges end
	uint64_t races, certain; // where doubts order what they may, and where they order nothing
};

struct vkr_command_links {
	struct {
		struct vkr_linked *items;
		size_t count, capacity;
	} commands;            // those that not everything to come is behind
	struct vkr_linked own; // of the command under way
	struct {
		struct vkr_link_candidate *items;
		size_t count, capacity;
	} candidates;          // with commands of which nothing is known, or no longer
	struct vkr_map places; // hash -> 1 + index of a candidate
	struct {
		struct vkr_link_bytes *items;
		size_t count, capacity;
	} bytes;
	struct vkr_joined_logs logs; // while several commands are judged
	struct {
		struct vkr_sync_part *items;
		size_t count, capacity;
	} parts; // likewise
	struct {
		uint32_t *items;
		size_t count, capacity;
	} timelines;     // that had such commands
	uint64_t stages; // likewise
	bool failed;     // for lack of memory
};

void vkr_command_links_finish(struct vkr_command_links *links);

// Adds what a shader of the command under way has logged.
bool vkr_command_links_add(struct vkr_command_links *links, const struct vkr_sync *sync);

// The engine's question about two invocations of different commands.
enum vkr_race_class vkr_command_links_ask(struct vkr_model *model,
					  const struct vkr_engine_race *candidate,
					  const struct vkr_access_site *first,
					  const struct vkr_access_site *second);

// All of the present command's log has been read: races that were put off are told.
enum vkr_result vkr_walk_links_end(struct vkr_walk *walk) VKR_MUST_USE;
