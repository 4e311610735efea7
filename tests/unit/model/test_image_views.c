// SPDX-License-Identifier: Apache-2.0
// What references know image views by: views that are made alike one after the other by one number.
#include "error.h"
#include "model_objects.h"
#include "texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct vkr_trace_image_view plain = {
	.image = 1,
	.type = VK_IMAGE_VIEW_TYPE_2D,
	.format = VK_FORMAT_R8G8B8A8_UNORM,
	.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	.subresources = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
};

static void say(struct vkr_objects *objects, enum vkr_trace_type type, const void *payload,
		size_t bytes)
{
	struct {
		struct vkr_trace_event event;
		unsigned char payload[256];
	} made = {.event = {.bytes = (uint32_t)(sizeof made.event + bytes), .type = type}};
	struct vkr_error error;
	memcpy(made.payload, payload, bytes);
	assert_int_equal(vkr_objects_event(objects, &made.event, &error), VKR_OK);
}

static uint32_t make(struct vkr_objects *objects, uint32_t id, struct vkr_trace_image_view view)
{
	view.view = id;
	say(objects, VKR_TRACE_IMAGE_VIEW, &view, sizeof view);
	return vkr_objects_image_view(objects, id)->reference;
}

static void destroy(struct vkr_objects *objects, uint32_t id)
{
	const struct vkr_trace_image_view_destroy gone = {.view = id};
	say(objects, VKR_TRACE_IMAGE_VIEW_DESTROY, &gone, sizeof gone);
}

static int begin(void **state)
{
	static struct vkr_objects objects;
	static struct vkr_texts texts;
	vkr_texts_init(&texts);
	vkr_objects_init(&objects, &texts);
	for (uint32_t id = 1; id <= 2; id++) {
		const struct vkr_trace_image image = {.image = id,
						      .format = VK_FORMAT_R8G8B8A8_UNORM,
						      .type = VK_IMAGE_TYPE_2D,
						      .extent = {8, 8, 1},
						      .mips = 2,
						      .layers = 2,
						      .samples = 1,
						      .bytes = 1024};
		say(&objects, VKR_TRACE_IMAGE, &image, sizeof image);
	}
	*state = &objects;
	return 0;
}

static int end(void **state)
{
	struct vkr_objects *objects = *state;
	struct vkr_texts *texts = objects->texts;
	vkr_objects_finish(objects);
	vkr_texts_finish(texts);
	return 0;
}

static void test_one_after_the_other(void **state)
{
	assert_int_equal(make(*state, 1, plain), 1);
	destroy(*state, 1);
	assert_int_equal(make(*state, 2, plain), 1);
	destroy(*state, 2);
	assert_int_equal(make(*state, 3, plain), 1);
}

// There may be commands that use one and commands that use the other.
static void test_side_by_side(void **state)
{
	assert_int_equal(make(*state, 1, plain), 1);
	assert_int_equal(make(*state, 2, plain), 2);
	destroy(*state, 1);
	destroy(*state, 1); // of a damaged trace
	assert_int_equal(make(*state, 3, plain), 1);
	assert_int_equal(make(*state, 4, plain), 4);
	destroy(*state, 2);
	destroy(*state, 3);
	destroy(*state, 9);
	const uint32_t a = make(*state, 5, plain), b = make(*state, 6, plain);
	assert_int_equal(a + b, 3);
	assert_int_equal(make(*state, 7, plain), 7);
}

static void test_unlike(void **state)
{
	struct vkr_trace_image_view others[10];
	for (size_t at = 0; at < sizeof others / sizeof *others; at++)
		others[at] = plain;
	others[0].image = 2;
	others[1].type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
	others[2].format = VK_FORMAT_R32_UINT;
	others[3].flags = VK_IMAGE_VIEW_CREATE_FRAGMENT_DENSITY_MAP_DYNAMIC_BIT_EXT;
	others[4].usage = VK_IMAGE_USAGE_STORAGE_BIT;
	others[5].subresources.first_mip = 1;
	others[6].subresources.layer_count = 2;
	others[7].min_lod = 0.5f;
	others[8].first_slice = 1;
	others[9].slice_count = 1;
	make(*state, 1, plain);
	destroy(*state, 1);
	for (uint32_t at = 0; at < sizeof others / sizeof *others; at++)
		assert_int_equal(make(*state, 2 + at, others[at]), 2 + at);
	assert_int_equal(make(*state, 20, plain), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_after_the_other, begin, end),
		cmocka_unit_test_setup_teardown(test_side_by_side, begin, end),
		cmocka_unit_test_setup_teardown(test_unlike, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
