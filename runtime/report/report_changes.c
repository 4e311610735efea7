// SPDX-License-Identifier: Apache-2.0
#include "report_changes.h"

#include "change_place.h"
#include "error.h"
#include "report_facts.h"
#include "scope_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
#define KIND(name, text) [VKR_CHANGE_##name] = text,
	VKR_CHANGE_KINDS(KIND)
#undef KIND
};

const char *vkr_change_kind_text(enum vkr_change_kind kind)
{
	return kinds[kind];
}

enum vkr_change_kind vkr_change_kind_of(const char *text)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kinds[i], text) == 0)
			return (enum vkr_change_kind)i;
	}
	return (enum vkr_change_kind) - 1;
}

bool vkr_change_has_from(enum vkr_change_kind kind)
{
	return kind == VKR_CHANGE_BARRIER_INSIDE || kind == VKR_CHANGE_SPLIT ||
	       vkr_change_has_signal(kind) || vkr_change_is_of_shader(kind);
}

bool vkr_change_has_subpasses(enum vkr_change_kind kind)
{
	return kind == VKR_CHANGE_BARRIER_INSIDE || kind == VKR_CHANGE_DEPENDENCY ||
	       kind == VKR_CHANGE_REMOVE_DEPENDENCY;
}

// ---- In C ---------------------------------------------------------------------------------------

// The names of a mask's bits as a program writes them; of the first form without the "2_". More
// than two stand on a line each.
static void put_mask(FILE *out, const struct vkr_scope_names *names, uint64_t mask, bool second)
{
	const size_t length = strlen(names->prefix) - (second ? 0 : strlen("2_"));
	const char *next = __builtin_popcountll(mask) > 2 ? " |\n            " : " | ";
	const char *bar = "";
	for (unsigned bit = 0; bit < 64; bit++) {
		const struct vkr_bit_name *name = &names->bits[bit];
		if (!(mask >> bit & 1))
			continue;
		if (name->name && name->suffix)
			fprintf(out, "%s%.*s%s%s", bar, (int)length, names->prefix, name->name,
				name->suffix);
		else
			fprintf(out, "%s0x%" PRIx64, bar, UINT64_C(1) << bit);
		bar = next;
	}
	if (!mask)
		fputs("0", out);
}

static void put_member(FILE *out, const char *name, const struct vkr_scope_names *names,
		       uint64_t mask, const char *end)
{
	fprintf(out, "        .%s = ", name);
	put_mask(out, names, mask, true);
	fputs(end, out);
}

// VkDependencyFlagBits.
#define BY_REGION  0x1u
#define VIEW_LOCAL 0x2u

static const char *flags_text(uint32_t flags)
{
	return flags & BY_REGION ? "VK_DEPENDENCY_BY_REGION_BIT" : "0";
}

static void put_barrier2(FILE *out, const struct vkr_change_masks *masks, uint32_t flags)
{
	fputs("vkCmdPipelineBarrier2(commandBuffer, &(VkDependencyInfo){\n"
	      "    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,\n",
	      out);
	if (flags)
		fprintf(out, "    .dependencyFlags = %s,\n", flags_text(flags));
	fputs("    .memoryBarrierCount = 1,\n"
	      "    .pMemoryBarriers = &(VkMemoryBarrier2){\n"
	      "        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,\n",
	      out);
	put_member(out, "srcStageMask", &vkr_stage_names, masks->source_stages, ",\n");
	put_member(out, "srcAccessMask", &vkr_access_type_names, masks->source_access, ",\n");
	put_member(out, "dstStageMask", &vkr_stage_names, masks->destination_stages, ",\n");
	put_member(out, "dstAccessMask", &vkr_access_type_names, masks->destination_access,
		   "}});\n");
}

static void put_barrier(FILE *out, const struct vkr_change_masks *masks, uint32_t flags)
{
	const bool memory = masks->source_access | masks->destination_access;
	fputs("vkCmdPipelineBarrier(commandBuffer,\n    ", out);
	put_mask(out, &vkr_stage_names, masks->source_stages, false);
	fputs(",\n    ", out);
	put_mask(out, &vkr_stage_names, masks->destination_stages, false);
	if (!memory) {
		fprintf(out, ",\n    %s, 0, NULL, 0, NULL, 0, NULL);\n", flags_text(flags));
		return;
	}
	fprintf(out,
		",\n    %s, 1, &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,\n"
		"        .srcAccessMask = ",
		flags_text(flags));
	put_mask(out, &vkr_access_type_names, masks->source_access, false);
	fputs(",\n        .dstAccessMask = ", out);
	put_mask(out, &vkr_access_type_names, masks->destination_access, false);
	fputs("},\n    0, NULL, 0, NULL);\n", out);
}

static void put_more(FILE *out, const char *mask, const struct vkr_scope_names *names,
		     uint64_t bits, bool second)
{
	if (!bits)
		return;
	fprintf(out, "%s |= ", mask);
	put_mask(out, names, bits, second);
	fputs(";\n", out);
}

static void put_subpass(FILE *out, const char *member, uint32_t subpass)
{
	if (subpass == VKR_CHANGE_EXTERNAL)
		fprintf(out, "    .%s = VK_SUBPASS_EXTERNAL,\n", member);
	else
		fprintf(out, "    .%s = %" PRIu32 ",\n", member, subpass);
}

static void put_first_member(FILE *out, const char *name, const struct vkr_scope_names *names,
			     uint64_t mask)
{
	fprintf(out, "    .%s = ", name);
	put_mask(out, names, mask, false);
	fputs(",\n", out);
}

// VkSubpassDependency2 has all of these members, too.
static void put_dependency(FILE *out, const struct vkr_change *change)
{
	const struct vkr_change_masks *masks = &change->legacy;
	fputs("const VkSubpassDependency dependency = {\n", out);
	put_subpass(out, "srcSubpass", change->subpasses.source);
	put_subpass(out, "dstSubpass", change->subpasses.destination);
	put_first_member(out, "srcStageMask", &vkr_stage_names, masks->source_stages);
	put_first_member(out, "dstStageMask", &vkr_stage_names, masks->destination_stages);
	put_first_member(out, "srcAccessMask", &vkr_access_type_names, masks->source_access);
	put_first_member(out, "dstAccessMask", &vkr_access_type_names, masks->destination_access);
	if (change->kind == VKR_CHANGE_BARRIER_INSIDE)
		fprintf(out, "    .dependencyFlags = %s,\n", flags_text(change->subpasses.flags));
	fputs("};\n", out);
}

// More bits in one of the pass's dependencies.
static void put_wider(FILE *out, const struct vkr_change *change)
{
	const struct vkr_change_masks *masks = &change->legacy;
	const struct {
		const char *mask;
		const struct vkr_scope_names *names;
		uint64_t bits;
	} members[] = {
		{"srcStageMask", &vkr_stage_names, masks->source_stages},
		{"srcAccessMask", &vkr_access_type_names, masks->source_access},
		{"dstStageMask", &vkr_stage_names, masks->destination_stages},
		{"dstAccessMask", &vkr_access_type_names, masks->destination_access},
	};
	const uint32_t index = change->subpasses.dependency - 1;
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		if (!members[i].bits)
			continue;
		fprintf(out, "dependencies[%" PRIu32 "].%s |= ", index, members[i].mask);
		put_mask(out, members[i].names, members[i].bits, false);
		fputs(";\n", out);
	}
	if (change->subpasses.flags)
		fprintf(out,
			"dependencies[%" PRIu32
			"].dependencyFlags &= ~(VK_DEPENDENCY_BY_REGION_BIT |\n"
			"    VK_DEPENDENCY_VIEW_LOCAL_BIT);\n",
			index);
}

static void put_any_barrier(FILE *out, const struct vkr_change *change, bool second, uint32_t flags)
{
	if (second)
		put_barrier2(out, &change->masks, flags);
	else
		put_barrier(out, &change->legacy, flags);
}

// The second pass is as the first, except that it loads; the first is as before, except that it
// stores.
static void put_split(FILE *out, const struct vkr_change *change, bool second)
{
	const bool rendering = strstr(change->from.name, "Rendering") != NULL;
	fputs("// All attachments have VK_ATTACHMENT_STORE_OP_STORE up to here,\n", out);
	fputs(rendering ? "vkCmdEndRendering(commandBuffer);\n"
			: "vkCmdEndRenderPass(commandBuffer);\n",
	      out);
	put_any_barrier(out, change, second, 0);
	fputs("// and VK_ATTACHMENT_LOAD_OP_LOAD from here on.\n", out);
	fputs(rendering ? "vkCmdBeginRendering(commandBuffer, &again);\n"
			: "vkCmdBeginRenderPass(commandBuffer, &again, contents);\n",
	      out);
}

// The signal of one submission and the wait of another.
static void put_semaphore(FILE *out, const struct vkr_change *change, bool second)
{
	const struct vkr_change_masks *masks = &change->masks;
	if (!second) {
		fputs("signaling.signalSemaphoreCount = waiting.waitSemaphoreCount = 1;\n"
		      "signaling.pSignalSemaphores = waiting.pWaitSemaphores = &semaphore;\n"
		      "waiting.pWaitDstStageMask = &(VkPipelineStageFlags){\n    ",
		      out);
		put_mask(out, &vkr_stage_names, change->legacy.destination_stages, false);
		fputs("};\n", out);
		return;
	}
	fputs("const VkSemaphoreSubmitInfo signal = {\n"
	      "    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = semaphore,\n"
	      "    .stageMask = ",
	      out);
	put_mask(out, &vkr_stage_names, masks->source_stages, true);
	fputs("}, wait = {\n"
	      "    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = semaphore,\n"
	      "    .stageMask = ",
	      out);
	put_mask(out, &vkr_stage_names, masks->destination_stages, true);
	fputs("};\n", out);
}

// ---- In the shader's language
// ---------------------------------------------------------------------

// SPIR-V's Memory Semantics; this floor has no SPIR-V.
#define UNIFORM_MEMORY   0x40u
#define WORKGROUP_MEMORY 0x100u
#define IMAGE_MEMORY     0x800u
#define OUTPUT_MEMORY    0x1000u
#define MAKE_AVAILABLE   0x2000u
#define MAKE_VISIBLE     0x4000u

static bool is_hlsl(const struct vkr_change_place *place)
{
	static const char *const ends[] = {".hlsl", ".fx", ".hlsli"};
	const size_t length = strcspn(place->recorded, ":");
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		const size_t end = strlen(ends[i]);
		if (length > end && strncmp(place->recorded + length - end, ends[i], end) == 0)
			return true;
	}
	return false;
}

struct vkr_semantics_name {
	uint32_t bit;
	const char *name;
};

// A barrier of the workgroup alone is for shared memory; what releases other memory stands before
// it, and what acquires this after it.
static void put_shader_barrier(FILE *out, const struct vkr_change *change)
{
	const uint32_t semantics = change->shader.semantics;
	const bool others = semantics & (UNIFORM_MEMORY | IMAGE_MEMORY);
	const char *memory = !(semantics & IMAGE_MEMORY)     ? "Buffer"
			     : !(semantics & UNIFORM_MEMORY) ? "Image"
							     : "";
	if (is_hlsl(&change->place))
		fprintf(out, "%sMemoryBarrierWithGroupSync();\n", others ? "All" : "Group");
	else if (others)
		fprintf(out, "memoryBarrier%s();\nbarrier();\nmemoryBarrier%s();\n", memory,
			memory);
	else
		fputs("barrier();\n", out);
}

static const char *scope_text(uint32_t scope)
{
	static const char *const names[] = {
		"", "gl_ScopeDevice",      "gl_ScopeWorkgroup",    "gl_ScopeSubgroup",
		"", "gl_ScopeQueueFamily", "gl_ScopeShaderCallEXT"};
	return scope < sizeof names / sizeof *names ? names[scope] : "";
}

// One of the arguments that barriers and atomics take (GL_KHR_memory_scope_semantics): its bits.
static void put_argument(FILE *out, const char *name, uint32_t bits,
			 const struct vkr_semantics_name *names, size_t count)
{
	const char *before = "";
	for (size_t i = 0; i < count; i++) {
		if (!(bits & names[i].bit))
			continue;
		if (!*before)
			fprintf(out, "const int %s = ", name);
		fprintf(out, "%s%s", before, names[i].name);
		before = " | ";
	}
	if (*before)
		fputs("; // more than now\n", out);
}

// In GLSL constants for the arguments; HLSL has one barrier for all memory, and no scopes.
static void put_shader_order(FILE *out, const struct vkr_change *change)
{
	static const struct vkr_semantics_name storage[] = {
		{UNIFORM_MEMORY, "gl_StorageSemanticsBuffer"},
		{WORKGROUP_MEMORY, "gl_StorageSemanticsShared"},
		{IMAGE_MEMORY, "gl_StorageSemanticsImage"},
		{OUTPUT_MEMORY, "gl_StorageSemanticsOutput"}};
	static const struct vkr_semantics_name more[] = {
		{MAKE_AVAILABLE, "gl_SemanticsMakeAvailable"},
		{MAKE_VISIBLE, "gl_SemanticsMakeVisible"}};
	const uint32_t semantics = change->shader.semantics;
	if (is_hlsl(&change->place)) {
		if (semantics & (UNIFORM_MEMORY | WORKGROUP_MEMORY | IMAGE_MEMORY))
			fputs("AllMemoryBarrierWithGroupSync(); // in place of the barrier\n", out);
		return;
	}
	if (*scope_text(change->shader.scope))
		fprintf(out, "const int scope = %s;\n", scope_text(change->shader.scope));
	put_argument(out, "storage", semantics, storage, sizeof storage / sizeof *storage);
	put_argument(out, "semantics", semantics, more, sizeof more / sizeof *more);
}

// In the form that the program uses.
static void put_code(FILE *out, const struct vkr_change *change, bool second)
{
	const struct vkr_change_masks *masks = second ? &change->masks : &change->legacy;
	switch (change->kind) {
	case VKR_CHANGE_BARRIER_BEFORE:
	case VKR_CHANGE_BARRIER_AFTER:
		put_any_barrier(out, change, second, 0);
		break;
	case VKR_CHANGE_BARRIER_INSIDE:
		put_dependency(out, change);
		put_any_barrier(out, change, second, change->subpasses.flags);
		break;
	case VKR_CHANGE_DEPENDENCY:
		if (change->subpasses.dependency)
			put_wider(out, change);
		else
			put_dependency(out, change);
		break;
	case VKR_CHANGE_SPLIT:
		put_split(out, change, second);
		break;
	case VKR_CHANGE_WAIT:
		put_more(out, second ? "wait.stageMask" : "waitDstStageMask", &vkr_stage_names,
			 masks->destination_stages, second);
		break;
	case VKR_CHANGE_SIGNAL: // only the second form of submissions has such stages
		put_more(out, "signal.stageMask", &vkr_stage_names, change->masks.source_stages,
			 true);
		break;
	case VKR_CHANGE_SEMAPHORE:
		put_semaphore(out, change, second);
		break;
	case VKR_CHANGE_MASKS:
		put_more(out, "srcStageMask", &vkr_stage_names, masks->source_stages, second);
		put_more(out, "srcAccessMask", &vkr_access_type_names, masks->source_access,
			 second);
		put_more(out, "dstStageMask", &vkr_stage_names, masks->destination_stages, second);
		put_more(out, "dstAccessMask", &vkr_access_type_names, masks->destination_access,
			 second);
		break;
	case VKR_CHANGE_HOST_WAIT:
		if (change->masks.source_stages)
			put_any_barrier(out, change, second, 0);
		fputs("vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);\n", out);
		break;
	case VKR_CHANGE_FLUSH:
	case VKR_CHANGE_INVALIDATE:
		fprintf(out,
			"vk%sMappedMemoryRanges(device, 1, &(VkMappedMemoryRange){\n"
			"    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,\n"
			"    .memory = memory, .offset = offset, .size = size});\n",
			change->kind == VKR_CHANGE_FLUSH ? "Flush" : "Invalidate");
		break;
	case VKR_CHANGE_SHADER_BARRIER:
	case VKR_CHANGE_SHADER_BARRIER_AFTER:
		put_shader_barrier(out, change);
		break;
	case VKR_CHANGE_SHADER_ORDER:
		put_shader_order(out, change);
		break;
	case VKR_CHANGE_SHADER_ATOMIC:   // of an expression that is not known here
	case VKR_CHANGE_SHADER_COHERENT: // a word in a declaration that is not known here
	case VKR_CHANGE_NARROW:          // of masks as they stand in the program
	case VKR_CHANGE_REMOVE:          // nothing is left of it
	case VKR_CHANGE_REMOVE_DEPENDENCY:
	case VKR_CHANGE_REMOVE_SEMAPHORE:
		break;
	}
}

static const char *code_of(const struct vkr_change *change, bool second, struct vkr_arena *arena)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	if (!memory)
		return NULL;
	put_code(memory, change, second);
	const bool whole = fclose(memory) == 0;
	const char *kept = whole ? vkr_arena_string(arena, text, bytes) : NULL;
	free(text);
	return kept;
}

// ---- United -------------------------------------------------------------------------------------

static void report_changes_unite(struct vkr_change_masks *masks,
				 const struct vkr_change_masks *more)
{
	masks->source_stages |= more->source_stages;
	masks->source_access |= more->source_access;
	masks->destination_stages |= more->destination_stages;
	masks->destination_access |= more->destination_access;
}

// The first call, from the innermost on, that two stacks do not share.
static void skip_common(const char **first, const char **second)
{
	for (;;) {
		const size_t length = strcspn(*first, "\n");
		if (strcspn(*second, "\n") != length || strncmp(*first, *second, length) != 0 ||
		    !(*first)[length] || !(*second)[length])
			return;
		*first += length + 1;
		*second += length + 1;
	}
}

// Where in the program's source the change is made; NULL for lack of memory.
static const char *where_of(const struct vkr_race_report *race, struct vkr_arena *arena)
{
	if (vkr_change_is_of_shader(race->edit->kind))
		return race->edit->place.recorded;
	const char *place = vkr_report_stack(race->edit->place.recorded, arena);
	const char *first = vkr_report_stack(race->first.command.recorded, arena);
	if (!place || !first)
		return NULL;
	if (race->edit->kind != VKR_CHANGE_BARRIER_BEFORE || !*first || !*place)
		return vkr_arena_print(arena, "%s%.*s", *place ? "at " : "",
				       (int)strcspn(place, "\n"), place);
	skip_common(&first, &place);
	// A helper has recorded both, and its caller is not known.
	if (strcmp(first, place) == 0)
		return vkr_arena_print(arena, "at %.*s", (int)strcspn(place, "\n"), place);
	return vkr_arena_print(arena, "between %.*s and %.*s", (int)strcspn(first, "\n"), first,
			       (int)strcspn(place, "\n"), place);
}

static struct vkr_change_report *find_change(const struct vkr_report_changes *changes,
					     const struct vkr_change *change)
{
	for (uint32_t i = 0; i < changes->count; i++) {
		if (vkr_change_is_there(&changes->items[i].change, change))
			return &changes->items[i];
	}
	return NULL;
}

enum vkr_result vkr_report_changes_make(const struct vkr_report *report, struct vkr_arena *arena,
					struct vkr_report_changes *changes, struct vkr_error *error)
{
	const size_t count = report->race_count;
	*changes = (struct vkr_report_changes){
		.items = vkr_arena_alloc(arena, (count + 1) * sizeof *changes->items)};
	if (!changes->items)
		return vkr_error_memory(error, "the changes of a report");
	for (size_t i = 0; i < count; i++) {
		const struct vkr_race_report *race = &report->races[i];
		if (!race->edit)
			continue;
		struct vkr_change_report *into = find_change(changes, race->edit);
		if (into) {
			report_changes_unite(&into->change.masks, &race->edit->masks);
			report_changes_unite(&into->change.legacy, &race->edit->legacy);
			into->change.subpasses.flags |= race->edit->subpasses.flags;
			into->change.shader.semantics |= race->edit->shader.semantics;
		} else {
			into = &changes->items[changes->count++];
			into->change = *race->edit;
			into->where = where_of(race, arena);
			// Room for all races that are left, of which each is in one change.
			into->races = vkr_arena_alloc(arena, (count - i) * sizeof *into->races);
		}
		if (!into->races || !into->where)
			return vkr_error_memory(error, "the changes of a report");
		((const char **)(uintptr_t)into->races)[into->race_count++] = race->id;
	}
	for (uint32_t i = 0; i < changes->count; i++) {
		struct vkr_change_report *item = &changes->items[i];
		item->code = code_of(&item->change, report->barriers2, arena);
		if (!item->code)
			return vkr_error_memory(error, "the changes of a report");
	}
	return VKR_OK;
}

// ---- In words -----------------------------------------------------------------------------------

const char *vkr_report_change_words(const struct vkr_change_report *report, struct vkr_arena *arena)
{
	static const char *const verbs[] = {
		[VKR_CHANGE_BARRIER_BEFORE] = "add before",
		[VKR_CHANGE_BARRIER_AFTER] = "add after",
		[VKR_CHANGE_MASKS] = "widen the masks of",
		[VKR_CHANGE_REMOVE] = "remove",
		[VKR_CHANGE_REMOVE_DEPENDENCY] = "remove a dependency of the render pass begun by",
		[VKR_CHANGE_REMOVE_SEMAPHORE] = "remove the semaphore waited for before",
		[VKR_CHANGE_NARROW] = "narrow the masks of",
		[VKR_CHANGE_BARRIER_INSIDE] = "add within its render pass before",
		[VKR_CHANGE_SPLIT] = "end its render pass and begin it again before",
		[VKR_CHANGE_WAIT] = "let the wait for semaphores include the stages of",
		[VKR_CHANGE_SIGNAL] = "signal the semaphore also after",
		[VKR_CHANGE_SEMAPHORE] = "let a semaphore be waited for before",
		[VKR_CHANGE_DEPENDENCY] = "change the dependencies of the render pass begun by",
	};
	const struct vkr_change_place *place = &report->change.place;
	const struct vkr_change_place *from = &report->change.from;
	const char *at = *report->where ? report->where : "";
	// Without a name it is "shader 3".
	const char *shader = strncmp(place->name, "shader ", 7) == 0 ? "" : "shader ";
	const char *article = strncmp(place->name, "vk", 2) == 0 ? "" : "the ";
	switch (report->change.kind) {
	case VKR_CHANGE_SHADER_BARRIER:
	case VKR_CHANGE_SHADER_BARRIER_AFTER:
		return vkr_arena_print(
			arena, "in %s%s, add %s %s%s", shader, place->name,
			report->change.kind == VKR_CHANGE_SHADER_BARRIER ? "before" : "after",
			place->recorded,
			report->change.shader.coherent ? ", and declare what it accesses coherent"
						       : "");
	case VKR_CHANGE_SHADER_ORDER:
		return vkr_arena_print(arena, "in %s%s, widen the atomics and barriers at %s%s%s",
				       shader, place->name, place->recorded,
				       strcmp(from->recorded, place->recorded) != 0 ? " and " : "",
				       strcmp(from->recorded, place->recorded) != 0 ? from->recorded
										    : "");
	case VKR_CHANGE_SHADER_COHERENT:
		return vkr_arena_print(arena, "in %s%s, declare coherent what %s accesses", shader,
				       place->name, place->recorded);
	case VKR_CHANGE_SHADER_ATOMIC:
		return vkr_arena_print(arena, "in %s%s, make the access at %s atomic, too", shader,
				       place->name, place->recorded);
	case VKR_CHANGE_HOST_WAIT:
		return vkr_arena_print(
			arena,
			"wait for the submission of command %" PRIu32 " (%s)%s%s before %s%s%s%s%s",
			from->command, from->name, *from->labels ? ", " : "", from->labels, article,
			place->name, *at ? ", " : "", at,
			report->change.masks.source_stages ? ", with a barrier after that command"
							   : "");
	case VKR_CHANGE_FLUSH:
		return vkr_arena_print(arena, "flush after the %s%s%s", place->name,
				       *at ? ", " : "", at);
	case VKR_CHANGE_INVALIDATE:
		return vkr_arena_print(arena, "invalidate before the %s%s%s", place->name,
				       *at ? ", " : "", at);
	default:
		break;
	}
	return vkr_arena_print(arena, "%s command %" PRIu32 " (%s)%s%s%s%s",
			       verbs[report->change.kind], place->command, place->name,
			       *place->labels ? ", " : "", place->labels,
			       *report->where ? ", " : "", report->where);
}

static void put_names(FILE *out, const struct vkr_scope_names *names, uint64_t mask)
{
	const char *bar = "";
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(mask >> bit & 1))
			continue;
		if (names->bits[bit].name)
			fprintf(out, "%s%s", bar, names->bits[bit].name);
		else
			fprintf(out, "%s0x%" PRIx64, bar, UINT64_C(1) << bit);
		bar = "|";
	}
	if (!mask)
		fputs("NONE", out);
}

const char *vkr_report_masks_words(const struct vkr_change_masks *masks, struct vkr_arena *arena)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	if (!memory)
		return NULL;
	put_names(memory, &vkr_stage_names, masks->source_stages);
	fputs(" / ", memory);
	put_names(memory, &vkr_access_type_names, masks->source_access);
	fputs(" -> ", memory);
	put_names(memory, &vkr_stage_names, masks->destination_stages);
	fputs(" / ", memory);
	put_names(memory, &vkr_access_type_names, masks->destination_access);
	const bool whole = fclose(memory) == 0;
	const char *kept = whole ? vkr_arena_string(arena, text, bytes) : NULL;
	free(text);
	return kept;
}

const char *vkr_report_change_proof(const struct vkr_change_report *change, uint32_t race_count,
				    struct vkr_arena *arena)
{
	if (!change->checked)
		return "";
	char added[32] = "none is";
	if (change->added_count)
		snprintf(added, sizeof added, "%" PRIu32 " %s", change->added_count,
			 change->added_count == 1 ? "is" : "are");
	if (!change->places && vkr_change_is_of_shader(change->change.kind))
		return "not proved: the trace has the iterations of the loop around it as one";
	return vkr_arena_print(arena,
			       "%s: judged again with it at %" PRIu64 " place%s, %" PRIu32
			       " of %" PRIu32 " races %s gone, %s new%s%s",
			       change->missed ? "not proved" : "checked", change->places,
			       change->places == 1 ? "" : "s", change->gone_count, race_count,
			       change->gone_count == 1 ? "is" : "are", added,
			       change->missed ? ", but " : "",
			       change->missed ? change->missed : "");
}
