// SPDX-License-Identifier: Apache-2.0
// What choices of frames, samples, shaders and labels take.
#include "choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static enum vkr_trace_left_out at(const struct vkr_choice *choice, uint64_t presents,
				  uint64_t submissions)
{
	const struct vkr_choice_place place = {presents, submissions};
	return vkr_choice_submission(choice, &place);
}

static void frames(void **state)
{
	(void)state;
	struct vkr_choice choice = {0};
	assert_int_equal(at(&choice, 7, 0), VKR_LEFT_OUT_NOT);
	assert_int_equal(vkr_choice_frames(&choice, "2-3", NULL), VKR_OK);
	assert_int_equal(at(&choice, 0, 0), VKR_LEFT_OUT_FRAME);
	assert_int_equal(at(&choice, 1, 0), VKR_LEFT_OUT_NOT);
	assert_int_equal(at(&choice, 2, 9), VKR_LEFT_OUT_NOT);
	assert_int_equal(at(&choice, 3, 0), VKR_LEFT_OUT_FRAME);
	assert_int_equal(vkr_choice_frames(&choice, "4-", NULL), VKR_OK);
	assert_int_equal(at(&choice, 1000000, 0), VKR_LEFT_OUT_NOT);
	assert_int_equal(vkr_choice_frames(&choice, "18446744073709551616", NULL),
			 VKR_ERROR_FORMAT);
}

// Two frames in a row are, so that races between them are found; the first ones are.
static void sample(void **state)
{
	(void)state;
	struct vkr_choice choice = {0};
	unsigned taken = 0;
	assert_int_equal(vkr_choice_sample(&choice, "10%", NULL), VKR_OK);
	for (unsigned frame = 0; frame < 10000; frame += 2) {
		const bool takes = at(&choice, frame, 0) == VKR_LEFT_OUT_NOT;
		if (frame > 0)
			assert_int_equal(at(&choice, frame + 1, 0) == VKR_LEFT_OUT_NOT, takes);
		taken += takes;
	}
	assert_true(taken >= 400 && taken <= 600);
	assert_int_equal(at(&choice, 0, 0), VKR_LEFT_OUT_NOT);
	assert_int_equal(vkr_choice_sample(&choice, "1", NULL), VKR_OK);
	for (unsigned frame = 0; frame < 1000; frame++)
		assert_int_equal(at(&choice, frame, 0), VKR_LEFT_OUT_NOT);
}

static void patterns(void **state)
{
	(void)state;
	const struct vkr_choice_shader blur = {
		.entry_point = "main", .source_file = "blur.comp", .hash = 0x123456789abcdef};
	struct vkr_choice choice = {.shaders = "sky*,blur*"};
	assert_true(vkr_choice_takes_shader(&choice, &blur));
	choice.not_shaders = "*.comp";
	assert_false(vkr_choice_takes_shader(&choice, &blur));
	choice = (struct vkr_choice){.not_shaders = "*.frag"};
	assert_true(vkr_choice_takes_shader(&choice, &blur));
	choice = (struct vkr_choice){.shaders = "0123456789abcdef"};
	assert_true(vkr_choice_takes_shader(&choice, &blur));
	choice = (struct vkr_choice){.labels = "shadow*"};
	assert_true(vkr_choice_takes_labels(&choice, "frame / shadow pass / casters"));
	assert_false(vkr_choice_takes_labels(&choice, "frame / light"));
	assert_false(vkr_choice_takes_labels(&choice, ""));
	assert_true(vkr_choice_takes_labels(&(struct vkr_choice){0}, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(frames), cmocka_unit_test(sample),
					   cmocka_unit_test(patterns)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
