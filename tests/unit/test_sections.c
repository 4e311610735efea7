// SPDX-License-Identifier: Apache-2.0
// Sections: reads before one, and in it, are remembered beside each other where a scope takes in
// the one and not the other; and as one where none does.
#include "engine_world.h"

#define INSIDE UINT64_C(8)

static struct vkr_engine_mark *mark_here(struct world *world)
{
	struct vkr_engine_mark *mark = NULL;
	OK(vkr_engine_mark_create(world->engine, world->queue, &mark, &world->error));
	return mark;
}

static void put(struct world *world, const struct vkr_engine_mark *since, uint64_t from,
		uint64_t to)
{
	const struct vkr_engine_dependency dependency = {.source_stages = from,
							 .destination_stages = to};
	OK(vkr_engine_dependencies_since(world->engine, world->queue, since, 5, &dependency, 1,
					 &world->error));
}

static void begin_section(struct world *world)
{
	OK(vkr_engine_section_begin(world->engine, world->queue, INSIDE, &world->error));
}

static void read_word(struct world *world, uint32_t site)
{
	world_range(world, world->queue, site, 1, 0, 4);
}

// A read outside, some in a section, and a write that is behind those in the section alone: `late`,
// when the next read comes that makes the others superfluous where no scope tells them apart.
static void test_kept(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct world world;
		world_begin(&world);
		const uint32_t other =
			world_site(&world, COMPUTE, SHADER_READ, VKR_ENGINE_READ, 0, 0);
		read_word(&world, world.copy_from);
		begin_section(&world);
		read_word(&world, world.copy_from);
		if (!late) {
			read_word(&world, world.copy_from);
			read_word(&world, world.copy_from);
		}
		struct vkr_engine_mark *end = mark_here(&world);
		vkr_engine_section_end(world.engine, world.queue);
		put(&world, end, TRANSFER, TRANSFER);
		vkr_engine_sections_over(world.engine, world.queue);
		if (late)
			read_word(&world, other);
		put(&world, NULL, COMPUTE, TRANSFER);
		read_word(&world, other);
		put(&world, NULL, COMPUTE, TRANSFER);
		world_range(&world, world.queue, world.copy_to, 1, 0, 4);
		expect_race(&world, VKR_RACE_UNORDERED);
		vkr_engine_mark_drop(end);
		world_end(&world);
	}
}

// One section after the other, each with the same order behind it: shadow memory does not grow.
static void test_steady(void **state)
{
	struct world world;
	struct vkr_engine_statistics early = {0}, end = {0};
	(void)state;
	world_begin(&world);
	const uint32_t other = world_site(&world, COMPUTE, SHADER_READ, VKR_ENGINE_READ, 0, 0);
	const uint32_t inside = world_site(&world, INSIDE, SHADER_READ, VKR_ENGINE_READ, 0, 0);
	for (uint32_t section = 0; section < 1000; section++) {
		begin_section(&world);
		read_word(&world, inside);
		read_word(&world, inside);
		struct vkr_engine_mark *mark = mark_here(&world);
		vkr_engine_section_end(world.engine, world.queue);
		put(&world, mark, INSIDE, TRANSFER);
		vkr_engine_sections_over(world.engine, world.queue);
		vkr_engine_mark_drop(mark);
		read_word(&world, other);
		vkr_engine_statistics(world.engine, section < 100 ? &early : &end);
	}
	assert_int_equal(early.shadow_bytes, end.shadow_bytes);
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_steady),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
