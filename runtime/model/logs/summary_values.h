// SPDX-License-Identifier: Apache-2.0
// Values of a summary's registers in all invocations of a workgroup at once: as sums of multiples
// of where the invocation is, as long as they are such, else one by one. Knows numbers; not what
// they are for.
#pragma once

#include "vkrace/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Modulo 2^32: `constant`, plus each component of WorkgroupId times its by_group, plus each of
// LocalInvocationId times its by_local.
struct vkr_form {
	uint32_t constant, by_group[3], by_local[3];
};

// A form, or a list: each invocation's value in `lanes`, plus what form.by_group makes of the
// WorkgroupId, so that a list is good for all workgroups where it only shifts from one to the next.
struct vkr_summary_value {
	struct vkr_form form; // of a list only by_group
	bool is_list;
	uint8_t moves; // a bit for each component of WorkgroupId on which the lanes depend;
		       // by_group is 0 then
	uint8_t varies;  // of a list: a bit for each component of LocalInvocationId on which it
			 // depends
	double error;    // of floats: how far they may be from what a driver comes to
	uint32_t *lanes; // NULL until there was a list
};

// What a comparison knows of its operand: `constant` plus each component of WorkgroupId times its
// by_group, modulo 2^32; of invocations less by at most `below` and more by at most `above`.
struct vkr_bounds {
	uint32_t constant, by_group[3];
	int64_t below, above;
};

// What came out alike in all invocations of a workgroup, though it depends on which workgroup that
// is: a comparison, which of EQUAL and NOT_EQUAL is the one of a - b with 0; or DIVIDE: a, as an
// integer without bounds, is at most b.constant.
struct vkr_guard {
	enum vkr_summary_code code;
	bool outcome;
	struct vkr_bounds a, b;
};

// Invocations whose values are those of all: i * step for each i below `count`. Others repeat them:
// `step` neighbours have the same, and what comes after count * step begins anew.
struct vkr_lane_samples {
	uint32_t count, step;
};

// Puts the samples' values, one after the other, in the place of all.
void vkr_lane_samples_spread(const struct vkr_lane_samples *samples, const uint32_t *values,
			     uint32_t count, uint32_t *lanes);

// The registers of one workgroup; zeroed before the first use.
struct vkr_summary_space {
	uint32_t size[3], local_size;
	uint32_t id[3]; // of the workgroup
	struct vkr_summary_value *registers;
	uint32_t register_count, register_capacity, lanes_size;
	uint32_t *locals[3];  // LocalInvocationId by invocation
	uint32_t *scratch[3]; // lists of no register
	uint32_t *few;        // of samples of the invocations
	uint8_t *few_mask;    // whether some that they stand for are here
	uint8_t *mask;        // by invocation: it is here
	uint32_t active;      // invocations that are here
	bool together;        // all others have ended: their values do not matter
	bool notes;           // guards are noted
	uint64_t decisions;   // a hash of what came out of all comparisons of the workgroup so far
	bool failed;          // for lack of memory
	struct {
		struct vkr_guard *items;
		size_t count, capacity;
	} guards;
};

// Room for this many registers of workgroups of a size; false for lack of memory.
bool vkr_summary_space_begin(struct vkr_summary_space *space, uint32_t registers,
			     const uint32_t *size);
void vkr_summary_space_finish(struct vkr_summary_space *space);

// A workgroup begins: registers are 0, all invocations are here.
void vkr_summary_space_enter(struct vkr_summary_space *space, const uint32_t *id);

// Whether comparisons come out in workgroup `id` as they were noted.
bool vkr_summary_guards_hold(struct vkr_summary_space *space, const uint32_t *id);

// Whether they do so in all workgroups from `id` to the one `count` further along the first axis.
bool vkr_summary_guards_hold_row(struct vkr_summary_space *space, const uint32_t *id,
				 uint32_t count);

// Sets a register for the invocations that are here: to a form, or to what an operation up to
// VKR_SUMMARY_FLOAT_OF_UNSIGNED, or one from VKR_SUMMARY_FLOAT_MINIMUM on, makes of registers.
void vkr_summary_set(struct vkr_summary_space *space, const struct vkr_summary_operation *operation,
		     const struct vkr_form *form);
void vkr_summary_operate(struct vkr_summary_space *space,
			 const struct vkr_summary_operation *operation);

// Something came out in this way, of which other workgroups' values depend.
void vkr_summary_decided(struct vkr_summary_space *space, uint64_t outcome);

// Sets a register to values that do not follow, by invocation. `moving`: a bit for each component
// of WorkgroupId on which they depend.
void vkr_summary_set_list(struct vkr_summary_space *space,
			  const struct vkr_summary_operation *operation, const uint32_t *lanes,
			  uint8_t moving);

// A register's value by invocation, perhaps in `scratch`; NULL where all have the same, then in
// *value. *moving: a bit for each component of WorkgroupId on which it depends.
const uint32_t *vkr_summary_list(const struct vkr_summary_space *space, uint32_t reg,
				 uint32_t *scratch, uint32_t *value, uint8_t *moving);

// Invocations that stand for all in a register.
struct vkr_lane_samples vkr_summary_samples(const struct vkr_summary_space *space, uint32_t reg);

// Whether a register is 0 or not alike in all invocations that are here, in *outcome; else its
// value one by one in *lanes. *moves: a bit for each component of WorkgroupId that may change it,
// though the guards hold.
bool vkr_summary_truth(struct vkr_summary_space *space, uint32_t reg, bool *outcome,
		       const uint32_t **lanes, uint8_t *moves);
