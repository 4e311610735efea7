// SPDX-License-Identifier: Apache-2.0
// Which words of its buffers a draw fetches: every word is overwritten behind the draw without a
// barrier, and the races tell which were read. Knows draws and their state; not how they are
// judged.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 128u

// Buffers of WORDS words each; the address of the last is ADDRESS.
enum { VERTICES = 1, OTHERS, INDICES, ARGUMENTS, COUNT, BUFFERS = COUNT };
#define ADDRESS UINT64_C(0x10000)

struct draws {
	struct trace_builder tb;
	uint32_t pipeline;
};

static void begin(struct draws *test)
{
	memset(test, 0, sizeof *test);
	tb_init(&test->tb);
	for (uint32_t id = 1; id <= BUFFERS; id++)
		assert_int_equal(tb_buffer(&test->tb, 4 * WORDS, "buffer"), id);
	const struct vkr_trace_buffer_address address = {.buffer = COUNT, .address = ADDRESS};
	tb_event(&test->tb, VKR_TRACE_BUFFER_ADDRESS, &address, sizeof address, NULL, 0);
}

struct input {
	uint32_t topology, flags;
	struct vkr_trace_vertex_binding bindings[2];
	struct vkr_trace_vertex_attribute attributes[3];
	uint32_t binding_count, attribute_count;
	uint32_t dynamic[2], dynamic_count;
	struct vkr_trace_shader_input read; // count 0: any location
};

// A vertex shader that accesses nothing else.
static uint32_t add_shader(struct draws *test, const struct input *input)
{
	const struct tb_shader shader = {.segments = (const uint32_t[]){0},
					 .stage = VK_SHADER_STAGE_VERTEX_BIT};
	const struct vkr_trace_shader_inputs inputs = {
		.shader = tb_shader(&test->tb, &shader, NULL), .input_count = 1};
	if (input->read.count != 0)
		tb_event(&test->tb, VKR_TRACE_SHADER_INPUTS, &inputs, sizeof inputs, &input->read,
			 sizeof input->read);
	return inputs.shader;
}

static void add(unsigned char **to, const void *from, size_t bytes)
{
	memcpy(*to, from, bytes);
	*to += bytes;
}

static void bind_pipeline(struct draws *test, const struct input *input)
{
	const uint32_t shader = add_shader(test, input);
	unsigned char tail[256], *end = tail;
	test->pipeline = tb_pipeline(&test->tb, VK_PIPELINE_BIND_POINT_GRAPHICS, &shader, 1);
	const struct vkr_trace_graphics_state state = {.pipeline = test->pipeline,
						       .flags = input->flags,
						       .topology = input->topology,
						       .binding_count = input->binding_count,
						       .attribute_count = input->attribute_count,
						       .dynamic_count = input->dynamic_count};
	add(&end, input->bindings, input->binding_count * sizeof *input->bindings);
	add(&end, input->attributes, input->attribute_count * sizeof *input->attributes);
	add(&end, input->dynamic, input->dynamic_count * sizeof *input->dynamic);
	tb_event(&test->tb, VKR_TRACE_GRAPHICS_STATE, &state, sizeof state, tail,
		 (size_t)(end - tail));
	tb_record(&test->tb);
	tb_bind_pipeline(&test->tb, VK_PIPELINE_BIND_POINT_GRAPHICS, test->pipeline);
}

static void bind_vertices(struct draws *test, uint32_t first,
			  const struct vkr_trace_vertex_buffer *buffers, uint32_t count)
{
	const struct vkr_trace_cmd_bind_vertex_buffers bind = {first, count};
	tb_state(&test->tb, VKR_TRACE_CMD_BIND_VERTEX_BUFFERS, &bind, sizeof bind, buffers,
		 count * sizeof *buffers);
}

static void bind_whole(struct draws *test)
{
	const struct vkr_trace_vertex_buffer buffers[] = {
		{.buffer = VERTICES, .stride = UINT32_MAX, .bytes = VK_WHOLE_SIZE},
		{.buffer = OTHERS, .stride = UINT32_MAX, .bytes = VK_WHOLE_SIZE}};
	bind_vertices(test, 0, buffers, 2);
}

static void draw_all(struct draws *test, uint32_t kind, const struct vkr_trace_draw *parts,
		     uint32_t count, const uint32_t instances[2])
{
	struct vkr_trace_cmd_draw draw = {.kind = kind,
					  .first_instance = instances[0],
					  .instance_count = instances[1],
					  .draw_count = count};
	tb_command(&test->tb, VKR_TRACE_CMD_DRAW, &draw.command, sizeof draw, parts,
		   count * sizeof *parts);
}

static void draw(struct draws *test, uint32_t kind, uint32_t first, uint32_t count)
{
	const struct vkr_trace_draw part = {.first = first, .count = count};
	draw_all(test, kind, &part, 1, (const uint32_t[]){0, 1});
}

// "x" for a word that is read; what follows the text is not.
static void expect(struct draws *test, uint32_t buffer, const char *text, uint32_t coverage)
{
	char words[WORDS + 1], wanted[WORDS + 1];
	memset(wanted, '.', WORDS);
	wanted[WORDS] = '\0';
	memcpy(wanted, text, strlen(text));
	struct vkr_session *session = fixture_words(&test->tb, buffer, WORDS, words);
	assert_string_equal(words, wanted);
	assert_int_equal(vkr_session_report(session)->coverage_count, coverage);
	vkr_session_destroy(session);
	tb_finish(&test->tb);
}

// Elements of one word, of one attribute.
#define PLAIN                                                                                      \
	.bindings = {{.stride = 4}}, .attributes = {{.bytes = 4}}, .binding_count = 1,             \
	.attribute_count = 1

// Vertices that make no whole primitive are not fetched.
static void test_topologies(void **state)
{
	static const struct {
		VkPrimitiveTopology topology;
		uint32_t count;
		const char *words;
	} cases[] = {
		{VK_PRIMITIVE_TOPOLOGY_POINT_LIST, 1, "..x"},
		{VK_PRIMITIVE_TOPOLOGY_LINE_LIST, 3, "..xx"},
		{VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, 1, ""},
		{VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, 3, "..xxx"},
		{VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 8, "..xxxxxx"},
		{VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, 2, ""},
		{VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, 3, "..xxx"},
		{VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, 4, "..xxxx"},
		{VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY, 7, "..xxxx"},
		{VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY, 11, "..xxxxxx"},
	};
	(void)state;
	for (size_t at = 0; at < 2 * sizeof cases / sizeof *cases; at++) {
		const uint32_t topology = (uint32_t)cases[at / 2].topology;
		const bool dynamic = at % 2;
		struct draws test;
		begin(&test);
		bind_pipeline(&test,
			      &(struct input){PLAIN, .topology = dynamic ? 0 : topology,
					      .dynamic = {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY},
					      .dynamic_count = dynamic});
		if (dynamic)
			tb_dynamic_state(&test.tb, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, 0,
					 topology);
		bind_whole(&test);
		draw(&test, VKR_DRAW_VERTICES, 2, cases[at / 2].count);
		expect(&test, VERTICES, cases[at / 2].words, 0);
	}
}

// Of each element what attributes cover, and of these what the shader reads.
static void test_attributes(void **state)
{
	(void)state;
	const struct input input = {.bindings = {{.stride = 16}},
				    .attributes = {{.location = 0, .offset = 0, .bytes = 4},
						   {.location = 1, .offset = 8, .bytes = 8},
						   {.location = 3, .offset = 4, .bytes = 0}},
				    .binding_count = 1,
				    .attribute_count = 3};
	struct input reads = input;
	struct draws test;
	begin(&test);
	bind_pipeline(&test, &input);
	bind_whole(&test);
	draw(&test, VKR_DRAW_VERTICES, 1, 2);
	expect(&test, VERTICES, "....x.xxx.xx", 0);
	for (uint32_t location = 0; location < 3; location++) {
		reads.read = (struct vkr_trace_shader_input){location, 1};
		begin(&test);
		bind_pipeline(&test, &reads);
		bind_whole(&test);
		draw(&test, VKR_DRAW_VERTICES, 1, 2);
		expect(&test, VERTICES,
		       location == 0   ? "....x...x"
		       : location == 1 ? "......xx..xx"
				       : "",
		       0);
	}
	reads.read = (struct vkr_trace_shader_input){0, 2};
	begin(&test);
	bind_pipeline(&test, &reads);
	bind_whole(&test);
	draw(&test, VKR_DRAW_VERTICES, 0, 1);
	expect(&test, VERTICES, "x.xx", 0);
	// Attributes that overlap, and reach behind the element.
	begin(&test);
	bind_pipeline(&test, &(struct input){.bindings = {{.stride = 8}},
					     .attributes = {{.offset = 4, .bytes = 8},
							    {.offset = 8, .bytes = 8}},
					     .binding_count = 1,
					     .attribute_count = 2});
	bind_whole(&test);
	draw(&test, VKR_DRAW_VERTICES, 0, 2);
	expect(&test, VERTICES, ".xxxxx", 0);
}

// Elements of instances, by their divisors; binding 1 is the vertices'.
static void test_instances(void **state)
{
	static const struct {
		uint32_t divisor, first, count;
		const char *words;
	} cases[] = {
		{1, 0, 3, "xxx"}, {1, 2, 1, "..x"},  {2, 0, 3, "xx"},
		{2, 0, 4, "xx"},  {2, 1, 5, ".xxx"}, {0, 3, 9, "...x"},
		{1, 0, 0, ""},    {3, 1, 3, ".x"},   {1, 1, 4, ".xxxx"},
	};
	(void)state;
	for (size_t at = 0; at < 2 * sizeof cases / sizeof *cases; at++) {
		const uint32_t instances[] = {cases[at / 2].first, cases[at / 2].count};
		const struct vkr_trace_draw parts[] = {{.first = 1, .count = 2}, {.first = 4}};
		struct draws test;
		begin(&test);
		bind_pipeline(
			&test,
			&(struct input){.bindings = {{.binding = 0,
						      .stride = 4,
						      .instance_rate = 1,
						      .divisor = cases[at / 2].divisor},
						     {.binding = 1, .stride = 8}},
					.attributes = {{.binding = 0, .bytes = 4},
						       {.location = 1, .binding = 1, .bytes = 4}},
					.binding_count = 2,
					.attribute_count = 2});
		bind_whole(&test);
		draw_all(&test, VKR_DRAW_MULTI, parts, 2, instances);
		if (at % 2)
			expect(&test, OTHERS, instances[1] != 0 ? "..x.x" : "", 0);
		else
			expect(&test, VERTICES, cases[at / 2].words, 0);
	}
}

// Where vertex buffers begin and end, and which stride holds.
static void test_vertex_buffers(void **state)
{
	static const struct {
		uint32_t dynamic, bound_stride, buffer;
		uint64_t offset, bytes;
		const char *words;
	} cases[] = {
		{0, UINT32_MAX, VERTICES, 8, VK_WHOLE_SIZE, "...x.x.x"},
		{0, UINT32_MAX, VERTICES, 8, 20, "...x.x"},
		{0, UINT32_MAX, VERTICES, 8, 12, "...x"},
		{0, 4, VERTICES, 0, VK_WHOLE_SIZE, ".x.x.x"},
		{VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE, 4, VERTICES, 0, VK_WHOLE_SIZE,
		 ".xxx"},
		{VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE, 0, VERTICES, 0, VK_WHOLE_SIZE, ".x"},
		{VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE, UINT32_MAX, VERTICES, 0,
		 VK_WHOLE_SIZE, ".x.x.x"},
		{0, UINT32_MAX, 0, 0, VK_WHOLE_SIZE, ""},
		{0, UINT32_MAX, VERTICES, 4 * WORDS - 4, VK_WHOLE_SIZE, ""},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const struct vkr_trace_vertex_buffer buffer = {.buffer = cases[at].buffer,
							       .stride = cases[at].bound_stride,
							       .offset = cases[at].offset,
							       .bytes = cases[at].bytes};
		struct draws test;
		begin(&test);
		bind_pipeline(&test, &(struct input){.bindings = {{.stride = 8}},
						     .attributes = {{.offset = 4, .bytes = 4}},
						     .binding_count = 1,
						     .attribute_count = 1,
						     .dynamic = {cases[at].dynamic},
						     .dynamic_count = cases[at].dynamic != 0});
		bind_vertices(&test, 0, &buffer, 1);
		draw(&test, VKR_DRAW_VERTICES, 0, 3);
		expect(&test, VERTICES, cases[at].words, 0);
	}
}

// Buffers that are bound later stand beside those before, and in place of them.
static void test_rebound(void **state)
{
	const struct vkr_trace_vertex_buffer by_address[] = {
		{.buffer = VKR_BUFFER_BY_ADDRESS, .offset = ADDRESS + 8, .bytes = 8},
		{.buffer = VKR_BUFFER_BY_ADDRESS, .offset = 7, .bytes = 8}};
	const struct vkr_trace_vertex_buffer none = {.buffer = 0};
	const struct input second = {.bindings = {{.binding = 1, .stride = 4}},
				     .attributes = {{.binding = 1, .bytes = 4}},
				     .binding_count = 1,
				     .attribute_count = 1};
	struct draws test;
	(void)state;
	begin(&test);
	bind_pipeline(&test, &second);
	bind_whole(&test);
	bind_vertices(&test, 0, &none, 1);
	draw(&test, VKR_DRAW_VERTICES, 0, 2);
	expect(&test, OTHERS, "xx", 0);
	for (uint32_t known = 0; known < 2; known++) {
		begin(&test);
		bind_pipeline(&test, &second);
		bind_whole(&test);
		bind_vertices(&test, 1, &by_address[!known], 1);
		draw(&test, VKR_DRAW_VERTICES, 0, 3);
		expect(&test, known ? COUNT : OTHERS, known ? "..xx" : "", !known);
	}
}

// Vertex input that a command sets in place of the pipeline's.
static void test_set_input(void **state)
{
	const struct vkr_trace_cmd_vertex_input input = {1, 1};
	const struct {
		struct vkr_trace_vertex_binding binding;
		struct vkr_trace_vertex_attribute attribute;
	} set = {{.stride = 12}, {.offset = 4, .bytes = 4}};
	(void)state;
	for (uint32_t is_set = 0; is_set < 2; is_set++) {
		struct draws test;
		begin(&test);
		bind_pipeline(&test,
			      &(struct input){PLAIN, .dynamic = {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT},
					      .dynamic_count = 1});
		if (is_set)
			tb_state(&test.tb, VKR_TRACE_CMD_VERTEX_INPUT, &input, sizeof input, &set,
				 sizeof set);
		bind_whole(&test);
		draw(&test, VKR_DRAW_VERTICES, 0, 2);
		expect(&test, VERTICES, is_set ? ".x..x" : "", !is_set);
	}
}

// The indices of an indexed draw; which vertices they name is known from no command.
static void test_indices(void **state)
{
	static const struct {
		uint32_t buffer, index_bytes, first, count;
		uint64_t offset;
		const char *words;
	} cases[] = {
		{INDICES, 4, 1, 3, 4, "..xxx"},
		{INDICES, 2, 2, 4, 0, ".xx"},
		{INDICES, 4, 0, 1, 0, "x"},
		{INDICES, 0, 0, 4, 0, ""},
		{0, 4, 0, 4, 0, ""},
		{INDICES, 4, 0, 0, 0, ""},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const struct vkr_trace_cmd_bind_index_buffer bind = {
			cases[at].buffer, cases[at].index_bytes, cases[at].offset};
		struct draws test;
		begin(&test);
		bind_pipeline(&test, &(struct input){PLAIN});
		tb_state(&test.tb, VKR_TRACE_CMD_BIND_INDEX_BUFFER, &bind, sizeof bind, NULL, 0);
		bind_whole(&test);
		draw(&test, VKR_DRAW_INDEXED, cases[at].first, cases[at].count);
		expect(&test, INDICES, cases[at].words, 1);
	}
}

static void draw_indirect(struct draws *test, struct vkr_trace_cmd_draw_indirect indirect)
{
	tb_command(&test->tb, VKR_TRACE_CMD_DRAW_INDIRECT, &indirect.command, sizeof indirect, NULL,
		   0);
}

// Parameters in a buffer, and how many of them there are in another.
static void test_indirect(void **state)
{
	static const struct {
		struct vkr_trace_cmd_draw_indirect draw;
		uint32_t buffer;
		const char *words;
		uint32_t coverage;
	} cases[] = {
		{{.kind = VKR_DRAW_INDIRECT, .offset = 4, .draw_count = 1, .stride = 4},
		 ARGUMENTS,
		 ".xxxx",
		 0},
		{{.kind = VKR_DRAW_INDIRECT, .draw_count = 2, .stride = 16},
		 ARGUMENTS,
		 "xxxxxxxx",
		 0},
		{{.kind = VKR_DRAW_INDIRECT, .draw_count = 2, .stride = 20},
		 ARGUMENTS,
		 "xxxx.xxxx",
		 0},
		{{.kind = VKR_DRAW_INDIRECT, .draw_count = 0, .stride = 16}, ARGUMENTS, "", 0},
		{{.kind = VKR_DRAW_INDEXED_INDIRECT, .draw_count = 2, .stride = 24},
		 ARGUMENTS,
		 "xxxxx.xxxxx",
		 0},
		{{.kind = VKR_DRAW_MESH_INDIRECT, .draw_count = 1}, ARGUMENTS, "xxx", 0},
		{{.kind = VKR_DRAW_MESH_INDIRECT_NV, .draw_count = 1}, ARGUMENTS, "xx", 0},
		{{.kind = VKR_DRAW_INDIRECT_COUNT,
		  .count_buffer = COUNT,
		  .count_offset = 8,
		  .draw_count = 3,
		  .stride = 16},
		 COUNT,
		 "..x",
		 0},
		{{.kind = VKR_DRAW_INDIRECT_COUNT,
		  .count_buffer = COUNT,
		  .draw_count = 3,
		  .stride = 16},
		 ARGUMENTS,
		 "",
		 1},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct vkr_trace_cmd_draw_indirect indirect = cases[at].draw;
		struct draws test;
		begin(&test);
		bind_pipeline(&test, &(struct input){0});
		indirect.buffer = ARGUMENTS;
		draw_indirect(&test, indirect);
		expect(&test, cases[at].buffer, cases[at].words, cases[at].coverage);
	}
}

// Draws that the device generates of sequences from word 16 on, and what these said, where that was
// captured.
struct generated {
	struct vkr_trace_cmd_draw_indirect draw;
	struct vkr_trace_cmd_generated of;
	uint32_t said[12], said_count;
	uint32_t buffer;
	const char *words;
	uint32_t coverage;
};

static void generate(struct draws *test, const struct generated *generated)
{
	struct vkr_trace_cmd_generated of = generated->of;
	struct vkr_trace_cmd_draw_indirect draw = generated->draw;
	of.flags = VKR_GENERATED_RUNS;
	of.address = ADDRESS + 64;
	tb_command(&test->tb, VKR_TRACE_CMD_GENERATED, &of.command, sizeof of, NULL, 0);
	draw.command = of.command;
	tb_state(&test->tb, VKR_TRACE_CMD_DRAW_INDIRECT, &draw, sizeof draw, NULL, 0);
	const struct vkr_trace_snapshot captured = {.execution = test->tb.executions + 1,
						    .command = of.command,
						    .address = of.address,
						    .word_count = generated->said_count,
						    .flags = VKR_SNAPSHOT_LAST};
	if (generated->said_count > 0)
		tb_event(&test->tb, VKR_TRACE_SNAPSHOT, &captured, sizeof captured, generated->said,
			 generated->said_count * sizeof *generated->said);
}

static void test_generated(void **state)
{
	const struct vkr_trace_cmd_draw_indirect counted = {
		.kind = VKR_DRAW_GENERATED, .draw_count = 3, .stride = 16};
	struct vkr_trace_cmd_draw_indirect one = counted;
	const struct vkr_trace_cmd_draw_indirect indexed = {.kind = VKR_DRAW_GENERATED_INDEXED};
	const struct vkr_trace_cmd_generated where = {
		.max_count = 1, .stride = 16, .read_bytes = 16};
	const struct vkr_trace_cmd_generated two = {.max_count = 2, .stride = 24, .read_bytes = 20};
	const struct vkr_trace_cmd_bind_index_buffer bind = {.buffer = INDICES, .index_bytes = 4};
	const uint32_t place = (uint32_t)ADDRESS + 4;
	one.draw_count = 1;
	const struct generated cases[] = {
		{counted, where, {place, 0, 20, 2}, 4, COUNT, ".xxxx.xxxx......xxxx", 0},
		{one, where, {place, 0, 20, 2}, 4, COUNT, ".xxxx...........xxxx", 0},
		{counted, where, {0}, 0, COUNT, "................xxxx", 1},
		{indexed, two, {3, 1, 2, 0, 0, 0, 1, 1, 7}, 11, INDICES, "..xxx..x", 0},
		{indexed, two, {3, 1, 2, 0, 0, 0, 1, 0, 7}, 11, INDICES, "..xxx", 0},
		{indexed,
		 two,
		 {3, 1, 2, 0, 0, 0, 1, 0, 7},
		 11,
		 COUNT,
		 "................xxxxx.xxxxx",
		 0},
		{indexed, two, {0}, 0, INDICES, "", 1},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct draws test;
		begin(&test);
		bind_pipeline(&test, &(struct input){0});
		tb_state(&test.tb, VKR_TRACE_CMD_BIND_INDEX_BUFFER, &bind, sizeof bind, NULL, 0);
		generate(&test, &cases[at]);
		expect(&test, cases[at].buffer, cases[at].words, cases[at].coverage);
	}
}

// Fetches of unknown vertices: reported, if there are any.
static void test_unknown_vertices(void **state)
{
	(void)state;
	struct draws test;
	begin(&test);
	bind_pipeline(&test, &(struct input){PLAIN});
	bind_whole(&test);
	draw_indirect(&test, (struct vkr_trace_cmd_draw_indirect){.kind = VKR_DRAW_INDIRECT,
								  .buffer = ARGUMENTS,
								  .draw_count = 1});
	expect(&test, VERTICES, "", 1);
	// A shader that reads no attribute of the binding fetches nothing.
	begin(&test);
	bind_pipeline(&test, &(struct input){PLAIN, .read = {.location = 5, .count = 1}});
	bind_whole(&test);
	draw_indirect(&test, (struct vkr_trace_cmd_draw_indirect){.kind = VKR_DRAW_INDIRECT,
								  .buffer = ARGUMENTS,
								  .draw_count = 1});
	expect(&test, VERTICES, "", 0);
	begin(&test);
	bind_pipeline(&test, &(struct input){PLAIN, .flags = VKR_GRAPHICS_UNKNOWN});
	bind_whole(&test);
	draw(&test, VKR_DRAW_VERTICES, 0, 3);
	expect(&test, VERTICES, "", 1);
}

// ---- Meshes -------------------------------------------------------------------------------------

static uint32_t below(uint32_t *state, uint32_t most)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % most;
}

// Elements of which some bytes are read, and a range of them that is drawn.
struct mesh {
	uint32_t stride, bound, first, count;
	uint64_t bytes; // bound, or VK_WHOLE_SIZE
	struct vkr_trace_vertex_attribute attributes[2];
};

static struct mesh random_mesh(uint32_t *random)
{
	struct mesh mesh = {.stride = 4 * (2 + below(random, 4)),
			    .bound = 4 * below(random, 4),
			    .first = below(random, 4)};
	for (uint32_t at = 0; at < 2; at++) {
		mesh.attributes[at].location = at;
		mesh.attributes[at].bytes = 4 * (1 + below(random, 2));
		mesh.attributes[at].offset =
			4 * below(random, mesh.stride / 4); // it may reach behind the element
	}
	// Some reach beyond the buffer, or beyond what is bound of it.
	mesh.count = 1 + below(random, (4 * WORDS - mesh.bound) / mesh.stride - mesh.first + 2);
	mesh.bytes = below(random, 3) == 0 ? 4 * below(random, WORDS) : VK_WHOLE_SIZE;
	return mesh;
}

static void note_read(const struct mesh *mesh, uint64_t offset, char *words)
{
	const uint64_t word = (mesh->bound + offset) / 4;
	if (word < WORDS && (mesh->bytes == VK_WHOLE_SIZE || offset < mesh->bytes))
		words[word] = 'x';
}

static void draw_mesh(struct draws *test, const struct mesh *mesh, char *words)
{
	const struct vkr_trace_vertex_buffer buffer = {.buffer = VERTICES,
						       .offset = mesh->bound,
						       .stride = UINT32_MAX,
						       .bytes = mesh->bytes};
	bind_vertices(test, 0, &buffer, 1);
	draw(test, VKR_DRAW_VERTICES, mesh->first, mesh->count);
	for (uint32_t at = mesh->first; at < mesh->first + mesh->count; at++)
		for (uint32_t read = 0; read < 2; read++)
			for (uint32_t byte = 0; byte < mesh->attributes[read].bytes; byte++)
				note_read(mesh,
					  at * mesh->stride + mesh->attributes[read].offset + byte,
					  words);
}

// Between elements nothing is read, however many there are, and whatever is drawn again, of it or
// of a part.
static void test_meshes(void **state)
{
	uint32_t random = 1;
	(void)state;
	for (uint32_t round = 0; round < 400; round++) {
		struct mesh mesh = random_mesh(&random);
		char words[WORDS + 1] = {0};
		struct draws test;
		begin(&test);
		memset(words, '.', WORDS);
		bind_pipeline(&test, &(struct input){
					     .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
					     .bindings = {{.stride = mesh.stride}},
					     .attributes = {mesh.attributes[0], mesh.attributes[1]},
					     .binding_count = 1,
					     .attribute_count = 2});
		draw_mesh(&test, &mesh, words);
		if (below(&random, 2) == 0)
			draw_mesh(&test, &mesh, words);
		if (below(&random, 2) == 0) {
			mesh.count = 1 + below(&random, mesh.count);
			draw_mesh(&test, &mesh, words);
		}
		expect(&test, VERTICES, words, 0);
	}
}

// What was written before without a barrier races with the elements that read it.
static void test_mesh_behind(void **state)
{
	const struct mesh mesh = {.stride = 16,
				  .count = 30,
				  .bytes = VK_WHOLE_SIZE,
				  .attributes = {{.bytes = 4}, {.bytes = 4}}};
	char words[WORDS + 1] = {0};
	(void)state;
	for (uint32_t word = 0; word < 6; word++) {
		struct draws test;
		begin(&test);
		tb_record(&test.tb);
		tb_fill(&test.tb, VERTICES, 4 * (uint64_t)word, 4);
		tb_log_end(&test.tb, tb_submit(&test.tb, 1, tb_record_end(&test.tb)));
		bind_pipeline(&test, &(struct input){.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
						     .bindings = {{.stride = mesh.stride}},
						     .attributes = {mesh.attributes[0]},
						     .binding_count = 1,
						     .attribute_count = 1});
		draw_mesh(&test, &mesh, words);
		tb_log_end(&test.tb, tb_submit(&test.tb, 1, tb_record_end(&test.tb)));
		struct vkr_session *session = fixture_judge(&test.tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, word % 4 == 0);
		if (report->race_count > 0) {
			assert_int_equal(report->races[0].race_class, VKR_RACE_UNORDERED);
			assert_int_equal(report->races[0].second.offset, 4 * word);
			assert_int_equal(report->races[0].second.bytes, 4);
		}
		vkr_session_destroy(session);
		tb_finish(&test.tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_topologies),       cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_instances),        cmocka_unit_test(test_vertex_buffers),
		cmocka_unit_test(test_rebound),          cmocka_unit_test(test_set_input),
		cmocka_unit_test(test_indices),          cmocka_unit_test(test_indirect),
		cmocka_unit_test(test_unknown_vertices), cmocka_unit_test(test_generated),
		cmocka_unit_test(test_meshes),           cmocka_unit_test(test_mesh_behind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
