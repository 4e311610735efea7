// SPDX-License-Identifier: Apache-2.0
#include "shader_edits.h"

#include "change_place.h"
#include "site_table.h"

#include "vkrace/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// SPIR-V's MemoryModel and Memory Semantics; this floor has no SPIR-V.
#define MODEL_GLSL450    1u
#define ACQUIRE          0x2u
#define RELEASE          0x4u
#define ACQUIRE_RELEASE  0x8u
#define UNIFORM_MEMORY   0x40u
#define WORKGROUP_MEMORY 0x100u
#define IMAGE_MEMORY     0x800u
#define OUTPUT_MEMORY    0x1000u
#define MAKE_AVAILABLE   0x2000u
#define MAKE_VISIBLE     0x4000u

// ---- Which sites --------------------------------------------------------------------------------

// Whether a place is an instruction of the module, and which.
static bool is_in(const struct vkr_change_place *place, uint64_t hash, uint32_t *word)
{
	char module[32];
	const int length = snprintf(module, sizeof module, "%016" PRIx64 "+", hash);
	char *end;
	if (strncmp(place->call, module, (size_t)length) != 0)
		return false;
	*word = (uint32_t)strtoul(place->call + length, &end, 10);
	return end != place->call + length && *end == '\0';
}

static bool on_one_line(const struct vkr_site *site, const struct vkr_site *other)
{
	return site->line ? site->line == other->line && site->file == other->file
			  : site->spirv_word == other->spirv_word;
}

// Marks the sites of the instruction's line: the source has it once, also where the module has it
// several times. Without lines those of the instruction.
static void mark_line(const struct vkr_site_table *table, uint32_t word, bool *marks)
{
	const struct vkr_site *sites = vkr_site_table_sites(table);
	for (uint32_t i = 0; i < table->site_count; i++) {
		for (uint32_t j = 0; sites[i].spirv_word == word && j < table->site_count; j++)
			marks[j] = marks[j] || on_one_line(&sites[i], &sites[j]);
	}
}

// ---- Sites as they stand ------------------------------------------------------------------------

static uint8_t classes_of(uint32_t semantics)
{
	return (uint8_t)((semantics & UNIFORM_MEMORY ? VKR_CLASS_UNIFORM : 0u) |
			 (semantics & WORKGROUP_MEMORY ? VKR_CLASS_WORKGROUP : 0u) |
			 (semantics & IMAGE_MEMORY ? VKR_CLASS_IMAGE : 0u) |
			 (semantics & OUTPUT_MEMORY ? VKR_CLASS_OUTPUT : 0u));
}

// Without VulkanMemoryModel every release makes available and every acquire makes visible.
static uint8_t order_of(uint32_t semantics, bool legacy)
{
	const bool acquires = semantics & (ACQUIRE | ACQUIRE_RELEASE);
	const bool releases = semantics & (RELEASE | ACQUIRE_RELEASE);
	return (uint8_t)((acquires ? VKR_ORDER_ACQUIRE : 0u) | (releases ? VKR_ORDER_RELEASE : 0u) |
			 (semantics & MAKE_AVAILABLE || (legacy && releases)
				  ? VKR_ORDER_MAKE_AVAILABLE
				  : 0u) |
			 (semantics & MAKE_VISIBLE || (legacy && acquires) ? VKR_ORDER_MAKE_VISIBLE
									   : 0u));
}

static bool is_wider(uint32_t scope, uint8_t other)
{
	static const uint8_t widths[] = {[VKR_SCOPE_INVOCATION] = 0,   [VKR_SCOPE_SUBGROUP] = 1,
					 [VKR_SCOPE_WORKGROUP] = 2,    [VKR_SCOPE_SHADER_CALL] = 3,
					 [VKR_SCOPE_QUEUE_FAMILY] = 4, [VKR_SCOPE_DEVICE] = 5,
					 [VKR_SCOPE_CROSS_DEVICE] = 6};
	return scope < sizeof widths && other < sizeof widths && widths[scope] > widths[other];
}

static void shader_edits_widen(struct vkr_site *site, const struct vkr_change_shader *to,
			       bool legacy)
{
	if (is_wider(to->scope, site->scope))
		site->scope = (uint8_t)to->scope;
	site->semantics |= classes_of(to->semantics);
	site->order |= order_of(to->semantics, legacy);
}

// Atomics and barriers on the marked lines.
static uint64_t widen_marked(struct vkr_site_table *table, const struct vkr_change *change,
			     const bool *marks)
{
	struct vkr_site *sites = (struct vkr_site *)(uintptr_t)vkr_site_table_sites(table);
	uint64_t made = 0;
	for (uint32_t i = 0; i < table->site_count; i++) {
		if (!marks[i] || sites[i].operation < VKR_SITE_ATOMIC_LOAD ||
		    sites[i].operation > VKR_SITE_MEMORY_BARRIER)
			continue;
		shader_edits_widen(&sites[i], &change->shader,
				   table->memory_model == MODEL_GLSL450);
		made++;
	}
	return made;
}

// As the decoration Coherent has it, or NonPrivatePointer at each access.
static void shader_edits_declare(struct vkr_site *site, bool legacy)
{
	site->flags |= VKR_SITE_NONPRIVATE;
	if (!legacy)
		return;
	if (site->operation == VKR_SITE_STORE) {
		site->flags |= VKR_SITE_MAKE_AVAILABLE;
		site->available_scope = VKR_SCOPE_QUEUE_FAMILY;
	} else {
		site->flags |= VKR_SITE_MAKE_VISIBLE;
		site->visible_scope = VKR_SCOPE_QUEUE_FAMILY;
	}
}

// All accesses to the variables that are accessed by an instruction.
static uint64_t declare_variables(struct vkr_site_table *table, uint32_t word)
{
	struct vkr_site *sites = (struct vkr_site *)(uintptr_t)vkr_site_table_sites(table);
	const bool legacy = table->memory_model == MODEL_GLSL450;
	uint64_t made = 0;
	for (uint32_t i = 0; i < table->site_count; i++) {
		if (sites[i].spirv_word != word || sites[i].operation > VKR_SITE_STORE)
			continue;
		for (uint32_t j = 0; j < table->site_count; j++) {
			if (sites[j].operation <= VKR_SITE_STORE &&
			    sites[j].variable == sites[i].variable)
				shader_edits_declare(&sites[j], legacy);
		}
		made++;
	}
	return made;
}

// Plain accesses on the marked lines to what the instruction accesses.
static uint64_t make_atomic(struct vkr_site_table *table, const struct vkr_change *change,
			    uint32_t word, const bool *marks)
{
	struct vkr_site *sites = (struct vkr_site *)(uintptr_t)vkr_site_table_sites(table);
	uint32_t variable = UINT32_MAX;
	uint64_t made = 0;
	for (uint32_t i = 0; i < table->site_count; i++)
		variable = sites[i].spirv_word == word ? sites[i].variable : variable;
	for (uint32_t i = 0; i < table->site_count; i++) {
		struct vkr_site *site = &sites[i];
		if (!marks[i] || site->operation > VKR_SITE_STORE || site->variable != variable)
			continue;
		site->operation = site->operation == VKR_SITE_STORE ? VKR_SITE_ATOMIC_STORE
								    : VKR_SITE_ATOMIC_LOAD;
		site->scope = (uint8_t)change->shader.scope;
		site->flags &= (uint16_t) ~(VKR_SITE_MAKE_AVAILABLE | VKR_SITE_MAKE_VISIBLE);
		made++;
	}
	return made;
}

// ---- New barriers -------------------------------------------------------------------------------

// Where sites and operations have one more, by old index.
struct places {
	bool *before, *after;                               // sites
	uint32_t *site_at, *barrier_before, *barrier_after; // new indices; UINT32_MAX: no barrier
};

static bool is_first_of_line(const struct vkr_site_table *table, const bool *marks, uint32_t first,
			     uint32_t at)
{
	const struct vkr_site *sites = vkr_site_table_sites(table);
	return marks[at] &&
	       (at == first || !marks[at - 1] || !on_one_line(&sites[at - 1], &sites[at]));
}

static bool is_last_of_line(const struct vkr_site_table *table, const bool *marks, uint32_t end,
			    uint32_t at)
{
	const struct vkr_site *sites = vkr_site_table_sites(table);
	return marks[at] &&
	       (at + 1 == end || !marks[at + 1] || !on_one_line(&sites[at + 1], &sites[at]));
}

// A run-length record is of accesses alone: nothing can stand within it.
static uint64_t choose_places(const struct vkr_site_table *table, const bool *marks, bool after,
			      struct places *places)
{
	const struct vkr_segment *segments = vkr_site_table_segments(table);
	uint64_t made = 0;
	for (uint32_t i = 0; i < table->segment_count; i++) {
		const uint32_t first = segments[i].first_site;
		const uint32_t end = first + segments[i].site_count;
		for (uint32_t at = first; segments[i].kind == VKR_SEGMENT_ONCE && at < end; at++) {
			places->before[at] = !after && is_first_of_line(table, marks, first, at);
			places->after[at] = after && is_last_of_line(table, marks, end, at);
			made += places->before[at] || places->after[at];
		}
	}
	return made;
}

static struct vkr_site barrier_of(const struct vkr_change *change, const struct vkr_site *beside,
				  bool legacy)
{
	const uint32_t semantics = change->shader.semantics;
	return (struct vkr_site){.operation = VKR_SITE_CONTROL_BARRIER,
				 .scope = (uint8_t)change->shader.scope,
				 .execution = VKR_SCOPE_WORKGROUP,
				 .order = order_of(semantics, legacy),
				 .semantics = classes_of(semantics),
				 .flags = VKR_SITE_ADDED,
				 .variable = UINT32_MAX,
				 .spirv_word = beside->spirv_word,
				 .file = beside->file,
				 .line = beside->line,
				 .column = beside->column};
}

static uint32_t number_sites(const struct vkr_site_table *table, struct places *places)
{
	uint32_t next = 0;
	for (uint32_t i = 0; i < table->site_count; i++) {
		places->barrier_before[i] = places->before[i] ? next++ : UINT32_MAX;
		places->site_at[i] = next++;
		places->barrier_after[i] = places->after[i] ? next++ : UINT32_MAX;
	}
	return next;
}

// The operation before which a barrier stands that is before an access: its words follow each
// other.
static uint32_t first_word_of(const struct vkr_summary_operation *operations, uint32_t at)
{
	while (at > 0 && operations[at - 1].code == VKR_SUMMARY_WORD)
		at--;
	return at;
}

static bool shader_edits_accesses(const struct vkr_summary_operation *operation)
{
	return operation->code == VKR_SUMMARY_ACCESS || operation->code == VKR_SUMMARY_TEXEL;
}

// The barrier, as a site's index, before each operation and after it; UINT32_MAX for none.
static void place_operations(const struct vkr_site_table *table, const struct places *places,
			     uint32_t *before, uint32_t *after)
{
	const struct vkr_summary_operation *operations = vkr_site_table_summary(table);
	for (uint32_t i = 0; i < table->summary_count; i++)
		before[i] = after[i] = UINT32_MAX;
	for (uint32_t i = 0; i < table->summary_count; i++) {
		if (!shader_edits_accesses(&operations[i]))
			continue;
		before[first_word_of(operations, i)] = places->barrier_before[operations[i].a];
		after[i] = places->barrier_after[operations[i].a];
	}
}

static uint32_t put_sync(struct vkr_summary_operation *to, uint32_t at, uint32_t site)
{
	if (site == UINT32_MAX)
		return at;
	if (to)
		to[at] = (struct vkr_summary_operation){.code = VKR_SUMMARY_SYNC, .a = site};
	return at + 1;
}

// The summary with its barriers, into `to`, NULL: only numbers; `numbers` has the new index by old
// one: a jump to an operation passes the barrier before it. Returns how many there are.
static uint32_t put_summary(const struct vkr_site_table *table, const struct places *places,
			    const uint32_t *before, const uint32_t *after, uint32_t *numbers,
			    struct vkr_summary_operation *to)
{
	const struct vkr_summary_operation *operations = vkr_site_table_summary(table);
	uint32_t next = 0;
	for (uint32_t i = 0; i < table->summary_count; i++) {
		struct vkr_summary_operation operation = operations[i];
		if (!to)
			numbers[i] = next;
		next = put_sync(to, next, before[i]);
		// Invocations that wait at a new barrier keep what they have computed.
		operation.flags &= (uint8_t)~VKR_SUMMARY_NEAR;
		if (shader_edits_accesses(&operation) || operation.code == VKR_SUMMARY_SYNC)
			operation.a = places->site_at[operation.a];
		if (operation.code == VKR_SUMMARY_JUMP)
			operation.a = numbers[operation.a];
		if (operation.code == VKR_SUMMARY_BRANCH) {
			operation.b = numbers[operation.b];
			operation.c = numbers[operation.c];
		}
		if (to)
			to[next] = operation;
		next = put_sync(to, next + 1, after[i]);
	}
	return next;
}

static void put_sites(const struct vkr_site_table *table, const struct places *places,
		      const struct vkr_change *change, struct vkr_site *to)
{
	const struct vkr_site *sites = vkr_site_table_sites(table);
	const bool legacy = table->memory_model == MODEL_GLSL450;
	for (uint32_t i = 0; i < table->site_count; i++) {
		struct vkr_site *site = &to[places->site_at[i]];
		*site = sites[i];
		if (site->flags & VKR_SITE_SHARED)
			site->offset_site = places->site_at[site->offset_site];
		if (places->barrier_before[i] != UINT32_MAX)
			to[places->barrier_before[i]] = barrier_of(change, &sites[i], legacy);
		if (places->barrier_after[i] != UINT32_MAX)
			to[places->barrier_after[i]] = barrier_of(change, &sites[i], legacy);
	}
}

static void put_segments(const struct vkr_site_table *table, const struct places *places,
			 uint32_t site_count, struct vkr_segment *to)
{
	const struct vkr_segment *segments = vkr_site_table_segments(table);
	for (uint32_t i = 0; i < table->segment_count; i++) {
		to[i] = segments[i];
		to[i].first_site = i > 0 ? to[i - 1].first_site + to[i - 1].site_count : 0;
		const uint32_t end = segments[i].first_site + segments[i].site_count;
		uint32_t next = site_count;
		if (end < table->site_count)
			next = places->before[end] ? places->barrier_before[end]
						   : places->site_at[end];
		to[i].site_count = next - to[i].first_site;
	}
}

// Bytes that a text of a table takes, one after the other.
static char *shader_edits_put(char *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return to + bytes;
}

// The table with its barriers; NULL for lack of memory.
static struct vkr_site_table *with_barriers(const struct vkr_site_table *table,
					    const struct places *places, uint32_t *scratch,
					    const struct vkr_change *change)
{
	uint32_t *before = scratch, *after = before + table->summary_count;
	uint32_t *numbers = after + table->summary_count;
	const uint32_t sites = places->site_at[table->site_count];
	place_operations(table, places, before, after);
	const uint32_t operations = put_summary(table, places, before, after, numbers, NULL);
	const char *strings = vkr_site_table_string(table, 0);
	const size_t unpadded =
		(size_t)(strings - (const char *)table) + table->string_bytes +
		(sites - table->site_count) * sizeof(struct vkr_site) +
		(operations - table->summary_count) * sizeof(struct vkr_summary_operation);
	const size_t bytes = (unpadded + 7) / 8 * 8;
	struct vkr_site_table *made = calloc(1, bytes);
	if (!made)
		return NULL;
	*made = *table;
	made->bytes = (uint32_t)bytes;
	char *to = shader_edits_put((char *)(made + 1), vkr_site_table_variables(table),
				    table->variable_count * sizeof(struct vkr_variable));
	put_segments(table, places, sites, (void *)to);
	to += table->segment_count * sizeof(struct vkr_segment);
	put_sites(table, places, change, (void *)to);
	to += sites * sizeof(struct vkr_site);
	made->site_count = sites;
	// Pieces and texels stand between sites and summary.
	const char *pieces = (const char *)vkr_site_table_pieces(table);
	to = shader_edits_put(to, pieces,
			      (size_t)((const char *)vkr_site_table_summary(table) - pieces));
	put_summary(table, places, before, after, numbers, (void *)to);
	to += operations * sizeof(struct vkr_summary_operation);
	made->summary_count = operations;
	shader_edits_put(to, strings, table->string_bytes);
	return made;
}

// Replaces *table by one with the barriers; false for lack of memory.
static bool add_barriers(struct vkr_site_table **table, const struct vkr_change *change,
			 const bool *marks, uint64_t *made)
{
	const size_t sites = (*table)->site_count;
	bool *flags = calloc(2 * sites + 1, sizeof *flags);
	uint32_t *numbers =
		calloc(3 * sites + 1 + 3 * (size_t)(*table)->summary_count + 1, sizeof *numbers);
	struct vkr_site_table *edited = NULL;
	bool whole = flags && numbers;
	if (whole) {
		struct places places = {flags, flags + sites, numbers, numbers + sites + 1,
					numbers + 2 * sites + 1};
		const uint64_t count = choose_places(
			*table, marks, change->kind == VKR_CHANGE_SHADER_BARRIER_AFTER, &places);
		if (count) {
			places.site_at[sites] = number_sites(*table, &places);
			edited = with_barriers(*table, &places, numbers + 3 * sites + 1, change);
			whole = edited;
			*made += count;
		}
	}
	if (edited) {
		free(*table);
		*table = edited;
	}
	free(flags);
	free(numbers);
	return whole;
}

// ---- A shader -----------------------------------------------------------------------------------

static bool apply_to_sites(struct vkr_site_table **table, const struct vkr_change *change,
			   uint64_t hash, uint64_t *made)
{
	uint32_t word = 0, from = 0;
	const bool here = is_in(&change->place, hash, &word);
	const bool there = is_in(&change->from, hash, &from);
	bool *marks = calloc((*table)->site_count + (size_t)1, sizeof *marks);
	bool whole = marks;
	if (whole && here)
		mark_line(*table, word, marks);
	switch (change->kind) {
	case VKR_CHANGE_SHADER_ORDER:
		if (whole && there)
			mark_line(*table, from, marks);
		*made += whole ? widen_marked(*table, change, marks) : 0;
		break;
	case VKR_CHANGE_SHADER_COHERENT:
		*made += (here ? declare_variables(*table, word) : 0) +
			 (there ? declare_variables(*table, from) : 0);
		break;
	case VKR_CHANGE_SHADER_ATOMIC:
		*made += whole && here ? make_atomic(*table, change, word, marks) : 0;
		break;
	case VKR_CHANGE_SHADER_BARRIER:
	case VKR_CHANGE_SHADER_BARRIER_AFTER:
		if (change->shader.coherent && here)
			declare_variables(*table, word);
		if (change->shader.coherent && there)
			declare_variables(*table, from);
		whole = whole && (!here || add_barriers(table, change, marks, made));
		break;
	default: // not of shaders
		break;
	}
	free(marks);
	return whole;
}

static struct vkr_trace_event *with_table(const struct vkr_trace_event *event,
					  const struct vkr_site_table *table)
{
	const size_t head = sizeof *event + sizeof(struct vkr_trace_shader);
	struct vkr_trace_event *made = calloc(1, head + table->bytes);
	if (!made)
		return NULL;
	memcpy(made, event, head);
	memcpy((char *)made + head, table, table->bytes);
	made->bytes = (uint32_t)(head + table->bytes);
	((struct vkr_trace_shader *)(made + 1))->sites_bytes = table->bytes;
	return made;
}

bool vkr_shader_edits_make(const struct vkr_change *const *changes, size_t count,
			   const struct vkr_trace_event *event, uint64_t *made,
			   struct vkr_trace_event **edited)
{
	const struct vkr_trace_shader *shader = (const void *)(event + 1);
	struct vkr_site_table *table = NULL;
	struct vkr_error error;
	uint32_t word;
	bool whole = true;
	*edited = NULL;
	for (size_t i = 0; i < count && whole; i++) {
		if (!vkr_change_is_of_shader(changes[i]->kind) || !shader->sites_bytes ||
		    (!is_in(&changes[i]->place, shader->content_hash, &word) &&
		     !is_in(&changes[i]->from, shader->content_hash, &word)))
			continue;
		// A table that is none is refused where the event is taken in.
		if (!table &&
		    vkr_site_table_check(shader + 1, shader->sites_bytes, &error) != VKR_OK)
			return true;
		if (!table) {
			table = malloc(shader->sites_bytes);
			if (!table)
				return false;
			memcpy(table, shader + 1, shader->sites_bytes);
		}
		whole = apply_to_sites(&table, changes[i], shader->content_hash, &made[i]);
	}
	if (whole && table) {
		*edited = with_table(event, table);
		whole = *edited;
	}
	free(table);
	return whole;
}
