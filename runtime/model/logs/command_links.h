// SPDX-License-Identifier: Apache-2.0
// Order between invocations of different commands by acquire and release through atomics, as far as
// the values that they read and wrote tell of it. Knows which workgroup could have met whose
// release; not what exactly that orders.
//
// Nothing in the memory model limits synchronizes-with to one command: commands that nothing else
// orders run at the same time, and the one's atomic may read what the other's has written. Whether
// an access stands before the release and behind the acquire is not looked at: what could be
// ordered so is no race, and is told as not observed.
#pragma once

#include "engine.h"
#include "map.h"
#include "shader_sync.h"

struct vkr_model;
struct vkr_access_site;
struct vkr_walk;

// A value that an atomic of a command has written for others, or read of them.
struct vkr_link_value {
	uint64_t memory, offset, value;
	uint32_t reference, bytes;
	uint32_t workgroup;
	bool wrote;
	bool far; // beyond the queue family, too
};

// A workgroup of another command that this one's has read the value of.
struct vkr_link {
	uint32_t from; // the engine's command
	uint32_t from_workgroup, workgroup;
};

// What is known of one command.
struct vkr_linked {
	uint32_t command, family; // the engine's command
	uint64_t tag, stages;
	bool reads, writes; // both: it may hand on what it was given
	bool reached;       // while who follows whom is looked for
	struct {
		struct vkr_link_value *items; // ascending, each once
		size_t count, capacity;
	} values;
	struct {
		struct vkr_link *items;
		size_t count, capacity;
	} links;
};

// Races of the command under way that wait for what its whole log tells: alike ones together.
struct vkr_link_candidate {
	struct vkr_engine_race race;
	uint64_t count;
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
	} candidates;
	struct vkr_map places; // hash -> 1 + index of a candidate
	struct {
		uint32_t *items; // indices of commands
		size_t count, capacity;
	} path;
	struct {
		uint32_t *items;
		size_t count, capacity;
	} timelines;     // that had such commands
	uint64_t stages; // likewise
	bool failed;     // for lack of memory
};

void vkr_command_links_finish(struct vkr_command_links *links);

// Adds the atomics of a part of the log of the command under way.
bool vkr_command_links_add(struct vkr_command_links *links, const struct vkr_sync *sync);

// The engine's question about two invocations of different commands.
enum vkr_race_class vkr_command_links_ask(struct vkr_model *model,
					  const struct vkr_engine_race *candidate,
					  const struct vkr_access_site *first,
					  const struct vkr_access_site *second);

// All of the present command's log has been read: races that were put off are told.
enum vkr_result vkr_walk_links_end(struct vkr_walk *walk) VKR_MUST_USE;
