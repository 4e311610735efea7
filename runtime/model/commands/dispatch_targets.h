// SPDX-License-Identifier: Apache-2.0
// What the variables of one dispatch are bound to: each descriptor's memory and range, found once.
// Knows sets and buffers; not who accesses them.
#pragma once

#include "descriptor_sets.h"
#include "image_objects.h"
#include "shader_program.h"

// A set as it is bound: with its dynamic offsets.
struct vkr_bound_set {
	const struct vkr_descriptor_set *set; // NULL for none
	const uint32_t *dynamic_offsets;
	uint32_t dynamic_count;
};

enum vkr_bound_kind {
	VKR_BOUND_NOTHING = 1, // a null descriptor, or nothing behind it: no access
	VKR_BOUND_UNKNOWN,     // an image or a format that is not known
	VKR_BOUND_BUFFER,
	VKR_BOUND_IMAGE,
};

// What an element of a variable of images or texel buffers is bound to.
struct vkr_bound_texels {
	enum vkr_bound_kind kind; // 0: not looked at
	bool possible;            // a sample may read others of its texels than were judged
	uint32_t texel_bytes;     // of a buffer's view
	const struct vkr_image_view *view;
	const struct vkr_sampler *sampler; // of a combined one; NULL for none
	uint32_t plane_count;              // of targets
	struct vkr_engine_target planes[VKR_IMAGE_PLANES];
};

// Neighbouring elements of a variable. Allocated for as many as there are.
#define VKR_BOUND_BLOCK 16u
struct vkr_bound_block {
	uint32_t used; // a bit each: it was looked at
	union {
		struct vkr_engine_target targets[VKR_BOUND_BLOCK]; // memory 0: nothing to judge
		struct vkr_bound_texels texels[VKR_BOUND_BLOCK];   // of images and texel buffers
	};
};

struct vkr_bound_variable {
	uint32_t count;                  // elements
	struct vkr_bound_block **blocks; // NULL until one of theirs is used
	// In place of these, of variables in heaps, where few of very many are used: by number.
	struct vkr_map by_number;
	bool out_of_memory; // an element's block was not made: accesses through it were lost
};

struct vkr_dispatch_targets {
	const struct vkr_objects *objects; // borrowed, as are those up to `heaps`
	struct vkr_access_names *names;
	const struct vkr_program *program;
	const struct vkr_bound_set *sets;
	uint32_t set_count;
	const struct vkr_descriptor_set *const
		*heaps;         // by enum vkr_trace_heap_kind; NULL: none is bound
	uint32_t local_size;    // invocations of a workgroup at most: the program's
	uint32_t subgroup_size; // 0: not known which invocations share one
	bool robust;         // robustBufferAccess2: beyond a storage buffer's range nothing is done
	bool mixes_patches;  // a workgroup stands for several: its outputs are not one memory
	uint32_t base[3];    // of a dispatch: its first WorkgroupId
	const bool *reached; // by site: its invocations may come to it; NULL: to any (borrowed)
	struct vkr_bound_variable *variables;
	uint32_t unknown_descriptors;           // in heaps, that were used
	const struct vkr_address *last_address; // of the last pointer
	struct vkr_engine_target pointer;       // to last_address's buffer
	// By variable, of the first elements, where they are to be read without the sets; else
	// NULL.
	const struct vkr_sampler **samplers;
	// Of a copy, with which another thread reads what was looked up so far: set where something
	// else is asked for, which then is not there. NULL: it is looked up.
	bool *missed;
};

// The access of a site; NULL: synchronization, or invocations surely do not come to it.
static inline const struct vkr_program_access *
vkr_dispatch_access(const struct vkr_dispatch_targets *targets, uint32_t site)
{
	return targets->reached == NULL || targets->reached[site] ? targets->program->by_site[site]
								  : NULL;
}

// Whether the shader has accesses through a set that is not bound, whatever its control flow is;
// *set: the first such one.
bool vkr_dispatch_lacks_set(const struct vkr_dispatch_targets *targets, uint32_t *set);

// Whether there was memory for every element that was asked for.
bool vkr_dispatch_targets_whole(const struct vkr_dispatch_targets *targets);

// False for lack of memory.
bool vkr_dispatch_targets_init(struct vkr_dispatch_targets *targets,
			       const struct vkr_objects *objects, struct vkr_access_names *names,
			       const struct vkr_program *program, const struct vkr_bound_set *sets,
			       uint32_t set_count, const struct vkr_descriptor_set *const *heaps);
void vkr_dispatch_targets_finish(struct vkr_dispatch_targets *targets);

// Has what was looked up so far, and the first elements' samplers, say all there is: the sets may
// change then. Not of variables in heaps. *missed is set where something else is asked for. False
// for lack of memory.
bool vkr_dispatch_targets_seal(struct vkr_dispatch_targets *targets, bool *missed);

// The set, a heap among them, that a variable's descriptors are in, and its binding's index in the
// layout; NULL for none.
const struct vkr_descriptor_set *vkr_dispatch_set(const struct vkr_dispatch_targets *targets,
						  const struct vkr_variable *variable,
						  uint32_t *binding);

// The target of a variable's element, valid until finish. NULL: a variable or an element that is
// not there, a null descriptor, a buffer without memory.
const struct vkr_engine_target *vkr_dispatch_target(struct vkr_dispatch_targets *targets,
						    uint32_t variable, uint32_t element);

// Whether the descriptor's own bytes are not in memory that the program accesses.
bool vkr_dispatch_is_in_set(const struct vkr_dispatch_targets *targets, uint32_t variable);

// Where a variable's element is in memory, which is not used by that. Not of heaps. Returns how
// many ranges.
uint32_t vkr_dispatch_ranges(struct vkr_dispatch_targets *targets, uint32_t variable,
			     uint32_t element, struct vkr_engine_target ranges[VKR_IMAGE_PLANES]);

// Whether the dispatch may write bytes of the range. False is certain.
bool vkr_dispatch_may_write(struct vkr_dispatch_targets *targets, struct vkr_engine *engine,
			    const struct vkr_engine_range *range);

// The target that a device address is in, valid until the next call, and the offset in it. NULL
// where no buffer's address range holds it.
const struct vkr_engine_target *vkr_dispatch_pointer(struct vkr_dispatch_targets *targets,
						     uint64_t address, uint64_t *offset);

// The acceleration structure of a variable's element, and the reference to it in *reference. NULL:
// an element that is not there, a null descriptor, or one that is not known.
struct vkr_structure *vkr_dispatch_structure(const struct vkr_dispatch_targets *targets,
					     uint32_t variable, uint32_t element,
					     struct vkr_reference *reference);

// The binding of an element of a variable of images or texel buffers, valid until finish. NULL: no
// such element.
struct vkr_bound_texels *vkr_dispatch_texels(struct vkr_dispatch_targets *targets,
					     uint32_t variable, uint32_t element);

// The sampler of a variable's element; NULL where it is not known.
const struct vkr_sampler *vkr_dispatch_sampler(const struct vkr_dispatch_targets *targets,
					       uint32_t variable, uint32_t element);
