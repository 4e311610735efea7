// SPDX-License-Identifier: Apache-2.0
#include "instrument_main.h"

#include "error.h"
#include "instrument.h"
#include "instrument_print.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VULKAN_1_3           0x403000u // VK_API_VERSION_1_3
#define COMPUTE_STAGE        0x20u     // VK_SHADER_STAGE_COMPUTE_BIT
#define PUSH_CONSTANT_OFFSET 112u      // the end of the 128 bytes that every device has

struct command {
	const char *input, *output;
	bool prints_sites, prints_summary;
	struct vkr_instrument_options options;
	struct vkr_specialization *specializations; // room for one an argument
	size_t specialization_count;
	struct vkr_heap_mapping *mappings; // room for one an argument
	size_t mapping_count;
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
	"  --heaps SET             the shader uses descriptor heaps: the log's place in the\n"
	"                          push data, by way of this set\n"
	"  --mapping NUMBERS       one of its mappings: the members of struct vkr_mapping,\n"
	"                          between colons (repeatable)\n"
	"  --reduce LIST           what may be left out of the log: words, repeats,\n"
	"                          affine, iterations, run-lengths, uniform, streams,\n"
	"                          summaries, or none (all)\n"
	"  --tag N                 what the log of a ray tracing shader calls it (1)\n"
	"  --log-base ADDRESS      what logs are counted from, a multiple of 4 GiB\n"
	"  --near-blocks           blocks and cells are near it, too\n"
	"  --spill                 invocations whose room in the log is full take more\n"
	"  --exchange              marks of reads are taken by exchanges\n"
	"  --ask                   invocations of draws that ask for it log that they were\n"
	"  --share                 fragments of a subgroup take their room together\n"
	"  --ask-samples           and fragments which samples they cover\n"
	"  --values                atomics log their values, whatever they order\n"
	"  --environment N         the validator's environment, as in libspirv.h\n";

static bool parse_number(const char *text, uint32_t *value)
{
	char *end;
	errno = 0;
	unsigned long number = strtoul(text, &end, 0);
	*value = (uint32_t)number;
	return !errno && *text && !*end && number <= UINT32_MAX;
}

static bool parse_base(const char *text, uint64_t *base)
{
	char *end;
	errno = 0;
	*base = strtoull(text, &end, 0);
	return !errno && *text && !*end && !(uint32_t)*base;
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

// The structure is made of such numbers alone.
static bool add_mapping(struct command *command, const char *text)
{
	uint32_t *members = (uint32_t *)&command->mappings[command->mapping_count++];
	const size_t count = sizeof *command->mappings / sizeof *members;
	for (size_t i = 0; i < count; i++) {
		char *end;
		errno = 0;
		const unsigned long number = strtoul(text, &end, 0);
		if (errno || end == text || number > UINT32_MAX ||
		    *end != (i + 1 < count ? ':' : '\0'))
			return false;
		members[i] = (uint32_t)number;
		text = end + 1;
	}
	return true;
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
		return vkr_stage_named(argument, &options->stage);
	case 'd':
		return add_specialization(command, argument);
	case 'p':
		return parse_number(argument, &options->push_constant_offset);
	case 'b':
		return parse_number(argument, &options->block_set);
	case 'h':
		options->has_heaps = true;
		return parse_number(argument, &options->heap_set);
	case 'n':
		return add_mapping(command, argument);
	case 'r':
		return vkr_instrument_reductions(argument, &options->without);
	case 'c':
		return parse_base(argument, &options->log_base);
	case 'i':
		options->near_blocks = true;
		return true;
	case 'l':
		options->spills = true;
		return true;
	case 'x':
		options->exchanges = true;
		return true;
	case 'k':
		options->shares = true;
		return true;
	case 'm':
		options->asks_samples = true; // and asks
					      // fall through
	case 'a':
		options->asks = true;
		return true;
	case 'w':
		options->tells_values = true;
		return true;
	case 'v':
		return parse_number(argument, &options->environment);
	case 'g':
		return parse_number(argument, &options->tag) && options->tag;
	default:
		return false;
	}
}

static bool instrument_main_parse(int argc, char **argv, struct command *command)
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
		{"heaps", required_argument, NULL, 'h'},
		{"mapping", required_argument, NULL, 'n'},
		{"reduce", required_argument, NULL, 'r'},
		{"log-base", required_argument, NULL, 'c'},
		{"near-blocks", no_argument, NULL, 'i'},
		{"spill", no_argument, NULL, 'l'},
		{"exchange", no_argument, NULL, 'x'},
		{"ask", no_argument, NULL, 'a'},
		{"ask-samples", no_argument, NULL, 'm'},
		{"share", no_argument, NULL, 'k'},
		{"values", no_argument, NULL, 'w'},
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
	command->options.mappings = command->mappings;
	command->options.mapping_count = command->mapping_count;
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
	command.mappings = calloc((size_t)argc, sizeof *command.mappings);
	if (!command.specializations || !command.mappings) {
		fputs("vkrace instrument: out of memory\n", stderr);
		return 1;
	}
	if (!instrument_main_parse(argc, argv, &command)) {
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
	for (size_t i = 0; i < result.broken_count; i++)
		fprintf(stderr, "vkrace instrument: %s breaks a rule: %s\n", command.input,
			result.broken[i]);
	if (command.output &&
	    write_words(command.output, result.words, result.word_count, &error) != VKR_OK) {
		fprintf(stderr, "vkrace instrument: %s\n", error.message);
		goto done;
	}
	if (command.prints_sites) {
		vkr_print_sites(result.sites);
		for (size_t i = 0; i < result.unobserved_count; i++)
			printf("not observed: %s\n", result.unobserved[i]);
	}
	if (command.prints_summary)
		vkr_print_summary(result.sites);
	status = 0;
done:
	vkr_instrumented_finish(&result);
	free(command.specializations);
	free(command.mappings);
	free(words);
	return status;
}
