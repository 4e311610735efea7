// SPDX-License-Identifier: Apache-2.0
// Writing shaders to a folder. Knows files; not how shaders are rewritten.
#include "shader_dump.h"

#include "instrument.h"
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
	VkShaderStageFlagBits stage;
	const char *suffix, *name; // of the file; as `vkrace instrument` has it
} stages[] = {
	{VK_SHADER_STAGE_VERTEX_BIT, "vert", "vertex"},
	{VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, "tesc", "tessellation-control"},
	{VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, "tese", "tessellation-evaluation"},
	{VK_SHADER_STAGE_GEOMETRY_BIT, "geom", "geometry"},
	{VK_SHADER_STAGE_FRAGMENT_BIT, "frag", "fragment"},
	{VK_SHADER_STAGE_COMPUTE_BIT, "comp", "compute"},
	{VK_SHADER_STAGE_TASK_BIT_NV, "task", "task"}, // the EXT stages have the same values
	{VK_SHADER_STAGE_MESH_BIT_NV, "mesh", "mesh"},
	{VK_SHADER_STAGE_RAYGEN_BIT_KHR, "rgen", "ray-generation"},
	{VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "rahit", "any-hit"},
	{VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "rchit", "closest-hit"},
	{VK_SHADER_STAGE_MISS_BIT_KHR, "rmiss", "miss"},
	{VK_SHADER_STAGE_INTERSECTION_BIT_KHR, "rint", "intersection"},
	{VK_SHADER_STAGE_CALLABLE_BIT_KHR, "rcall", "callable"},
};
#define STAGE_COUNT (sizeof stages / sizeof *stages)

static atomic_flag told = ATOMIC_FLAG_INIT;

// A file of a dump that is being written. Other threads and processes may write the same: it
// appears whole, under its own name when it is.
struct file {
	FILE *stream;
	char *path, *part;
};

static void forget_file(struct file *file)
{
	free(file->path);
	free(file->part);
}

// `base`: the path without a suffix. False, after a message, if the file cannot be written.
static bool begin_file(struct file *file, const char *base, const char *suffix)
{
	*file = (struct file){.stream = NULL};
	if (asprintf(&file->path, "%s.%s", base, suffix) < 0)
		file->path = NULL;
	if (!file->path || asprintf(&file->part, "%s.%d-%lx", file->path, (int)getpid(),
				    (unsigned long)(uintptr_t)file) < 0)
		file->part = NULL;
	const int made =
		file->part ? open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	file->stream = made >= 0 ? fdopen(made, "wb") : NULL;
	if (made >= 0 && !file->stream)
		close(made);
	if (file->stream)
		return true;
	vkr_setting_wrong(&told, VKR_SETTING_DUMP_SHADERS, strerror(file->part ? errno : ENOMEM));
	forget_file(file);
	return false;
}

static void shader_dump_end(struct file *file, bool is_written)
{
	is_written &= !ferror(file->stream);
	is_written &= fclose(file->stream) == 0;
	if (!is_written || rename(file->part, file->path)) {
		unlink(file->part);
		vkr_setting_wrong(&told, VKR_SETTING_DUMP_SHADERS, "a shader could not be written");
	}
	forget_file(file);
}

static void write_words(const char *base, const char *suffix, const uint32_t *words, size_t count)
{
	struct file file;
	if (begin_file(&file, base, suffix))
		shader_dump_end(&file, fwrite(words, sizeof *words, count, file.stream) == count);
}

// The structure is made of such numbers alone.
static void write_mapping(FILE *file, const struct vkr_heap_mapping *mapping)
{
	const uint32_t *members = (const uint32_t *)mapping;
	const size_t count = sizeof *mapping / sizeof *members;
	fprintf(file, "--mapping\n");
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%" PRIu32 "%c", members[i], i + 1 < count ? ':' : '\n');
}

static void write_arguments(const char *base, const char *stage,
			    const struct vkr_instrument_options *options)
{
	struct file of;
	if (!begin_file(&of, base, "args"))
		return;
	FILE *file = of.stream;
	fprintf(file, "--stage\n%s\n--entry\n%s\n--environment\n%" PRIu32 "\n", stage,
		options->entry_point, options->environment);
	if (options->has_heaps)
		fprintf(file, "--heaps\n%" PRIu32 "\n", options->heap_set);
	for (size_t i = 0; i < options->mapping_count; i++)
		write_mapping(file, &options->mappings[i]);
	if (options->block_set == VKR_INSTRUMENT_NO_SET)
		fprintf(file, "--push-constant\n%" PRIu32 "\n", options->push_constant_offset);
	else
		fprintf(file, "--block-set\n%" PRIu32 "\n", options->block_set);
	if (options->tag)
		fprintf(file, "--tag\n%" PRIu32 "\n", options->tag);
	const char *reductions = vkr_setting_text(VKR_SETTING_REDUCE);
	if (reductions)
		fprintf(file, "--reduce\n%s\n", reductions);
	if (options->log_base)
		fprintf(file, "--log-base\n0x%" PRIx64 "\n", options->log_base);
	if (options->near_blocks)
		fprintf(file, "--near-blocks\n");
	if (options->spills)
		fprintf(file, "--spill\n");
	if (options->exchanges)
		fprintf(file, "--exchange\n");
	if (options->shares)
		fprintf(file, "--share\n");
	if (options->asks)
		fprintf(file, options->asks_samples ? "--ask-samples\n" : "--ask\n");
	if (options->tells_values)
		fprintf(file, "--values\n");
	for (size_t i = 0; i < options->specialization_count; i++)
		fprintf(file, "--specialize\n%" PRIu32 "=%" PRIu64 "\n",
			options->specializations[i].id, options->specializations[i].value);
	shader_dump_end(&of, true);
}

void vkr_shader_dump(const struct vkr_shader_use *use, uint64_t key,
		     const struct vkr_instrument_options *options,
		     const struct vkr_instrumented *made)
{
	const char *folder = vkr_setting_text(VKR_SETTING_DUMP_SHADERS);
	if (!folder)
		return;
	size_t at = 0;
	while (at < STAGE_COUNT && stages[at].stage != use->stage)
		at++;
	char other[32];
	snprintf(other, sizeof other, "stage%x", (unsigned)use->stage);
	const char *suffix = at < STAGE_COUNT ? stages[at].suffix : other;
	char *plain = NULL, *with_key = NULL;
	mkdir(folder, 0700); // or it is there
	if (asprintf(&plain, "%s/%016" PRIx64 ".%s", folder, use->hash, suffix) < 0)
		plain = NULL;
	if (!plain || asprintf(&with_key, "%s.%016" PRIx64, plain, key) < 0)
		with_key = NULL;
	if (with_key) {
		write_words(plain, "spv", use->words, use->word_count);
		write_arguments(with_key, at < STAGE_COUNT ? stages[at].name : other, options);
		if (made && made->changed)
			write_words(with_key, "logged.spv", made->words, made->word_count);
	} else {
		vkr_setting_wrong(&told, VKR_SETTING_DUMP_SHADERS, strerror(ENOMEM));
	}
	free(plain);
	free(with_key);
}
