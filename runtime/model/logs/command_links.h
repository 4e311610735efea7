// SPDX-License-Identifier: Apache-2.0
// Order between invocations of different commands by acquire and release through atomics, as far as
// the values that they read and wrote tell of it, and by what their fences make available and
// visible. Knows which commands dependencies alone leave open, and what they have done; not what
// exactly orders invocations (shader_sync.h).
//
// Nothing in the memory model limits synchronizes-with to one command: commands that nothing else
// orders run at the same time, and the one's atomic may read what the other's has written. Nor are
// dependencies all that is between two commands where there are some: what one released to another
// is before all that a dependency orders behind that ("Inter-Thread-Happens-Before"), and what a
// fence has made available to the shader domain needs no access mask ("Location-Ordered", third
// bullet). So what shaders that could synchronize with others have done to memory that others see
// is kept until all to come is behind it, and where two commands race these and all that may have
// handed something on are judged as one. Of other commands their place among dependencies is kept,
// and what is judged is what the engine asks about. What of this only values decide that several
// have written is told as not observed.
#pragma once

#include "engine.h"
#include "linked_logs.h"
#include "linked_reach.h"
#include "map.h"

struct vkr_model;
struct vkr_access_site;
struct vkr_shader;
struct vkr_walk;

// Races of the command under way that wait for what its whole log tells: alike ones together.
struct vkr_link_candidate {
	struct vkr_engine_race race;
	uint64_t count;
};

// An access by a shader whose log is not kept, as the engine asked about it.
struct vkr_link_example {
	struct vkr_sync_access access; // its workgroup as its command numbers it
	struct vkr_site of;
};

struct vkr_link_examples {
	struct vkr_link_example *items;
	size_t count, capacity;
};

// The bytes at which an earlier command races with the one under way by accesses of one kind each,
// as far as dependencies between commands go.
struct vkr_link_bytes {
	size_t first;          // of the others: index
	uint64_t second_stage; // of the command under way
	enum vkr_race_class race_class;
	bool first_writes, second_writes;
	uint64_t first_tag, second_tag;       // of sites, as an example
	struct vkr_sync_ranges ranges;        // of accesses in logs
	struct vkr_link_examples examples[2]; // of the first, the second
	size_t accesses;                      // where those of both end
	uint64_t races, certain; // where doubts order what they may, and where they order nothing
	// Whatever both do there, but what is judged elsewhere (vkr_sync's): accesses that later
	// ones have taken the place of, which are behind what comes behind these by dependencies,
	// and not by what shaders synchronize.
	bool is_rest;
	struct vkr_sync_ranges judged[4];
};

struct vkr_command_links {
	struct {
		struct vkr_linked *items;
		size_t count, capacity;
	} commands;       // stages of those that not everything to come is behind
	size_t forget_at; // commands
	size_t logged;    // of them
	size_t found;     // index of the one that was asked about last
	struct {
		struct vkr_linked *items;
		size_t count, capacity;
	} own; // stages of the command under way that have a log
	struct {
		struct vkr_link_candidate *items;
		size_t count, capacity;
	} candidates;          // with commands of which nothing is known, or no longer
	struct vkr_map places; // hash -> 1 + index of a candidate
	struct {
		struct vkr_link_bytes *items;
		size_t count, capacity;
	} bytes;
	struct vkr_link_reach reach;
	struct vkr_joined_logs logs; // while several commands are judged
	struct {
		struct vkr_sync_part *items;
		size_t count, capacity;
	} parts; // likewise
	struct {
		uint32_t *items;
		size_t count, capacity;
	} after; // likewise
	struct {
		uint32_t *items;
		size_t count, capacity;
	} timelines;     // that had such commands
	uint64_t stages; // likewise
	bool failed;     // for lack of memory
};

void vkr_command_links_finish(struct vkr_command_links *links);

// Whether what the shader has logged is kept: as far as some shader of the program orders commands.
bool vkr_command_links_keep(const struct vkr_model *model, const struct vkr_shader *shader);

// Adds what a shader of the command under way has logged, where it is kept.
bool vkr_command_links_add(struct vkr_command_links *links, const struct vkr_shader *shader,
			   const struct vkr_sync *sync);

// The engine's question about two invocations of different commands.
enum vkr_race_class vkr_command_links_ask(struct vkr_model *model,
					  const struct vkr_engine_race *candidate,
					  const struct vkr_access_site *first,
					  const struct vkr_access_site *second);

// All of the present command's log has been read: races that were put off are told.
enum vkr_result vkr_walk_links_end(struct vkr_walk *walk) VKR_MUST_USE;

// Judges links->bytes, the present command being the last of links->commands. Of each entry the
// races that are left, and those that are left where no doubt orders anything, in its `races` and
// `certain`. *ambiguous: these may differ; *unknown: too much for any of it (linked_judge.c).
enum vkr_result vkr_links_judge(struct vkr_command_links *links, struct vkr_engine *engine,
				uint32_t command, bool *ambiguous, bool *unknown,
				struct vkr_error *error) VKR_MUST_USE;
