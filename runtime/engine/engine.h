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
// come before all accesses behind it. The same calls give the same races, in the same order.
//
// One engine is used by one thread at a time. All functions that return enum vkr_result return
// VKR_ERROR_MEMORY for lack of memory, or VKR_ERROR_STOPPED; after a failure the engine can only be
// destroyed.
#pragma once

#include "vkrace/memory_model.h"
#include "vkrace/race_class.h"
#include "vkrace/result.h"
#include "vkrace/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_engine;
struct vkr_shard;

// ---- What a race is told as ---------------------------------------------------------------------

// One of the two accesses of a race.
struct vkr_engine_access {
	uint32_t command; // as vkr_engine_command returned it
	uint64_t tag;     // the caller's name of the command
	uint32_t site;    // as vkr_engine_site_add returned it
	uint64_t site_tag;
	uint64_t stage, access; // one bit each
	uint32_t reference;
	bool invocation;           // made by a shader invocation: the next three are valid
	uint32_t workgroup, local; // linear indices
	uint32_t interval;         // control barriers that the workgroup had passed
};

// Why the nearest dependency does not order two accesses of different commands.
enum vkr_engine_shortfall {
	VKR_SHORT_NO_DEPENDENCY = 1u << 0, // there is none between the two at all
	// Of `nearest` or, if there is none, of what the later access's timeline has acquired.
	VKR_SHORT_SOURCE_STAGE = 1u << 1,
	VKR_SHORT_SOURCE_ACCESS = 1u << 2,
	VKR_SHORT_DESTINATION_STAGE = 1u << 3,
	VKR_SHORT_DESTINATION_ACCESS = 1u << 4,
	VKR_SHORT_RANGE = 1u << 5,
	VKR_SHORT_NOT_FLUSHED = 1u << 6,     // host write in non-coherent memory, no flush
	VKR_SHORT_NOT_INVALIDATED = 1u << 7, // host read in non-coherent memory, no invalidate
	VKR_SHORT_TO_DEVICE = 1u << 8,       // no domain operation from the host to the device
	VKR_SHORT_TO_HOST = 1u << 9,         // no domain operation from the device to the host
	VKR_SHORT_NO_TOKEN = 1u << 10,       // different timelines, nothing orders them
	// Within one dispatch:
	VKR_SHORT_NO_BARRIER = 1u << 11,        // no control barrier between the two
	VKR_SHORT_BARRIER_SEMANTICS = 1u << 12, // barriers, but none with acquire and release on
						// this storage class at workgroup scope or wider
	VKR_SHORT_BARRIER_AVAILABLE = 1u << 13, // barriers without MakeAvailable for it
	VKR_SHORT_BARRIER_VISIBLE = 1u << 14,   // barriers without MakeVisible for it
	VKR_SHORT_OTHER_WORKGROUP = 1u << 15,   // control barriers do not reach that far
	VKR_SHORT_OTHER_REFERENCE = 1u << 16,   // shader-level operations do not join references
	VKR_SHORT_PRIVATE_ACCESS = 1u << 17,    // one of the two accesses is private
	VKR_SHORT_ATOMIC_SCOPE = 1u << 18,      // atomics outside of each other's scope
	VKR_SHORT_ATOMIC_BYTES = 1u << 19,      // atomics that do not cover the same bytes
	VKR_SHORT_SYNCHRONIZATION = 1u << 20,   // atomics and fences fall short: see `release`
	// Between queues of different families, where both accesses are ordered:
	VKR_SHORT_OWNERSHIP = 1u << 21,    // the bytes are another family's
	VKR_SHORT_NOT_ACQUIRED = 1u << 22, // they were released, and not acquired: `nearest`
	VKR_SHORT_NOT_RELEASED = 1u << 23, // they were acquired, and not released: `nearest`
	// Local dependencies order the two only if they are at one place of the kind.
	VKR_SHORT_OTHER_REGION = 1u << 24,
	VKR_SHORT_OTHER_VIEW = 1u << 25,
	// There is none between the two, but one that lacks nothing but their sections: `nearest`.
	VKR_SHORT_OTHER_SECTION = 1u << 26,
};

struct vkr_engine_race {
	uint32_t pair; // dense, from 0, in order of first occurrence; for vkr_engine_pair_count
	enum vkr_race_class race_class;
	bool possible; // set by who calls vkr_engine_race_found: something not known decides on it
	struct vkr_engine_access first, second; // `first` was fed earlier
	uint32_t memory;                        // VKR_ENGINE_WORKGROUP for workgroup memory
	uint64_t offset, bytes;                 // the overlap, in the memory
	uint32_t shortfall;                     // enum vkr_engine_shortfall bits
	bool has_nearest;
	uint64_t nearest; // tag of the nearest dependency, where has_nearest
	// Of a race reported through vkr_engine_race_found, with VKR_SHORT_SYNCHRONIZATION: the
	// caller's names of the nearest release after the access that would be the earlier one
	// (`first`, unless `backward`) and of the nearest acquire before the other access; 0: none.
	uint64_t release, acquire;
	bool backward;
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
	// The part of memory that is judged, and what comes of it; NULL: all of it.
	struct vkr_shard *shard;
	// Set by another thread: feeding accesses fails with VKR_ERROR_STOPPED. NULL: never.
	const _Atomic bool *stop;
};

enum vkr_result vkr_engine_create(const struct vkr_engine_options *options,
				  struct vkr_engine **engine, struct vkr_error *error) VKR_MUST_USE;
void vkr_engine_destroy(struct vkr_engine *engine);

// ---- Timelines, commands, dependencies ----------------------------------------------------------

// Dense timeline ids, from 1. `family` tells which queue timelines are in one queue family instance
// (QueueFamily scope of atomics); any numbers will do.
enum vkr_result vkr_engine_queue(struct vkr_engine *engine, uint32_t family, uint32_t *timeline,
				 struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_engine_host_thread(struct vkr_engine *engine, uint32_t *timeline,
				       struct vkr_error *error) VKR_MUST_USE;

// From now on shaders may bring accesses with VKR_ENGINE_ASK of different commands into order, in
// either direction: where two such race by the engine's rules, a plain write does not take the
// other one's place before vkr_engine_settle.
void vkr_engine_links(struct vkr_engine *engine);

// The next command on a timeline: ids from 1; those of commands that are gone come again. On a host
// timeline a command is a run of host accesses; the same one may be used until the thread releases,
// acquires, flushes or invalidates something.
enum vkr_result vkr_engine_command(struct vkr_engine *engine, uint32_t timeline, uint64_t tag,
				   uint32_t *command, struct vkr_error *error) VKR_MUST_USE;

// Puts a command in a group of its timeline's, by a number that is not 0 (VKR_ENGINE_RASTERIZED).
void vkr_engine_command_group(struct vkr_engine *engine, uint32_t command, uint64_t group);

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

struct vkr_engine_range {
	uint32_t memory;
	uint64_t offset, bytes;
};

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

// ---- Memory -------------------------------------------------------------------------------------

// The memory number of workgroup memory in targets and races: locations of their own in each
// workgroup.
#define VKR_ENGINE_WORKGROUP UINT32_MAX

// Bytes of the largest memory object: all that a 64-bit process can address.
#define VKR_ENGINE_MEMORY_MOST (UINT64_C(1) << 47)

// A new memory object. Ids are the caller's, dense from 1. `coherent`: host accesses need neither
// flush nor invalidate.
enum vkr_result vkr_engine_memory(struct vkr_engine *engine, uint32_t memory, uint64_t bytes,
				  bool coherent, struct vkr_error *error) VKR_MUST_USE;

// vkFreeMemory as command `command` of a host timeline through `site`: races of class `free` with
// every access that does not happen-before it. The id may be used anew. The site is a write. A
// memory that was never made is no error.
enum vkr_result vkr_engine_memory_free(struct vkr_engine *engine, uint32_t memory, uint32_t command,
				       uint32_t site, struct vkr_error *error) VKR_MUST_USE;

// A resource is bound to bytes of a memory: they get their part, where the engine has one of it.
enum vkr_result vkr_engine_place(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
				 uint64_t bytes, struct vkr_error *error) VKR_MUST_USE;

// Forgets a memory that nothing can reach any more, unjudged. One that was never made is no error.
void vkr_engine_memory_drop(struct vkr_engine *engine, uint32_t memory);

// Bytes [low, high) of a memory that are another's from `to` on; memory 0: no longer.
struct vkr_mapping {
	uint64_t low, high;
	uint32_t memory;
	uint64_t to;
};

// From now on, accesses to the memory are made, and reported, in the memories that its parts are
// mapped onto, which are not mapped themselves. Parts are in order of offset and disjoint.
enum vkr_result vkr_engine_map(struct vkr_engine *engine, uint32_t memory,
			       const struct vkr_mapping *parts, size_t count,
			       struct vkr_error *error) VKR_MUST_USE;

// Where the range begins, and how many of its bytes are contiguous there.
void vkr_engine_mapped(struct vkr_engine *engine, struct vkr_engine_range *range);

// The other way: *offset in `onto` becomes the one in `memory`. False where that has it not.
bool vkr_engine_unmapped(struct vkr_engine *engine, uint32_t memory, uint32_t onto,
			 uint64_t *offset);

// vkFlushMappedMemoryRanges, vkInvalidateMappedMemoryRanges on a host thread.
enum vkr_result vkr_engine_flush(struct vkr_engine *engine, uint32_t timeline, uint32_t memory,
				 uint64_t offset, uint64_t bytes,
				 struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_engine_invalidate(struct vkr_engine *engine, uint32_t timeline, uint32_t memory,
				      uint64_t offset, uint64_t bytes,
				      struct vkr_error *error) VKR_MUST_USE;

// Bytes of a resource that one queue family owns at a time or, if not `exclusive`, that all
// families may access; replaces what an earlier call said about these bytes. A read of exclusive
// bytes by another queue family than that of their last write sees the write only if the ownership
// was transferred in between; otherwise it is a race of class `invisible`. Bytes without such a
// call are not exclusive.
enum vkr_result vkr_engine_exclusive(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
				     uint64_t bytes, bool exclusive,
				     struct vkr_error *error) VKR_MUST_USE;

// Half of a transfer: the release, after all commands made so far, or the acquire, before all later
// ones. They match if memory, range, families and key are equal.
#define VKR_ENGINE_ANY_FAMILY UINT32_MAX // somebody's outside, who takes and gives unseen
struct vkr_engine_transfer {
	uint32_t memory;
	uint64_t offset, bytes;
	uint32_t from, to; // families, as vkr_engine_queue has them
	uint64_t key;      // the caller's
	uint64_t tag;      // of the command
	bool acquire;
};
enum vkr_result vkr_engine_transfer(struct vkr_engine *engine,
				    const struct vkr_engine_transfer *half,
				    struct vkr_error *error) VKR_MUST_USE;

// ---- Accesses -----------------------------------------------------------------------------------

enum vkr_engine_site_flags {
	VKR_ENGINE_READ = 1u << 0,
	VKR_ENGINE_WRITE = 1u << 1, // with READ: a read-modify-write
	VKR_ENGINE_ATOMIC = 1u << 2,
	VKR_ENGINE_NONPRIVATE = 1u << 3,     // implied by ATOMIC
	VKR_ENGINE_MAKE_AVAILABLE = 1u << 4, // of the write itself, at workgroup scope or wider;
					     // implied by ATOMIC writes of such a scope
	VKR_ENGINE_MAKE_VISIBLE = 1u << 5,   // of the read itself, at workgroup scope or wider;
					     // implied by ATOMIC reads of such a scope
	VKR_ENGINE_ASK = 1u << 6, // ask also about two such accesses of different commands
	// A may-access: it subsumes no other access, and a race with it only says that there may be
	// a race. Only for ranges. It is of fixed function, but to invocations of its own command
	// it counts as another invocation.
	VKR_ENGINE_MAY_ACCESS = 1u << 7,
	// At a place that local dependencies distinguish. Two ranges that share bytes are at one
	// place.
	VKR_ENGINE_PLACED = 1u << 8,
	// Such accesses of the commands of one group on one timeline are in the order in which they
	// are fed, which orders nothing else. What invocations have done before one of these is
	// asked about, too.
	VKR_ENGINE_RASTERIZED = 1u << 9,
	// A rasterized write that later ones of its group do not subsume: what is ordered after
	// those may not be ordered after this one's stage.
	VKR_ENGINE_LASTING = 1u << 10,
	// MAKE_AVAILABLE and MAKE_VISIBLE at queue family scope or wider, which implies these, and
	// at device scope or wider, which implies those.
	VKR_ENGINE_FAR_AVAILABLE = 1u << 11,
	VKR_ENGINE_FAR_VISIBLE = 1u << 12,
	VKR_ENGINE_DEVICE_AVAILABLE = 1u << 13,
	VKR_ENGINE_DEVICE_VISIBLE = 1u << 14,
	// By a shader that may synchronize with shaders of other commands: what happens-after its
	// access need not happen-after what its command comes after.
	VKR_ENGINE_LINKS = 1u << 15,
	// An atomic write whose value is not known.
	VKR_ENGINE_SILENT = 1u << 16,
	// Availability of the write itself, and visibility for the read itself, at subgroup scope;
	// implied by ATOMIC flags of that scope.
	VKR_ENGINE_NEAR_AVAILABLE = 1u << 17,
	VKR_ENGINE_NEAR_VISIBLE = 1u << 18,
	// Set by the engine for the HRF models: through which reference says nothing, and atomics
	// that overlap agree; and for OpenCL's: atomics agree where their scopes are equal.
	VKR_ENGINE_UNREFERENCED = 1u << 19,
	VKR_ENGINE_EQUAL_SCOPES = 1u << 20,
};

// What the accesses of one site have in common. A site is an instruction of one shader, or one kind
// of fixed-function or host access (of one command, if reports should distinguish commands).
struct vkr_engine_site {
	uint64_t tag;                   // the caller's, for reports
	uint64_t stage, access;         // one bit each; 0 for host accesses
	uint32_t flags;                 // enum vkr_engine_site_flags
	uint32_t bytes;                 // of one shader access; not used for ranges
	const struct vkr_piece *pieces; // which of these bytes; NULL: all. Copied
	uint32_t piece_count;
	uint8_t storage_class; // one bit of enum vkr_site_class; 0: fixed function or host
	uint8_t scope;         // enum vkr_scope of an atomic
};

// Dense site ids, from 1. Sites live as long as the engine.
enum vkr_result vkr_engine_site_add(struct vkr_engine *engine, const struct vkr_engine_site *site,
				    uint32_t *id, struct vkr_error *error) VKR_MUST_USE;

// A range of memory accessed as a whole by fixed function or by the host. Sites with stage 0 are
// the host's and stand on a host timeline. Unknown memory and bytes beyond its end are ignored.
enum vkr_result vkr_engine_access_range(struct vkr_engine *engine, uint32_t command, uint32_t site,
					uint32_t memory, uint64_t offset, uint64_t bytes,
					struct vkr_error *error) VKR_MUST_USE;

// Whether the last write of some byte of the range was the device's, as far as accesses were fed.
enum vkr_result vkr_engine_device_wrote(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
					uint64_t bytes, bool *wrote,
					struct vkr_error *error) VKR_MUST_USE;

// The site of the single access that wrote all bytes of the range last, among the accesses fed so
// far; 0 if there is none, or something else may have written since.
enum vkr_result vkr_engine_last_writer(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
				       uint64_t bytes, uint32_t *site,
				       struct vkr_error *error) VKR_MUST_USE;

// Whether an access with VKR_ENGINE_SILENT to some byte of the range is in no order with the
// command, which has not been ended, in this stage, as far as accesses were fed.
enum vkr_result vkr_engine_silent(struct vkr_engine *engine, uint32_t command, uint64_t stage,
				  const struct vkr_engine_range *range, bool *silent,
				  struct vkr_error *error) VKR_MUST_USE;

// A descriptor, or a workgroup variable: what shader accesses go through. Workgroup memory is
// accessed by sites of VKR_CLASS_WORKGROUP, each byte of it through one reference.
struct vkr_engine_target {
	uint32_t memory;    // or VKR_ENGINE_WORKGROUP
	uint32_t reference; // the same number where the memory model says the same reference
	uint64_t base;      // of the descriptor's range in the memory
	uint64_t bytes;     // of the range: what lies beyond is ignored
};

// A dispatch, or a later part of it: the shader accesses that follow are of this command.
// `local_size` invocations a workgroup, at most 65,536 (VKR_ERROR_UNSUPPORTED).
// `workgroup_bytes` of workgroup memory. One dispatch is open at a time.
enum vkr_result vkr_engine_dispatch_begin(struct vkr_engine *engine, uint32_t command,
					  uint32_t local_size, uint32_t workgroup_bytes,
					  struct vkr_error *error) VKR_MUST_USE;

// The number of invocations of a subgroup of the open dispatch, by local index. If it is not given,
// or 0, it is unknown, and Subgroup scope of an atomic counts as Workgroup scope.
void vkr_engine_subgroups(struct vkr_engine *engine, uint32_t size);

// The next workgroup, by linear index; the one before is whole and does not come again. Its
// workgroup memory is new and no barrier has been passed.
enum vkr_result vkr_engine_workgroup(struct vkr_engine *engine, uint32_t workgroup,
				     struct vkr_error *error) VKR_MUST_USE;

// Whether accesses of the current workgroup to workgroup memory raced, or would have raced without
// the answer of options.ask.
bool vkr_engine_workgroup_conflicts(const struct vkr_engine *engine);

// Counts accesses of the current workgroup to workgroup memory without judging them: `accesses`
// accesses equal to those of an earlier workgroup of the dispatch, between the same control
// barriers, in which none conflicted.
void vkr_engine_workgroup_repeats(struct vkr_engine *engine, uint64_t accesses);

// Whether only a part of memory is judged.
bool vkr_engine_has_part(const struct vkr_engine *engine);

// Whether bytes [low, high) of the target are another part's, so that accesses to nothing else need
// not be fed: they are counted by vkr_engine_workgroup_repeats.
enum vkr_result vkr_engine_is_elsewhere(struct vkr_engine *engine,
					const struct vkr_engine_target *target, uint64_t low,
					uint64_t high, bool *elsewhere,
					struct vkr_error *error) VKR_MUST_USE;

// All invocations of the current workgroup have passed a control barrier of execution scope
// Workgroup or wider. `scope`: its memory scope; `order` (enum vkr_site_order bits) and `classes`
// (enum vkr_site_class bits): its semantics, as in struct vkr_site.
enum vkr_result vkr_engine_control_barrier(struct vkr_engine *engine, uint8_t scope, uint8_t order,
					   uint8_t classes, struct vkr_error *error) VKR_MUST_USE;

// `count` invocations of the current workgroup, `local`, `local` + 1, ..., access `site.bytes`
// bytes each through a target, at `offset`, `offset` + `stride`, ... from the target's base. This
// is the fast way: long runs with `stride` == `site.bytes` are judged many accesses at a time, and
// so are the iterations of a loop in which each invocation goes through a row of its own, if they
// are fed in one call. Runs are given in program order.
struct vkr_engine_run {
	uint32_t site;
	uint32_t local, count;
	int64_t stride; // 0: all the same bytes
	uint64_t offset;
	const struct vkr_engine_target *target;
};
enum vkr_result vkr_engine_runs(struct vkr_engine *engine, const struct vkr_engine_run *runs,
				size_t count, struct vkr_error *error) VKR_MUST_USE;

// Feeds plain reads of bytes that the open dispatch does not write. One invocation's read stands
// for those of others at the same bytes, and its workgroup may be an earlier one. If something
// races with them, nothing is reported and *raced is set: then the reads of all invocations must be
// fed by vkr_engine_runs.
enum vkr_result vkr_engine_try_runs(struct vkr_engine *engine, const struct vkr_engine_run *runs,
				    size_t count, bool *raced,
				    struct vkr_error *error) VKR_MUST_USE;

// Accesses of a dispatch's invocations, of whatever workgroups, to elements that lie side by side:
// element `first` + i of the target, of `site`'s bytes, by the invocation of number invocations[i]
// - 1 (workgroup << the bits of the local size | place in it), by none where that is 0.
struct vkr_engine_elements {
	uint32_t site;
	const struct vkr_engine_target *target;
	uint64_t first;
	uint32_t count;
	const uint32_t *invocations;
};

// Bits of an invocation's number that are its place in a workgroup of this size.
static inline unsigned vkr_engine_local_bits(uint32_t local_size)
{
	unsigned bits = 0;
	while ((UINT64_C(1) << bits) < local_size)
		bits++;
	return bits;
}

// Feeds plain accesses of the open dispatch, most of them at once where nothing races: reads of
// bytes that the dispatch does not write, one of which stands for others of the byte; or writes of
// bytes that none of its other accesses has. Order between the elements of one list is as good as
// any. *apart: nothing was done, as something races in a way that is new, so that the order of the
// accesses says which of them are told: they are to be fed by vkr_engine_runs.
enum vkr_result vkr_engine_elements(struct vkr_engine *engine,
				    const struct vkr_engine_elements *lists, size_t count,
				    bool *apart, struct vkr_error *error) VKR_MUST_USE;

// Whether parts of the memory are mapped onto others.
bool vkr_engine_is_mapped(const struct vkr_engine *engine, uint32_t memory);

bool vkr_engine_site_writes(const struct vkr_engine *engine, uint32_t site);

// Whether there has been a local dependency: of accesses at the same bytes one may then be ordered
// and another not.
bool vkr_engine_has_locals(const struct vkr_engine *engine);

// Feeds accesses without a pattern: invocation `locals[i]` accesses `offsets[i]`. If `locals` is
// NULL, these are invocations `local`, `local` + 1, ...
struct vkr_engine_scatter {
	uint32_t site;
	uint32_t local, count;
	const uint32_t *locals, *offsets;
	const struct vkr_engine_target *target;
};
enum vkr_result vkr_engine_scatter(struct vkr_engine *engine,
				   const struct vkr_engine_scatter *scatter,
				   struct vkr_error *error) VKR_MUST_USE;

// A race between two invocations that the caller has found, `count` times: counted and reported as
// the engine's own. The second access's command must not have ended, or be held
// (standing.h). The caller sets `command`,
// `site`, `reference` and the invocations of both accesses, the class, the bytes, and, within one
// command, why nothing orders the two; the engine sets the rest.
enum vkr_result vkr_engine_race_found(struct vkr_engine *engine, const struct vkr_engine_race *race,
				      uint64_t count, struct vkr_error *error) VKR_MUST_USE;

// All that the engine asked about the command is decided, for the range: its plain writes take the
// place of what was fed before, except for what is restored.
enum vkr_result vkr_engine_settle(struct vkr_engine *engine, uint32_t command,
				  const struct vkr_engine_range *range,
				  struct vkr_error *error) VKR_MUST_USE;

// Remembers an access by an invocation from now on, though a plain write that was fed later takes
// its place: the caller has found that the write is before it. Of the access it sets `command`,
// which still stands, `site`, `reference` and the invocation, in a workgroup of at most
// `local_size`.
enum vkr_result vkr_engine_restore(struct vkr_engine *engine,
				   const struct vkr_engine_access *access, uint32_t local_size,
				   const struct vkr_engine_range *range,
				   struct vkr_error *error) VKR_MUST_USE;

// Ends the part of the dispatch. The command itself is ended by vkr_engine_command_end.
void vkr_engine_dispatch_end(struct vkr_engine *engine);

// ---- Results ------------------------------------------------------------------------------------

// Calls `tag` for each tag that may yet be reported: of commands that some byte remembers or that
// have not ended, of dependencies that may be the nearest to a race, and of halves of transfers. A
// tag may come several times.
void vkr_engine_tags(const struct vkr_engine *engine, void (*tag)(void *context, uint64_t tag),
		     void *context);

uint32_t vkr_engine_pair_total(const struct vkr_engine *engine);

// How often the pair's race was found: the number of accesses by its second site that raced.
uint64_t vkr_engine_pair_count(const struct vkr_engine *engine, uint32_t pair);

// How often any race was found: grows with each call that finds one.
uint64_t vkr_engine_races(const struct vkr_engine *engine);

struct vkr_engine_statistics {
	uint64_t accesses; // judged: one an invocation's access, one a range
	uint64_t commands;
	uint64_t shadow_bytes, shadow_peak; // held by shadow memory now, and at most
};

void vkr_engine_statistics(const struct vkr_engine *engine,
			   struct vkr_engine_statistics *statistics);
