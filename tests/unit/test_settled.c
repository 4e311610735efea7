// SPDX-License-Identifier: Apache-2.0
// When all that is yet to be fed comes after what a command has read (standing.h). Knows only the
// engine's interface.
#include "engine_world.h"

#include "standing.h"

struct settling {
	struct world world;
	uint32_t read; // a command that is over, and which the host has waited for
};

static void begin(struct settling *of, enum vkr_engine_coming coming)
{
	struct world *world = &of->world;
	world_begin(world);
	world->coming = coming;
	of->read = world_command(world, world->queue);
	OK(vkr_engine_access_range(world->engine, of->read, world->copy_from, 1, 0, 4,
				   &world->error));
	vkr_engine_command_end(world->engine, of->read);
	world_pass(world, world->queue, world->thread, false);
}

static bool is_settled(const struct settling *of)
{
	return vkr_engine_is_settled(of->world.engine, of->read, TRANSFER, 1);
}

static void submissions_to_come_know_what_the_host_knows(void **state)
{
	struct settling of;
	(void)state;
	begin(&of, VKR_COMING_SUBMITTED);
	assert_true(is_settled(&of));
	const uint32_t more = world_command(&of.world, of.world.queue);
	vkr_engine_command_end(of.world.engine, more);
	of.read = more; // which the host has not waited for
	assert_false(is_settled(&of));
	world_end(&of.world);
}

static void what_was_submitted_knows_what_its_queue_does(void **state)
{
	struct settling of;
	(void)state;
	begin(&of, VKR_COMING_LATER);
	assert_false(is_settled(&of));
	world_pass(&of.world, of.world.thread, of.world.queue, true);
	assert_true(is_settled(&of));
	world_end(&of.world);
}

static void where_anything_may_come_nothing_is(void **state)
{
	struct settling of;
	(void)state;
	begin(&of, VKR_COMING_ANY);
	world_pass(&of.world, of.world.thread, of.world.queue, true);
	assert_false(is_settled(&of));
	world_end(&of.world);
}

static void every_queue_counts(void **state)
{
	struct settling of;
	uint32_t other;
	(void)state;
	begin(&of, VKR_COMING_LATER);
	OK(vkr_engine_queue(of.world.engine, 0, &other, &of.world.error));
	world_pass(&of.world, of.world.thread, of.world.queue, true);
	assert_false(is_settled(&of));
	world_pass(&of.world, of.world.thread, other, true);
	assert_true(is_settled(&of));
	world_end(&of.world);
}

static void commands_that_are_not_over_count(void **state)
{
	struct settling of;
	(void)state;
	begin(&of, VKR_COMING_SUBMITTED);
	const uint32_t before = world_command(&of.world, of.world.queue);
	assert_false(is_settled(&of));
	vkr_engine_command_end(of.world.engine, before);
	assert_true(is_settled(&of));
	world_end(&of.world);
}

static void put_dependency(struct settling *of, unsigned local)
{
	const struct vkr_engine_dependency dependency = {
		.source_stages = ALL_STAGES, .destination_stages = ALL_STAGES, .local = local};
	OK(vkr_engine_dependencies(of->world.engine, of->world.queue, 77, &dependency, 1,
				   &of->world.error));
}

static void other_places_count(void **state)
{
	struct settling of;
	(void)state;
	begin(&of, VKR_COMING_LATER);
	put_dependency(&of, VKR_ENGINE_BY_REGION);
	assert_false(is_settled(&of));
	put_dependency(&of, 0);
	assert_true(is_settled(&of));
	world_end(&of.world);
}

static void what_comes_after_a_section_counts(void **state)
{
	struct settling of;
	(void)state;
	begin(&of, VKR_COMING_LATER);
	struct world *world = &of.world;
	OK(vkr_engine_section_begin(world->engine, world->queue, 0, &world->error));
	of.read = world_command(world, world->queue);
	vkr_engine_command_end(world->engine, of.read);
	world_pass(world, world->queue, world->thread, false);
	put_dependency(&of, 0);
	assert_false(is_settled(&of));
	vkr_engine_section_end(world->engine, world->queue);
	assert_false(is_settled(&of));
	put_dependency(&of, 0);
	assert_true(is_settled(&of));
	world_end(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(submissions_to_come_know_what_the_host_knows),
		cmocka_unit_test(what_was_submitted_knows_what_its_queue_does),
		cmocka_unit_test(where_anything_may_come_nothing_is),
		cmocka_unit_test(every_queue_counts),
		cmocka_unit_test(commands_that_are_not_over_count),
		cmocka_unit_test(other_places_count),
		cmocka_unit_test(what_comes_after_a_section_counts)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
