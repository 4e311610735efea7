// SPDX-License-Identifier: Apache-2.0
// Sites on images, texel buffers and input attachments, and their entries in the site table.
// Knows image instructions; not how texels are distinguished when they are logged.
#include "analysis.h"
#include "array.h"
#include "image_use.h"

static void add_legacy_flags(struct vkr_site_draft *draft, const struct vkr_pointer_target *image,
			     bool is_write)
{
	struct vkr_site *site = &draft->site;
	if (image->is_volatile)
		site->flags |= VKR_SITE_VOLATILE;
	if (!image->is_coherent)
		return;
	site->flags |= VKR_SITE_NONPRIVATE;
	if (is_write) {
		site->flags |= VKR_SITE_MAKE_AVAILABLE;
		site->available_scope = VKR_SCOPE_QUEUE_FAMILY;
	} else {
		site->flags |= VKR_SITE_MAKE_VISIBLE;
		site->visible_scope = VKR_SCOPE_QUEUE_FAMILY;
	}
}

static bool add_texel(struct vkr_analysis *analysis, struct vkr_image_use *use, uint32_t *texel)
{
	bool is_alike;
	if (use->has_sampler &&
	    !vkr_analysis_variables(analysis, &use->sampler, &use->texel.sampler, &is_alike))
		return false;
	if (!VKR_ARRAY_RESERVE(&analysis->texels, 1))
		return false;
	analysis->texels.items[analysis->texels.count++] = use->texel;
	*texel = (uint32_t)analysis->texels.count;
	return true;
}

// Fills in what the site has in common with all accesses of its variable's texels.
static bool add_site(struct vkr_analysis *analysis, struct vkr_image_use *use,
		     struct vkr_site_draft *draft)
{
	bool is_alike; // all are: one type says what they are
	draft->image = use;
	draft->place.member = "";
	if (!vkr_analysis_variables(analysis, &use->image, &draft->site.variable, &is_alike) ||
	    !add_texel(analysis, use, &draft->site.texel))
		return false;
	draft->site.storage_class = VKR_CLASS_IMAGE;
	draft->site.words = use->texel.words;
	if (use->image.kind == VKR_TARGET_CHOSEN)
		draft->site.flags |= VKR_SITE_CHOSEN;
	else if (use->image.is_arrayed)
		draft->site.flags |= VKR_SITE_ARRAYED;
	analysis->queries_levels |= use->texel.level == VKR_LEVEL_QUERIED;
	return true;
}

bool vkr_analysis_image(struct vkr_analysis *analysis, const struct vkr_instruction *in,
			struct vkr_site_draft *draft, const char **fault)
{
	struct vkr_image_use *use = vkr_arena_alloc(analysis->arena, sizeof *use);
	if (!use || !vkr_image_use_read(&analysis->book, in, analysis->is_legacy, use, fault))
		return false;
	if (*fault)
		return true;
	draft->site.operation = vkr_opcode(in->opcode)->operation;
	draft->site.flags |= use->memory.flags;
	draft->site.available_scope = use->memory.available_scope;
	draft->site.visible_scope = use->memory.visible_scope;
	if (analysis->is_legacy)
		add_legacy_flags(draft, &use->image, draft->site.operation == VKR_SITE_STORE);
	return add_site(analysis, use, draft);
}

bool vkr_analysis_texel_pointer(struct vkr_analysis *analysis,
				const struct vkr_instruction *pointer, struct vkr_site_draft *draft,
				const char **fault)
{
	struct vkr_image_use *use = vkr_arena_alloc(analysis->arena, sizeof *use);
	if (!use || !vkr_image_use_read(&analysis->book, pointer, analysis->is_legacy, use, fault))
		return false;
	if (*fault)
		return true;
	draft->place = (struct vkr_pointer_target){
		.kind = VKR_TARGET_VARIABLE,
		.storage_class = SpvStorageClassImage,
		.variable = use->image.variable,
		.type = vkr_pointer_pointee(analysis->module, pointer->type)
				? vkr_pointer_pointee(analysis->module, pointer->type)
				: draft->value_type,
		.is_volatile = use->image.is_volatile,
	};
	// Formats with atomics have one component, as wide as the value.
	const struct vkr_layout packed = {0};
	draft->site.bytes = (uint32_t)vkr_type_bytes(analysis->types, draft->place.type, packed);
	return add_site(analysis, use, draft);
}
