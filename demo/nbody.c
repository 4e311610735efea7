// SPDX-License-Identifier: Apache-2.0
// An n-body simulation in Vulkan compute with two classic synchronization bugs: forces.comp lets
// the next fill of a shared tile overtake the readers of the last one, and no barrier stands
// between the dispatch of the forces and that of the integration. `nbody --fixed` has neither.
// Knows nothing of vkrace: an ordinary program.
#include "compute_device.h"

#include "forces.spv.h"
#include "integrate.spv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES     1024u
#define GROUP_SIZE 64u
#define STEPS      4u

struct body {
	float x, y, z, w; // w: the mass in positions, unused in velocities
};

struct step {
	float seconds;
	uint32_t bodies;
};

struct simulation {
	struct compute_device device;
	struct compute_buffer positions, velocities;
	VkPipeline forces, integrate;
	bool fixed;
};

// A fixed sequence in [-1, 1), so that every run starts alike.
static float next_coordinate(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

static void place_bodies(struct simulation *simulation)
{
	uint32_t state = 1;
	struct body *positions = simulation->positions.mapped;
	for (uint32_t i = 0; i < BODIES; i++) {
		positions[i].x = next_coordinate(&state);
		positions[i].y = next_coordinate(&state);
		positions[i].z = next_coordinate(&state);
		positions[i].w = 1.0f / BODIES;
	}
	memset(simulation->velocities.mapped, 0, BODIES * sizeof(struct body));
}

static void barrier(VkCommandBuffer commands, VkPipelineStageFlags to_stage, VkAccessFlags to)
{
	const VkMemoryBarrier memory = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
		.dstAccessMask = to,
	};
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, to_stage, 0, 1,
			     &memory, 0, NULL, 0, NULL);
}

static void dispatch(struct simulation *simulation, VkCommandBuffer commands, VkPipeline pipeline,
		     const char *label)
{
	compute_begin_label(&simulation->device, commands, label);
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdDispatch(commands, BODIES / GROUP_SIZE, 1, 1);
	compute_end_label(&simulation->device, commands);
}

static void record_step(struct simulation *simulation, VkCommandBuffer commands, uint32_t number)
{
	char label[32];
	const VkAccessFlags both = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
	snprintf(label, sizeof label, "step %u", number);
	compute_begin_label(&simulation->device, commands, label);
	dispatch(simulation, commands, simulation->forces, "forces");
	// The bug: without this barrier the integration reads velocities that are being written.
	if (simulation->fixed)
		barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, both);
	dispatch(simulation, commands, simulation->integrate, "integrate");
	barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, both);
	compute_end_label(&simulation->device, commands);
}

static void run(struct simulation *simulation)
{
	const struct step step = {0.01f, BODIES};
	struct compute_device *device = &simulation->device;
	VkCommandBuffer commands = compute_begin(device, "simulation");
	vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, device->layout, 0, 1,
				&device->set, 0, NULL);
	vkCmdPushConstants(commands, device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof step,
			   &step);
	for (uint32_t i = 1; i <= STEPS; i++)
		record_step(simulation, commands, i);
	barrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
	compute_submit_and_wait(device, commands);
}

// The bodies attract each other only, so their centre stays where it was.
static void print_centre(const struct simulation *simulation, const char *when)
{
	const struct body *positions = simulation->positions.mapped;
	double x = 0, y = 0, z = 0;
	for (uint32_t i = 0; i < BODIES; i++) {
		x += (double)positions[i].x;
		y += (double)positions[i].y;
		z += (double)positions[i].z;
	}
	printf("nbody: centre of %u bodies %s %u steps: %+.5f %+.5f %+.5f\n", BODIES, when, STEPS,
	       x / BODIES, y / BODIES, z / BODIES);
}

int main(int argc, char **argv)
{
	struct simulation simulation = {.fixed = argc == 2 && strcmp(argv[1], "--fixed") == 0};
	struct compute_device *device = &simulation.device;
	if (argc > 1 && !simulation.fixed) {
		fprintf(stderr, "usage: nbody [--fixed]\n");
		return EXIT_FAILURE;
	}
	compute_init(device, sizeof(struct step));
	simulation.positions =
		compute_make_buffer(device, BODIES * sizeof(struct body), "positions");
	simulation.velocities =
		compute_make_buffer(device, BODIES * sizeof(struct body), "velocities");
	compute_bind(device, &simulation.positions, &simulation.velocities);
	simulation.forces =
		compute_make_pipeline(device, forces, sizeof forces, simulation.fixed, "forces");
	simulation.integrate = compute_make_pipeline(device, integrate, sizeof integrate,
						     simulation.fixed, "integrate");
	place_bodies(&simulation);
	print_centre(&simulation, "before");
	run(&simulation);
	print_centre(&simulation, "after");
	vkDestroyPipeline(device->device, simulation.forces, NULL);
	vkDestroyPipeline(device->device, simulation.integrate, NULL);
	compute_free_buffer(device, &simulation.positions);
	compute_free_buffer(device, &simulation.velocities);
	compute_finish(device);
	return EXIT_SUCCESS;
}
