// SPDX-License-Identifier: Apache-2.0
// Random summaries, judged in parts: what a block of workgroups that may be passed over accesses,
// each invocation alone, must be another part's memory, or have been read by the same site before.
// Knows operations and one buffer; nothing of shaders.
#include "summary_reach.h"

#include "../engine_world.h"
#include "shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGISTERS  8u
#define OPERATIONS 24u
#define SITES      4u
#define PARTS      4u
#define BYTES      32768u // of a target
#define GROUPS     8u     // along x, and half as many along y
#define LOCALS     4u     // and of these
#define STEPS_MOST 200u

struct program {
	struct {
		struct vkr_site_table table;
		struct vkr_variable variables[1];
		struct vkr_site sites[SITES];
		struct vkr_summary_operation operations[OPERATIONS];
	} sites;
	struct vkr_shader shader;
	struct vkr_program program;
	struct vkr_program_access accesses[SITES], *by_site[SITES];
	struct vkr_bound_block block, *blocks[1];
	struct vkr_bound_variable bound;
	struct vkr_dispatch_targets targets;
	bool writes[SITES];
};

// What fed workgroups have accessed.
struct fed {
	bool read[SITES][BYTES];
	bool written;
};

struct invocation {
	uint32_t group[2], local[2];
};

// ---- Programs -----------------------------------------------------------------------------------

static struct vkr_summary_operation random_operation(uint64_t *random, uint32_t at)
{
	static const uint32_t numbers[] = {0,  1,  2,   3,   4,    5,     7,         8,
					   16, 64, 256, 512, 4096, 16383, UINT32_MAX};
	static const uint8_t codes[] = {VKR_SUMMARY_MOVE,
					VKR_SUMMARY_SELECT,
					VKR_SUMMARY_ADD,
					VKR_SUMMARY_ADD,
					VKR_SUMMARY_SUBTRACT,
					VKR_SUMMARY_MULTIPLY,
					VKR_SUMMARY_MULTIPLY,
					VKR_SUMMARY_SHIFT_LEFT,
					VKR_SUMMARY_SHIFT_RIGHT,
					VKR_SUMMARY_SHIFT_RIGHT_SIGNED,
					VKR_SUMMARY_AND,
					VKR_SUMMARY_OR,
					VKR_SUMMARY_XOR,
					VKR_SUMMARY_DIVIDE,
					VKR_SUMMARY_REMAINDER,
					VKR_SUMMARY_DIVIDE_SIGNED,
					VKR_SUMMARY_EQUAL,
					VKR_SUMMARY_REMAINDER_SIGNED,
					VKR_SUMMARY_NOT_EQUAL,
					VKR_SUMMARY_LESS,
					VKR_SUMMARY_LESS_EQUAL,
					VKR_SUMMARY_LESS_SIGNED,
					VKR_SUMMARY_LESS_EQUAL_SIGNED};
	struct vkr_summary_operation made = {.result = world_random(random, REGISTERS),
					     .a = world_random(random, REGISTERS),
					     .b = world_random(random, REGISTERS),
					     .c = world_random(random, REGISTERS)};
	switch (world_random(random, 8)) {
	case 0:
		made.code = VKR_SUMMARY_CONSTANT;
		made.a = numbers[world_random(random, sizeof numbers / sizeof *numbers)];
		break;
	case 1:
		made.code = world_random(random, 3) ? VKR_SUMMARY_GROUP : VKR_SUMMARY_LOCAL;
		made.a %= 2;
		break;
	case 2:
		made.code = VKR_SUMMARY_BRANCH;
		// Ahead, and now and then back.
		made.b = world_random(random, 8) ? at + 1 + world_random(random, OPERATIONS - at)
						 : world_random(random, at + 1);
		made.c = at + 1 + world_random(random, OPERATIONS - at);
		made.b = made.b < OPERATIONS ? made.b : OPERATIONS - 1;
		made.c = made.c < OPERATIONS ? made.c : OPERATIONS - 1;
		break;
	case 3:
		made.code = VKR_SUMMARY_ACCESS;
		made.a = world_random(random, SITES);
		break;
	default:
		made.code = codes[world_random(random, sizeof codes)];
		break;
	}
	return made;
}

// An access at a place that follows from numbers below 0: (x - few) OPERATION (few or y), times
// much, around the middle.
static void put_signed(struct vkr_summary_operation *operations, uint64_t *random)
{
	static const uint8_t codes[] = {VKR_SUMMARY_MULTIPLY,           VKR_SUMMARY_SHIFT_LEFT,
					VKR_SUMMARY_SHIFT_RIGHT_SIGNED, VKR_SUMMARY_DIVIDE_SIGNED,
					VKR_SUMMARY_REMAINDER_SIGNED,   VKR_SUMMARY_LESS_SIGNED};
	const uint32_t axis = world_random(random, 2);
	const struct vkr_summary_operation made[] = {
		{.code = VKR_SUMMARY_GROUP, .result = 0, .a = axis},
		{.code = VKR_SUMMARY_CONSTANT,
		 .result = 1,
		 .a = world_random(random, 2) * world_random(random, 9)},
		{.code = VKR_SUMMARY_SUBTRACT, .result = 2, .a = 0, .b = 1},
		{.code = VKR_SUMMARY_CONSTANT, .result = 3, .a = 1 + world_random(random, 5)},
		{.code = VKR_SUMMARY_LOCAL, .result = 4, .a = world_random(random, 2)},
		{.code = VKR_SUMMARY_ADD,
		 .result = 4,
		 .a = 4,
		 .b = world_random(random, 2) ? 0 : 3},
		{.code = codes[world_random(random, sizeof codes)],
		 .result = 2,
		 .a = 2,
		 .b = 3 + world_random(random, 2)},
		{.code = VKR_SUMMARY_CONSTANT, .result = 5, .a = 256u << world_random(random, 5)},
		{.code = VKR_SUMMARY_MULTIPLY, .result = 2, .a = 2, .b = 5},
		{.code = VKR_SUMMARY_CONSTANT, .result = 5, .a = BYTES / 2},
		{.code = VKR_SUMMARY_ADD, .result = 2, .a = 2, .b = 5},
		{.code = VKR_SUMMARY_ACCESS, .a = world_random(random, SITES), .b = 2},
	};
	memcpy(operations, made, sizeof made);
}

static void make_program(struct program *of, struct world *world, uint64_t *random)
{
	static const uint32_t sizes[] = {1, 4, 4, 4, 8, 12, 16};
	*of = (struct program){.shader = {.sites = &of->sites.table},
			       .program = {.shader = &of->shader, .by_site = of->by_site},
			       .blocks = {&of->block},
			       .bound = {.count = 1, .blocks = of->blocks}};
	of->sites.table.variable_count = 1;
	of->sites.table.site_count = SITES;
	of->sites.table.summary_count = OPERATIONS;
	of->sites.table.summary_registers = REGISTERS;
	for (unsigned axis = 0; axis < 3; axis++)
		of->sites.table.workgroup_size[axis] = axis == 0   ? LOCALS
						       : axis == 1 ? LOCALS / 2
								   : 1;
	of->sites.variables[0].kind = VKR_VARIABLE_BUFFER;
	of->block.used = 1;
	of->block.targets[0] = (struct vkr_engine_target){1, 1, 4096 - 8, BYTES};
	of->targets =
		(struct vkr_dispatch_targets){.program = &of->program, .variables = &of->bound};
	for (uint32_t at = 0; at < OPERATIONS; at++)
		of->sites.operations[at] = random_operation(random, at);
	// Most often some product of a group's number, so that groups are apart.
	of->sites.operations[0] = (struct vkr_summary_operation){
		.code = VKR_SUMMARY_GROUP, .result = 0, .a = world_random(random, 2)};
	of->sites.operations[1] = (struct vkr_summary_operation){
		.code = VKR_SUMMARY_CONSTANT, .result = 1, .a = 512u << world_random(random, 4)};
	of->sites.operations[2] =
		(struct vkr_summary_operation){.code = VKR_SUMMARY_MULTIPLY,
					       .result = world_random(random, REGISTERS),
					       .a = 0,
					       .b = 1};
	if (world_random(random, 2))
		put_signed(of->sites.operations + 3, random);
	of->sites.operations[OPERATIONS - 1] =
		(struct vkr_summary_operation){.code = VKR_SUMMARY_END};
	for (uint32_t at = 0; at < SITES; at++) {
		const uint32_t bytes = sizes[world_random(random, 7)];
		of->writes[at] = world_random(random, 4) == 0;
		of->accesses[at] = (struct vkr_program_access){
			.bytes = bytes,
			.site = world_site(world, COMPUTE,
					   of->writes[at] ? SHADER_WRITE : SHADER_READ,
					   of->writes[at] ? VKR_ENGINE_WRITE : VKR_ENGINE_READ,
					   bytes, VKR_CLASS_UNIFORM)};
		of->by_site[at] = &of->accesses[at];
	}
}

// ---- One invocation -----------------------------------------------------------------------------

static uint32_t operate(const struct vkr_summary_operation *operation, const uint32_t *registers)
{
	const uint32_t a = registers[operation->a], b = registers[operation->b];
	const bool is_odd = b == 0 || (a == UINT32_C(1) << 31 && b == UINT32_MAX); // no quotient
	switch (operation->code) {
	case VKR_SUMMARY_MOVE:
		return a;
	case VKR_SUMMARY_SELECT:
		return a ? b : registers[operation->c];
	case VKR_SUMMARY_ADD:
		return a + b;
	case VKR_SUMMARY_SUBTRACT:
		return a - b;
	case VKR_SUMMARY_MULTIPLY:
		return a * b;
	case VKR_SUMMARY_SHIFT_LEFT:
		return a << (b % 32);
	case VKR_SUMMARY_SHIFT_RIGHT:
		return a >> (b % 32);
	case VKR_SUMMARY_SHIFT_RIGHT_SIGNED:
		return a >> (b % 32) | (a >> 31 && b % 32 ? UINT32_MAX << (32 - b % 32) : 0);
	case VKR_SUMMARY_AND:
		return a & b;
	case VKR_SUMMARY_OR:
		return a | b;
	case VKR_SUMMARY_XOR:
		return a ^ b;
	case VKR_SUMMARY_DIVIDE:
		return b ? a / b : 0;
	case VKR_SUMMARY_REMAINDER:
		return b ? a % b : 0;
	case VKR_SUMMARY_DIVIDE_SIGNED:
		return is_odd ? 0 : (uint32_t)((int32_t)a / (int32_t)b);
	case VKR_SUMMARY_REMAINDER_SIGNED:
		return is_odd ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
	case VKR_SUMMARY_EQUAL:
		return a == b;
	case VKR_SUMMARY_NOT_EQUAL:
		return a != b;
	case VKR_SUMMARY_LESS:
		return a < b;
	case VKR_SUMMARY_LESS_EQUAL:
		return a <= b;
	case VKR_SUMMARY_LESS_SIGNED:
		return (int32_t)a < (int32_t)b;
	default:
		return (int32_t)a <= (int32_t)b;
	}
}

// Workgroups; `again`: accesses of those that are passed over to bytes that were read before.
struct counts {
	uint32_t passed, fed, again;
};

struct visit {
	void (*access)(struct visit *visit, uint32_t site, uint32_t low, uint32_t high);
	struct world *world;
	struct program *program;
	struct fed *fed;
	uint32_t local;
	struct counts *counts;
};

// Says what the invocation accesses of the buffer; false where it goes on for too long.
static bool run(struct visit *visit, const struct invocation *of)
{
	uint32_t registers[REGISTERS] = {0};
	uint32_t at = 0, steps = 0;
	for (; steps < STEPS_MOST; steps++) {
		const struct vkr_summary_operation *operation =
			&visit->program->sites.operations[at++];
		switch (operation->code) {
		case VKR_SUMMARY_CONSTANT:
			registers[operation->result] = operation->a;
			break;
		case VKR_SUMMARY_GROUP:
			registers[operation->result] = of->group[operation->a];
			break;
		case VKR_SUMMARY_LOCAL:
			registers[operation->result] = of->local[operation->a];
			break;
		case VKR_SUMMARY_BRANCH:
			at = registers[operation->a] ? operation->b : operation->c;
			break;
		case VKR_SUMMARY_END:
			return true;
		case VKR_SUMMARY_ACCESS: {
			const uint32_t low = registers[operation->b];
			const uint32_t bytes = visit->program->accesses[operation->a].bytes;
			if (low < BYTES)
				visit->access(visit, operation->a, low,
					      low + bytes < BYTES ? low + bytes : BYTES);
			break;
		}
		default:
			registers[operation->result] = operate(operation, registers);
			break;
		}
	}
	return false;
}

static bool run_group(struct visit *visit, uint32_t group)
{
	bool ends = true;
	for (visit->local = 0; visit->local < LOCALS * LOCALS / 2 && ends; visit->local++) {
		const struct invocation of = {{group % GROUPS, group / GROUPS},
					      {visit->local % LOCALS, visit->local / LOCALS}};
		ends = run(visit, &of);
	}
	return ends;
}

// ---- Blocks -------------------------------------------------------------------------------------

static void feed(struct visit *visit, uint32_t site, uint32_t low, uint32_t high)
{
	const struct vkr_engine_run access = {.site = visit->program->accesses[site].site,
					      .local = visit->local,
					      .count = 1,
					      .offset = low,
					      .target = &visit->program->block.targets[0]};
	OK(vkr_engine_runs(visit->world->engine, &access, 1, &visit->world->error));
	visit->fed->written = visit->fed->written || visit->program->writes[site];
	memset(visit->fed->read[site] + low, true, high - low);
}

static void expect_elsewhere(struct visit *visit, uint32_t site, uint32_t low, uint32_t high)
{
	bool elsewhere = false, known = !visit->fed->written && !visit->program->writes[site];
	OK(vkr_engine_is_elsewhere(visit->world->engine, &visit->program->block.targets[0], low,
				   high, &elsewhere, &visit->world->error));
	for (uint32_t at = low; at < high; at++)
		known = known && visit->fed->read[site][at];
	assert_true(elsewhere || known);
	visit->counts->again += !elsewhere;
}

static void ignore(struct visit *visit, uint32_t site, uint32_t low, uint32_t high)
{
	(void)visit;
	(void)site;
	(void)low;
	(void)high;
}

static bool ends(struct visit *visit)
{
	visit->access = ignore;
	for (uint32_t group = 0; group < GROUPS * GROUPS / 2; group++)
		if (!run_group(visit, group))
			return false;
	return true;
}

// A dispatch's workgroups in order, in random blocks.
static void go_through(struct visit *visit, uint64_t *random)
{
	struct world *world = visit->world;
	const struct vkr_summary_dispatch dispatch = {.groups = {GROUPS, GROUPS / 2, 1}};
	struct vkr_possible_texels possible = {0};
	struct vkr_summary_reach reach = {0};
	const uint32_t command = world_command(world, world->queue);
	OK(vkr_engine_dispatch_begin(world->engine, command, LOCALS * LOCALS / 2, 0,
				     &world->error));
	vkr_summary_reach_begin(&reach, world->engine, &visit->program->targets, &dispatch,
				&possible);
	for (uint32_t group = 0, width; group < GROUPS * GROUPS / 2; group += width) {
		// Of one row.
		width = 1 + world_random(random, GROUPS - group % GROUPS);
		const struct vkr_reach_box box = {{group % GROUPS, group / GROUPS, 0},
						  {group % GROUPS + width - 1, group / GROUPS, 0}};
		bool passes = false;
		OK(vkr_summary_reach_passes(&reach, &box, group, &passes, &world->error));
		visit->access = passes ? expect_elsewhere : feed;
		*(passes ? &visit->counts->passed : &visit->counts->fed) += width;
		for (uint32_t at = group; at < group + width; at++) {
			if (!passes)
				OK(vkr_engine_workgroup(world->engine, at, &world->error));
			assert_true(run_group(visit, at));
		}
	}
	vkr_summary_reach_finish(&reach);
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

static void passed_blocks_are_elsewhere(void **state)
{
	struct counts counts = {0};
	struct fed *fed = malloc(sizeof *fed);
	struct program *program = malloc(sizeof *program);
	(void)state;
	assert_non_null(fed);
	assert_non_null(program);
	for (uint64_t seed = 1; seed <= 50000; seed++) {
		uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
		struct vkr_shard shard = {.index = (uint32_t)seed % PARTS, .count = PARTS};
		struct world world;
		world_begin_part(&world, &shard);
		make_program(program, &world, &random);
		memset(fed, 0, sizeof *fed);
		struct visit visit = {
			.world = &world, .program = program, .fed = fed, .counts = &counts};
		if (ends(&visit))
			go_through(&visit, &random);
		world_end(&world);
		vkr_shard_finish(&shard);
	}
	printf("%u workgroups passed over, %u fed, %u accesses again\n", counts.passed, counts.fed,
	       counts.again);
	assert_true(counts.passed > 1000 && counts.fed > 1000 && counts.again > 100);
	free(program);
	free(fed);
}

// ---- Sites --------------------------------------------------------------------------------------

static void expect_reached(struct visit *visit, uint32_t site, uint32_t low, uint32_t high)
{
	const bool *reached = visit->program->targets.reached;
	(void)low;
	(void)high;
	assert_true(reached == NULL || reached[site]);
}

// What invocations come to has been foreseen, and of what is there not all.
static void sites_are_foreseen(void **state)
{
	const struct vkr_summary_dispatch dispatch = {.groups = {GROUPS, GROUPS / 2, 1}};
	struct vkr_summary_reach reach = {0};
	struct program *program = malloc(sizeof *program);
	uint32_t unknown = 0, unreached = 0;
	(void)state;
	assert_non_null(program);
	for (uint64_t seed = 1; seed <= 20000; seed++) {
		uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
		struct world world;
		world_begin(&world);
		make_program(program, &world, &random);
		struct visit visit = {.world = &world, .program = program};
		if (ends(&visit)) {
			assert_true(vkr_summary_reach_sites(&reach, &program->targets, &dispatch));
			visit.access = expect_reached;
			for (uint32_t group = 0; group < GROUPS * GROUPS / 2; group++)
				assert_true(run_group(&visit, group));
			unknown += program->targets.reached == NULL;
			for (uint32_t at = 0; program->targets.reached && at < SITES; at++)
				unreached += !program->targets.reached[at];
		}
		world_end(&world);
	}
	printf("%u programs of which sites are not known, %u sites not reached\n", unknown,
	       unreached);
	assert_true(unknown > 10 && unreached > 1000);
	vkr_summary_reach_finish(&reach);
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(passed_blocks_are_elsewhere),
					   cmocka_unit_test(sites_are_foreseen)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
