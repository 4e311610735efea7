// SPDX-License-Identifier: Apache-2.0
// random_loops FRAGMENT.spv: updates 9 elements of 16 bytes, then draws 8 x 8 fragments with the
// shader, which reads them as uniform binding 2, without a barrier. Knows nothing of what is to be
// reported.
#include "gpu_draw.h"

#include "loops_area.spv.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	static uint32_t words[1u << 16];
	static const uint32_t values[36] = {7};
	struct gpu_test_kernel none = {0};
	struct gpu_test test;
	struct gpu_draw_pass pass = {0};
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!file)
		return 2;
	const size_t bytes = fread(words, 1, sizeof words, file);
	fclose(file);
	gpu_test_init(&test, &none, false);
	vkCmdUpdateBuffer(test.commands, test.data.handle, 0, sizeof values, values);
	gpu_draw_pass_make(&test, &pass);
	gpu_draw_begin(&test, &pass, (VkRect2D){.extent = {8, 8}});
	gpu_draw_bind(
		&test, &pass,
		&(struct gpu_draw_pipeline){
			.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, loops_area, sizeof loops_area},
				    {VK_SHADER_STAGE_FRAGMENT_BIT, words, bytes}},
			.shader_count = 2,
			.area = 8});
	vkCmdDraw(test.commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test.commands);
	gpu_test_submit(&test, 1);
	gpu_test_finish(&test);
	return 0;
}
