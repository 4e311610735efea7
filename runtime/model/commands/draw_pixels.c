// SPDX-License-Identifier: Apache-2.0
// The pixels of a draw's fragments. Knows what these say of themselves; not what they access.
#include "array.h"
#include "draw_logs.h"
#include "sort.h"

bool vkr_draw_logs_pixel(struct vkr_draw_logs *logs, uint32_t identity, const uint32_t *words,
			 uint32_t samples, uint32_t views)
{
	if (!VKR_ARRAY_RESERVE(&logs->pixels, 1))
		return false;
	const uint32_t *pixel = vkr_invocation_told(identity, words, VKR_IDENTITY_FRAGMENT);
	const uint32_t *layer = vkr_invocation_told(
		identity, words, views != 0 ? VKR_IDENTITY_VIEW : VKR_IDENTITY_LAYER);
	// The layer of fragments that do not log it: of a single view, or the first.
	const uint32_t only = views != 0 ? (uint32_t)__builtin_ctz(views) : 0;
	if (pixel != NULL)
		logs->pixels.items[logs->pixels.count++] =
			(struct vkr_draw_pixel){.x = pixel[0],
						.y = pixel[1],
						.layer = layer != NULL ? *layer : only,
						.samples = samples,
						.fragments = 1};
	return true;
}

static int by_row(const void *a, const void *b)
{
	const struct vkr_draw_pixel *x = a, *y = b;
	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	return (x->x > y->x) - (x->x < y->x);
}

void vkr_draw_logs_sort_pixels(struct vkr_draw_logs *logs)
{
	size_t kept = 0;
	vkr_sort(logs->pixels.items, logs->pixels.count, sizeof *logs->pixels.items, by_row);
	for (size_t at = 0; at < logs->pixels.count; at++) {
		const struct vkr_draw_pixel *next = &logs->pixels.items[at];
		struct vkr_draw_pixel *last = kept > 0 ? &logs->pixels.items[kept - 1] : NULL;
		if (last != NULL && by_row(last, next) == 0) {
			last->samples |= next->samples;
			last->fragments += next->fragments;
		} else {
			logs->pixels.items[kept++] = *next;
		}
	}
	logs->pixels.count = kept;
}
