// SPDX-License-Identifier: Apache-2.0
// The vertices that a draw's vertex shader has logged, as fetches of them. Knows runs of vertices;
// not how these are logged.
#include "array.h"
#include "draw_fetch.h"
#include "draw_logs.h"
#include "sort.h"

bool vkr_draw_logs_vertex(struct vkr_draw_logs *logs, uint32_t vertex)
{
	const uint32_t base = vertex & ~63u;
	struct vkr_draw_vertices *last =
		logs->vertices.count > 0 ? &logs->vertices.items[logs->vertices.count - 1] : NULL;
	if (last == NULL || last->base != base) {
		if (!VKR_ARRAY_RESERVE(&logs->vertices, 1))
			return false;
		last = &logs->vertices.items[logs->vertices.count++];
		*last = (struct vkr_draw_vertices){.base = base};
	}
	last->mask |= UINT64_C(1) << (vertex & 63);
	return true;
}

static int by_base(const void *a, const void *b)
{
	const struct vkr_draw_vertices *first = a, *second = b;
	return (first->base > second->base) - (first->base < second->base);
}

enum vkr_result vkr_walk_logged_vertices(struct vkr_walk *walk, const struct vkr_draw *draw,
					 bool *known)
{
	struct vkr_draw_logs *logs = &walk->model->draw_logs;
	struct vkr_draw_range range = {0};
	enum vkr_result result = VKR_OK;
	*known = logs->vertices_logged;
	if (!*known)
		return VKR_OK;
	vkr_sort(logs->vertices.items, logs->vertices.count, sizeof *logs->vertices.items, by_base);
	for (size_t at = 0; at < logs->vertices.count && result == VKR_OK;) {
		const uint32_t base = logs->vertices.items[at].base;
		uint64_t mask = 0;
		for (; at < logs->vertices.count && logs->vertices.items[at].base == base; at++)
			mask |= logs->vertices.items[at].mask;
		for (uint32_t bit = 0; bit < 64 && result == VKR_OK; bit++) {
			if (!(mask >> bit & 1))
				continue;
			if (range.count > 0 && range.first + range.count == base + bit) {
				range.count++;
				continue;
			}
			if (range.count > 0)
				result = vkr_draw_fetch_vertices(walk, draw, range);
			range = (struct vkr_draw_range){base + bit, 1};
		}
	}
	if (range.count > 0 && result == VKR_OK)
		result = vkr_draw_fetch_vertices(walk, draw, range);
	return result;
}
