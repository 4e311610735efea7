// SPDX-License-Identifier: Apache-2.0
// Order inside one dispatch: each rule of barriers, atomics, private accesses and references with
// its racy twin.
#include "control_barrier.h"
#include "engine_world.h"

#define FULL                                                                                       \
	(VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE | VKR_ORDER_MAKE_VISIBLE)
#define NONE VKR_RACE_NONE

static const struct vkr_engine_target buffer = {1, 1, 0, 65536}, alias = {1, 2, 0, 65536},
				      tile = {VKR_ENGINE_WORKGROUP, 3, 0, 1024};

static void dispatch(struct world *world)
{
	OK(vkr_engine_dispatch_begin(world->engine, world_command(world, world->queue), 64, 1024,
				     &world->error));
	OK(vkr_engine_workgroup(world->engine, 0, &world->error));
}

static void one(struct world *world, uint32_t site, uint32_t local, uint64_t offset,
		const struct vkr_engine_target *target)
{
	const struct vkr_engine_run run = {site, local, 1, 0, offset, target};
	OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
}

static void expect(struct world *world, enum vkr_race_class race_class, uint32_t shortfall)
{
	if (race_class == NONE) {
		expect_none(world);
	} else {
		expect_race(world, race_class);
		assert_int_equal(world->races[0].shortfall, shortfall);
	}
	world_end(world);
}

// A write, a barrier, an access by another invocation of the workgroup.
static void across(uint32_t first, uint32_t second, uint8_t scope, uint8_t order, uint8_t classes,
		   enum vkr_race_class expected, uint32_t shortfall)
{
	struct world world;
	world_begin(&world);
	first = world_site(&world, COMPUTE, SHADER_WRITE, first, 4, VKR_CLASS_UNIFORM);
	second = world_site(&world, COMPUTE, SHADER_WRITE, second, 4, VKR_CLASS_UNIFORM);
	dispatch(&world);
	one(&world, first, 0, 16, &buffer);
	if (scope != UINT8_MAX)
		OK(control_barrier(world.engine, scope, order, classes, &world.error));
	one(&world, second, 1, 16, &buffer);
	if (expected != NONE) {
		assert_int_equal(world.races[0].first.local, 0);
		assert_int_equal(world.races[0].second.local, 1);
		assert_int_equal(world.races[0].offset, 16);
		assert_int_equal(world.races[0].bytes, 4);
	}
	expect(&world, expected, shortfall);
}

static void test_barriers(void **state)
{
	const uint32_t get = VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE;
	const uint32_t put = VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE;
	const uint8_t group = VKR_SCOPE_WORKGROUP, u = VKR_CLASS_UNIFORM;
	const uint8_t order = VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE;
	(void)state;
	across(put, get, group, FULL, u, NONE, 0);
	across(put, get, VKR_SCOPE_DEVICE, FULL, u, NONE, 0);
	across(put, get, UINT8_MAX, 0, 0, VKR_RACE_UNORDERED, VKR_SHORT_NO_BARRIER);
	across(put, get, group, 0, 0, VKR_RACE_UNORDERED, VKR_SHORT_BARRIER_SEMANTICS);
	across(put, get, group, FULL, VKR_CLASS_WORKGROUP, VKR_RACE_UNORDERED,
	       VKR_SHORT_BARRIER_SEMANTICS);
	across(put, get, VKR_SCOPE_SUBGROUP, FULL, u, VKR_RACE_UNORDERED,
	       VKR_SHORT_BARRIER_SEMANTICS);
	across(put, get, group, VKR_ORDER_ACQUIRE, u, VKR_RACE_UNORDERED,
	       VKR_SHORT_BARRIER_SEMANTICS);
	across(put, get, group, order, u, VKR_RACE_UNAVAILABLE, VKR_SHORT_BARRIER_AVAILABLE);
	across(put, get, group, order | VKR_ORDER_MAKE_AVAILABLE, u, VKR_RACE_INVISIBLE,
	       VKR_SHORT_BARRIER_VISIBLE);
	across(put, put, group, order | VKR_ORDER_MAKE_AVAILABLE, u, NONE, 0);
	across(put, put, group, order, u, VKR_RACE_UNAVAILABLE, VKR_SHORT_BARRIER_AVAILABLE);
	across(get, put, group, order, u, NONE, 0);
	across(get, put, UINT8_MAX, 0, 0, VKR_RACE_UNORDERED, VKR_SHORT_NO_BARRIER);
	across(put, put, UINT8_MAX, 0, 0, VKR_RACE_UNORDERED, VKR_SHORT_NO_BARRIER);
	// Availability and visibility on the instructions themselves.
	across(put | VKR_ENGINE_MAKE_AVAILABLE, get | VKR_ENGINE_MAKE_VISIBLE, group, order, u,
	       NONE, 0);
	across(put | VKR_ENGINE_MAKE_AVAILABLE, get, group, order, u, VKR_RACE_INVISIBLE,
	       VKR_SHORT_BARRIER_VISIBLE);
	// Private accesses are ordered by no barrier.
	across(VKR_ENGINE_WRITE, get, group, FULL, u, VKR_RACE_PRIVATE, VKR_SHORT_PRIVATE_ACCESS);
	across(put, VKR_ENGINE_READ, group, FULL, u, VKR_RACE_PRIVATE, VKR_SHORT_PRIVATE_ACCESS);
}

// Available at one barrier, visible at a later one; the other way round is too late.
static void test_two_barriers(void **state)
{
	const uint8_t order = VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE;
	(void)state;
	for (int swapped = 0; swapped < 2; swapped++) {
		struct world world;
		world_begin(&world);
		dispatch(&world);
		one(&world, world.store, 0, 0, &buffer);
		for (int i = 0; i < 2; i++)
			OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP,
					   order | (i == swapped ? VKR_ORDER_MAKE_AVAILABLE
								 : VKR_ORDER_MAKE_VISIBLE),
					   VKR_CLASS_UNIFORM, &world.error));
		one(&world, world.load, 1, 0, &buffer);
		expect(&world, swapped ? VKR_RACE_INVISIBLE : NONE, VKR_SHORT_BARRIER_VISIBLE);
	}
}

static void test_workgroups(void **state)
{
	(void)state;
	for (uint32_t group = 0; group < 2; group++) {
		struct world world;
		world_begin(&world);
		dispatch(&world);
		one(&world, world.store, 5, 0, &buffer);
		one(&world, world.store, 6, 0, &tile);
		OK(control_barrier(world.engine, VKR_SCOPE_DEVICE, FULL, VKR_CLASS_UNIFORM,
				   &world.error));
		if (group)
			OK(vkr_engine_workgroup(world.engine, group, &world.error));
		one(&world, world.load, 5, 0, group ? &buffer : &alias);
		// Workgroup memory is another place in each workgroup.
		one(&world, world.store, group ? 5 : 6, 0, &tile);
		expect(&world, group ? VKR_RACE_UNORDERED : VKR_RACE_REFERENCE,
		       group ? VKR_SHORT_OTHER_WORKGROUP : VKR_SHORT_OTHER_REFERENCE);
	}
}

// A uniform read by all of a workgroup, then a write by one of them.
static void test_read_by_all(void **state)
{
	(void)state;
	for (int barrier = 0; barrier < 2; barrier++) {
		for (uint32_t writer = 0; writer < 3; writer++) {
			struct world world;
			struct vkr_engine_run all = {0, 0, 64, 0, 0, &buffer};
			world_begin(&world);
			all.site = world.load;
			dispatch(&world);
			OK(vkr_engine_runs(world.engine, &all, 1, &world.error));
			if (barrier)
				OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP, FULL,
						   VKR_CLASS_UNIFORM, &world.error));
			one(&world, world.store, writer, 0, &buffer);
			if (!barrier)
				assert_int_not_equal(world.races[0].first.local, writer);
			expect(&world, barrier ? NONE : VKR_RACE_UNORDERED, VKR_SHORT_NO_BARRIER);
		}
	}
}

// The classic: the next fill of a tile overtakes readers of the last one.
static void test_tile_loop(void **state)
{
	(void)state;
	for (int second = 0; second < 2; second++) {
		struct world world;
		uint32_t load, store;
		world_begin(&world);
		load = world_site(&world, COMPUTE, SHADER_READ,
				  VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 4, VKR_CLASS_WORKGROUP);
		store = world_site(&world, COMPUTE, SHADER_WRITE,
				   VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, 4,
				   VKR_CLASS_WORKGROUP);
		dispatch(&world);
		for (int turn = 0; turn < 3; turn++) {
			const struct vkr_engine_run fill = {store, 0, 64, 4, 0, &tile};
			OK(vkr_engine_runs(world.engine, &fill, 1, &world.error));
			OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP, FULL,
					   VKR_CLASS_WORKGROUP, &world.error));
			for (uint64_t i = 0; i < 64; i++) {
				const struct vkr_engine_run read = {load, 0, 64, 0, 4 * i, &tile};
				OK(vkr_engine_runs(world.engine, &read, 1, &world.error));
			}
			if (second)
				OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP, FULL,
						   VKR_CLASS_WORKGROUP, &world.error));
		}
		expect(&world, second ? NONE : VKR_RACE_UNORDERED, VKR_SHORT_NO_BARRIER);
	}
}

static uint32_t atomic(struct world *world, uint8_t scope, uint32_t bytes)
{
	const struct vkr_engine_site site = {.stage = COMPUTE,
					     .access = SHADER_WRITE,
					     .flags = VKR_ENGINE_READ | VKR_ENGINE_WRITE |
						      VKR_ENGINE_ATOMIC,
					     .bytes = bytes,
					     .storage_class = VKR_CLASS_UNIFORM,
					     .scope = scope};
	uint32_t id;
	OK(vkr_engine_site_add(world->engine, &site, &id, &world->error));
	return id;
}

static void atomics(uint8_t scope, uint32_t bytes, const struct vkr_engine_target *target,
		    uint32_t group, enum vkr_race_class expected, uint32_t shortfall)
{
	struct world world;
	uint32_t first, second;
	world_begin(&world);
	first = atomic(&world, scope, 4);
	second = atomic(&world, scope, bytes);
	dispatch(&world);
	one(&world, first, 0, 0, &buffer);
	if (group)
		OK(vkr_engine_workgroup(world.engine, group, &world.error));
	one(&world, second, 1, 0, target);
	expect(&world, expected,
	       shortfall | (group ? VKR_SHORT_OTHER_WORKGROUP : VKR_SHORT_NO_BARRIER));
}

static void test_atomics(void **state)
{
	(void)state;
	atomics(VKR_SCOPE_QUEUE_FAMILY, 4, &buffer, 1, NONE, 0);
	atomics(VKR_SCOPE_WORKGROUP, 4, &buffer, 0, NONE, 0);
	atomics(VKR_SCOPE_WORKGROUP, 4, &buffer, 1, VKR_RACE_SCOPE, VKR_SHORT_ATOMIC_SCOPE);
	atomics(VKR_SCOPE_QUEUE_FAMILY, 4, &alias, 0, VKR_RACE_REFERENCE,
		VKR_SHORT_OTHER_REFERENCE);
	atomics(VKR_SCOPE_QUEUE_FAMILY, 8, &buffer, 0, VKR_RACE_UNORDERED, VKR_SHORT_ATOMIC_BYTES);
}

// Atomics by several, a plain write before and a plain read after, by one of them.
static void test_atomic_and_plain(void **state)
{
	(void)state;
	for (int barriers = 0; barriers < 4; barriers++) {
		struct world world;
		uint32_t add;
		world_begin(&world);
		add = atomic(&world, VKR_SCOPE_QUEUE_FAMILY, 4);
		dispatch(&world);
		one(&world, world.store, 1, 0, &buffer);
		if (barriers & 1)
			OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP, FULL,
					   VKR_CLASS_UNIFORM, &world.error));
		one(&world, add, 0, 0, &buffer);
		one(&world, add, 1, 0, &buffer);
		if (barriers & 2)
			OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP, FULL,
					   VKR_CLASS_UNIFORM, &world.error));
		one(&world, world.load, 1, 0, &buffer);
		assert_int_equal(world.race_count, !(barriers & 1) + !(barriers & 2));
		world_end(&world);
	}
}

// One instruction that goes through several references in turn: each of its accesses is by its own.
static void test_references_in_turn(void **state)
{
	const struct vkr_engine_target first = {1, 5, 0, 65536}, other = {1, 0, 0, 65536};
	(void)state;
	for (uint32_t by_other = 0; by_other < 2; by_other++) {
		struct world world;
		world_begin(&world);
		const uint32_t put =
			world_site(&world, COMPUTE, SHADER_WRITE,
				   VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, 4, VKR_CLASS_UNIFORM);
		const uint32_t get =
			world_site(&world, COMPUTE, SHADER_WRITE,
				   VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 4, VKR_CLASS_UNIFORM);
		dispatch(&world);
		one(&world, put, 0, 16, &first);
		one(&world, put, 1, 32, &other);
		one(&world, put, 2, 48, &first);
		OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP, FULL, VKR_CLASS_UNIFORM,
				   &world.error));
		one(&world, get, 3, 16, &first);
		one(&world, get, 3, 48, &first);
		one(&world, get, 3, 32, by_other ? &other : &first);
		expect(&world, by_other ? NONE : VKR_RACE_REFERENCE, VKR_SHORT_OTHER_REFERENCE);
	}
}

// An atomic of a subgroup's scope and, behind a barrier that makes nothing available or visible,
// another access, by invocations first to last: what it does in the domain of its subgroup, of four
// invocations, the others of these see, and nobody else.
static void near(bool atomic_first, uint32_t flags, uint32_t last, enum vkr_race_class expected)
{
	const uint32_t plain = flags | VKR_ENGINE_NONPRIVATE;
	struct world world;
	world_begin(&world);
	const uint32_t sites[] = {
		atomic(&world, VKR_SCOPE_SUBGROUP, 4),
		world_site(&world, COMPUTE, SHADER_WRITE, plain, 4, VKR_CLASS_UNIFORM)};
	dispatch(&world);
	vkr_engine_subgroups(world.engine, 4);
	one(&world, sites[!atomic_first], 0, 16, &buffer);
	OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP, VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE,
			   VKR_CLASS_UNIFORM, &world.error));
	one(&world, sites[atomic_first], last, 16, &buffer);
	if (expected == NONE)
		expect_none(&world);
	else
		expect_race(&world, expected);
	world_end(&world);
}

static void test_near_atomics(void **state)
{
	const uint32_t seen = VKR_ENGINE_READ | VKR_ENGINE_MAKE_VISIBLE;
	const uint32_t given = VKR_ENGINE_WRITE | VKR_ENGINE_MAKE_AVAILABLE;
	(void)state;
	near(true, seen, 3, NONE);
	near(true, seen, 4, VKR_RACE_UNAVAILABLE);
	near(true, VKR_ENGINE_READ, 3, VKR_RACE_INVISIBLE);
	near(true, given, 3, NONE);
	near(true, given, 4, VKR_RACE_UNAVAILABLE);
	near(false, given, 3, NONE);
	near(false, given, 4, NONE); // it is a write, too, which asks for no visibility
	near(false, VKR_ENGINE_WRITE, 3, VKR_RACE_UNAVAILABLE);
	// And others that are coherent in their subgroup.
	near(true, VKR_ENGINE_READ | VKR_ENGINE_NEAR_VISIBLE, 3, NONE);
	near(true, VKR_ENGINE_READ | VKR_ENGINE_NEAR_VISIBLE, 4, VKR_RACE_UNAVAILABLE);
	near(false, VKR_ENGINE_WRITE | VKR_ENGINE_NEAR_AVAILABLE, 3, NONE);
	near(false, VKR_ENGINE_WRITE | VKR_ENGINE_NEAR_AVAILABLE, 4, VKR_RACE_UNAVAILABLE);
}

// All read what an atomic of the first two's subgroup has written, and what somebody else wrote
// over it leaves it to the others.
static void test_near_atomic_and_others(void **state)
{
	(void)state;
	for (unsigned written = 0; written < 2; written++) {
		struct world world;
		world_begin(&world);
		const uint32_t near_site = atomic(&world, VKR_SCOPE_SUBGROUP, 4);
		const uint32_t read = world_site(&world, COMPUTE, SHADER_READ,
						 VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE |
							 VKR_ENGINE_MAKE_VISIBLE,
						 4, VKR_CLASS_UNIFORM);
		const uint32_t write = world_site(&world, COMPUTE, SHADER_WRITE,
						  VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE |
							  VKR_ENGINE_MAKE_AVAILABLE,
						  4, VKR_CLASS_UNIFORM);
		const struct vkr_engine_run all = {read, 0, 8, 0, 16, &buffer};
		dispatch(&world);
		vkr_engine_subgroups(world.engine, 4);
		one(&world, near_site, 0, 16, &buffer);
		if (written) {
			OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP,
					   VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE, VKR_CLASS_UNIFORM,
					   &world.error));
			one(&world, write, 1, 16, &buffer);
			expect_none(&world);
		}
		OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP,
				   VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE, VKR_CLASS_UNIFORM,
				   &world.error));
		OK(vkr_engine_runs(world.engine, &all, 1, &world.error));
		expect_race(&world, VKR_RACE_UNAVAILABLE);
		assert_int_equal(world.races[0].second.local, 4);
		world_end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near_atomics),
		cmocka_unit_test(test_near_atomic_and_others),
		cmocka_unit_test(test_barriers),
		cmocka_unit_test(test_two_barriers),
		cmocka_unit_test(test_workgroups),
		cmocka_unit_test(test_read_by_all),
		cmocka_unit_test(test_tile_loop),
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_references_in_turn),
		cmocka_unit_test(test_atomic_and_plain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
