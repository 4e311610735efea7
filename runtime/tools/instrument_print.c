// SPDX-License-Identifier: Apache-2.0
#include "instrument_print.h"

#include "site_table.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	uint32_t bit; // VkShaderStageFlagBits
} stages[] = {
	{"vertex", 0x01},
	{"tessellation-control", 0x02},
	{"tessellation-evaluation", 0x04},
	{"geometry", 0x08},
	{"fragment", 0x10},
	{"compute", 0x20},
	{"task", 0x40},
	{"mesh", 0x80},
	{"ray-generation", 0x100},
	{"any-hit", 0x200},
	{"closest-hit", 0x400},
	{"miss", 0x800},
	{"intersection", 0x1000},
	{"callable", 0x2000},
};
#define STAGE_COUNT (sizeof stages / sizeof *stages)

bool vkr_stage_named(const char *text, uint32_t *stage)
{
	for (size_t i = 0; i < STAGE_COUNT; i++) {
		if (!strcmp(stages[i].name, text)) {
			*stage = stages[i].bit;
			return true;
		}
	}
	return false;
}

static const char *operation_name(uint8_t operation)
{
	switch ((enum vkr_site_operation)operation) {
	case VKR_SITE_LOAD:
		return "load";
	case VKR_SITE_STORE:
		return "store";
	case VKR_SITE_ATOMIC_LOAD:
		return "atomic-load";
	case VKR_SITE_ATOMIC_STORE:
		return "atomic-store";
	case VKR_SITE_ATOMIC_RMW:
		return "atomic-rmw";
	case VKR_SITE_CONTROL_BARRIER:
		return "control-barrier";
	case VKR_SITE_MEMORY_BARRIER:
		return "memory-barrier";
	case VKR_SITE_SHADER_CALL:
		return "shader-call";
	case VKR_SITE_SHADER_RETURN:
		return "shader-return";
	case VKR_SITE_SUBGROUP:
		return "subgroup";
	}
	return "?";
}

static const char *scope_name(uint8_t scope)
{
	static const char *const names[] = {"cross-device", "device",     "workgroup",
					    "subgroup",     "invocation", "queue-family",
					    "shader-call"};
	return scope < sizeof names / sizeof *names ? names[scope] : "?";
}

static void print_bits(uint32_t bits, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (bits >> i & 1)
			printf(" %s", names[i]);
	}
}

static void print_image(const struct vkr_variable *variable)
{
	static const char *const dims[] = {"1d", "2d", "3d", "cube", "rect", "buffer", "subpass"};
	static const char *const kinds[] = {"storage-image", "sampled-image",
					    "texel-buffer",  "input-attachment",
					    "sampler",       "acceleration-structure"};
	printf(" %s%s set %u binding %u", variable->flags & VKR_VARIABLE_UNIFORM ? "uniform-" : "",
	       kinds[variable->kind - VKR_VARIABLE_STORAGE_IMAGE], variable->set,
	       variable->binding);
	if (variable->count != 1)
		printf(" count %u", variable->count);
	if (variable->kind >= VKR_VARIABLE_SAMPLER)
		return;
	printf(" %s%s%s", dims[variable->dim],
	       variable->flags & VKR_VARIABLE_ARRAYED ? " arrayed" : "",
	       variable->flags & VKR_VARIABLE_MULTISAMPLED ? " multisampled" : "");
	if (variable->format)
		printf(" format %u", variable->format);
	if (variable->kind == VKR_VARIABLE_INPUT_ATTACHMENT)
		printf(" attachment %u", variable->attachment);
}

static void print_variable(const struct vkr_site_table *table, uint32_t i)
{
	const struct vkr_variable *variable = &vkr_site_table_variables(table)[i];
	printf("variable %u", i);
	switch ((enum vkr_variable_kind)variable->kind) {
	case VKR_VARIABLE_BUFFER:
		printf(" %s set %u binding %u",
		       variable->flags & VKR_VARIABLE_UNIFORM ? "uniform" : "storage",
		       variable->set, variable->binding);
		if (variable->count != 1)
			printf(" count %u", variable->count);
		break;
	case VKR_VARIABLE_WORKGROUP:
		printf(" %s bytes %u",
		       variable->flags & VKR_VARIABLE_OUTPUT    ? "output"
		       : variable->flags & VKR_VARIABLE_PAYLOAD ? "payload"
								: "workgroup",
		       variable->bytes);
		break;
	case VKR_VARIABLE_POINTER:
		printf(" pointer");
		break;
	case VKR_VARIABLE_STORAGE_IMAGE:
	case VKR_VARIABLE_SAMPLED_IMAGE:
	case VKR_VARIABLE_TEXEL_BUFFER:
	case VKR_VARIABLE_INPUT_ATTACHMENT:
	case VKR_VARIABLE_SAMPLER:
		print_image(variable);
		break;
	case VKR_VARIABLE_ACCELERATION_STRUCTURE:
		if (variable->spirv_id)
			print_image(variable);
		else
			printf(" acceleration-structure pointer");
		break;
	}
	if (variable->flags & VKR_VARIABLE_HEAP)
		printf(" heap");
	if (variable->flags & VKR_VARIABLE_HEAP_DATA)
		printf(" heap-data");
	if (variable->flags & VKR_VARIABLE_EMBEDDED)
		printf(" embedded");
	if (variable->flags & VKR_VARIABLE_READ_ONLY)
		printf(" read-only");
	printf(" \"%s\"\n", vkr_site_table_string(table, variable->name));
}

static void print_order(const struct vkr_site *site)
{
	static const char *const orders[] = {"acquire", "release", "available", "visible",
					     "volatile"};
	static const char *const classes[] = {"uniform", "workgroup", "image", "output"};
	if (site->operation == VKR_SITE_CONTROL_BARRIER)
		printf(" execution %s", scope_name(site->execution));
	printf(" scope %s", scope_name(site->scope));
	print_bits(site->order, orders, sizeof orders / sizeof *orders);
	if (site->semantics) {
		printf(" of");
		print_bits(site->semantics, classes, sizeof classes / sizeof *classes);
	}
}

// Words of the record, as the parts name them.
static void print_derived(const struct vkr_texel *texel)
{
	for (uint32_t axis = 0; axis < texel->coordinates; axis++) {
		const struct vkr_texel_part *part = &texel->parts[axis];
		const bool is_alone = part->word == VKR_TEXEL_NO_WORD;
		printf("%s", axis ? "," : " ");
		if (!is_alone)
			printf("w%u", part->word);
		if (part->scaled_word != VKR_TEXEL_NO_WORD)
			printf("%s%g*w%u", is_alone ? "" : "+", (double)part->factor,
			       part->scaled_word);
		if (part->constant < 0 || part->constant > 0 ||
		    (is_alone && part->scaled_word == VKR_TEXEL_NO_WORD))
			printf("%+g", (double)part->constant);
	}
	if (texel->level_word != VKR_TEXEL_NO_WORD)
		printf(" level w%u", texel->level_word);
	if (texel->level_spread != VKR_TEXEL_NO_WORD)
		printf(" within w%u", texel->level_spread);
}

static void print_texel(const struct vkr_texel *texel)
{
	static const char *const forms[] = {"?", "texel", "sample", "gather"};
	static const char *const levels[] = {"", " level", " queried-level", " gradients"};
	static const char *const flags[] = {"packed",  "sampler-element", "sample-index",
					    "min-lod", "offset-words",    "sampler-chosen",
					    "derived", "level-near"};
	printf(" %s coordinates %u%s", forms[texel->form], texel->coordinates,
	       levels[texel->level]);
	print_bits(texel->flags, flags, sizeof flags / sizeof *flags);
	if (texel->flags & VKR_TEXEL_DERIVED)
		print_derived(texel);
	if (texel->form == VKR_TEXEL_GATHER)
		printf(" component %u", texel->component);
	if (texel->sampler != UINT32_MAX)
		printf(" sampler %u", texel->sampler);
	for (uint32_t o = 0; o < texel->offset_count; o++) {
		printf(" offset");
		for (uint32_t c = 0; c < texel->offset_components; c++)
			printf("%c%d", c ? ',' : ' ', texel->offsets[o][c]);
	}
}

static void print_factors(const char *name, const uint32_t *factors)
{
	if (factors[0] || factors[1] || factors[2])
		printf(" %s %d,%d,%d", name, (int)factors[0], (int)factors[1], (int)factors[2]);
}

static void print_computed(const struct vkr_site *site)
{
	printf(" offset");
	if (site->factor)
		printf(" word*%d", (int)site->factor);
	print_factors("group", site->by_group);
	print_factors("local", site->by_local);
	if (site->by_iteration)
		printf(" iteration %u", site->by_iteration);
	printf(" %+d", (int)site->addend);
}

static void print_access(const struct vkr_site_table *table, const struct vkr_site *site)
{
	static const char *const flags[] = {"nonprivate", "volatile", "arrayed", "pointer",
					    "evidence"};
	const struct vkr_piece *pieces = vkr_site_table_pieces(table) + site->first_piece;
	printf(" variable %u", site->variable);
	if (site->texel)
		print_texel(vkr_site_table_texel(table, site));
	else
		printf(" \"%s\"", vkr_site_table_string(table, site->member));
	if (site->bytes)
		printf(" bytes %u", site->bytes);
	for (uint32_t p = 0; p < site->piece_count; p++)
		printf("%s%u+%u", p ? "," : " pieces ", pieces[p].offset, pieces[p].bytes);
	print_bits(site->flags, flags, sizeof flags / sizeof *flags);
	if (site->flags & VKR_SITE_INTERLOCKED)
		printf(" interlocked");
	if (site->flags & VKR_SITE_COOPERATIVE)
		printf(" cooperative in %s", scope_name(site->execution));
	if (site->flags & VKR_SITE_STRIDED)
		printf(" lines %u by word*%u", site->lines, site->stride_unit);
	if (site->flags & VKR_SITE_CONDITIONAL)
		printf(" conditional");
	if (site->flags & VKR_SITE_CHOSEN)
		printf(" chosen");
	if (site->flags & VKR_SITE_SHARED)
		printf(" word of site %u", site->offset_site);
	if (site->flags & VKR_SITE_COMPUTED)
		print_computed(site);
	else if (site->flags & VKR_SITE_SHARED)
		printf("%+d", (int)site->addend);
	if (site->flags & VKR_SITE_MAKE_AVAILABLE)
		printf(" available %s", scope_name(site->available_scope));
	if (site->flags & VKR_SITE_MAKE_VISIBLE)
		printf(" visible %s", scope_name(site->visible_scope));
}

static void print_site(const struct vkr_site_table *table, uint32_t i)
{
	const struct vkr_site *site = &vkr_site_table_sites(table)[i];
	printf("  site %u %s", i, operation_name(site->operation));
	if (site->variable != UINT32_MAX)
		print_access(table, site);
	if (site->operation >= VKR_SITE_ATOMIC_LOAD && site->operation < VKR_SITE_SHADER_CALL)
		print_order(site);
	printf(" words %u at word %u", site->words, site->spirv_word);
	if (site->line)
		printf(" %s:%u:%u", vkr_site_table_string(table, site->file), site->line,
		       site->column);
	printf("\n");
}

// The words with which chunks of a stage without a grid of workgroups identify their invocation.
static void print_identity(const struct vkr_site_table *table)
{
	static const char *const bits[] = {"vertex",     "instance",   "position",  "primitive",
					   "invocation", "tess-coord", "sample",    "layer",
					   "view",       "draw",       "workgroup", "local",
					   "number",     "launch",     "coverage",  "end"};
	for (size_t i = 0; i < STAGE_COUNT; i++) {
		if (stages[i].bit == table->stage)
			printf("stage %s identity", stages[i].name);
	}
	print_bits(table->identity, bits, sizeof bits / sizeof *bits);
	if (table->identity & VKR_IDENTITY_SHARED)
		printf(" shared");
	printf(table->identity & VKR_IDENTITY_ALL     ? " of all\n"
	       : table->identity & VKR_IDENTITY_ASKED ? " of all where asked\n"
						      : "\n");
}

static void print_segment(uint32_t i, const struct vkr_segment *segment)
{
	printf("segment %u words %u", i + 1, segment->words);
	if (segment->kind == VKR_SEGMENT_RUN_LENGTH)
		printf(" run-length");
	printf("\n");
}

void vkr_print_sites(const struct vkr_site_table *table)
{
	printf("entry \"%s\" source \"%s\" workgroup %u %u %u memory-model %u chunk %u\n",
	       vkr_site_table_string(table, table->entry_point),
	       vkr_site_table_string(table, table->source_file), table->workgroup_size[0],
	       table->workgroup_size[1], table->workgroup_size[2], table->memory_model,
	       table->chunk_words);
	if (table->identity)
		print_identity(table);
	for (uint32_t i = 0; i < table->variable_count; i++)
		print_variable(table, i);
	for (uint32_t i = 0; i < table->segment_count; i++) {
		const struct vkr_segment *segment = &vkr_site_table_segments(table)[i];
		print_segment(i, segment);
		for (uint32_t s = 0; s < segment->site_count; s++)
			print_site(table, segment->first_site + s);
	}
}

static void print_operation(const struct vkr_summary_operation *at)
{
	static const char *const names[VKR_SUMMARY_CODES] = {
		[VKR_SUMMARY_CONSTANT] = "constant",
		[VKR_SUMMARY_PUSHED] = "pushed",
		[VKR_SUMMARY_UNIFORM] = "uniform",
		[VKR_SUMMARY_GROUP] = "group",
		[VKR_SUMMARY_LOCAL] = "local",
		[VKR_SUMMARY_INDEX] = "index",
		[VKR_SUMMARY_GROUPS] = "groups",
		[VKR_SUMMARY_MOVE] = "move",
		[VKR_SUMMARY_SELECT] = "select",
		[VKR_SUMMARY_ADD] = "add",
		[VKR_SUMMARY_SUBTRACT] = "subtract",
		[VKR_SUMMARY_MULTIPLY] = "multiply",
		[VKR_SUMMARY_SHIFT_LEFT] = "shift-left",
		[VKR_SUMMARY_SHIFT_RIGHT] = "shift-right",
		[VKR_SUMMARY_SHIFT_RIGHT_SIGNED] = "shift-right-signed",
		[VKR_SUMMARY_AND] = "and",
		[VKR_SUMMARY_OR] = "or",
		[VKR_SUMMARY_XOR] = "xor",
		[VKR_SUMMARY_DIVIDE] = "divide",
		[VKR_SUMMARY_REMAINDER] = "remainder",
		[VKR_SUMMARY_DIVIDE_SIGNED] = "divide-signed",
		[VKR_SUMMARY_REMAINDER_SIGNED] = "remainder-signed",
		[VKR_SUMMARY_EQUAL] = "equal",
		[VKR_SUMMARY_NOT_EQUAL] = "not-equal",
		[VKR_SUMMARY_LESS] = "less",
		[VKR_SUMMARY_LESS_EQUAL] = "less-equal",
		[VKR_SUMMARY_LESS_SIGNED] = "less-signed",
		[VKR_SUMMARY_LESS_EQUAL_SIGNED] = "less-equal-signed",
		[VKR_SUMMARY_FLOAT_ADD] = "float-add",
		[VKR_SUMMARY_FLOAT_SUBTRACT] = "float-subtract",
		[VKR_SUMMARY_FLOAT_MULTIPLY] = "float-multiply",
		[VKR_SUMMARY_FLOAT_DIVIDE] = "float-divide",
		[VKR_SUMMARY_FLOAT_MINIMUM] = "float-minimum",
		[VKR_SUMMARY_FLOAT_MAXIMUM] = "float-maximum",
		[VKR_SUMMARY_FLOAT_SQUARE_ROOT] = "float-square-root",
		[VKR_SUMMARY_FLOAT_OF_SIGNED] = "float-of-signed",
		[VKR_SUMMARY_FLOAT_OF_UNSIGNED] = "float-of-unsigned",
		[VKR_SUMMARY_LOGGED] = "logged",
		[VKR_SUMMARY_SIZE] = "size",
	};
	if (names[at->code])
		printf("r%u%s = %s", at->result, at->flags & VKR_SUMMARY_NEAR ? "'" : "",
		       names[at->code]);
	if (at->code < VKR_SUMMARY_MOVE || at->code == VKR_SUMMARY_LOGGED)
		printf(at->code == VKR_SUMMARY_INDEX ? "\n" : " %u\n", at->a);
	else if (at->code == VKR_SUMMARY_MOVE)
		printf(" r%u\n", at->a);
	else if (at->code == VKR_SUMMARY_SELECT)
		printf(" r%u r%u r%u\n", at->a, at->b, at->c);
	else if (at->code == VKR_SUMMARY_UNIFORM)
		printf(" %u, variable %u +%u\n", at->a, at->b, at->c);
	else if (at->code < VKR_SUMMARY_ACCESS || at->code >= VKR_SUMMARY_FLOAT_MINIMUM)
		printf(" r%u r%u\n", at->a, at->b);
	else if (at->code == VKR_SUMMARY_ACCESS && at->c)
		printf("access site %u of r%u at r%u\n", at->a, at->c, at->b);
	else if (at->code == VKR_SUMMARY_ACCESS)
		printf("access site %u at r%u\n", at->a, at->b);
	else if (at->code == VKR_SUMMARY_SYNC)
		printf("sync site %u\n", at->a);
	else if (at->code == VKR_SUMMARY_JUMP)
		printf("jump %u\n", at->a);
	else if (at->code == VKR_SUMMARY_BRANCH)
		printf("branch r%u %u %u\n", at->a, at->b, at->c);
	else if (at->code == VKR_SUMMARY_RECORD)
		printf("record %u words %u\n", at->a, at->b);
	else if (at->code == VKR_SUMMARY_SIZE)
		printf(" %u of variable %u at r%u, level %u\n", at->c & 3, at->a, at->b,
		       at->c >> 2);
	else if (at->code == VKR_SUMMARY_WORD)
		printf("word %u is r%u\n", at->b, at->a);
	else if (at->code == VKR_SUMMARY_TEXEL)
		printf("texel site %u\n", at->a);
	else
		printf("end\n");
}

void vkr_print_summary(const struct vkr_site_table *table)
{
	const struct vkr_summary_operation *operations = vkr_site_table_summary(table);
	printf("summary of %u registers%s\n", table->summary_registers,
	       table->streams ? ", logged as streams" : "");
	for (uint32_t i = 0; i < table->summary_count; i++) {
		printf("%u: ", i);
		print_operation(&operations[i]);
	}
}
