// SPDX-License-Identifier: Apache-2.0
#include "kept_effects.h"

#include "read_table.h"

#include <stdlib.h>

void vkr_effect_page_release(struct vkr_engine *engine, struct effect_page *page)
{
	for (unsigned tree = 0; tree < 2; tree++) {
		vkr_slot_release(&page->before[tree], 0, &engine->pool);
		vkr_slot_release(&page->after[tree], 0, &engine->pool);
	}
}

void vkr_effect_destroy(struct vkr_engine *engine, struct vkr_effect *effect)
{
	if (effect == NULL)
		return;
	for (size_t i = 0; i < effect->pages.count; i++)
		vkr_effect_page_release(engine, &effect->pages.items[i]);
	for (struct vkr_effect **at = &engine->effects; *at != NULL; at = &(*at)->next)
		if (*at == effect) {
			*at = effect->next;
			break;
		}
	for (size_t i = 0; i < effect->reads.count; i++)
		vkr_read_table_drop(effect->reads.items[i].filter.kept);
	for (size_t i = 0; i < effect->waiting.count; i++)
		vkr_read_table_drop(effect->waiting.items[i].reads.filter.kept);
	vkr_map_finish(&effect->epoch_of);
	free(effect->waiting.items);
	free(effect->reads.items);
	free(effect->uses.items);
	free(effect->ranges.items);
	free(effect->pages.items);
	free(effect->epochs.items);
	free(effect->classes.items);
	free(effect->commands.items);
	free(effect->order.items);
	free(effect->races.items);
	free(effect);
}

uint64_t vkr_effect_bytes(const struct vkr_effect *effect)
{
	return effect->bytes + effect->pages.capacity * sizeof *effect->pages.items +
	       effect->epochs.capacity * sizeof *effect->epochs.items;
}

void vkr_effects_mark(struct vkr_engine *engine)
{
	for (const struct vkr_effect *effect = engine->effects; effect; effect = effect->next)
		for (size_t i = 0; i < effect->epochs.count; i++)
			if (effect->epochs.items[i].content.table)
				effect->epochs.items[i].content.table->used = true;
}
