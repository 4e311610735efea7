// SPDX-License-Identifier: Apache-2.0
#include "instrument_main.h"

#include "error.h"
#include "instrument.h"
#include "site_table.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VULKAN_1_3           0x403000u // VK_API_VERSION_1_3
#define PUSH_CONSTANT_OFFSET 112u      // the end of the 128 bytes that every device has

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
#define STAGE_COUNT   (sizeof stages / sizeof *stages)
#define COMPUTE_STAGE stages[5].bit

struct command {
	const char *input, *output;
	bool prints_sites, prints_summary;
	struct vkr_instrument_options options;
	struct vkr_specialization *specializations; // room for one an argument
	size_t specialization_count;
};

static const char usage[] =
	"usage: vkrace instrument IN.spv [-o OUT.spv] [options]\n"
	"  -o, --output FILE       where the rewritten module goes\n"
	"  --sites                 print the site table\n"
	"  --summary               print what stands for the log (vkrace/summary.h)\n"
	"  --entry NAME            the entry point (main)\n"
	"  --stage NAME            its stage: vertex, tessellation-control,\n"
	"                          tessellation-evaluation, geometry, fragment, task, mesh,\n"
	"                          ray-generation, any-hit, closest-hit, miss, intersection,\n"
	"                          callable (compute)\n"
	"  --specialize ID=VALUE   a specialization constant (repeatable)\n"
	"  --push-constant OFFSET  where the log's place stands (112)\n"
	"  --block-set SET         the log's place in a uniform buffer of this set instead\n"
	"  --reduce LIST           what may be left out of the log: words, repeats,\n"
	"                          identity, turns, summaries, or none (all)\n"
	"  --tag N                 what the log of a ray tracing shader calls it (1)\n"
	"  --spill                 invocations whose room in the log is full take more\n"
	"  --ask                   invocations of draws that ask for it log that they were\n"
	"  --ask-samples           and fragments which samples they cover\n"
	"  --environment N         the validator's environment, as in libspirv.h\n";

static bool parse_number(const char *text, uint32_t *value)
{
	char *end;
	errno = 0;
	unsigned long number = strtoul(text, &end, 0);
	*value = (uint32_t)number;
	return !errno && *text && !*end && number <= UINT32_MAX;
}

static bool parse_stage(const char *text, uint32_t *stage)
{
	for (size_t i = 0; i < STAGE_COUNT; i++) {
		if (!strcmp(stages[i].name, text)) {
			*stage = stages[i].bit;
			return true;
		}
	}
	return false;
}

static bool add_specialization(struct command *command, const char *text)
{
	struct vkr_specialization *added =
		&command->specializations[command->specialization_count++];
	char *end;
	errno = 0;
	unsigned long id = strtoul(text, &end, 0);
	if (errno || end == text || *end != '=' || id > UINT32_MAX)
		return false;
	text = end + 1;
	added->id = (uint32_t)id;
	added->value = strtoull(text, &end, 0);
	added->bytes = added->value > UINT32_MAX ? 8 : 4;
	return !errno && end != text && !*end;
}

static bool take_option(struct command *command, int option, const char *argument)
{
	struct vkr_instrument_options *options = &command->options;
	switch (option) {
	case 'o':
		command->output = argument;
		return true;
	case 's':
		command->prints_sites = true;
		return true;
	case 'u':
		command->prints_summary = true;
		return true;
	case 'e':
		options->entry_point = argument;
		return true;
	case 't':
		return parse_stage(argument, &options->stage);
	case 'd':
		return add_specialization(command, argument);
	case 'p':
		return parse_number(argument, &options->push_constant_offset);
	case 'b':
		return parse_number(argument, &options->block_set);
	case 'r':
		return vkr_instrument_reductions(argument, &options->without);
	case 'l':
		options->spills = true;
		return true;
	case 'm':
		options->asks_samples = true; // and asks
					      // fall through
	case 'a':
		options->asks = true;
		return true;
	case 'v':
		return parse_number(argument, &options->environment);
	case 'g':
		return parse_number(argument, &options->tag) && options->tag;
	default:
		return false;
	}
}

static bool parse(int argc, char **argv, struct command *command)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'},
		{"sites", no_argument, NULL, 's'},
		{"summary", no_argument, NULL, 'u'},
		{"entry", required_argument, NULL, 'e'},
		{"stage", required_argument, NULL, 't'},
		{"specialize", required_argument, NULL, 'd'},
		{"push-constant", required_argument, NULL, 'p'},
		{"block-set", required_argument, NULL, 'b'},
		{"reduce", required_argument, NULL, 'r'},
		{"spill", no_argument, NULL, 'l'},
		{"ask", no_argument, NULL, 'a'},
		{"ask-samples", no_argument, NULL, 'm'},
		{"environment", required_argument, NULL, 'v'},
		{"tag", required_argument, NULL, 'g'},
		{0},
	};
	int option;
	optind = 1;
	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (!take_option(command, option, optarg))
			return false;
	}
	if (optind + 1 != argc)
		return false;
	command->input = argv[optind];
	command->options.specializations = command->specializations;
	command->options.specialization_count = command->specialization_count;
	return command->options.push_constant_offset % 4 == 0;
}

static enum vkr_result read_words(const char *path, uint32_t **words, size_t *count,
				  struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	size_t capacity = 0, bytes = 0, got;
	char *buffer = NULL;
	FILE *file = fopen(path, "rb");
	if (!file)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: %s", path, strerror(errno));
	do {
		if (bytes == capacity) {
			capacity = capacity ? capacity * 2 : 65536;
			char *larger = realloc(buffer, capacity);
			if (!larger) {
				result = vkr_error_memory(error, path);
				goto fail;
			}
			buffer = larger;
		}
		got = fread(buffer + bytes, 1, capacity - bytes, file);
		bytes += got;
	} while (got);
	if (ferror(file)) {
		result = vkr_error_set(error, VKR_ERROR_IO, "%s: %s", path, strerror(errno));
		goto fail;
	}
	if (bytes % 4) {
		result = vkr_error_set(error, VKR_ERROR_FORMAT,
				       "%s: %zu bytes are no whole number of words", path, bytes);
		goto fail;
	}
	fclose(file);
	*words = (uint32_t *)(void *)buffer;
	*count = bytes / 4;
	return VKR_OK;
fail:
	fclose(file);
	free(buffer);
	return result;
}

static enum vkr_result write_words(const char *path, const uint32_t *words, size_t count,
				   struct vkr_error *error)
{
	FILE *file = fopen(path, "wb");
	if (!file)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: %s", path, strerror(errno));
	bool is_written = fwrite(words, sizeof *words, count, file) == count;
	if (fclose(file) || !is_written)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: %s", path, strerror(errno));
	return VKR_OK;
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

static void print_texel(const struct vkr_texel *texel)
{
	static const char *const forms[] = {"?", "texel", "sample", "gather"};
	static const char *const levels[] = {"", " level", " queried-level", " gradients"};
	static const char *const flags[] = {"packed",  "sampler-element", "sample-index",
					    "min-lod", "offset-words",    "sampler-chosen"};
	printf(" %s coordinates %u%s", forms[texel->form], texel->coordinates,
	       levels[texel->level]);
	print_bits(texel->flags, flags, sizeof flags / sizeof *flags);
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
	if (site->by_turn)
		printf(" turn %u", site->by_turn);
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

// What chunks of a stage without a grid of workgroups say of their invocation.
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
	printf(table->identity & VKR_IDENTITY_ALL     ? " of all\n"
	       : table->identity & VKR_IDENTITY_ASKED ? " of all where asked\n"
						      : "\n");
}

static void print_table(const struct vkr_site_table *table)
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
		printf("segment %u words %u\n", i + 1, segment->words);
		for (uint32_t s = 0; s < segment->site_count; s++)
			print_site(table, segment->first_site + s);
	}
}

static void print_operation(const struct vkr_summary_operation *at)
{
	static const char *const names[VKR_SUMMARY_CODES] = {
		[VKR_SUMMARY_CONSTANT] = "constant",
		[VKR_SUMMARY_PUSHED] = "pushed",
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
		[VKR_SUMMARY_LOGGED] = "logged",
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
	else if (at->code < VKR_SUMMARY_ACCESS)
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
	else
		printf("end\n");
}

static void print_summary(const struct vkr_site_table *table)
{
	const struct vkr_summary_operation *operations = vkr_site_table_summary(table);
	printf("summary of %u registers\n", table->summary_registers);
	for (uint32_t i = 0; i < table->summary_count; i++) {
		printf("%u: ", i);
		print_operation(&operations[i]);
	}
}

int vkr_instrument_main(int argc, char **argv)
{
	struct command command = {
		.options = {.entry_point = "main",
			    .stage = COMPUTE_STAGE,
			    .push_constant_offset = PUSH_CONSTANT_OFFSET,
			    .block_set = VKR_INSTRUMENT_NO_SET,
			    .tag = 1,
			    .environment = vkr_instrument_environment(VULKAN_1_3)},
	};
	struct vkr_error error;
	struct vkr_instrumented result = {0};
	uint32_t *words = NULL;
	size_t word_count = 0;
	int status = 1;
	command.specializations = calloc((size_t)argc, sizeof *command.specializations);
	if (!command.specializations) {
		fputs("vkrace instrument: out of memory\n", stderr);
		return 1;
	}
	if (!parse(argc, argv, &command)) {
		fputs(usage, stderr);
		status = 2;
		goto done;
	}
	if (read_words(command.input, &words, &word_count, &error) != VKR_OK) {
		fprintf(stderr, "vkrace instrument: %s\n", error.message);
		goto done;
	}
	if (vkr_instrument(words, word_count, &command.options, &result, &error) != VKR_OK) {
		fprintf(stderr, "vkrace instrument: %s: %s\n", command.input, error.message);
		goto done;
	}
	if (command.output &&
	    write_words(command.output, result.words, result.word_count, &error) != VKR_OK) {
		fprintf(stderr, "vkrace instrument: %s\n", error.message);
		goto done;
	}
	if (command.prints_sites) {
		print_table(result.sites);
		for (size_t i = 0; i < result.unobserved_count; i++)
			printf("not observed: %s\n", result.unobserved[i]);
	}
	if (command.prints_summary)
		print_summary(result.sites);
	status = 0;
done:
	vkr_instrumented_finish(&result);
	free(command.specializations);
	free(words);
	return status;
}
