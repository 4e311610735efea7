// SPDX-License-Identifier: Apache-2.0
// The twins: small Vulkan programs, each with a race and without. `gpu_twins NAME race|fixed` runs
// one. What is to be reported stands in NAME.json; this file knows nothing of it.
#include "twins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Dispatches the kernel NAME_race or NAME_fixed.
static void dispatch_twin(struct gpu_test *test, const char *name, uint32_t groups)
{
	char kernel[64];
	snprintf(kernel, sizeof kernel, "%s_%s", name, test->fixed ? "fixed" : "race");
	gpu_test_dispatch(test, kernel, groups, 0);
}

// One kernel as it should be, and several with something wrong.
static void last_workgroup(struct gpu_test *test, const char *wrong)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	gpu_test_dispatch(test, test->fixed ? "last_workgroup_fixed" : wrong, 4, 0);
}

static void relaxed_ticket(struct gpu_test *test)
{
	last_workgroup(test, "relaxed_ticket_race");
}

static void fence_class(struct gpu_test *test)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	gpu_test_dispatch(test, test->fixed ? "fences_fixed" : "fence_class_race", 4, 0);
}

static void ticket_scope(struct gpu_test *test)
{
	last_workgroup(test, "ticket_scope_race");
}

static void invisible_parts(struct gpu_test *test)
{
	last_workgroup(test, "invisible_parts_race");
}

static void private_parts(struct gpu_test *test)
{
	last_workgroup(test, "private_parts_race");
}

// Two dispatches with nothing between them.
static void two_dispatches(struct gpu_test *test, const char *race)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	for (int at = 0; at < 2; at++)
		gpu_test_dispatch(test, test->fixed ? "between_dispatches_fixed" : race, 1, 0);
}

static void between_dispatches(struct gpu_test *test)
{
	two_dispatches(test, "between_dispatches_race");
}

static void unreleased_dispatch(struct gpu_test *test)
{
	two_dispatches(test, "unreleased_dispatch_race");
}

static void unavailable_dispatch(struct gpu_test *test)
{
	two_dispatches(test, "unavailable_dispatch_race");
}

// Barriers of execution alone.
static void family_domain(struct gpu_test *test)
{
	for (uint32_t at = 0; at < 3; at++) {
		gpu_test_dispatch(test, test->fixed ? "family_domain_fixed" : "family_domain_race",
				  1, at);
		gpu_test_barrier(test, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
				 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0);
	}
}

static void several_flags(struct gpu_test *test)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	for (uint32_t at = 0; at < 3; at++)
		gpu_test_dispatch(test, test->fixed ? "several_flags_fixed" : "several_flags_race",
				  1, at);
}

static void look_back(struct gpu_test *test)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	dispatch_twin(test, "look_back", 64);
}

static void shared_flag(struct gpu_test *test)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	dispatch_twin(test, "shared_flag", 1);
}

static void neighbour_bytes(struct gpu_test *test)
{
	if (!test->has_bytes)
		gpu_test_skip("no 8-bit storage");
	dispatch_twin(test, "neighbour_bytes", 2);
}

static void unaligned_vectors(struct gpu_test *test)
{
	if (!test->has_scalar_layout)
		gpu_test_skip("no scalar block layout");
	dispatch_twin(test, "unaligned_vectors", 2);
}

static void extension_used(struct gpu_test *test)
{
	VkPhysicalDeviceFeatures has;
	vkGetPhysicalDeviceFeatures(test->physical, &has);
	if (!has.shaderInt64)
		gpu_test_skip("no 64-bit integers");
	dispatch_twin(test, "extension_used", 2);
}

// Sound SPIR-V that breaks a rule of Vulkan, and SPIR-V that lacks a declaration.
static void barrier_scope(struct gpu_test *test)
{
	enum { GOOGLE = 0x1ae0 };
	VkPhysicalDeviceProperties of;
	vkGetPhysicalDeviceProperties(test->physical, &of);
	if (!test->has_memory_model || of.vendorID == GOOGLE)
		gpu_test_skip(
			"no Vulkan memory model, or SwiftShader, which knows no such barrier");
	dispatch_twin(test, "barrier_scope", 1);
}

static void undeclared_capability(struct gpu_test *test)
{
	dispatch_twin(test, "undeclared_capability", 2);
}

static void array_length(struct gpu_test *test)
{
	dispatch_twin(test, "array_length", 1);
}

static void chosen_pointer(struct gpu_test *test)
{
	if (!test->has_variable_pointers)
		gpu_test_skip("no variable pointers");
	dispatch_twin(test, "chosen_pointer", 2);
}

static void failed_exchange(struct gpu_test *test)
{
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 4, 0);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ | WRITE);
	dispatch_twin(test, "failed_exchange", 1);
}

static void no_barrier(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

static void wrong_src_stage(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	else
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

static void wrong_src_access(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_barrier(test, COMPUTE, test->fixed ? WRITE : READ, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

static void wrong_dst_access(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, test->fixed ? READ : WRITE);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

static void wrong_src_access2(struct gpu_test *test)
{
	const VkMemoryBarrier2 barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
		.srcAccessMask = test->fixed ? VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT
					     : VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
		.dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
	};
	const VkDependencyInfo dependency = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.memoryBarrierCount = 1,
		.pMemoryBarriers = &barrier,
	};
	if (!test->has_synchronization2)
		gpu_test_skip("no synchronization2");
	gpu_test_dispatch(test, "write_words", 2, 0);
	vkCmdPipelineBarrier2(test->commands, &dependency);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

// Both dispatches touch the first 512 bytes.
static void wrong_range(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_barrier_range(test, test->fixed ? 0 : 512, 512);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

static void execution_only(struct gpu_test *test)
{
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = WRITE,
		.dstAccessMask = READ,
	};
	gpu_test_dispatch(test, "write_words", 2, 0);
	vkCmdPipelineBarrier(test->commands, COMPUTE, COMPUTE, 0, test->fixed ? 1 : 0, &barrier, 0,
			     NULL, 0, NULL);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

// What was only read may be overwritten after an execution dependency.
static void read_then_write(struct gpu_test *test)
{
	gpu_test_dispatch(test, "read_words", 2, 0);
	if (test->fixed)
		vkCmdPipelineBarrier(test->commands, COMPUTE, COMPUTE, 0, 0, NULL, 0, NULL, 0,
				     NULL);
	gpu_test_dispatch(test, "write_words", 2, 0);
}

// The later dispatch's own reads must not hide those of the earlier one from its writes.
static void read_then_update(struct gpu_test *test)
{
	gpu_test_dispatch(test, "read_words", 2, 0);
	if (test->fixed)
		vkCmdPipelineBarrier(test->commands, COMPUTE, COMPUTE, 0, 0, NULL, 0, NULL, 0,
				     NULL);
	gpu_test_dispatch(test, "update_words", 2, 0);
}

static void fill_dispatch(struct gpu_test *test)
{
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 512, 7);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

static void dispatch_copy(struct gpu_test *test)
{
	const VkBufferCopy region = {.size = 512};
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, TRANSFER, VK_ACCESS_TRANSFER_READ_BIT);
	vkCmdCopyBuffer(test->commands, test->data.handle, test->result.handle, 1, &region);
}

static void indirect_arguments(struct gpu_test *test)
{
	const uint32_t groups[3] = {1, 1, 1};
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof groups, groups);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE | INDIRECT,
			 WRITE | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	gpu_test_dispatch(test, "write_arguments", 1, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, INDIRECT,
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	gpu_test_dispatch_indirect(test, "write_result");
}

// One of the workgroups gets no barrier; fixed: two.
static void told_groups(struct gpu_test *test)
{
	const uint32_t barriers[] = {1, 1, 1, 1, 1, test->fixed ? 2 : 0, 1, 1};
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof barriers, barriers);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ);
	gpu_test_dispatch(test, "told_groups", 8, 0);
}

// Two of the workgroups write what later ones do; fixed: what none does.
static void strange_groups(struct gpu_test *test)
{
	const uint32_t moved[24] = {[10] = test->fixed ? 24 : 1, [20] = test->fixed ? 24 : 3};
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof moved, moved);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ);
	gpu_test_dispatch(test, "strange_groups", 24, 0);
}

// 80 workgroups, of which the first ones and every fifth do each something else. The others do
// alike; with `moved`, ever further from their own words. Workgroup 20 writes what workgroup 61
// does; fixed: what none does.
static void groups_between(struct gpu_test *test, uint32_t moved)
{
	uint32_t data[160];
	for (uint32_t group = 0; group < 80; group++) {
		data[group] = group < 16 || group % 5 == 0 ? 1 + group % 7 : 0;
		data[80 + group] = moved * group;
	}
	data[80 + 20] = (61 + moved * 61) - 20;
	if (test->fixed)
		data[80 + 20] = 250 - 20;
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof data, data);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ);
	gpu_test_dispatch(test, "groups_between", 80, 0);
}

static void alike_between(struct gpu_test *test)
{
	groups_between(test, 0);
}

static void moved_between(struct gpu_test *test)
{
	groups_between(test, 2);
}

static void long_search(struct gpu_test *test)
{
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 256, 0);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ);
	gpu_test_dispatch(test, test->fixed ? "long_search_fixed" : "long_search_race", 2, 0);
}

static void two_submissions(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_submit(test, 1);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

static void submitted_twice(struct gpu_test *test)
{
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_submit(test, 2);
}

// Half a workgroup of overlap, or none.
static void disjoint_halves(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 1, 0);
	gpu_test_dispatch(test, "write_words", 1, test->fixed ? 64 : 32);
}

static const struct gpu_twin twins[] = {
	{"write_write", NULL, 2},
	{"array_length", array_length, 0},
	{"barrier_scope", barrier_scope, 0},
	{"undeclared_capability", undeclared_capability, 0},
	{"extension_used", extension_used, 0},
	{"read_write", NULL, 2},
	{"far_halves", NULL, 256},
	{"shared_read", NULL, 1},
	{"list_turns", NULL, 1},
	{"tile_loop", NULL, 1},
	{"kept_values", NULL, 1},
	{"step_loop", NULL, 1},
	{"large_log", NULL, 512},
	{"like_groups", NULL, 8},
	{"raced_groups", NULL, 8},
	{"told_groups", told_groups, 0},
	{"strange_groups", strange_groups, 0},
	{"alike_between", alike_between, 0},
	{"moved_between", moved_between, 0},
	{"long_search", long_search, 0},
	{"same_value", NULL, 1},
	{"neighbour_bytes", neighbour_bytes, 0},
	{"unaligned_vectors", unaligned_vectors, 0},
	{"atomic_plain", NULL, 2},
	{"between_dispatches", between_dispatches, 0},
	{"unreleased_dispatch", unreleased_dispatch, 0},
	{"unavailable_dispatch", unavailable_dispatch, 0},
	{"family_domain", family_domain, 0},
	{"several_flags", several_flags, 0},
	{"coherent_ticket", NULL, 4},
	{"relaxed_ticket", relaxed_ticket, 0},
	{"fence_class", fence_class, 0},
	{"ticket_scope", ticket_scope, 0},
	{"invisible_parts", invisible_parts, 0},
	{"private_parts", private_parts, 0},
	{"look_back", look_back, 0},
	{"shared_flag", shared_flag, 0},
	{"chosen_pointer", chosen_pointer, 0},
	{"failed_exchange", failed_exchange, 0},
	{"subgroup_barrier", NULL, 1},
	{"subgroup_coherent", NULL, 1},
	{"subgroup_count", NULL, 1},
	{"subgroup_turns", NULL, 1},
	{"subgroup_rows", NULL, 1},
	{"no_barrier", no_barrier, 0},
	{"wrong_src_stage", wrong_src_stage, 0},
	{"wrong_src_access", wrong_src_access, 0},
	{"wrong_dst_access", wrong_dst_access, 0},
	{"wrong_src_access2", wrong_src_access2, 0},
	{"wrong_range", wrong_range, 0},
	{"execution_only", execution_only, 0},
	{"read_then_write", read_then_write, 0},
	{"read_then_update", read_then_update, 0},
	{"fill_dispatch", fill_dispatch, 0},
	{"dispatch_copy", dispatch_copy, 0},
	{"indirect_arguments", indirect_arguments, 0},
	{"two_submissions", two_submissions, 0},
	{"submitted_twice", submitted_twice, 0},
	{"disjoint_halves", disjoint_halves, 0},
	{NULL, NULL, 0},
};

static const struct gpu_twin *const lists[] = {twins,
					       gpu_barrier_twins,
					       gpu_draw_twins,
					       gpu_event_twins,
					       gpu_family_twins,
					       gpu_host_twins,
					       gpu_watch_twins,
					       gpu_image_twins,
					       gpu_input_twins,
					       gpu_pass_stage_twins,
					       gpu_mesh_twins,
					       gpu_interlock_twins,
					       gpu_object_twins,
					       gpu_matrix_twins,
					       gpu_newer_twins,
					       gpu_order_twins,
					       gpu_present_twins,
					       gpu_pass_twins,
					       gpu_queue_twins,
					       gpu_region_twins,
					       gpu_stage_twins,
					       gpu_texel_twins,
					       gpu_texel_write_twins,
					       gpu_texel_test_twins,
					       gpu_form_twins,
					       gpu_subpass_twins,
					       gpu_alias_twins,
					       gpu_attachment_twins,
					       gpu_pipeline_twins,
					       gpu_structure_twins,
					       gpu_host_image_twins,
					       gpu_descriptor_twins,
					       gpu_heap_twins,
					       gpu_heap_stage_twins,
					       gpu_video_twins,
					       gpu_ray_twins,
					       gpu_shader_twins,
					       gpu_sparse_twins,
					       gpu_feed_twins,
					       gpu_scope_twins,
					       gpu_reader_twins,
					       gpu_repeat_twins,
					       gpu_uniform_twins};

static void run(const struct gpu_twin *twin, bool fixed)
{
	struct gpu_test test;
	gpu_test_init(&test, gpu_twin_kernels, fixed);
	if (twin->record)
		twin->record(&test);
	else
		dispatch_twin(&test, twin->name, twin->groups);
	gpu_test_submit(&test, 1);
	gpu_test_finish(&test);
}

static const struct gpu_twin *find_twin(const char *name)
{
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		for (const struct gpu_twin *twin = lists[i]; twin->name; twin++)
			if (strcmp(twin->name, name) == 0)
				return twin;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct gpu_twin *twin = argc == 3 ? find_twin(argv[1]) : NULL;
	if (!twin) {
		fprintf(stderr, "usage: gpu_twins NAME race|fixed\n");
		return EXIT_FAILURE;
	}
	run(twin, strcmp(argv[2], "fixed") == 0);
	return EXIT_SUCCESS;
}
