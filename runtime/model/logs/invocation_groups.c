// SPDX-License-Identifier: Apache-2.0
#include "invocation_groups.h"

#include "array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vkrace/result.h"

#include <vulkan/vulkan_core.h>

void vkr_invocation_groups_finish(struct vkr_invocation_groups *groups)
{
	free(groups->items);
	free(groups->slots);
	*groups = (struct vkr_invocation_groups){0};
}

// Where the words of a bit stand.
static uint32_t word_of(uint32_t identity, enum vkr_identity bit)
{
	uint32_t at = 0;
	for (uint32_t low = 1; low < (uint32_t)bit; low <<= 1)
		if (identity & low)
			at += vkr_identity_words((enum vkr_identity)low);
	return at;
}

// The word whose low bits distinguish the invocations of a group; not of fragments.
static uint32_t place_of_slot(const struct vkr_invocation_group *group)
{
	if (group->stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT)
		return word_of(group->identity, VKR_IDENTITY_INVOCATION);
	if (group->identity & VKR_IDENTITY_LAUNCH)
		return word_of(group->identity, VKR_IDENTITY_LAUNCH);
	if (group->identity & VKR_IDENTITY_LOCAL)
		return word_of(group->identity, VKR_IDENTITY_LOCAL);
	if (group->identity & VKR_IDENTITY_VERTEX)
		return word_of(group->identity, VKR_IDENTITY_VERTEX);
	return word_of(group->identity, VKR_IDENTITY_PRIMITIVE);
}

// The word that distinguishes the invocations of a group, by its low bits, and how many. Fragments
// of one group stand side by side in a row of pixels, as the texels do that they read.
static uint32_t slot_place(const struct vkr_invocation_group *group, uint32_t *bits)
{
	const bool is_fragment = group->identity & VKR_IDENTITY_FRAGMENT;
	*bits = is_fragment ? VKR_GROUP_ROW_BITS : group->slot_bits;
	return is_fragment ? word_of(group->identity, VKR_IDENTITY_FRAGMENT) : place_of_slot(group);
}

uint32_t vkr_invocation_number(uint32_t identity, const uint32_t *words)
{
	return identity & VKR_IDENTITY_NUMBER ? words[word_of(identity, VKR_IDENTITY_NUMBER)] : 0;
}

void vkr_invocation_identity(const struct vkr_invocation_group *group, uint32_t local,
			     uint32_t words[VKR_IDENTITY_WORDS_MOST])
{
	const uint32_t slot = local & ((1u << group->slot_bits) - 1);
	memcpy(words, group->words, sizeof group->words);
	if (group->identity & VKR_IDENTITY_FRAGMENT) {
		words[word_of(group->identity, VKR_IDENTITY_FRAGMENT)] += slot;
	} else {
		words[place_of_slot(group)] += slot;
	}
}

const uint32_t *vkr_invocation_told(uint32_t identity, const uint32_t *words, enum vkr_identity bit)
{
	return identity & (uint32_t)bit ? words + word_of(identity, bit) : NULL;
}

// Whether an invocation with these words is of a group; its slot's word and bits are given.
static bool is_of_group(const struct vkr_invocation_group *group,
			const struct vkr_invocation_group *like, const uint32_t *words,
			uint32_t slot_at, uint32_t slot_bits)
{
	const bool has_number = like->identity & VKR_IDENTITY_NUMBER;
	const uint32_t number =
		has_number ? word_of(like->identity, VKR_IDENTITY_NUMBER) : UINT32_MAX;
	if (group->stage != like->stage || group->tag != like->tag ||
	    group->identity != like->identity || group->slot_bits != like->slot_bits ||
	    group->more != like->more)
		return false;
	for (uint32_t at = 0; at < like->word_count; at++) {
		const uint32_t slot = at == slot_at ? words[at] & ((1u << slot_bits) - 1) : 0;
		if (at != number && group->words[at] != words[at] - slot)
			return false;
	}
	return true;
}

static size_t hash_of(const struct vkr_invocation_group *group)
{
	uint64_t hash = (group->stage ^ (uint64_t)group->tag << 16) * UINT64_C(0x9e3779b97f4a7c15) +
			group->more;
	for (size_t at = 0; at < group->word_count; at++) {
		hash = (hash ^ group->words[at]) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	return (size_t)hash;
}

static bool is_same(const struct vkr_invocation_group *a, const struct vkr_invocation_group *b)
{
	return a->stage == b->stage && a->tag == b->tag && a->identity == b->identity &&
	       a->slot_bits == b->slot_bits && a->more == b->more &&
	       memcmp(a->words, b->words, sizeof a->words) == 0;
}

// The slot of the group in the table, or the empty one where it belongs.
static uint32_t *find_group(const struct vkr_invocation_groups *groups,
			    const struct vkr_invocation_group *group)
{
	size_t at = hash_of(group) & (groups->slot_count - 1);
	while (groups->slots[at] != 0 && !is_same(&groups->items[groups->slots[at] - 1], group))
		at = (at + 1) & (groups->slot_count - 1);
	return &groups->slots[at];
}

// Keeps the table at most half full.
static bool grow_groups(struct vkr_invocation_groups *groups)
{
	if (groups->count < groups->slot_count / 2)
		return true;
	const struct vkr_invocation_groups old = *groups;
	groups->slot_count = old.slot_count > 0 ? old.slot_count * 2 : 256;
	groups->slots = calloc(groups->slot_count, sizeof *groups->slots);
	if (groups->slots == NULL) {
		groups->slots = old.slots;
		groups->slot_count = old.slot_count;
		return false;
	}
	for (size_t at = 0; at < groups->count; at++)
		*find_group(groups, &groups->items[at]) = (uint32_t)at + 1;
	free(old.slots);
	return true;
}

uint32_t vkr_invocation_group(struct vkr_invocation_groups *groups,
			      const struct vkr_invocation_group *like, const uint32_t *words,
			      uint32_t *slot)
{
	uint32_t slot_bits = 0;
	const uint32_t slot_at = slot_place(like, &slot_bits);
	const uint32_t slot_word = slot_at < like->word_count ? words[slot_at] : 0;
	const uint32_t next = slot_at + 1 < like->word_count ? words[slot_at + 1] : 0;
	uint32_t *recent = &groups->recent[((slot_word >> slot_bits) + next) % VKR_GROUPS_RECENT];
	*slot = slot_word & ((1u << slot_bits) - 1);
	if (*recent != 0 &&
	    is_of_group(&groups->items[*recent - 1], like, words, slot_at, slot_bits))
		return *recent - 1;
	struct vkr_invocation_group group = {.stage = like->stage,
					     .tag = like->tag,
					     .identity = like->identity,
					     .slot_bits = like->slot_bits,
					     .word_count = like->word_count,
					     .more = like->more};
	memcpy(group.words, words, like->word_count * sizeof *words);
	if (like->identity & VKR_IDENTITY_NUMBER)
		group.words[word_of(like->identity, VKR_IDENTITY_NUMBER)] = 0;
	group.words[slot_at] -= *slot;
	if (!grow_groups(groups))
		return UINT32_MAX;
	uint32_t *place = find_group(groups, &group);
	if (*place == 0) {
		if (groups->count >= UINT32_MAX - 1 || !VKR_ARRAY_RESERVE(groups, 1))
			return UINT32_MAX;
		groups->items[groups->count++] = group;
		*place = (uint32_t)groups->count;
	}
	*recent = *place;
	return *place - 1;
}

static float float_of(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static void add_bit(struct vkr_text *text, enum vkr_identity bit, const uint32_t *words)
{
	switch (bit) {
	case VKR_IDENTITY_VERTEX:
		// A vertexOffset may make it negative.
		vkr_text_add(text, "vertex %" PRId32, (int32_t)words[0]);
		break;
	case VKR_IDENTITY_INSTANCE:
		vkr_text_add(text, " instance %" PRIu32, words[0]);
		break;
	case VKR_IDENTITY_FRAGMENT:
		vkr_text_add(text, "fragment (%" PRIu32 ", %" PRIu32 ")", words[0], words[1]);
		break;
	case VKR_IDENTITY_PRIMITIVE:
		vkr_text_add(text, " primitive %" PRIu32, words[0]);
		break;
	case VKR_IDENTITY_INVOCATION:
		vkr_text_add(text, " invocation %" PRIu32, words[0]);
		break;
	case VKR_IDENTITY_TESSELLATION:
		vkr_text_add(text, " at (%g, %g, %g)", (double)float_of(words[0]),
			     (double)float_of(words[1]), (double)float_of(words[2]));
		break;
	case VKR_IDENTITY_SAMPLE:
		vkr_text_add(text, " sample %" PRIu32, words[0]);
		break;
	case VKR_IDENTITY_LAYER:
		vkr_text_add(text, " layer %" PRIu32, words[0]);
		break;
	case VKR_IDENTITY_VIEW:
		vkr_text_add(text, " view %" PRIu32, words[0]);
		break;
	case VKR_IDENTITY_DRAW:
		vkr_text_add(text, " draw %" PRIu32, words[0]);
		break;
	case VKR_IDENTITY_WORKGROUP:
		vkr_text_add(text, " workgroup (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", words[0],
			     words[1], words[2]);
		break;
	case VKR_IDENTITY_LOCAL:
		vkr_text_add(text, " invocation %" PRIu32, words[0]);
		break;
	case VKR_IDENTITY_COVERAGE:
		vkr_text_add(text, " samples 0x%" PRIx32, words[0]);
		break;
	case VKR_IDENTITY_NUMBER:
	case VKR_IDENTITY_END:
		break;
	case VKR_IDENTITY_LAUNCH:
		vkr_text_add(text, " launch (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", words[0],
			     words[1], words[2]);
		break;
	}
}

const char *vkr_stage_name(uint32_t stage)
{
	switch (stage) {
	case VK_SHADER_STAGE_VERTEX_BIT:
		return "vertex";
	case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
		return "tessellation control";
	case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
		return "tessellation evaluation";
	case VK_SHADER_STAGE_GEOMETRY_BIT:
		return "geometry";
	case VK_SHADER_STAGE_FRAGMENT_BIT:
		return "fragment";
	case VK_SHADER_STAGE_COMPUTE_BIT:
		return "compute";
	case VK_SHADER_STAGE_TASK_BIT_NV: // the EXT stage has the same value
		return "task";
	case VK_SHADER_STAGE_MESH_BIT_NV:
		return "mesh";
	case VK_SHADER_STAGE_RAYGEN_BIT_KHR:
		return "ray generation";
	case VK_SHADER_STAGE_ANY_HIT_BIT_KHR:
		return "any hit";
	case VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR:
		return "closest hit";
	case VK_SHADER_STAGE_MISS_BIT_KHR:
		return "miss";
	case VK_SHADER_STAGE_INTERSECTION_BIT_KHR:
		return "intersection";
	case VK_SHADER_STAGE_CALLABLE_BIT_KHR:
		return "callable";
	default:
		return "shader";
	}
}

// The name of the stage, or nothing if the invocation's identity implies it.
static const char *stage_text(uint32_t stage)
{
	switch (stage) {
	case VK_SHADER_STAGE_VERTEX_BIT:
	case VK_SHADER_STAGE_FRAGMENT_BIT:
	case VK_SHADER_STAGE_COMPUTE_BIT:
		return "";
	case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
		return "patch control";
	case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
		return "patch evaluation";
	default:
		return vkr_stage_name(stage);
	}
}

void vkr_invocation_words(const struct vkr_invocation_group *group, uint32_t local,
			  struct vkr_text *text)
{
	uint32_t words[VKR_IDENTITY_WORDS_MOST];
	uint32_t at = 0;
	vkr_invocation_identity(group, local, words);
	vkr_text_add(text, "%s", stage_text(group->stage));
	for (uint32_t bit = 0; bit < VKR_IDENTITY_BITS; bit++) {
		if (!(group->identity >> bit & 1))
			continue;
		add_bit(text, (enum vkr_identity)(1u << bit), &words[at]);
		at += vkr_identity_words((enum vkr_identity)(1u << bit));
	}
	// Others say the same of themselves.
	if (group->identity & VKR_IDENTITY_NUMBER) {
		if (group->more > 0)
			vkr_text_add(text, ", workgroup number %" PRIu32, group->more + 1);
		return;
	}
	const uint32_t number = (local >> group->slot_bits) +
				(group->more << (VKR_GROUP_BITS_MOST - group->slot_bits)) + 1;
	if (number > 1)
		vkr_text_add(text, ", number %" PRIu32, number);
}
