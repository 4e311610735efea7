// SPDX-License-Identifier: Apache-2.0
// A summary while it is written: registers of values, and operations in two lists. Knows SPIR-V's
// values; not where control flow goes.
#pragma once

#include "map.h"
#include "summary_slice.h"

struct vkr_summary_writing {
	// What is looked into: of the module, or of what it is with all calls written out
	// (inline_calls.h). And whose sites and summary it is.
	struct vkr_analysis *analysis, *sites;
	const struct vkr_module *module;
	const uint32_t *site_of; // by draft of `analysis`: that of `sites`; NULL: the same
	struct vkr_slice slice;
	uint32_t (*registers)[4]; // by id and component; 0: none yet
	uint32_t *order;          // blocks
	uint32_t order_count;
	uint32_t *starts;      // by block: its first operation in `body`
	uint32_t *last_stores; // by local variable: the last instruction that stores in it, of the
			       // blocks that have been begun
	uint32_t block;        // being written
	uint32_t next_register;
	struct {
		struct vkr_summary_operation *items;
		size_t count, capacity;
	} head, body; // what is alike all along, and the rest; targets are blocks or, from
		      // block_count on, operations of the body
	struct vkr_map constants; // registers, by value
	bool failed;              // for lack of memory, or of registers
};

void vkr_summary_put(struct vkr_summary_writing *writing, struct vkr_summary_operation operation);

// So many new registers: the first one.
uint32_t vkr_summary_take(struct vkr_summary_writing *writing, uint32_t count);

// A register that holds a number.
uint32_t vkr_summary_constant(struct vkr_summary_writing *writing, uint32_t value);

// A new register for a value that is used in this block alone.
uint32_t vkr_summary_near(struct vkr_summary_writing *writing, enum vkr_summary_code code,
			  uint32_t a, uint32_t b);

// Components of a value; 1 of one that is logged for what it is.
uint32_t vkr_summary_components(const struct vkr_summary_writing *writing, uint32_t id);

// The register of a component of a value, or of a local variable.
uint32_t vkr_summary_register(struct vkr_summary_writing *writing, uint32_t id, uint32_t component);

// The component of a value is what the register holds, which stays as long as the value is in use.
void vkr_summary_alias(struct vkr_summary_writing *writing, uint32_t id, uint32_t component,
		       uint32_t reg);

// What values that are in use behind their block are made of is so, too. Before the first operation
// is written.
void vkr_summary_spread_uses(struct vkr_summary_writing *writing);

// The register that holds one component of a value.
uint32_t vkr_summary_value(struct vkr_summary_writing *writing, uint32_t id, uint32_t component);

// The register that holds a sum. (summary_code.c)
uint32_t vkr_summary_sum(struct vkr_summary_writing *writing, const struct vkr_sum *sum);

// The operations that read what is logged of a block.
void vkr_summary_write_record(struct vkr_summary_writing *writing, const struct vkr_block *block);

// The operations of an instruction that makes a needed value, and of a store or an initializer.
void vkr_summary_write_value(struct vkr_summary_writing *writing, const struct vkr_instruction *in);
void vkr_summary_write_store(struct vkr_summary_writing *writing, const struct vkr_instruction *in);
