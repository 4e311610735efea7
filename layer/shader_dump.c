// SPDX-License-Identifier: Apache-2.0
// Writing shaders to a folder. Knows files; not how shaders are rewritten.
#include "shader_dump.h"

#include "instrument.h"
#include "settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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

struct dump {
	const char *folder;
	char base[4096]; // without a suffix
};

static atomic_flag told = ATOMIC_FLAG_INIT;

// Other threads and processes may write the same file: it appears whole.
static FILE *begin(const struct dump *dump, const char *suffix, char *path, char *part,
		   size_t capacity)
{
	int length = snprintf(path, capacity, "%s.%s", dump->base, suffix);
	int part_length = snprintf(part, capacity, "%s.%s.%d-%lx", dump->base, suffix,
				   (int)getpid(), (unsigned long)(uintptr_t)path);
	if (length < 0 || part_length < 0 || (size_t)part_length >= capacity) {
		vkr_setting_wrong(&told, "DUMP_SHADERS", strerror(ENAMETOOLONG));
		return NULL;
	}
	FILE *file = fopen(part, "wbex");
	if (!file)
		vkr_setting_wrong(&told, "DUMP_SHADERS", strerror(errno));
	return file;
}

static void end(FILE *file, bool is_written, const char *path, const char *part)
{
	is_written &= !ferror(file);
	is_written &= fclose(file) == 0;
	if (!is_written || rename(part, path)) {
		unlink(part);
		vkr_setting_wrong(&told, "DUMP_SHADERS", "a shader could not be written");
	}
}

static void write_words(const struct dump *dump, const char *suffix, const uint32_t *words,
			size_t count)
{
	char path[4200], part[4200];
	FILE *file = begin(dump, suffix, path, part, sizeof path);
	if (file)
		end(file, fwrite(words, sizeof *words, count, file) == count, path, part);
}

static void write_arguments(const struct dump *dump, const char *stage,
			    const struct vkr_instrument_options *options)
{
	char path[4200], part[4200];
	FILE *file = begin(dump, "args", path, part, sizeof path);
	if (!file)
		return;
	fprintf(file, "--stage\n%s\n--entry\n%s\n--environment\n%" PRIu32 "\n", stage,
		options->entry_point, options->environment);
	if (options->block_set == VKR_INSTRUMENT_NO_SET)
		fprintf(file, "--push-constant\n%" PRIu32 "\n", options->push_constant_offset);
	else
		fprintf(file, "--block-set\n%" PRIu32 "\n", options->block_set);
	if (options->tag)
		fprintf(file, "--tag\n%" PRIu32 "\n", options->tag);
	const char *reductions = vkr_setting_text("REDUCE");
	if (reductions)
		fprintf(file, "--reduce\n%s\n", reductions);
	if (options->spills)
		fprintf(file, "--spill\n");
	if (options->asks)
		fprintf(file, options->asks_samples ? "--ask-samples\n" : "--ask\n");
	for (size_t i = 0; i < options->specialization_count; i++)
		fprintf(file, "--specialize\n%" PRIu32 "=%" PRIu64 "\n",
			options->specializations[i].id, options->specializations[i].value);
	end(file, true, path, part);
}

void vkr_shader_dump(const struct vkr_shader_use *use, uint64_t key,
		     const struct vkr_instrument_options *options,
		     const struct vkr_instrumented *made)
{
	struct dump dump = {.folder = vkr_setting_text("DUMP_SHADERS")};
	if (!dump.folder)
		return;
	size_t at = 0;
	while (at < STAGE_COUNT && stages[at].stage != use->stage)
		at++;
	char other[32];
	snprintf(other, sizeof other, "stage%x", (unsigned)use->stage);
	const char *suffix = at < STAGE_COUNT ? stages[at].suffix : other;
	mkdir(dump.folder, 0777); // or it is there
	int length = snprintf(dump.base, sizeof dump.base, "%s/%016" PRIx64 ".%s", dump.folder,
			      use->hash, suffix);
	size_t room = sizeof dump.base - (size_t)length;
	if (length < 0 || (size_t)length >= sizeof dump.base) {
		vkr_setting_wrong(&told, "DUMP_SHADERS", strerror(ENAMETOOLONG));
		return;
	}
	write_words(&dump, "spv", use->words, use->word_count);
	int more = snprintf(dump.base + length, room, ".%016" PRIx64, key);
	if (more < 0 || (size_t)more >= room)
		return;
	write_arguments(&dump, at < STAGE_COUNT ? stages[at].name : other, options);
	if (made && made->changed)
		write_words(&dump, "logged.spv", made->words, made->word_count);
}
