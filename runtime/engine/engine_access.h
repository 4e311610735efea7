// SPDX-License-Identifier: Apache-2.0
// Accesses that the engine judges: their sites, ranges, and those of a dispatch's invocations.
#pragma once

#include "engine_memory.h"

#include "vkrace/site.h"

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

// Whether all of these were judged: of a part, some workgroups' are not. And whether those to come
// are.
bool vkr_engine_workgroup_is_judged(const struct vkr_engine *engine);
bool vkr_engine_judges_workgroup(const struct vkr_engine *engine);

// So many races of a pair.
struct vkr_engine_raced {
	uint32_t pair;
	uint64_t count;
};

// The races of the current workgroup in workgroup memory so far, each pair once, and how many pairs
// these are. They stay until the next workgroup.
size_t vkr_engine_workgroup_races(const struct vkr_engine *engine,
				  const struct vkr_engine_raced **races);

// Counts accesses without judging them.
void vkr_engine_count_accesses(struct vkr_engine *engine, uint64_t accesses);

// Counts accesses of the current workgroup to workgroup memory without judging them: `accesses`
// accesses equal to those of an earlier workgroup of the dispatch, between the same control
// barriers. These raced `count` pairs of `races`, which options.ask answers alike in all
// workgroups.
enum vkr_result vkr_engine_workgroup_repeats(struct vkr_engine *engine, uint64_t accesses,
					     const struct vkr_engine_raced *races, size_t count,
					     struct vkr_error *error) VKR_MUST_USE;

// All invocations of the current workgroup have passed a control barrier of execution scope
// Workgroup or wider. By classes (enum vkr_site_class): what the barrier, and the fences right
// before and after it, order for all invocations, and of that what they make available, and
// visible.
struct vkr_engine_barrier {
	uint8_t ordered, available, visible;
};
enum vkr_result vkr_engine_barrier(struct vkr_engine *engine,
				   const struct vkr_engine_barrier *barrier,
				   struct vkr_error *error) VKR_MUST_USE;

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
// accesses says which of them are reported: they are to be fed by vkr_engine_runs.
enum vkr_result vkr_engine_elements(struct vkr_engine *engine,
				    const struct vkr_engine_elements *lists, size_t count,
				    bool *apart, struct vkr_error *error) VKR_MUST_USE;

// Whether parts of the memory are mapped onto others.
bool vkr_engine_is_mapped(const struct vkr_engine *engine, uint32_t memory);

bool vkr_engine_site_writes(const struct vkr_engine *engine, uint32_t site);

// Whether there was a local dependency: of accesses at the same bytes one may then be ordered and
// another not. What other dependencies lead to a local one, or on from it, is ordered for all
// places alike.
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

// Tells that reads by a site through a target are of bytes that no access of the open dispatch
// writes: where they are plain, private and many, and nothing of these bytes may race with them,
// they are judged later (noted_reads.h). Before the first workgroup; of each site one target.
enum vkr_result vkr_engine_note_reads(struct vkr_engine *engine, uint32_t site,
				      const struct vkr_engine_target *target,
				      struct vkr_error *error) VKR_MUST_USE;

// Judges reads that wait. After the last workgroup.
enum vkr_result vkr_engine_judge_noted(struct vkr_engine *engine,
				       struct vkr_error *error) VKR_MUST_USE;

// Ends the part of the dispatch. The command itself is ended by vkr_engine_command_end.
void vkr_engine_dispatch_end(struct vkr_engine *engine);
