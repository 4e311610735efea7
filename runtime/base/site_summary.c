// SPDX-License-Identifier: Apache-2.0
#include "site_summary.h"

#include "error.h"
#include "site_table.h"

#include <stdbool.h>

// Sites that a summary can tell the place of: of one variable, by an offset and an element of it.
static bool is_access(const struct vkr_site_table *table, uint32_t index)
{
	const unsigned others = VKR_SITE_POINTER | VKR_SITE_EVIDENCE | VKR_SITE_CONDITIONAL |
				VKR_SITE_CHOSEN | VKR_SITE_INTERLOCKED | VKR_SITE_COOPERATIVE |
				VKR_SITE_STRIDED;
	if (index >= table->site_count)
		return false;
	const struct vkr_site *site = &vkr_site_table_sites(table)[index];
	if (site->operation > VKR_SITE_ATOMIC_RMW || site->texel || site->flags & others)
		return false;
	uint32_t kind = vkr_site_table_variables(table)[site->variable].kind;
	return kind == VKR_VARIABLE_BUFFER || kind == VKR_VARIABLE_WORKGROUP;
}

static bool is_sync(const struct vkr_site_table *table, uint32_t index)
{
	if (index >= table->site_count)
		return false;
	const struct vkr_site *site = &vkr_site_table_sites(table)[index];
	return site->operation == VKR_SITE_CONTROL_BARRIER ||
	       site->operation == VKR_SITE_MEMORY_BARRIER;
}

// `record_words`: of the record that the operations right before it have taken.
static const char *fault_of(const struct vkr_site_table *table,
			    const struct vkr_summary_operation *operation, uint32_t record_words)
{
	const uint32_t count = table->summary_count, registers = table->summary_registers;
	const uint8_t code = operation->code;
	if (code < VKR_SUMMARY_CONSTANT || code >= VKR_SUMMARY_CODES || operation->reserved ||
	    operation->flags & ~(unsigned)VKR_SUMMARY_NEAR)
		return "an operation of no known kind";
	if ((code < VKR_SUMMARY_ACCESS || code == VKR_SUMMARY_LOGGED) &&
	    operation->result >= registers)
		return "a register beyond the registers";
	if (code >= VKR_SUMMARY_MOVE && code < VKR_SUMMARY_ACCESS &&
	    (operation->a >= registers || operation->b >= registers || operation->c >= registers))
		return "a register beyond the registers";
	if (code == VKR_SUMMARY_PUSHED &&
	    (operation->a % 4 || operation->a >= VKR_SUMMARY_PUSHED_BYTES))
		return "push constants beyond those that there are";
	if ((code == VKR_SUMMARY_GROUP || code == VKR_SUMMARY_LOCAL ||
	     code == VKR_SUMMARY_GROUPS) &&
	    operation->a > 2)
		return "an axis beyond the third";
	if (code == VKR_SUMMARY_ACCESS && (!is_access(table, operation->a) ||
					   operation->b >= registers || operation->c >= registers))
		return "an access that is none";
	if (code == VKR_SUMMARY_SYNC && !is_sync(table, operation->a))
		return "a barrier that is none";
	if ((code == VKR_SUMMARY_JUMP && operation->a >= count) ||
	    (code == VKR_SUMMARY_BRANCH &&
	     (operation->a >= registers || operation->b >= count || operation->c >= count)))
		return "a way to nowhere";
	if (code == VKR_SUMMARY_RECORD &&
	    (!operation->a || !operation->b || operation->b > VKR_SUMMARY_RECORD_WORDS ||
	     (!table->streams && operation->b % 2 == 0)))
		return "a record that is none";
	if (code == VKR_SUMMARY_LOGGED && operation->a >= record_words)
		return "a word beyond its record";
	return NULL;
}

static bool ends(const struct vkr_summary_operation *last)
{
	return last->code == VKR_SUMMARY_END || last->code == VKR_SUMMARY_JUMP;
}

enum vkr_result vkr_site_summary_check(const struct vkr_site_table *table, uint64_t offset,
				       struct vkr_error *error)
{
	const struct vkr_summary_operation *operations = vkr_site_table_summary(table);
	const char *fault = NULL;
	uint64_t at = offset;
	uint32_t record_words = 0;
	if (!table->summary_count && !table->streams)
		return VKR_OK;
	if (!table->summary_count || table->streams > 1 || table->identity ||
	    !table->workgroup_size[0] || !table->workgroup_size[1] || !table->workgroup_size[2] ||
	    table->summary_registers > VKR_SUMMARY_REGISTERS ||
	    table->summary_count >= UINT32_MAX / 2)
		fault = "a summary of no dispatch";
	for (uint32_t i = 0; i < table->summary_count && !fault; i++) {
		at = offset + (uint64_t)i * sizeof *operations;
		fault = fault_of(table, &operations[i], record_words);
		if (operations[i].code != VKR_SUMMARY_LOGGED)
			record_words =
				operations[i].code == VKR_SUMMARY_RECORD ? operations[i].b : 0;
	}
	if (!fault && !ends(&operations[table->summary_count - 1]))
		fault = "a summary without an end";
	return fault ? vkr_error_set(error, VKR_ERROR_FORMAT, "site table, byte %llu: %s",
				     (unsigned long long)at, fault)
		     : VKR_OK;
}
