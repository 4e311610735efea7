// SPDX-License-Identifier: Apache-2.0
#include "site_summary.h"

#include "error.h"
#include "site_table.h"

#include <stdbool.h>

// Sites whose place a summary can compute: in one variable, by an offset and an element.
static bool is_access(const struct vkr_site_table *table, uint32_t index)
{
	const unsigned others = VKR_SITE_POINTER | VKR_SITE_VALUES | VKR_SITE_CONDITIONAL |
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

static uint32_t words_of(const struct vkr_texel *texel)
{
	// x and y may share a word where they are logged.
	return texel->words + (texel->flags & VKR_TEXEL_PACKED ? 1u : 0u);
}

// Sites on texels whose place a summary can compute from this many words.
static bool is_texel(const struct vkr_site_table *table, uint32_t index, uint32_t words)
{
	const unsigned others = VKR_SITE_POINTER | VKR_SITE_VALUES | VKR_SITE_CONDITIONAL |
				VKR_SITE_CHOSEN | VKR_SITE_INTERLOCKED;
	if (index >= table->site_count)
		return false;
	const struct vkr_site *site = &vkr_site_table_sites(table)[index];
	return site->operation <= VKR_SITE_STORE && site->texel && !(site->flags & others) &&
	       words_of(vkr_site_table_texel(table, site)) == words;
}

static bool is_buffer(const struct vkr_site_table *table, uint32_t index)
{
	return index < table->variable_count &&
	       vkr_site_table_variables(table)[index].kind == VKR_VARIABLE_BUFFER;
}

// Whether the size of such a variable is asked for: of images, of texel buffers, or of buffers,
// which have one component and no levels.
static bool has_size(const struct vkr_site_table *table,
		     const struct vkr_summary_operation *operation)
{
	if (operation->a >= table->variable_count)
		return false;
	const uint32_t kind = vkr_site_table_variables(table)[operation->a].kind;
	if (kind == VKR_VARIABLE_BUFFER)
		return operation->c == 0;
	return (kind == VKR_VARIABLE_STORAGE_IMAGE || kind == VKR_VARIABLE_SAMPLED_IMAGE ||
		kind == VKR_VARIABLE_TEXEL_BUFFER) &&
	       (operation->c & 3) < 3 && operation->c >> 2 <= VKR_SUMMARY_LEVEL_MOST;
}

static bool is_sync(const struct vkr_site_table *table, uint32_t index)
{
	if (index >= table->site_count)
		return false;
	const struct vkr_site *site = &vkr_site_table_sites(table)[index];
	return site->operation == VKR_SITE_CONTROL_BARRIER ||
	       site->operation == VKR_SITE_MEMORY_BARRIER;
}

static bool has_result(uint8_t code)
{
	return code < VKR_SUMMARY_ACCESS || code == VKR_SUMMARY_LOGGED ||
	       code == VKR_SUMMARY_SIZE || code >= VKR_SUMMARY_FLOAT_MINIMUM;
}

// Whether `a`, `b` and `c` are registers.
static bool site_summary_computes(uint8_t code)
{
	return (code >= VKR_SUMMARY_MOVE && code < VKR_SUMMARY_ACCESS) ||
	       (code >= VKR_SUMMARY_FLOAT_MINIMUM && code <= VKR_SUMMARY_FLOAT_SQUARE_ROOT);
}

// The words that the operations right before one have taken: of a record, and of an access.
struct taken {
	uint32_t record_words, words;
};

static const char *fault_of(const struct vkr_site_table *table,
			    const struct vkr_summary_operation *operation,
			    const struct taken *taken)
{
	const uint32_t count = table->summary_count, registers = table->summary_registers;
	const uint8_t code = operation->code;
	if (code < VKR_SUMMARY_CONSTANT || code >= VKR_SUMMARY_CODES || operation->reserved ||
	    operation->flags & ~(unsigned)VKR_SUMMARY_NEAR)
		return "an operation of no known kind";
	if ((has_result(code) && operation->result >= registers) ||
	    (site_summary_computes(code) &&
	     (operation->a >= registers || operation->b >= registers || operation->c >= registers)))
		return "a register beyond the registers";
	if (code == VKR_SUMMARY_UNIFORM && operation->a >= VKR_SUMMARY_UNIFORM_WORDS)
		return "a word beyond those that are told";
	if (code == VKR_SUMMARY_UNIFORM && !is_buffer(table, operation->b))
		return "a word of no buffer";
	if (code == VKR_SUMMARY_PUSHED &&
	    (operation->a % 4 || operation->a >= VKR_SUMMARY_PUSHED_BYTES))
		return "push constants beyond the known ones";
	if ((code == VKR_SUMMARY_GROUP || code == VKR_SUMMARY_LOCAL ||
	     code == VKR_SUMMARY_GROUPS) &&
	    operation->a > 2)
		return "an axis beyond the third";
	if (code == VKR_SUMMARY_ACCESS && (!is_access(table, operation->a) ||
					   operation->b >= registers || operation->c >= registers))
		return "an access that is no access's site";
	if (code == VKR_SUMMARY_SYNC && !is_sync(table, operation->a))
		return "a barrier that is no barrier's site";
	if ((code == VKR_SUMMARY_JUMP && operation->a >= count) ||
	    (code == VKR_SUMMARY_BRANCH &&
	     (operation->a >= registers || operation->b >= count || operation->c >= count)))
		return "a branch beyond the operations";
	if (code == VKR_SUMMARY_RECORD &&
	    (!operation->a || !operation->b || operation->b > VKR_SUMMARY_RECORD_WORDS ||
	     (!table->streams && operation->b % 2 == 0)))
		return "a record beyond the records";
	if (code == VKR_SUMMARY_LOGGED && operation->a >= taken->record_words)
		return "a word beyond its record";
	if (code == VKR_SUMMARY_SIZE && (!has_size(table, operation) || operation->b >= registers))
		return "a size of no variable";
	if (code == VKR_SUMMARY_WORD &&
	    (operation->a >= registers || operation->b != taken->words ||
	     operation->b >= VKR_SUMMARY_TEXEL_WORDS))
		return "a word for no access";
	if (code == VKR_SUMMARY_TEXEL && !is_texel(table, operation->a, taken->words))
		return "an access to texels that is none";
	return NULL;
}

static bool site_summary_ends(const struct vkr_summary_operation *last)
{
	return last->code == VKR_SUMMARY_END || last->code == VKR_SUMMARY_JUMP;
}

enum vkr_result vkr_site_summary_check(const struct vkr_site_table *table, uint64_t offset,
				       struct vkr_error *error)
{
	const struct vkr_summary_operation *operations = vkr_site_table_summary(table);
	const char *fault = NULL;
	uint64_t at = offset;
	struct taken taken = {0};
	if (!table->summary_count && !table->streams)
		return VKR_OK;
	if (!table->summary_count || table->streams > 1 || table->identity ||
	    !table->workgroup_size[0] || !table->workgroup_size[1] || !table->workgroup_size[2] ||
	    table->summary_registers > VKR_SUMMARY_REGISTERS ||
	    table->summary_count >= UINT32_MAX / 2)
		fault = "a summary of no dispatch";
	for (uint32_t i = 0; i < table->summary_count && !fault; i++) {
		at = offset + (uint64_t)i * sizeof *operations;
		fault = fault_of(table, &operations[i], &taken);
		if (operations[i].code != VKR_SUMMARY_LOGGED)
			taken.record_words =
				operations[i].code == VKR_SUMMARY_RECORD ? operations[i].b : 0;
		taken.words = operations[i].code == VKR_SUMMARY_WORD ? taken.words + 1 : 0;
	}
	if (!fault && !site_summary_ends(&operations[table->summary_count - 1]))
		fault = "a summary without an end";
	return fault ? vkr_error_set(error, VKR_ERROR_FORMAT, "site table, byte %llu: %s",
				     (unsigned long long)at, fault)
		     : VKR_OK;
}

uint32_t vkr_site_summary_uniforms(const struct vkr_site_table *table)
{
	const struct vkr_summary_operation *operations = vkr_site_table_summary(table);
	uint32_t words = 0;
	for (uint32_t i = 0; i < table->summary_count; i++)
		if (operations[i].code == VKR_SUMMARY_UNIFORM && operations[i].a >= words)
			words = operations[i].a + 1;
	return words;
}
