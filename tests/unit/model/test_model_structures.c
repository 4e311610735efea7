// SPDX-License-Identifier: Apache-2.0
// What builds and copies of acceleration structures, and trace-ray commands, touch. Knows events
// and verdicts, not how these are found.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BUILD          VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR
#define STRUCTURE_COPY VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR
#define RAYS           VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR
#define READ           VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR
#define WRITE          VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR

#define INPUTS      UINT64_C(0x10000) // device addresses
#define SCRATCH     UINT64_C(0x20000)
#define TABLE       UINT64_C(0x30000)
#define STRUCTURES  UINT64_C(0x40000) // times the id
#define BYTES       512u              // of a structure
#define INSTANCES   640u              // offsets in the inputs
#define INDICES     256u
#define VERTEX_SIZE 12u

enum { BOTTOM = 1, OTHER, TOP };

struct world {
	struct trace_builder tb;
	uint32_t inputs, scratch, table; // buffers
	uint32_t rays;                   // pipeline
	bool lacks;                      // something is expected not to be observed
};

static void address(struct trace_builder *tb, uint32_t buffer, uint64_t at)
{
	const struct vkr_trace_buffer_address event = {.buffer = buffer, .address = at};
	tb_event(tb, VKR_TRACE_BUFFER_ADDRESS, &event, sizeof event, NULL, 0);
}

static void begin(struct world *world)
{
	struct trace_builder *tb = &world->tb;
	tb_init(tb);
	world->lacks = false;
	const uint32_t storage = tb_buffer(tb, 3 * BYTES, "storage");
	world->inputs = tb_buffer(tb, 1024, "inputs");
	world->scratch = tb_buffer(tb, 1024, "scratch");
	world->table = tb_buffer(tb, 512, "table");
	address(tb, world->inputs, INPUTS);
	address(tb, world->scratch, SCRATCH);
	address(tb, world->table, TABLE);
	for (uint32_t id = BOTTOM; id <= TOP; id++) {
		const struct vkr_trace_structure made = {
			.structure = id,
			.device = 1,
			.buffer = storage,
			.type = id == TOP ? VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR
					  : VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
			.offset = (id - 1) * BYTES,
			.bytes = BYTES,
		};
		const struct vkr_trace_structure_address at = {.structure = id,
							       .address = id * STRUCTURES};
		tb_event(tb, VKR_TRACE_STRUCTURE, &made, sizeof made, NULL, 0);
		tb_event(tb, VKR_TRACE_STRUCTURE_ADDRESS, &at, sizeof at, NULL, 0);
	}
	world->rays = tb_pipeline(tb, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, NULL, 0);
	tb_record(tb);
}

// Submits what is recorded, judges, and expects this many groups of races.
static void expect(struct world *world, uint32_t races)
{
	struct trace_builder *tb = &world->tb;
	tb_submit(tb, 1, tb_record_end(tb));
	struct vkr_session *session = fixture_judge(tb);
	const struct vkr_report *report = vkr_session_report(session);
	for (uint32_t at = 0; at < report->coverage_count && !world->lacks; at++)
		print_message("coverage: %s\n", report->coverage[at].text);
	for (uint32_t at = 0; at < report->race_count && report->race_count != races; at++)
		print_message("race: class %d, %s\n", report->races[at].race_class,
			      report->races[at].missing);
	assert_int_equal(report->coverage_count, world->lacks);
	assert_int_equal(report->race_count, races);
	vkr_session_destroy(session);
	tb_finish(tb);
}

// Triangles one after the other.
static struct vkr_trace_structure_geometry triangles(uint32_t count)
{
	return (struct vkr_trace_structure_geometry){.kind = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
						     .primitives = count,
						     .max_vertex = 3 * count - 1,
						     .vertex_bytes = VERTEX_SIZE,
						     .data = INPUTS,
						     .stride = VERTEX_SIZE};
}

static struct vkr_trace_structure_geometry instances(uint32_t count)
{
	return (struct vkr_trace_structure_geometry){.kind = VK_GEOMETRY_TYPE_INSTANCES_KHR,
						     .primitives = count,
						     .instance_bytes = 64,
						     .data = INPUTS + INSTANCES};
}

// Builds without scratch memory, of one geometry each; the command.
static uint32_t build(struct trace_builder *tb, const struct vkr_trace_structure_build *builds,
		      const struct vkr_trace_structure_geometry *geometries, uint32_t count)
{
	struct vkr_trace_cmd_build_structures payload = {.build_count = count,
							 .geometry_count = count};
	char bytes[2 * (sizeof *builds + sizeof *geometries)];
	size_t used = 0;
	for (uint32_t at = 0; at < count; at++, used += sizeof *builds) {
		struct vkr_trace_structure_build made = builds[at];
		made.geometry_count = 1;
		memcpy(bytes + used, &made, sizeof made);
	}
	memcpy(bytes + used, geometries, count * sizeof *geometries);
	used += count * sizeof *geometries;
	tb_command(tb, VKR_TRACE_CMD_BUILD_STRUCTURES, &payload.command, sizeof payload, bytes,
		   used);
	return payload.command;
}

static void build_one(struct trace_builder *tb, uint32_t to,
		      struct vkr_trace_structure_geometry geometry)
{
	build(tb, &(struct vkr_trace_structure_build){.destination = to}, &geometry, 1);
}

// What the next execution's build of `count` instances finds in memory.
static void refer(struct trace_builder *tb, uint32_t count, uint32_t to)
{
	const uint64_t references[] = {to * STRUCTURES};
	const struct vkr_trace_structure_instances event = {.execution = tb->executions + 1,
							    .instance_count = count,
							    .reference_count = 1,
							    .address = INPUTS + INSTANCES};
	tb_event(tb, VKR_TRACE_STRUCTURE_INSTANCES, &event, sizeof event, references,
		 sizeof references);
}

// ---- Inputs -------------------------------------------------------------------------------------

// The bytes that a build reads of its inputs, and no others.
static void test_inputs(void **state)
{
	(void)state;
	struct vkr_trace_structure_geometry indexed = triangles(2), mixed = triangles(1),
					    moved = triangles(1), boxes = triangles(0),
					    endless = triangles(1u << 30);
	indexed.index_bytes = 2;
	indexed.indices = INPUTS + INDICES;
	indexed.max_vertex = 3;
	indexed.first_vertex = 1;
	mixed.stride = 32;
	endless.stride = 32;
	moved.transform = INPUTS + INDICES;
	moved.transform_offset = 48;
	boxes.kind = VK_GEOMETRY_TYPE_AABBS_KHR;
	boxes.primitives = 2;
	boxes.primitive_offset = 8;
	boxes.stride = 32;
	const struct {
		const struct vkr_trace_structure_geometry *geometry;
		uint32_t offset, bytes;
		bool read;
	} cases[] = {
		{&mixed, 0, 1, true},
		{&mixed, 64, 12, true},
		{&mixed, 12, 20, false},
		{&mixed, 76, 180, false},
		{&endless, 992, 12, true},
		{&endless, 1004, 20, false},
		{&indexed, 12, 36, true},
		{&indexed, 0, 12, false},
		{&indexed, 48, 208, false},
		{&indexed, INDICES + 11, 1, true},
		{&indexed, INDICES + 12, 64, false},
		{&moved, INDICES + 48, 4, true},
		{&moved, INDICES, 48, false},
		{&moved, INDICES + 96, 64, false},
		{&boxes, 8, 4, true},
		{&boxes, 63, 1, true},
		{&boxes, 0, 8, false},
		{&boxes, 32, 8, false},
		{&boxes, 64, 64, false},
	};
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct world world;
		begin(&world);
		tb_fill(&world.tb, world.inputs, cases[at].offset, cases[at].bytes);
		build_one(&world.tb, BOTTOM, *cases[at].geometry);
		expect(&world, cases[at].read);
	}
}

// SHADER_READ at the stage of builds: not the access type of structures, nor another stage.
static void test_input_scopes(void **state)
{
	(void)state;
	const struct {
		uint64_t stage, access;
		uint32_t races;
	} cases[] = {
		{BUILD, VK_ACCESS_2_SHADER_READ_BIT, 0},
		{BUILD, VK_ACCESS_2_MEMORY_READ_BIT, 0},
		{BUILD, VK_ACCESS_2_SHADER_STORAGE_READ_BIT, 0},
		{BUILD, READ, 1},
		{BUILD, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, 1},
		{VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT, VK_ACCESS_2_SHADER_READ_BIT, 1},
		{STRUCTURE_COPY, VK_ACCESS_2_SHADER_READ_BIT, 1},
		{VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT, 0},
	};
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct world world;
		begin(&world);
		tb_fill(&world.tb, world.inputs, 0, 64);
		tb_memory_barrier(&world.tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT, cases[at].stage,
				  cases[at].access);
		build_one(&world.tb, BOTTOM, triangles(1));
		expect(&world, cases[at].races);
	}
}

// ---- Structures ---------------------------------------------------------------------------------

// A top-level build reads what its instances refer to, and nothing else.
static void test_levels(void **state)
{
	(void)state;
	for (uint32_t built = BOTTOM; built <= OTHER; built++) {
		for (int ordered = 0; ordered < 2; ordered++) {
			struct world world;
			begin(&world);
			refer(&world.tb, 4, BOTTOM);
			build_one(&world.tb, built, triangles(1));
			if (ordered)
				tb_memory_barrier(&world.tb, BUILD, WRITE, BUILD, READ);
			build_one(&world.tb, TOP, instances(4));
			expect(&world, built == BOTTOM && !ordered);
		}
	}
}

// Where the device has written since, what the host saw tells nothing.
static void test_written_instances(void **state)
{
	(void)state;
	struct world world;
	begin(&world);
	refer(&world.tb, 1, BOTTOM);
	build_one(&world.tb, BOTTOM, triangles(1));
	tb_fill(&world.tb, world.inputs, INSTANCES + 60, 4);
	tb_memory_barrier(&world.tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT, BUILD,
			  VK_ACCESS_2_SHADER_READ_BIT);
	build_one(&world.tb, TOP, instances(1));
	world.lacks = true;
	expect(&world, 0);
}

// A copy holds what was copied; a build of other instances something else.
static void test_copied_instances(void **state)
{
	(void)state;
	for (int again = 0; again < 2; again++) {
		struct world world;
		struct vkr_trace_cmd_copy_structure copy = {
			.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR,
			.source = BOTTOM,
			.destination = OTHER};
		begin(&world);
		build_one(&world.tb, BOTTOM, triangles(1));
		if (again)
			tb_memory_barrier(&world.tb, BUILD, WRITE, BUILD, READ);
		tb_command(&world.tb, VKR_TRACE_CMD_COPY_STRUCTURE, &copy.command, sizeof copy,
			   NULL, 0);
		refer(&world.tb, 1, OTHER);
		// The stage of copies, and that of builds, which holds it.
		tb_memory_barrier(&world.tb, again ? BUILD : STRUCTURE_COPY, WRITE, BUILD, READ);
		build_one(&world.tb, TOP, instances(1));
		expect(&world, !again);
	}
}

// Two builds: of one command they are in no order.
static void test_scratch(void **state)
{
	(void)state;
	const struct vkr_trace_structure_geometry inputs[2] = {triangles(1), triangles(1)};
	for (int apart = 0; apart < 2; apart++) {
		struct world world;
		const struct vkr_trace_structure_build builds[2] = {
			{.destination = BOTTOM, .scratch = SCRATCH, .scratch_bytes = 256},
			{.destination = OTHER,
			 .scratch = SCRATCH + (apart ? 256 : 252),
			 .scratch_bytes = 256}};
		begin(&world);
		build(&world.tb, builds, inputs, 2);
		expect(&world, !apart);
	}
	// Of two commands a dependency of writes on writes will do.
	for (int ordered = 0; ordered < 2; ordered++) {
		struct world world;
		const struct vkr_trace_structure_build both[2] = {
			{.destination = BOTTOM, .scratch = SCRATCH, .scratch_bytes = 256},
			{.destination = OTHER, .scratch = SCRATCH, .scratch_bytes = 256}};
		begin(&world);
		build(&world.tb, &both[0], inputs, 1);
		tb_memory_barrier(&world.tb, BUILD, ordered ? WRITE : READ, BUILD, WRITE);
		build(&world.tb, &both[1], inputs, 1);
		expect(&world, !ordered);
	}
}

static void test_update(void **state)
{
	(void)state;
	for (int readable = 0; readable < 2; readable++) {
		struct world world;
		const struct vkr_trace_structure_geometry input = triangles(1);
		const struct vkr_trace_structure_build update = {
			.destination = BOTTOM,
			.source = BOTTOM,
			.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR};
		begin(&world);
		build_one(&world.tb, BOTTOM, input);
		tb_memory_barrier(&world.tb, BUILD, WRITE, BUILD, readable ? READ : WRITE);
		build(&world.tb, &update, &input, 1);
		expect(&world, !readable);
	}
}

// A structure's memory is that of its buffer.
static void test_alias(void **state)
{
	(void)state;
	for (uint32_t built = BOTTOM; built <= OTHER; built++) {
		struct world world;
		begin(&world);
		const uint32_t memory = 1, alias = tb_bound_buffer(&world.tb, memory, 0, BYTES);
		tb_fill(&world.tb, alias, 0, BYTES);
		build_one(&world.tb, built, triangles(1));
		expect(&world, built == BOTTOM);
	}
}

// ---- Memory -------------------------------------------------------------------------------------

// The parameters of an indirect build are read in its own stage; its inputs are not known.
static void test_indirect_build(void **state)
{
	(void)state;
	const struct vkr_trace_structure_geometry input = triangles(1);
	for (int own = 0; own < 2; own++) {
		struct world world;
		const struct vkr_trace_structure_build indirect = {
			.destination = BOTTOM, .indirect = INPUTS + INDICES, .indirect_stride = 16};
		begin(&world);
		tb_fill(&world.tb, world.inputs, INDICES, 16);
		tb_memory_barrier(&world.tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT,
				  own ? BUILD : VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
				  VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
		build(&world.tb, &indirect, &input, 1);
		world.lacks = true;
		expect(&world, !own);
	}
}

// Where what they said was captured, the inputs are those of that, of the most at most.
static void test_captured_build(void **state)
{
	(void)state;
	const struct vkr_trace_structure_build indirect = {
		.destination = BOTTOM, .indirect = INPUTS + INDICES, .indirect_stride = 16};
	const struct {
		uint32_t count, offset, bytes; // of primitives; of a fill
		bool read;
	} cases[] = {{1, 0, 36, false},  {1, 36, 4, true},     {1, 71, 1, true},
		     {1, 72, 64, false}, {9, 107, 1, true},    {9, 108, 64, false},
		     {0, 0, 250, false}, {1, INDICES, 4, true}};
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct world world;
		const VkAccelerationStructureBuildRangeInfoKHR range = {
			.primitiveCount = cases[at].count, .primitiveOffset = 36};
		const struct vkr_trace_structure_geometry most = triangles(2);
		begin(&world);
		tb_fill(&world.tb, world.inputs, cases[at].offset, cases[at].bytes);
		const struct vkr_trace_snapshot captured = {
			.command = build(&world.tb, &indirect, &most, 1),
			.execution = world.tb.executions + 1,
			.address = INPUTS + INDICES,
			.word_count = sizeof range / 4,
			.flags = VKR_SNAPSHOT_LAST};
		tb_event(&world.tb, VKR_TRACE_SNAPSHOT, &captured, sizeof captured, &range,
			 sizeof range);
		expect(&world, cases[at].read);
	}
}

// A serialized structure begins with a header; how long it is stands there.
static void test_serialize(void **state)
{
	(void)state;
	for (uint32_t offset = 0; offset < 128; offset += 64) {
		struct world world;
		struct vkr_trace_cmd_copy_structure copy = {
			.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR,
			.source = BOTTOM,
			.address = SCRATCH};
		begin(&world);
		tb_command(&world.tb, VKR_TRACE_CMD_COPY_STRUCTURE, &copy.command, sizeof copy,
			   NULL, 0);
		tb_fill(&world.tb, world.scratch, offset, 64);
		world.lacks = true;
		expect(&world, offset == 0);
	}
}

// ---- Rays ---------------------------------------------------------------------------------------

static void trace(struct world *world, uint32_t kind, uint32_t width)
{
	struct vkr_trace_cmd_trace_rays rays = {.kind = kind,
						.extent = {width, 1, 1},
						.region_count = kind == VKR_RAYS_INDIRECT2 ? 0 : 4,
						.indirect = kind == VKR_RAYS_DIRECT ? 0 : INPUTS};
	const struct vkr_trace_table_region regions[4] = {{TABLE, 64, 64}, {TABLE + 64, 32, 64}};
	tb_bind_pipeline(&world->tb, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, world->rays);
	tb_command(&world->tb, VKR_TRACE_CMD_TRACE_RAYS, &rays.command, sizeof rays, regions,
		   rays.region_count * sizeof *regions);
}

static void test_tables(void **state)
{
	(void)state;
	const struct {
		uint64_t stage, access;
		uint32_t offset, width, races;
	} cases[] = {
		{RAYS, VK_ACCESS_2_SHADER_READ_BIT, 0, 1, 0},
		{RAYS, VK_ACCESS_2_SHADER_BINDING_TABLE_READ_BIT_KHR, 0, 1, 0},
		{RAYS, VK_ACCESS_2_SHADER_STORAGE_READ_BIT, 0, 1, 1},
		{RAYS, READ, 0, 1, 1},
		{COMPUTE, VK_ACCESS_2_SHADER_READ_BIT, 64, 1, 1},
		{COMPUTE, VK_ACCESS_2_SHADER_READ_BIT, 128, 1, 0},
		{COMPUTE, VK_ACCESS_2_SHADER_READ_BIT, 0, 0, 0},
	};
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct world world;
		begin(&world);
		tb_fill(&world.tb, world.table, cases[at].offset, 64);
		tb_memory_barrier(&world.tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT, cases[at].stage,
				  cases[at].access);
		trace(&world, VKR_RAYS_DIRECT, cases[at].width);
		expect(&world, cases[at].races);
	}
}

static void test_trace_arguments(void **state)
{
	(void)state;
	for (int indirect = 0; indirect < 2; indirect++) {
		struct world world;
		begin(&world);
		tb_fill(&world.tb, world.inputs, 8, 4);
		tb_memory_barrier(&world.tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT,
				  indirect ? VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : RAYS,
				  VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
		trace(&world, VKR_RAYS_INDIRECT, 0);
		expect(&world, !indirect);
	}
}

// VkTraceRaysIndirectCommandKHR has 12 bytes, VkTraceRaysIndirectCommand2KHR 104.
static void test_argument_bytes(void **state)
{
	(void)state;
	for (uint32_t kind = VKR_RAYS_DIRECT; kind <= VKR_RAYS_INDIRECT2; kind++) {
		char words[33], wanted[33] = "................................";
		struct world world;
		begin(&world);
		memset(wanted, 'x',
		       kind == VKR_RAYS_DIRECT     ? 0
		       : kind == VKR_RAYS_INDIRECT ? 3
						   : 26);
		trace(&world, kind, 1);
		struct vkr_session *session = fixture_words(&world.tb, world.inputs, 32, words);
		assert_string_equal(words, wanted);
		vkr_session_destroy(session);
		tb_finish(&world.tb);
	}
}

// ---- Ray queries --------------------------------------------------------------------------------

// A compute shader that traverses the structure at an address which it has from memory.
static uint32_t query_shader(struct trace_builder *tb)
{
	static const struct vkr_variable variable = {.kind = VKR_VARIABLE_ACCELERATION_STRUCTURE,
						     .count = 1,
						     .flags = VKR_VARIABLE_READ_ONLY};
	static const struct vkr_site site = {
		.operation = VKR_SITE_LOAD, .flags = VKR_SITE_POINTER, .words = 2};
	static const uint32_t segments[] = {1, 0};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = &site,
					 .site_count = 1,
					 .segments = segments,
					 .workgroup_size = {1, 1, 1}};
	return tb_shader_pipeline(tb, &shader, "query");
}

// A ray query reads the structure that an address says; a build behind it must wait.
static void test_query_address(void **state)
{
	(void)state;
	for (int ordered = 0; ordered < 2; ordered++) {
		struct world world;
		struct trace_builder *tb = &world.tb;
		const uint64_t structure = BOTTOM * STRUCTURES;
		const uint32_t record[] = {1, (uint32_t)structure, (uint32_t)(structure >> 32)};
		begin(&world);
		tb_record_end(tb);
		const uint32_t pipeline = query_shader(tb);
		tb_record(tb);
		tb_bind_pipeline(tb, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
		const uint32_t command = tb_dispatch(tb, 1, 1, 1);
		if (ordered)
			tb_memory_barrier(tb, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, READ, BUILD,
					  WRITE);
		build_one(tb, BOTTOM, triangles(1));
		const uint32_t execution = tb_submit(tb, 1, tb_record_end(tb));
		tb_chunk(tb, command, 0, 0, record, 3);
		tb_log_end(tb, execution);
		struct vkr_session *session = fixture_judge(tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, !ordered);
		if (!ordered) {
			assert_int_equal(report->races[0].first.offset, 0);
			assert_int_equal(report->races[0].first.bytes, BYTES);
		}
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

// ---- The host -----------------------------------------------------------------------------------

// A build by the host is there for a submission behind it; one behind a submission must wait.
static void test_host_build(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct world world;
		struct trace_builder *tb = &world.tb;
		const uint32_t bottoms[] = {BOTTOM};
		const struct vkr_trace_host_structure host = {
			.operation = VKR_STRUCTURE_BUILD, .destination = TOP, .bottom_count = 1};
		begin(&world);
		build_one(tb, BOTTOM, triangles(1));
		if (late)
			tb_submit(tb, 1, tb_record_end(tb));
		tb_event(tb, VKR_TRACE_HOST_STRUCTURE, &host, sizeof host, bottoms, sizeof bottoms);
		if (late)
			tb_record(tb);
		expect(&world, (uint32_t)late);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inputs),           cmocka_unit_test(test_input_scopes),
		cmocka_unit_test(test_levels),           cmocka_unit_test(test_written_instances),
		cmocka_unit_test(test_copied_instances), cmocka_unit_test(test_scratch),
		cmocka_unit_test(test_update),           cmocka_unit_test(test_alias),
		cmocka_unit_test(test_indirect_build),   cmocka_unit_test(test_captured_build),
		cmocka_unit_test(test_serialize),        cmocka_unit_test(test_tables),
		cmocka_unit_test(test_trace_arguments),  cmocka_unit_test(test_argument_bytes),
		cmocka_unit_test(test_host_build),       cmocka_unit_test(test_query_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
