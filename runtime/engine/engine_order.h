// SPDX-License-Identifier: Apache-2.0
// What orders commands in the engine: timelines, dependencies, and tokens between timelines.
#pragma once

#include "engine_memory.h"

// Dense timeline ids, from 1. `family` says which queue timelines are in one queue family instance
// (QueueFamily scope of atomics); any numbers will do.
enum vkr_result vkr_engine_queue(struct vkr_engine *engine, uint32_t family, uint32_t *timeline,
				 struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_engine_host_thread(struct vkr_engine *engine, uint32_t *timeline,
				       struct vkr_error *error) VKR_MUST_USE;

// The next command on a timeline: ids from 1; those of commands that are gone come again. On a host
// timeline a command is a run of host accesses; the same one may be used until the thread releases,
// acquires, flushes or invalidates something.
enum vkr_result vkr_engine_command(struct vkr_engine *engine, uint32_t timeline, uint64_t tag,
				   uint32_t *command, struct vkr_error *error) VKR_MUST_USE;

// Puts a command in a group of its timeline's, by a number that is not 0 (VKR_ENGINE_RASTERIZED).
void vkr_engine_command_group(struct vkr_engine *engine, uint32_t command, uint64_t group);

// Shaders may have brought what is yet to be fed before accesses of this command, or may order it
// and others in either direction. Then it takes the place of no access of another command that what
// is yet to be fed may race with (vkr_engine_options.past), though it is ordered after that.
void vkr_engine_command_keeps(struct vkr_engine *engine, uint32_t command);

// No more accesses of this command will come: what is kept to judge them is released. A command
// without accesses may be ended at once. Commands not ended are released by vkr_engine_destroy.
void vkr_engine_command_end(struct vkr_engine *engine, uint32_t command);

// One pair of access scopes of a dependency.
struct vkr_engine_barrier_access {
	// Stages of the access scopes, within the dependency's; 0: the dependency's own.
	uint64_t source_stages, source_accesses;
	uint64_t destination_stages, destination_accesses;
	uint32_t memory; // 0: everywhere; else only [offset, offset + bytes) of this memory
	uint64_t offset, bytes;
	bool from_host; // source accesses include host writes: domain operation to the device
	bool to_host;   // destination accesses include host reads or writes: to the host domain
};

// The stage and access bit of image layout transitions. Masks of the caller's that mean all
// commands hold it.
#define VKR_ENGINE_TRANSITION (UINT64_C(1) << 62)

// The stage and access bit of operations on queries, which are no memory but have a state of their
// own. Operations of one queue are ordered among themselves, which orders nothing else; operations
// of different timelines need only execution order. A caller's mask that means all commands
// includes this bit. Nothing chains through it: what happens-after only a query's second scope does
// not happen-before a first scope that includes other stages too.
#define VKR_ENGINE_QUERY (UINT64_C(1) << 61)

// A stage whose operations on one queue are in order among themselves, which orders nothing else.
// The caller's masks hold it where it pleases.
#define VKR_ENGINE_IN_ORDER (UINT64_C(1) << 59)

struct vkr_engine_mark;

// An image layout transition that is part of a memory dependency (Vulkan specification, "Image
// Layout Transitions"): it comes after the availability operations and before the visibility
// operations; what is available is visible to it, and what it writes is available. Transitions of
// one queue are ordered among themselves, which orders nothing else. Its accesses are fed as those
// of `command`, which the dependency makes, within `ranges`, at sites of stage and access
// VKR_ENGINE_TRANSITION.
struct vkr_engine_transition {
	const struct vkr_engine_range *ranges;
	uint32_t range_count;
	// It knows of others' second scopes what was known there: dependencies of one place are put
	// one by one, and do not chain. NULL: what is known here.
	const struct vkr_engine_mark *place;
	uint32_t command; // set by vkr_engine_dependencies; its tag is theirs
};

// A memory dependency: everything earlier on the timeline in `source_stages`, and everything that
// an earlier dependency brought into these stages (an execution dependency chain), happens-before
// everything later in `destination_stages`. Writes in the access scopes of `accesses` become
// available, then all available writes become visible. No accesses: an execution dependency. All
// access scopes of one dependency belong together, as those of one vkCmdPipelineBarrier do.
//
// A local dependency stands for many, one for each place of a kind (a pixel of the framebuffer, a
// view): it orders only accesses at the same place. If a later dependency orders something after
// one of these places for all places, that comes after all of the local dependency. The engine asks
// which accesses are at one place (vkr_engine_options).
enum vkr_engine_local {
	VKR_ENGINE_BY_REGION = 1u << 0,
	VKR_ENGINE_BY_VIEW = 1u << 1,
};
#define VKR_ENGINE_LOCALS 2u

// A command that a first scope holds wherever it stands, in the stages that it is in.
struct vkr_engine_member {
	uint32_t command; // not ended
	uint64_t stages;
};

struct vkr_engine_dependency {
	uint64_t source_stages, destination_stages; // expanded: all bits that the masks stand for
	unsigned local;                             // enum vkr_engine_local bits
	bool beyond; // not limited to the section that is open, and not local; alike for all of one
		     // call
	const struct vkr_engine_barrier_access *accesses;
	uint32_t access_count;
	struct vkr_engine_transition *transition; // NULL: none
	// Commands that the first scope includes besides those in it by position, with all that
	// they know.
	const struct vkr_engine_member *members;
	uint32_t member_count;
};

// Inserts dependencies after the last command of a queue timeline, all at the same position: none
// of them chains with another (the elements of one vkCmdPipelineBarrier2 are separate
// dependencies). `tag` names the command in reports of the nearest dependency.
enum vkr_result vkr_engine_dependencies(struct vkr_engine *engine, uint32_t timeline, uint64_t tag,
					const struct vkr_engine_dependency *dependencies,
					uint32_t count, struct vkr_error *error) VKR_MUST_USE;

// A mark: where a timeline stands now, for dependencies whose first scope ends here and whose
// second scope begins later, as that of an event's set and wait does. It must be dropped before the
// engine is destroyed.
enum vkr_result vkr_engine_mark_create(struct vkr_engine *engine, uint32_t timeline,
				       struct vkr_engine_mark **mark,
				       struct vkr_error *error) VKR_MUST_USE;
void vkr_engine_mark_drop(struct vkr_engine_mark *mark);

// Puts a command that has not yet made accesses into the second scopes that include what is at the
// mark: the command learns what is known there, but later commands do not.
enum vkr_result vkr_engine_command_knows(struct vkr_engine *engine, uint32_t command,
					 const struct vkr_engine_mark *mark,
					 struct vkr_error *error) VKR_MUST_USE;

// As vkr_engine_dependencies, with first scopes that end at the mark. A mark on a host thread: the
// first scope is all that the thread has done, whatever the source stages say.
enum vkr_result vkr_engine_dependencies_since(struct vkr_engine *engine, uint32_t timeline,
					      const struct vkr_engine_mark *mark, uint64_t tag,
					      const struct vkr_engine_dependency *dependencies,
					      uint32_t count, struct vkr_error *error) VKR_MUST_USE;

// A section: a part of a queue timeline to which dependencies are limited, such as the commands of
// one subpass (VkSubpassDependency, vkCmdPipelineBarrier). Dependencies given in an open section,
// unless they go `beyond` it, have second scopes that end with the section and first scopes that
// begin with it; a first scope that ends at a mark begins with the section in which the mark was
// made. What these dependencies order is not known after the section, but it chains into first
// scopes that include all commands so far. `stages`: stages that only commands in sections have,
// the same for all sections of the timeline. At most one section is open at a time; ending none is
// no error.
enum vkr_result vkr_engine_section_begin(struct vkr_engine *engine, uint32_t timeline,
					 uint64_t stages, struct vkr_error *error) VKR_MUST_USE;
void vkr_engine_section_end(struct vkr_engine *engine, uint32_t timeline);

// No later dependency will have a first scope that ends at a mark in one of the sections so far:
// until this call, the contents of sections are kept apart from what comes before them.
void vkr_engine_sections_over(struct vkr_engine *engine, uint32_t timeline);

// ---- Order between timelines --------------------------------------------------------------------

// A token: the present state of the timeline, for others to acquire. On a queue, a semaphore or
// fence signal: its first scope is everything earlier in `stages`, and all writes in it become
// available to the device domain. On a host thread (`stages` is not used): all that the thread has
// done; with `to_device` also the domain operation from the host to the device for coherent or
// flushed memory, which vkQueueSubmit performs. Tokens are ids from 1; the id of a dropped token
// may be used again.
enum vkr_result vkr_engine_release(struct vkr_engine *engine, uint32_t timeline, uint64_t stages,
				   bool to_device, uint32_t *token,
				   struct vkr_error *error) VKR_MUST_USE;

// What comes later on the timeline in `stages` happens-after the token. On a queue (semaphore wait,
// begin of a submission): available writes of the token become visible to all accesses of these
// stages. On a host thread (fence wait, queue idle, host synchronization; `stages` is not used):
// execution order; the host sees device writes only if a dependency with `to_host` preceded the
// release.
enum vkr_result vkr_engine_acquire(struct vkr_engine *engine, uint32_t timeline, uint32_t token,
				   uint64_t stages, struct vkr_error *error) VKR_MUST_USE;

// Adds to a token what another one holds.
enum vkr_result vkr_engine_token_join(struct vkr_engine *engine, uint32_t token, uint32_t more,
				      struct vkr_error *error) VKR_MUST_USE;

// The token will not be acquired again.
void vkr_engine_token_drop(struct vkr_engine *engine, uint32_t token);

// A number that grows whenever the timeline's order changes: with each dependency, mark, release
// and acquire. Commands made at the same number are ordered alike with respect to other timelines'
// commands.
uint64_t vkr_engine_changes(const struct vkr_engine *engine, uint32_t timeline);

// The tag of a command that is not gone.
uint64_t vkr_engine_tag(const struct vkr_engine *engine, uint32_t command);
