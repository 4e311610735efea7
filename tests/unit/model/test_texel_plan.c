// SPDX-License-Identifier: Apache-2.0
// What is prepared for common accesses to texels says the same as the general way, of samples and
// fetches anywhere in images of several levels and formats, by all kinds of samplers. Knows one
// image and its memory.
#include "texel_plan.h"

#include "texel_reads.h"

#include "image_layout.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vulkan/vulkan_core.h>

#define LEVELS 8u
#define WORDS  9u // of a record: three coordinates with their gradients

// An image as the one variable of a shader is bound to it.
struct scene {
	struct vkr_memory memory;
	struct vkr_texel_level levels[LEVELS * VKR_IMAGE_PLANES];
	struct vkr_image image;
	struct vkr_image_view view;
	struct vkr_sampler sampler;
	struct {
		struct vkr_site_table table;
		struct vkr_variable variable;
	} sites;
	struct vkr_shader shader;
	struct vkr_program program;
	struct vkr_bound_block block;
	struct vkr_bound_block *blocks[1];
	struct vkr_bound_variable bound;
	struct vkr_dispatch_targets targets;
	struct vkr_texel texel;
	struct vkr_program_access access;
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static uint32_t below(uint32_t *state, uint32_t most)
{
	return next_random(state) % most;
}

static void make_scene(struct scene *scene, VkFormat format, uint32_t width, uint32_t height,
		       uint32_t mips, uint32_t layers, bool is_cube)
{
	struct vkr_image_packing packing;
	const struct vkr_image_shape shape = {.format = format,
					      .extent = {width, height, 1},
					      .mips = mips,
					      .layers = layers,
					      .samples = 1};
	memset(scene, 0, sizeof *scene);
	assert_true(mips <= LEVELS);
	assert_true(vkr_image_pack(&shape, &packing, scene->levels));
	scene->memory = (struct vkr_memory){.id = 1, .bytes = 2 * packing.bytes};
	scene->image = (struct vkr_image){.id = 1,
					  .format = format,
					  .type = VK_IMAGE_TYPE_2D,
					  .extent = {width, height, 1},
					  .mips = mips,
					  .layers = layers,
					  .samples = 1,
					  .aspects = VK_IMAGE_ASPECT_COLOR_BIT,
					  .plane_count = 1,
					  .packed = true};
	scene->image.planes[0] = (struct vkr_image_plane){.aspect = VK_IMAGE_ASPECT_COLOR_BIT,
							  .block = packing.planes[0].block,
							  .memory = &scene->memory,
							  .offset = 256,
							  .bytes = packing.bytes,
							  .levels = scene->levels};
	scene->view = (struct vkr_image_view){
		.id = 1,
		.type = is_cube      ? VK_IMAGE_VIEW_TYPE_CUBE
			: layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY
				     : VK_IMAGE_VIEW_TYPE_2D,
		.format = format,
		.image = &scene->image,
		.subresources = {.aspects = VK_IMAGE_ASPECT_COLOR_BIT,
				 .mip_count = mips,
				 .layer_count = layers},
		.block = vkr_format_block(format, VK_IMAGE_ASPECT_COLOR_BIT)};
	scene->sites.table.variable_count = 1;
	scene->sites.variable = (struct vkr_variable){
		.kind = VKR_VARIABLE_SAMPLED_IMAGE, .count = 1, .dim = is_cube ? 3 : 1};
	scene->shader.sites = &scene->sites.table;
	scene->program.shader = &scene->shader;
	scene->block.used = 1;
	scene->block.texels[0] = (struct vkr_bound_texels){
		.kind = VKR_BOUND_IMAGE,
		.view = &scene->view,
		.sampler = &scene->sampler,
		.plane_count = 1,
		.planes = {{.memory = 1, .reference = 1, .base = 256, .bytes = packing.bytes}}};
	scene->blocks[0] = &scene->block;
	scene->bound = (struct vkr_bound_variable){.count = 1, .blocks = scene->blocks};
	scene->targets = (struct vkr_dispatch_targets){.program = &scene->program,
						       .variables = &scene->bound};
	scene->access.texel = &scene->texel;
}

static void choose_sampler(struct scene *scene, uint32_t *random)
{
	static const float lods[] = {-3, -0.5f, 0, 0.25f, 0.5f, 1, 2.75f};
	struct vkr_trace_sampler *sampler = &scene->sampler.made;
	*sampler = (struct vkr_trace_sampler){
		.mag_filter = below(random, 2),
		.mip_mode = below(random, 2),
		.address = {below(random, 5), below(random, 5), 0},
		.mip_bias = below(random, 3) == 0 ? lods[below(random, 7)] : 0,
		.min_lod = below(random, 3) == 0 ? lods[below(random, 7)] : 0,
		.max_lod = below(random, 3) == 0 ? lods[below(random, 7)] : VK_LOD_CLAMP_NONE,
		.max_anisotropy = below(random, 6) == 0 ? 4 : 0,
		.chroma_filter = below(random, 8) == 0 ? VK_FILTER_LINEAR : UINT32_MAX};
	sampler->min_filter = below(random, 3) == 0 ? 1 - sampler->mag_filter : sampler->mag_filter;
	if (below(random, 4) == 0) {
		sampler->unnormalized = 1;
		sampler->min_filter = sampler->mag_filter;
	}
	scene->view.min_lod = below(random, 4) == 0 ? 0.75f : 0;
}

static void choose_texel(struct scene *scene, uint32_t *random, bool fetches)
{
	static const uint8_t sampled[] = {VKR_LEVEL_BASE, VKR_LEVEL_LOGGED, VKR_LEVEL_QUERIED,
					  VKR_LEVEL_GRADIENTS};
	struct vkr_texel *texel = &scene->texel;
	*texel = (struct vkr_texel){.form = fetches ? VKR_TEXEL_INTEGER : VKR_TEXEL_SAMPLE,
				    .level = sampled[below(random, fetches ? 2 : 4)],
				    .coordinates = scene->image.layers > 1 ? 3 : 2,
				    .sampler = UINT32_MAX};
	if (fetches && below(random, 2) == 0)
		texel->flags = VKR_TEXEL_PACKED;
	if (below(random, 3) == 0) {
		texel->offset_count = 1;
		texel->offset_components = 2;
		texel->offsets[0][0] = (int8_t)((int)below(random, 9) - 4);
		texel->offsets[0][1] = (int8_t)((int)below(random, 9) - 4);
	}
}

// Coordinates that follow from words of the record, each of itself or together with another one.
static void derive(struct scene *scene, uint32_t *random)
{
	static const float factors[] = {0, 1, -1, 0.5f, 3};
	struct vkr_texel *texel = &scene->texel;
	texel->flags = VKR_TEXEL_DERIVED;
	texel->level_spread = VKR_TEXEL_NO_WORD;
	if (texel->level == VKR_LEVEL_QUERIED && below(random, 2) == 0) {
		texel->flags |= VKR_TEXEL_LEVEL_NEAR;
		texel->level_spread = 3;
	}
	texel->level_word = texel->level == VKR_LEVEL_BASE ? VKR_TEXEL_NO_WORD : 2;
	for (uint32_t axis = 0; axis < 2; axis++)
		texel->parts[axis] = (struct vkr_texel_part){
			.word = below(random, 4) == 0 ? VKR_TEXEL_NO_WORD
						      : (uint8_t)below(random, 2),
			.scaled_word = below(random, 2) == 0 ? VKR_TEXEL_NO_WORD
							     : (uint8_t)below(random, 2),
			.factor = factors[below(random, 5)],
			.constant = below(random, 2) == 0 ? 0 : factors[below(random, 5)] / 4};
}

static uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

// Often where precision decides: at texels' edges and centres, at whole levels.
static float odd_float(uint32_t *random, float most, uint32_t steps)
{
	const float at = (float)below(random, steps + 1) / (float)steps;
	const float beside = (float)((int)below(random, 201) - 100) / 100;
	return below(random, 3) == 0 ? (3 * at - 1) * most
				     : at * most + beside * most / (float)steps;
}

// Where textures repeat: so far off that floats decide more than precision does, and beyond what
// anybody can say.
static float far_float(uint32_t *random, float near)
{
	static const float far[] = {1 << 8, 1 << 12, 1 << 15, 1 << 17, -(1 << 16), HUGE_VALF, NAN};
	return near + far[below(random, 7)];
}

// Directions, some of which are on edges or of no cube.
static void choose_direction(uint32_t *random, uint32_t record[WORDS])
{
	for (uint32_t axis = 0; axis < 3; axis++) {
		const float near = 2 * odd_float(random, 1, 16) - 1;
		record[axis] = bits_of(below(random, 16) == 0  ? far_float(random, near)
				       : below(random, 8) == 0 ? 0
							       : near);
	}
}

static void choose_record(const struct scene *scene, uint32_t *random, uint32_t record[WORDS])
{
	const struct vkr_texel *texel = &scene->texel;
	uint32_t at = 2;
	if (texel->form == VKR_TEXEL_SAMPLE) {
		for (uint32_t axis = 0; axis < 2; axis++) {
			const uint32_t size = scene->image.extent[axis];
			const float most = scene->sampler.made.unnormalized ? (float)size : 1;
			const float near = odd_float(random, most, 2 * size);
			record[axis] =
				bits_of(below(random, 4) == 0 ? far_float(random, near) : near);
		}
		if (scene->view.type == VK_IMAGE_VIEW_TYPE_CUBE) {
			choose_direction(random, record);
			at++;
		} else if (scene->image.layers > 1) {
			const float layer = odd_float(random, (float)scene->image.layers, 4);
			record[at++] =
				bits_of(below(random, 8) == 0 ? far_float(random, layer) : layer);
		}
		record[at++] = bits_of(odd_float(random, (float)scene->image.mips, 16));
		record[at++] = bits_of((float)below(random, 5) / 16);
		for (; at < WORDS; at++)
			record[at] = bits_of((float)below(random, 5) / 16);
		return;
	}
	record[0] = below(random, scene->image.extent[0] + 2);
	record[1] = below(random, scene->image.extent[1] + 2);
	if (texel->flags & VKR_TEXEL_PACKED) {
		record[0] |= record[1] << 16;
		at = 1;
	}
	if (scene->image.layers > 1)
		record[at++] = below(random, scene->image.layers + 1);
	record[at] = below(random, scene->image.mips + 1);
}

static bool has(const struct vkr_texel_places *places, uint64_t offset)
{
	for (uint32_t at = 0; at < places->count; at++)
		if (places->items[at].offset == offset)
			return true;
	return false;
}

// True where the plan says anything.
static bool compare(struct scene *scene, const struct vkr_texel_plan *plan, const uint32_t *record)
{
	static struct vkr_texel_places places;
	uint64_t offsets[VKR_PLAN_TEXELS];
	uint32_t count = 0;
	bool possible = false;
	if (!vkr_texel_plan_find(plan, record, offsets, &count, &possible))
		return false;
	vkr_texel_places_find(&scene->targets, &scene->access, record, &places);
	assert_int_equal(possible, places.possible != NULL);
	assert_int_equal(count, places.count);
	assert_true(count == 0 || plan->target == places.items[0].target);
	for (uint32_t at = 0; at < count; at++) {
		assert_true(has(&places, offsets[at]));
		assert_int_equal(plan->bytes, places.items[at].bytes);
	}
	return true;
}

// How many of the records of a kind the plans answer.
static uint32_t compare_many(struct scene *scene, uint32_t *random, bool fetches)
{
	struct vkr_texel_plan plan;
	uint32_t record[WORDS], answered = 0;
	for (uint32_t choice = 0; choice < 300; choice++) {
		choose_sampler(scene, random);
		choose_texel(scene, random, fetches);
		if (!fetches && scene->image.layers == 1 &&
		    scene->texel.level != VKR_LEVEL_GRADIENTS && below(random, 3) == 0)
			derive(scene, random);
		vkr_texel_plan_make(&scene->targets, &scene->access, 0, &plan);
		for (uint32_t at = 0; at < 100; at++) {
			choose_record(scene, random, record);
			answered += compare(scene, &plan, record);
		}
	}
	return answered;
}

static const struct {
	VkFormat format;
	uint32_t width, height, mips, layers;
	bool is_cube;
} images[] = {{VK_FORMAT_R8G8B8A8_UNORM, 32, 8, 6, 1, false},
	      {VK_FORMAT_R16_SFLOAT, 7, 5, 3, 1, false},
	      {VK_FORMAT_R32G32B32A32_SFLOAT, 1, 16, 5, 1, false},
	      {VK_FORMAT_R8_UNORM, 3, 1, 2, 1, false},
	      {VK_FORMAT_BC1_RGB_UNORM_BLOCK, 18, 12, 5, 1, false},
	      {VK_FORMAT_R8G8_UNORM, 16, 24, 5, 3, false},
	      {VK_FORMAT_BC1_RGB_UNORM_BLOCK, 20, 16, 3, 2, false},
	      {VK_FORMAT_R8G8B8A8_UNORM, 16, 16, 5, 6, true}};

static void test_same_as_general(void **state)
{
	struct scene *scene = malloc(sizeof *scene);
	uint32_t random = 1;
	(void)state;
	assert_non_null(scene);
	for (size_t at = 0; at < sizeof images / sizeof images[0]; at++) {
		make_scene(scene, images[at].format, images[at].width, images[at].height,
			   images[at].mips, images[at].layers, images[at].is_cube);
		// Of 30,000, though many are on edges or outside: a plan that says nothing would
		// pass.
		assert_true(compare_many(scene, &random, false) > 10000);
		assert_true(compare_many(scene, &random, true) > 1000);
	}
	free(scene);
}

// ---- Lanes --------------------------------------------------------------------------------------

// Who notes what a plan's samples read, in a filter of their own.
struct noting {
	struct vkr_texel_reads reads;
	struct vkr_replay replay;
	struct vkr_texel_reading reading;
	struct vkr_texel_read read;
	uint32_t lane;
};

static enum vkr_result note_by_lane(void *user, uint32_t filter, uint64_t offset)
{
	struct noting *noting = user;
	struct vkr_access_filters *filters = &noting->reads.filters;
	assert_int_not_equal(
		vkr_access_filter_note(filters, &filters->items[filter], offset, noting->lane),
		VKR_FILTER_NO_MEMORY);
	return VKR_OK;
}

static void select_lane(void *user, uint32_t lane)
{
	((struct noting *)user)->lane = lane;
}

static void begin_noting(struct noting *noting, struct scene *scene,
			 const struct vkr_texel_plan *plan, struct vkr_error *error)
{
	const struct vkr_engine_run like = {.target = plan->target};
	noting->read = (struct vkr_texel_read){.made = true, .plan = *plan};
	noting->reads.accesses.items = &noting->read;
	noting->reads.possible.count = 0;
	noting->replay = (struct vkr_replay){.reads = &noting->reads};
	noting->reading = (struct vkr_texel_reading){.replay = &noting->replay,
						     .program = &scene->program,
						     .targets = &scene->targets,
						     .error = error,
						     .apart = true,
						     .user = noting,
						     .note = note_by_lane,
						     .select = select_lane};
	assert_true(vkr_access_filters_begin(&noting->reads.filters, 1));
	noting->read.filter = vkr_access_filter(&noting->reads.filters, 0, &like, plan->bytes,
						vkr_low_bit(plan->bytes));
}

static void finish_noting(struct noting *noting)
{
	vkr_access_filters_finish(&noting->reads.filters);
	free(noting->reads.possible.items);
}

// Each place has been read by the same lane first, and the same may be read.
static void compare_notes(const struct noting *a, const struct noting *b)
{
	const struct vkr_access_filters *one = &a->reads.filters, *other = &b->reads.filters;
	size_t noted = 0, also = 0;
	assert_int_equal(a->reads.possible.count, b->reads.possible.count);
	assert_int_equal(one->items[0].pages.count, other->items[0].pages.count);
	for (size_t at = 0; vkr_access_filters_next(one, &at); at++)
		noted++;
	for (size_t at = 0; vkr_access_filters_next(other, &at); at++)
		also++;
	assert_int_equal(noted, also);
	for (uint64_t page = 0; page < one->items[0].pages.count; page++)
		for (uint32_t at = 0; at < VKR_FILTER_PAGE; at++) {
			const uint64_t offset = (page * VKR_FILTER_PAGE + at)
						<< one->items[0].shift;
			size_t x = 0, y = 0;
			if (!vkr_access_filter_knows(one, &one->items[0], offset))
				continue;
			assert_true(vkr_access_filter_knows(other, &other->items[0], offset));
			vkr_access_filter_at(&one->items[0], offset, &x);
			vkr_access_filter_at(&other->items[0], offset, &y);
			assert_int_equal(one->entries[x], other->entries[y]);
		}
}

// Records of lanes of which most have one level; false where a plan does not answer one of them.
static bool choose_lanes(struct scene *scene, const struct vkr_texel_plan *plan, uint32_t *random,
			 uint32_t records[VKR_READ_LANES][WORDS])
{
	const bool alike = below(random, 4) != 0;
	uint64_t offsets[VKR_PLAN_TEXELS];
	for (uint32_t lane = 0; lane < VKR_READ_LANES; lane++) {
		uint32_t count = 0;
		bool possible = false;
		choose_record(scene, random, records[lane]);
		if (plan->lod_word != VKR_PLAN_NO_WORD && alike && below(random, 40) != 0)
			records[lane][plan->lod_word] = records[0][plan->lod_word];
		if (!vkr_texel_plan_find(plan, records[lane], offsets, &count, &possible))
			return false;
	}
	return true;
}

// The words of records, column by column: once where all have the same.
static void make_columns(uint32_t records[VKR_READ_LANES][WORDS], uint32_t count,
			 uint32_t words[WORDS][VKR_READ_LANES],
			 struct vkr_texel_column columns[WORDS])
{
	for (uint32_t word = 0; word < WORDS; word++) {
		columns[word] = (struct vkr_texel_column){words[word], 0};
		for (uint32_t lane = 0; lane < count; lane++) {
			words[word][lane] = records[lane][word];
			if (words[word][lane] != words[word][0])
				columns[word].step = 1;
		}
	}
}

static uint32_t compare_lanes(struct scene *scene, uint32_t *random, struct noting *together,
			      struct noting *apart)
{
	uint32_t records[VKR_READ_LANES][WORDS], words[WORDS][VKR_READ_LANES], compared = 0;
	struct vkr_texel_plan plan;
	struct vkr_error error;
	for (uint32_t choice = 0; choice < 400; choice++) {
		choose_sampler(scene, random);
		choose_texel(scene, random, false);
		if (scene->image.layers == 1 && scene->texel.level != VKR_LEVEL_GRADIENTS &&
		    below(random, 3) == 0)
			derive(scene, random);
		vkr_texel_plan_make(&scene->targets, &scene->access, 0, &plan);
		if (plan.kind == VKR_PLAN_NONE || !choose_lanes(scene, &plan, random, records))
			continue;
		uint32_t record[WORDS];
		struct vkr_texel_column columns[WORDS];
		const struct vkr_texel_lanes_read lanes = {.columns = columns,
							   .words = WORDS,
							   .count = 1 +
								    below(random, VKR_READ_LANES),
							   .record = record};
		make_columns(records, lanes.count, words, columns);
		begin_noting(together, scene, &plan, &error);
		begin_noting(apart, scene, &plan, &error);
		assert_int_equal(
			vkr_texel_reads_note_lanes(&together->reading, &scene->access, &lanes),
			VKR_OK);
		for (apart->lane = 0; apart->lane < lanes.count; apart->lane++)
			assert_int_equal(vkr_texel_reads_note(&apart->reading, &scene->access,
							      records[apart->lane]),
					 VKR_OK);
		compare_notes(together, apart);
		compared++;
	}
	return compared;
}

// Lanes that read together note what each of them would note.
static void test_lanes(void **state)
{
	struct scene *scene = malloc(sizeof *scene);
	struct noting *together = calloc(1, sizeof *together), *apart = calloc(1, sizeof *apart);
	uint32_t random = 5;
	(void)state;
	assert_true(scene && together && apart);
	for (size_t at = 0; at < sizeof images / sizeof images[0]; at++) {
		make_scene(scene, images[at].format, images[at].width, images[at].height,
			   images[at].mips, images[at].layers, images[at].is_cube);
		scene->program.accesses = &scene->access;
		assert_true(compare_lanes(scene, &random, together, apart) > 100);
	}
	finish_noting(together);
	finish_noting(apart);
	free(scene);
	free(together);
	free(apart);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_general),
		cmocka_unit_test(test_lanes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
