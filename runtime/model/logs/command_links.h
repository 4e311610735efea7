// SPDX-License-Identifier: Apache-2.0
// Order between invocations of different commands by acquire and release through atomics, as far as
// it follows from the values that they read and wrote, and by what their fences make available and
// visible. Knows which pairs of commands dependencies leave unordered, and what these commands have
// done; not what exactly orders invocations (shader_sync.h).
//
// The memory model does not limit synchronizes-with to one command: commands that nothing else
// orders run concurrently, and one's atomic may read what another's has written. Nor is a
// dependency all that can order two commands. What one command has released to another comes before
// everything that a dependency orders after the other ("Inter-Thread-Happens-Before"), and what a
// fence has made available to the shader domain needs no access mask ("Location-Ordered", third
// bullet). So the accesses of shaders that could synchronize with others are kept until everything
// to come is ordered after them, as far as others see the memory. If two commands race, they are
// judged together with all commands that may have passed something on. Of other commands only their
// place among dependencies is kept, and the accesses that the engine asks about are judged. Order
// that depends only on values that several atomics have written is reported as not observed.
#pragma once

#include "engine.h"
#include "linked_logs.h"
#include "linked_reach.h"
#include "map.h"

struct vkr_model;
struct vkr_pipeline;
struct vkr_access_site;
struct vkr_shader;
struct vkr_walk;

// Races of the command under way that wait for the rest of its log; equal ones are counted
// together.
struct vkr_link_candidate {
	struct vkr_engine_race race;
	uint64_t count;
};

// An access by fixed function, or by a shader whose log is not kept, as the engine asked about it.
struct vkr_link_example {
	struct vkr_sync_access access; // its workgroup as its command numbers it
	struct vkr_site of;
};

struct vkr_link_examples {
	struct vkr_link_example *items;
	size_t count, capacity;
};

// The bytes at which an earlier command races with a second one by accesses of one kind each, as
// far as dependencies between commands go.
struct vkr_link_bytes {
	size_t first;                       // of the others: index
	uint64_t first_number, first_stage; // the same while they wait: indices change
	uint64_t second_stage;
	enum vkr_race_class race_class;
	bool first_writes, second_writes;
	bool within; // all accesses of one command to these bytes: atomics of others may order them
	uint64_t first_tag, second_tag;       // of sites, as an example
	struct vkr_sync_ranges ranges;        // of accesses in logs
	struct vkr_link_examples examples[2]; // of the first, the second
	size_t accesses;                      // where those of both end
	bool reversed;           // some access of the second command is before one of the first
	uint64_t races, certain; // where doubts order what they may, and where they order nothing
	// All accesses of both commands to these bytes, except those judged elsewhere (vkr_sync's
	// `judged`): accesses that later ones have subsumed. Everything that dependencies order
	// after the later ones comes after these too, but what shader synchronization orders need
	// not.
	bool is_rest;
	struct vkr_sync_ranges judged[4];
};

// A question about links->bytes: about which second command, and the answer.
struct vkr_link_question {
	uint32_t command; // the engine's
	uint64_t number;  // its standing's
	bool ended;
	bool waits;     // races are counted, and not reported
	bool silent;    // others' atomics may have written unknown values
	bool reversed;  // some access of an earlier command comes after one of the second
	bool ambiguous; // the verdict depends on which of several writes an atomic read from
	bool unknown;   // it was too much to judge
};

// Races that a command yet to come may show to be none (link_pending.h).
struct vkr_link_pending {
	struct vkr_link_question question;
	struct vkr_link_bytes *bytes;
	size_t count;
};

struct vkr_links_pending {
	struct vkr_link_pending *items;
	size_t count, capacity;
};

// Of the command under way: bytes at which its own invocations race as far as its own atomics show,
// and a site as an example.
struct vkr_links_within {
	struct vkr_sync_ranges ranges;
	uint64_t tag, stage;
};

struct vkr_command_links {
	struct {
		struct vkr_linked *items;
		size_t count, capacity;
	} commands;       // stages of commands that some later command may not be ordered after
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
	struct vkr_links_pending pending;
	struct vkr_links_within within;
	struct vkr_link_reach reach;
	struct vkr_joined_logs logs; // while several commands are judged
	struct {
		struct vkr_sync_part *items;
		size_t count, capacity;
	} parts; // while several commands are judged
	struct {
		uint32_t *items;
		size_t count, capacity;
	} after; // while several commands are judged
	struct {
		uint32_t *items;
		size_t count, capacity;
	} timelines;     // that had such commands
	uint64_t stages; // that had such commands
	bool failed;     // for lack of memory
};

void vkr_command_links_finish(struct vkr_command_links *links);

// Whether the timeline had such commands, and that it had, and in which stages. The second is false
// for lack of memory.
bool vkr_command_links_have(const struct vkr_command_links *links, uint32_t timeline);
bool vkr_command_links_note(struct vkr_command_links *links, uint32_t timeline);
void vkr_command_links_stages(struct vkr_command_links *links, uint64_t stages);

// Whether what the shader has logged is kept: as far as some shader of the program orders commands.
bool vkr_command_links_keep(const struct vkr_model *model, const struct vkr_shader *shader);

// A command with this pipeline, or NULL, begins.
void vkr_command_links_begin(struct vkr_model *model, const struct vkr_pipeline *pipeline,
			     uint32_t command);

// Adds what a shader of the command under way has logged, where it is kept.
bool vkr_command_links_add(struct vkr_command_links *links, const struct vkr_shader *shader,
			   const struct vkr_sync *sync);

// Keeps races within the command under way, whose shader has logged and read other commands'
// values, for when these commands are known. False for lack of memory.
bool vkr_command_links_put_off(struct vkr_command_links *links, const struct vkr_shader *shader,
			       uint64_t tag, const struct vkr_sync_ranges *ranges);

// The engine's question about two invocations of different commands.
enum vkr_race_class vkr_command_links_ask(struct vkr_model *model,
					  const struct vkr_engine_race *candidate,
					  const struct vkr_access_site *first,
					  const struct vkr_access_site *second);

// What fixed function of a command accesses in one stage, which may be synchronized with, too: the
// command is kept before the engine is fed. vkr_links_access_end then judges what was put off, if
// the command has no log.
enum vkr_result vkr_links_access_begin(struct vkr_walk *walk, uint32_t command, uint64_t stage,
				       uint64_t read, uint64_t written) VKR_MUST_USE;
enum vkr_result vkr_links_access_end(struct vkr_walk *walk, uint32_t command) VKR_MUST_USE;

// All of the present command's log has been read: races that were put off are reported.
enum vkr_result vkr_walk_links_end(struct vkr_walk *walk) VKR_MUST_USE;

// Judges links->bytes (linked_judge.c). Sets the races that remain in each entry's `races`, and
// those that remain if ambiguous values order nothing in `certain`.
enum vkr_result vkr_links_judge(struct vkr_command_links *links, struct vkr_engine *engine,
				struct vkr_link_question *question,
				struct vkr_error *error) VKR_MUST_USE;

void vkr_link_bytes_clear(struct vkr_link_bytes *bytes, size_t count);
