// SPDX-License-Identifier: Apache-2.0
// The part of an entry point that decides where it accesses memory, found backwards from its
// accesses. Knows SPIR-V's control flow and integer values; not how a summary is written.
#include "summary_slice.h"

#include "array.h"
#include "inline_calls.h"

#include <spirv/unified1/GLSL.std.450.h>

// Functions of more blocks are not summarized: finding what can be passed over takes their square.
#define BLOCKS_MOST 2048u

#define NO_COMPONENTS 0u

uint32_t vkr_slice_components(const struct vkr_module *module, uint32_t type)
{
	uint32_t count = 1;
	if (!type)
		return NO_COMPONENTS;
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	if (def->opcode == SpvOpTypeVector) {
		count = vkr_module_word(module, def, 3);
		def = vkr_module_definition(module, vkr_module_word(module, def, 2));
	}
	if (count > 4)
		return NO_COMPONENTS;
	if (def->opcode == SpvOpTypeBool)
		return count;
	return (def->opcode == SpvOpTypeInt || def->opcode == SpvOpTypeFloat) &&
			       vkr_module_word(module, def, 2) == 32
		       ? count
		       : NO_COMPONENTS;
}

bool vkr_slice_is_float(const struct vkr_module *module, uint32_t type)
{
	if (!type)
		return false;
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	if (def->opcode == SpvOpTypeVector)
		def = vkr_module_definition(module, vkr_module_word(module, def, 2));
	return def->opcode == SpvOpTypeFloat;
}

uint32_t vkr_slice_words(const struct vkr_module *module, uint32_t id)
{
	uint32_t components = vkr_slice_components(module, vkr_module_definition(module, id)->type);
	return components ? components : 1;
}

static bool is_local(const struct vkr_module *module, const struct vkr_instruction *in)
{
	return in->opcode == SpvOpVariable &&
	       vkr_module_word(module, in, 3) == SpvStorageClassFunction;
}

// The one constant index of a chain into a vector. False where it is another chain.
static bool vector_index(const struct vkr_slice *slice, const struct vkr_instruction *chain,
			 uint32_t *component)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *base =
		vkr_module_definition(module, vkr_module_word(module, chain, 3));
	uint64_t index;
	if (chain->length != 5 || base->opcode != SpvOpVariable)
		return false;
	uint32_t type = vkr_pointer_pointee(module, base->type);
	if (vkr_module_definition(module, type)->opcode != SpvOpTypeVector ||
	    !vkr_constant_value(slice->analysis->constants, vkr_module_word(module, chain, 4),
				&index) ||
	    index >= vkr_slice_components(module, type))
		return false;
	*component = (uint32_t)index;
	return true;
}

// ---- Where loaded values come from --------------------------------------------------------------

static bool is_known_input(uint32_t builtin)
{
	switch (builtin) {
	case SpvBuiltInWorkgroupId:
	case SpvBuiltInLocalInvocationId:
	case SpvBuiltInGlobalInvocationId:
	case SpvBuiltInLocalInvocationIndex:
	case SpvBuiltInNumWorkgroups:
		return true;
	default:
		return false;
	}
}

// Chains that follow each other are looked through up to so many.
#define CHAINS_MOST 16u

// The access chains from a variable, or from what else is there, to a pointer, the last one first.
struct chains {
	const struct vkr_instruction *base, *items[CHAINS_MOST];
	uint32_t count;
};

static void list_chains(const struct vkr_module *module, uint32_t pointer, struct chains *chains)
{
	const struct vkr_instruction *in = vkr_module_definition(module, pointer);
	chains->count = 0;
	while (vkr_opcode_is(in->opcode, VKR_OPCODE_CHAIN) && in->opcode != SpvOpPtrAccessChain &&
	       chains->count < CHAINS_MOST) {
		chains->items[chains->count++] = in;
		in = vkr_module_definition(module, vkr_module_word(module, in, 3));
	}
	chains->base = in;
}

// A part of a block, so many bytes after its start.
struct block_part {
	uint32_t type;
	struct vkr_layout layout;
	uint64_t at;
};

// Words of an array among which a value may choose.
#define TABLE_MOST 16u

// Whether the part is an array among whose elements a value may choose: the origin's only one.
static bool enter_table(const struct vkr_slice *slice, uint32_t id, const struct block_part *part,
			struct vkr_origin *origin)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *type = vkr_module_definition(module, part->type);
	if (origin->chooser || type->opcode != SpvOpTypeArray ||
	    !vkr_constant_value(slice->analysis->constants, vkr_module_word(module, type, 3),
				&origin->count))
		return false;
	origin->chooser = id;
	return true;
}

// Follows an index into a part, up to `most` bytes; not into arrays of no fixed size. Of a table
// the part is the first element.
static bool enter_part(const struct vkr_slice *slice, uint32_t id, uint32_t most,
		       struct block_part *part, struct vkr_origin *origin)
{
	const struct vkr_analysis *analysis = slice->analysis;
	struct vkr_chain_step step;
	uint64_t index = 0;
	const bool is_constant = vkr_constant_value(analysis->constants, id, &index);
	if (vkr_module_definition(analysis->module, part->type)->opcode == SpvOpTypeRuntimeArray ||
	    (!is_constant && !enter_table(slice, id, part, origin)) || index > UINT32_MAX ||
	    !vkr_type_step(analysis->types, part->type, part->layout, (uint32_t)index, &step) ||
	    step.stride > UINT32_MAX)
		return false;
	if (!is_constant)
		origin->stride = (uint32_t)step.stride;
	part->at += step.stride ? step.stride * index : step.offset;
	part->type = step.type;
	part->layout = step.layout;
	return part->at <= most;
}

// Where indices lead in a block, up to `most` bytes.
static bool block_offset(const struct vkr_slice *slice, const struct chains *chains,
			 uint32_t components, uint32_t most, struct vkr_origin *origin)
{
	const struct vkr_module *module = slice->analysis->module;
	struct block_part part = {.type = vkr_pointer_pointee(module, chains->base->type),
				  .layout.is_explicit = true};
	for (uint32_t i = chains->count; i-- > 0;)
		for (uint32_t word = 4; word < chains->items[i]->length; word++)
			if (!enter_part(slice, vkr_module_word(module, chains->items[i], word),
					most, &part, origin))
				return false;
	origin->offset = (uint32_t)part.at;
	const uint64_t last = origin->chooser ? (uint64_t)origin->stride * (origin->count - 1) : 0;
	return part.at % 4 == 0 && origin->stride % 4 == 0 &&
	       part.at + last + UINT64_C(4) * components <= most &&
	       part.layout.component_stride == 0 && origin->count * components <= TABLE_MOST;
}

// Uniform buffers of this size can be bound everywhere (maxUniformBufferRange).
#define UNIFORM_BYTES 16384u

// Whether a variable is a buffer, no array of such, that no access through it can write.
static bool is_constant_buffer(const struct vkr_slice *slice,
			       const struct vkr_instruction *variable)
{
	const struct vkr_analysis *analysis = slice->analysis;
	const uint32_t storage_class = vkr_module_word(analysis->module, variable, 3);
	const uint32_t block = vkr_pointer_pointee(analysis->module, variable->type);
	return (storage_class == SpvStorageClassUniform ||
		storage_class == SpvStorageClassStorageBuffer) &&
	       vkr_module_definition(analysis->module, block)->opcode == SpvOpTypeStruct &&
	       vkr_buffer_is_constant(analysis->module, variable->result, block);
}

struct vkr_origin vkr_slice_origin(const struct vkr_slice *slice, const struct vkr_instruction *in)
{
	const struct vkr_module *module = slice->analysis->module;
	struct vkr_origin origin = {.kind = VKR_ORIGIN_OTHER};
	const uint32_t components = vkr_slice_components(module, in->type);
	if (in->opcode != SpvOpLoad || !vkr_module_is_plain(module, in, 4))
		return origin;
	struct chains chains;
	list_chains(module, vkr_module_word(module, in, 3), &chains);
	const struct vkr_instruction *pointer = chains.base;
	if (pointer->opcode != SpvOpVariable)
		return origin;
	const uint32_t storage_class = vkr_module_word(module, pointer, 3);
	if (storage_class == SpvStorageClassPushConstant) {
		if (block_offset(slice, &chains, components, VKR_SUMMARY_PUSHED_BYTES, &origin))
			origin.kind = VKR_ORIGIN_PUSHED;
		return origin;
	}
	if (slice->uniforms && chains.count > 0 && is_constant_buffer(slice, pointer)) {
		origin.variable = pointer->result;
		if (block_offset(slice, &chains, components, UNIFORM_BYTES, &origin))
			origin.kind = VKR_ORIGIN_UNIFORM;
		return origin;
	}
	if (chains.count > 1 ||
	    (chains.count == 1 && !vector_index(slice, chains.items[0], &origin.component)))
		return origin;
	origin.variable = pointer->result;
	if (storage_class == SpvStorageClassFunction && !slice->is_odd[pointer->result])
		origin.kind = VKR_ORIGIN_LOCAL;
	if (storage_class == SpvStorageClassInput &&
	    vkr_module_decorated(module, pointer->result, VKR_NO_MEMBER, SpvDecorationBuiltIn,
				 &origin.builtin) &&
	    is_known_input(origin.builtin))
		origin.kind = VKR_ORIGIN_INPUT;
	return origin;
}

uint32_t vkr_slice_stored(const struct vkr_slice *slice, const struct vkr_instruction *in,
			  uint32_t *component, uint32_t *value)
{
	const struct vkr_module *module = slice->analysis->module;
	*component = 0;
	if (in->opcode == SpvOpVariable && in->length > 4) { // its initializer
		*value = vkr_module_word(module, in, 4);
		return slice->needed[in->result] ? in->result : 0;
	}
	if (in->opcode != SpvOpStore)
		return 0;
	*value = vkr_module_word(module, in, 2);
	const struct vkr_instruction *pointer =
		vkr_module_definition(module, vkr_module_word(module, in, 1));
	if (vkr_opcode_is(pointer->opcode, VKR_OPCODE_CHAIN)) {
		const struct vkr_instruction *base =
			vkr_module_definition(module, vkr_module_word(module, pointer, 3));
		if (!is_local(module, base) || !slice->needed[base->result] ||
		    !vector_index(slice, pointer, component))
			return 0;
		pointer = base;
	}
	return is_local(module, pointer) && slice->needed[pointer->result] ? pointer->result : 0;
}

// Notes local variables that are used in other ways than loaded and stored, in whole or a component
// of a vector.
static void note_use(struct vkr_slice *slice, const struct vkr_instruction *in, uint32_t at)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *used = vkr_module_definition(module, module->words[at]);
	uint32_t component;
	bool is_through = vkr_opcode_is(used->opcode, VKR_OPCODE_CHAIN);
	if (in->opcode == SpvOpExtInst && in->ext_set == VKR_EXT_SHADER_DEBUG_INFO)
		return;
	if (is_through)
		used = vkr_module_definition(module, vkr_pointer_root(module, used->result));
	if (!is_local(module, used))
		return;
	if ((in->opcode == SpvOpLoad && at == in->at + 3 && vkr_module_is_plain(module, in, 4)) ||
	    (in->opcode == SpvOpStore && at == in->at + 1 && vkr_module_is_plain(module, in, 3)) ||
	    (vkr_opcode_is(in->opcode, VKR_OPCODE_CHAIN) && at == in->at + 3 && !is_through &&
	     vector_index(slice, in, &component)))
		return;
	slice->is_odd[used->result] = true;
}

// Whether a local variable is of components that summaries know, and begins with constants, or as
// nothing known.
static bool begins_known(const struct vkr_slice *slice, const struct vkr_instruction *variable)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_constants *constants = slice->analysis->constants;
	const uint32_t count =
		vkr_slice_components(module, vkr_pointer_pointee(module, variable->type));
	for (uint32_t c = 0; c < count && variable->length > 4; c++) {
		const uint32_t initializer = vkr_module_word(module, variable, 4);
		uint64_t value;
		if (!vkr_constant_value(constants, initializer, &value) &&
		    !vkr_constant_component(constants, initializer, c, &value))
			return false;
	}
	return count > 0;
}

static void note_uses(struct vkr_slice *slice)
{
	const struct vkr_module *module = slice->analysis->module;
	for (uint32_t i = slice->function->body; i < slice->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpVariable && !begins_known(slice, in))
			slice->is_odd[in->result] = true;
		for (uint16_t u = 0; u < in->use_count; u++) {
			uint32_t at = module->uses[in->first_use + u];
			if (module->ids[module->words[at]].instruction)
				note_use(slice, in, at);
		}
	}
}

// ---- Sizes and texels ---------------------------------------------------------------------------

// Where the array is in its buffer whose length an OpArrayLength asks for.
static bool find_array(const struct vkr_slice *slice, const struct vkr_instruction *in,
		       struct vkr_size_query *query)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_types *types = slice->analysis->types;
	const struct vkr_layout layout = {.is_explicit = true};
	const uint32_t pointer = vkr_module_word(module, in, 3);
	const uint32_t block =
		vkr_pointer_pointee(module, vkr_module_definition(module, pointer)->type);
	struct vkr_chain_step array, element;
	if (!vkr_type_step(types, block, layout, vkr_module_word(module, in, 4), &array) ||
	    !vkr_type_step(types, array.type, array.layout, 0, &element) ||
	    array.offset > UINT32_MAX || element.stride == 0 || element.stride > UINT32_MAX)
		return false;
	query->offset = (uint32_t)array.offset;
	query->stride = (uint32_t)element.stride;
	return vkr_pointer_target_resolve(&slice->analysis->book, pointer, &query->of) &&
	       query->of.kind == VKR_TARGET_VARIABLE && !query->of.home;
}

bool vkr_slice_query(const struct vkr_slice *slice, const struct vkr_instruction *in,
		     struct vkr_size_query *query)
{
	const struct vkr_module *module = slice->analysis->module;
	*query = (struct vkr_size_query){0};
	if (in->opcode == SpvOpArrayLength)
		return find_array(slice, in, query);
	if (in->opcode != SpvOpImageQuerySize && in->opcode != SpvOpImageQuerySizeLod)
		return false;
	const struct vkr_instruction *image =
		vkr_module_definition(module, vkr_module_word(module, in, 3));
	if (image->opcode == SpvOpImage)
		image = vkr_module_definition(module, vkr_module_word(module, image, 3));
	if (image->opcode != SpvOpLoad ||
	    (in->opcode == SpvOpImageQuerySizeLod &&
	     !vkr_constant_value(slice->analysis->constants, vkr_module_word(module, in, 4),
				 &query->level)))
		return false;
	return query->level <= VKR_SUMMARY_LEVEL_MOST &&
	       vkr_pointer_target_resolve(&slice->analysis->book, vkr_module_word(module, image, 3),
					  &query->of) &&
	       query->of.kind == VKR_TARGET_VARIABLE && !query->of.home;
}

bool vkr_slice_takes_texels(const struct vkr_site_draft *draft)
{
	const struct vkr_image_use *use = draft->image;
	const unsigned words = VKR_TEXEL_SAMPLER_ELEMENT | VKR_TEXEL_SAMPLER_CHOSEN |
			       VKR_TEXEL_SAMPLE_INDEX | VKR_TEXEL_MIN_LOD | VKR_TEXEL_OFFSET_WORDS;
	return use->image.kind == VKR_TARGET_VARIABLE && !use->image.home && !draft->pointer &&
	       !use->is_projective && !(use->texel.flags & words) &&
	       (use->texel.level == VKR_LEVEL_BASE || use->texel.level == VKR_LEVEL_LOGGED) &&
	       use->dim != SpvDimSubpassData;
}

// ---- Values -------------------------------------------------------------------------------------

static void note_need(struct vkr_slice *slice, uint32_t what)
{
	if (!slice->notes)
		return;
	if (!VKR_ARRAY_RESERVE(&slice->needs, 1)) {
		slice->failed = true;
		return;
	}
	slice->needs.items[slice->needs.count++] = (struct vkr_need){slice->needy, what};
}

static void need_block(struct vkr_slice *slice, uint32_t block)
{
	note_need(slice, vkr_slice_node_of_block(slice, block));
	slice->changed |= !slice->blocks[block].matters;
	slice->blocks[block].matters = true;
}

// The value is used in the block.
static void need_value(struct vkr_slice *slice, uint32_t id, uint32_t block)
{
	if (slice->home[id] && slice->home[id] != block + 1) {
		slice->is_far[id] = true;
		need_block(slice, slice->home[id] - 1);
	}
	note_need(slice, id);
	if (slice->needed[id])
		return;
	slice->needed[id] = true;
	slice->worklist[slice->work++] = id;
	slice->changed = true;
}

// Marks a value as needed after the block's branch, where some invocations may be further than
// others.
static void need_behind(struct vkr_slice *slice, uint32_t id, uint32_t block)
{
	need_value(slice, id, block);
	slice->is_far[id] = true;
}

static void need_phi(struct vkr_slice *slice, const struct vkr_instruction *in, uint32_t block)
{
	const struct vkr_module *module = slice->analysis->module;
	need_block(slice, block);
	for (uint32_t word = 3; word + 1 < in->length; word += 2) {
		uint32_t from = slice->block_of[vkr_module_word(module, in, word + 1)];
		need_block(slice, from);
		need_behind(slice, vkr_module_word(module, in, word), from);
	}
	slice->is_far[in->result] = true;
}

static void need_operands(struct vkr_slice *slice, const struct vkr_instruction *in, uint32_t block,
			  uint32_t first, uint32_t count)
{
	for (uint32_t word = first; word < first + count && word < in->length; word++)
		need_value(slice, vkr_module_word(slice->analysis->module, in, word), block);
}

// Of integers: how many operands it has; 0: it is none of these.
static uint32_t integer_function(const struct vkr_module *module, const struct vkr_instruction *in)
{
	if (in->opcode != SpvOpExtInst || in->ext_set != VKR_EXT_GLSL_STD_450)
		return 0;
	switch (vkr_module_word(module, in, 4)) {
	case GLSLstd450SAbs:
		return 1;
	case GLSLstd450UMin:
	case GLSLstd450UMax:
	case GLSLstd450SMin:
	case GLSLstd450SMax:
		return 2;
	case GLSLstd450UClamp:
	case GLSLstd450SClamp:
		return 3;
	default:
		return 0;
	}
}

// Of floats, whose precision is known: how many operands it has; 0: it is none of these.
static uint32_t float_function(const struct vkr_module *module, const struct vkr_instruction *in)
{
	if (in->opcode != SpvOpExtInst || in->ext_set != VKR_EXT_GLSL_STD_450 ||
	    vkr_module_decorated(module, in->result, VKR_NO_MEMBER, SpvDecorationRelaxedPrecision,
				 NULL))
		return 0;
	switch (vkr_module_word(module, in, 4)) {
	case GLSLstd450Sqrt:
	case GLSLstd450FAbs:
		return 1;
	case GLSLstd450FMin:
	case GLSLstd450FMax:
	case GLSLstd450NMin:
	case GLSLstd450NMax:
		return 2;
	case GLSLstd450FClamp:
	case GLSLstd450NClamp:
	case GLSLstd450FMix:
		return 3;
	default:
		return 0;
	}
}

// Whether a summary has an operation for the instruction.
static bool is_computed(const struct vkr_module *module, const struct vkr_instruction *in)
{
	const struct vkr_opcode *row = vkr_opcode(in->opcode);
	if (row->flags & VKR_OPCODE_FLOAT)
		return !vkr_module_decorated(module, in->result, VKR_NO_MEMBER,
					     SpvDecorationRelaxedPrecision, NULL);
	if (row->operands != 2 || !row->summary)
		return row->operands > 0;
	// Comparisons may be of integers of any width.
	return vkr_slice_components(
		module, vkr_module_definition(module, vkr_module_word(module, in, 3))->type);
}

// Whether a value of the function follows from its operands, or from where the invocation stands.
static bool value_follows(const struct vkr_slice *slice, const struct vkr_instruction *in)
{
	const struct vkr_module *module = slice->analysis->module;
	if (!vkr_slice_components(module, in->type))
		return false;
	if (slice->is_cut && slice->is_cut[in->result])
		return false;
	switch (in->opcode) {
	case SpvOpLoad:
		return vkr_slice_origin(slice, in).kind != VKR_ORIGIN_OTHER;
	case SpvOpExtInst:
		return integer_function(module, in) > 0 || float_function(module, in) > 0;
	case SpvOpCompositeExtract: { // of what is logged only what is needed
		const struct vkr_instruction *whole =
			vkr_module_definition(module, vkr_module_word(module, in, 3));
		return in->length == 5 && vkr_slice_components(module, whole->type) &&
		       (!slice->home[whole->result] || value_follows(slice, whole));
	}
	case SpvOpBitcast: { // of floats it is logged
		const uint32_t from =
			vkr_module_definition(module, vkr_module_word(module, in, 3))->type;
		return vkr_slice_components(module, from) && !vkr_slice_is_float(module, from) &&
		       !vkr_slice_is_float(module, in->type);
	}
	case SpvOpArrayLength:
	case SpvOpImageQuerySize:
	case SpvOpImageQuerySizeLod: {
		struct vkr_size_query query;
		return vkr_slice_query(slice, in, &query);
	}
	case SpvOpPhi:
		return true;
	default:
		return is_computed(module, in);
	}
}

static void need_sum(struct vkr_slice *slice, const struct vkr_sum *sum, uint32_t block)
{
	for (uint32_t t = 0; t < sum->term_count; t++)
		need_value(slice, sum->terms[t].index, block);
}

// The one that is of the same words, or the end.
static uint32_t find_uniform(const struct vkr_slice *slice, const struct vkr_origin *origin,
			     uint32_t element, uint32_t words)
{
	const uint32_t offset = origin->offset + element * origin->stride;
	uint32_t at = 0;
	while (at < slice->uniform_count &&
	       (slice->uniforms[at].variable != origin->variable ||
		slice->uniforms[at].offset != offset || slice->uniforms[at].words != words))
		at++;
	return at;
}

uint32_t vkr_slice_uniform(const struct vkr_slice *slice, const struct vkr_instruction *in,
			   uint32_t element)
{
	const struct vkr_origin origin = vkr_slice_origin(slice, in);
	const uint32_t words = vkr_slice_components(slice->analysis->module, in->type);
	return slice->uniforms[find_uniform(slice, &origin, element, words)].first;
}

// The indices of all chains that lead to a pointer. NULL for lack of memory.
static const uint32_t *join_indices(const struct vkr_slice *slice, uint32_t pointer,
				    uint32_t *count)
{
	const struct vkr_module *module = slice->analysis->module;
	struct chains chains;
	list_chains(module, pointer, &chains);
	*count = 0;
	for (uint32_t i = 0; i < chains.count; i++)
		*count += chains.items[i]->length - 4u;
	uint32_t *indices = vkr_arena_alloc(slice->analysis->arena, *count * sizeof *indices);
	for (uint32_t i = chains.count, at = 0; indices != NULL && i-- > 0;)
		for (uint32_t word = 4; word < chains.items[i]->length; word++)
			indices[at++] = vkr_module_word(module, chains.items[i], word);
	return indices;
}

static void need_uniform(struct vkr_slice *slice, const struct vkr_instruction *in,
			 const struct vkr_origin *origin, uint32_t element)
{
	const struct vkr_module *module = slice->analysis->module;
	const uint32_t words = vkr_slice_components(module, in->type);
	const uint32_t at = find_uniform(slice, origin, element, words);
	if (at < slice->uniform_count)
		return;
	if (words > VKR_SUMMARY_UNIFORM_WORDS - slice->uniform_words) {
		slice->failed = slice->is_full = true;
		return;
	}
	const uint32_t pointer = vkr_module_word(module, in, 3);
	uint32_t index_count;
	const uint32_t *indices = join_indices(slice, pointer, &index_count);
	if (indices == NULL) {
		slice->failed = true;
		return;
	}
	slice->uniforms[slice->uniform_count++] = (struct vkr_uniform_draft){
		.variable = origin->variable,
		.pointer_type = vkr_module_definition(module, pointer)->type,
		.type = in->type,
		.indices = indices,
		.index_count = index_count,
		.chooser = origin->chooser,
		.element = element,
		.offset = origin->offset + element * origin->stride,
		.first = slice->uniform_words,
		.words = words,
	};
	slice->uniform_words += words;
}

static void need_load(struct vkr_slice *slice, const struct vkr_instruction *in, uint32_t block)
{
	struct vkr_origin origin = vkr_slice_origin(slice, in);
	const uint64_t elements = origin.chooser ? origin.count : 1;
	for (uint32_t at = 0; origin.kind == VKR_ORIGIN_UNIFORM && at < elements; at++)
		need_uniform(slice, in, &origin, at);
	if (origin.chooser)
		need_value(slice, origin.chooser, block);
	if (origin.kind == VKR_ORIGIN_LOCAL) {
		note_need(slice, origin.variable);
		slice->changed |= !slice->needed[origin.variable];
		slice->needed[origin.variable] = true;
	}
}

bool vkr_slice_may_log(const struct vkr_slice *slice, uint32_t id)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	if (!slice->home[id] || !in->type)
		return false;
	const uint32_t origin = vkr_slice_original(slice, (uint32_t)(in - module->instructions));
	const bool is_integer = vkr_module_definition(module, in->type)->opcode == SpvOpTypeInt;
	// How floats are rounded on the way would not be known.
	return origin != VKR_NO_ORIGIN && slice->copies[origin] == 1 &&
	       (is_integer || vkr_slice_components(module, in->type)) &&
	       !vkr_slice_is_float(module, in->type);
}

// What a needed value needs.
static void need_sources(struct vkr_slice *slice, uint32_t id)
{
	const struct vkr_analysis *analysis = slice->analysis;
	const struct vkr_instruction *in = vkr_module_definition(analysis->module, id);
	uint64_t value;
	if (!slice->home[id]) { // a constant, or of another function
		if (vkr_constant_value(analysis->constants, id, &value) ||
		    vkr_constant_component(analysis->constants, id, 0, &value))
			return;
		note_need(slice, vkr_slice_node_of_unknown(slice));
		slice->lacks = true;
		return;
	}
	uint32_t block = slice->home[id] - 1;
	if (!value_follows(slice, in)) {
		note_need(slice, vkr_slice_node_of_unknown(slice));
		slice->lacks |= !vkr_slice_may_log(slice, id);
		slice->is_logged[id] = true;
		need_block(slice, block);
		return;
	}
	switch (in->opcode) {
	case SpvOpArrayLength:
	case SpvOpImageQuerySize:
	case SpvOpImageQuerySizeLod: {
		struct vkr_size_query query;
		if (vkr_slice_query(slice, in, &query))
			need_sum(slice, &query.of.element, block);
		break;
	}
	case SpvOpLoad:
		need_load(slice, in, block);
		break;
	case SpvOpPhi:
		need_phi(slice, in, block);
		break;
	case SpvOpExtInst:
		need_operands(slice, in, block, 5,
			      integer_function(analysis->module, in) +
				      float_function(analysis->module, in));
		break;
	default:
		need_operands(slice, in, block, 3, vkr_opcode(in->opcode)->operands);
		break;
	}
}

// ---- Branches, accesses and stores --------------------------------------------------------------

static void need_condition(struct vkr_slice *slice, uint32_t block)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *in = &module->instructions[slice->blocks[block].terminator];
	switch (in->opcode) {
	case SpvOpBranchConditional:
		need_value(slice, vkr_module_word(module, in, 1), block);
		break;
	case SpvOpSwitch: {
		uint32_t selector = vkr_module_word(module, in, 1);
		need_behind(slice, selector, block);
		slice->failed |= !vkr_slice_components(
			module, vkr_module_definition(module, selector)->type);
		break;
	}
	case SpvOpBranch:
	case SpvOpReturn:
	case SpvOpUnreachable:
		break;
	default:
		slice->failed = true;
		break;
	}
}

static bool is_far(uint8_t scope)
{
	return scope == VKR_SCOPE_QUEUE_FAMILY || scope == VKR_SCOPE_DEVICE ||
	       scope == VKR_SCOPE_CROSS_DEVICE;
}

static bool makes_itself(const struct vkr_site *site)
{
	return site->operation == VKR_SITE_STORE
		       ? site->flags & VKR_SITE_MAKE_AVAILABLE && is_far(site->available_scope)
		       : site->flags & VKR_SITE_MAKE_VISIBLE && is_far(site->visible_scope);
}

// Whether some accesses leave it to a fence, or to another access, to make them available or
// visible to other commands, and there are such: that is judged with the log as a whole
// (shader_orders.h).
static bool leaves_open(const struct vkr_analysis *analysis)
{
	bool leaves = false, hands = false;
	for (size_t d = 0; d < analysis->drafts.count; d++) {
		const struct vkr_site *site = &analysis->drafts.items[d].site;
		if (site->operation == VKR_SITE_LOAD || site->operation == VKR_SITE_STORE) {
			if (site->flags & VKR_SITE_NONPRIVATE &&
			    site->storage_class != VKR_CLASS_WORKGROUP)
				*(makes_itself(site) ? &hands : &leaves) = true;
		} else {
			hands |=
				site->order & (VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE) &&
				site->order & (VKR_ORDER_MAKE_AVAILABLE | VKR_ORDER_MAKE_VISIBLE) &&
				is_far(site->scope);
		}
	}
	return leaves && hands;
}

// Sites whose place follows from an offset alone, in one variable, or an element of it.
static bool is_summarized(const struct vkr_site_draft *draft)
{
	const unsigned others = VKR_SITE_POINTER | VKR_SITE_VALUES | VKR_SITE_CONDITIONAL |
				VKR_SITE_CHOSEN | VKR_SITE_INTERLOCKED | VKR_SITE_COOPERATIVE |
				VKR_SITE_STRIDED;
	// What a barrier of less than a workgroup orders is judged with the log as a whole.
	if (draft->site.operation == VKR_SITE_CONTROL_BARRIER)
		return draft->site.execution != VKR_SCOPE_SUBGROUP &&
		       draft->site.execution != VKR_SCOPE_INVOCATION;
	if (draft->site.operation == VKR_SITE_MEMORY_BARRIER)
		return true;
	if (draft->image)
		return draft->site.operation <= VKR_SITE_STORE && !(draft->site.flags & others) &&
		       vkr_slice_takes_texels(draft);
	return draft->site.operation <= VKR_SITE_ATOMIC_RMW && draft->pointer &&
	       !draft->is_traced && draft->place.kind == VKR_TARGET_VARIABLE &&
	       !draft->place.base && !(draft->site.flags & others);
}

bool vkr_slice_may_be(const struct vkr_slice *slice)
{
	const struct vkr_analysis *analysis = slice->analysis;
	for (size_t d = 0; d < analysis->drafts.count; d++) {
		const struct vkr_site_draft *draft = &analysis->drafts.items[d];
		if (!is_summarized(draft) || draft->instruction < slice->function->body ||
		    draft->instruction >= slice->function->end)
			return false;
	}
	return analysis->drafts.count > 0 && !leaves_open(analysis);
}

static void need_accesses(struct vkr_slice *slice)
{
	const struct vkr_analysis *analysis = slice->analysis;
	uint32_t b = 0;
	for (size_t d = 0; d < analysis->drafts.count; d++) {
		const struct vkr_site_draft *draft = &analysis->drafts.items[d];
		while (slice->blocks[b].terminator < draft->instruction)
			b++;
		need_block(slice, b);
		if (draft->image) {
			need_value(slice, draft->image->coordinate, b);
			if (draft->image->level)
				need_value(slice, draft->image->level, b);
			need_sum(slice, &draft->image->image.element, b);
			continue;
		}
		if (!draft->pointer)
			continue;
		need_sum(slice, &draft->place.offset, b);
		need_sum(slice, &draft->place.element, b);
	}
}

// Stores to variables that are needed, and in main itself calls of nothing that logs.
static void need_stores(struct vkr_slice *slice)
{
	const struct vkr_module *module = slice->analysis->module;
	for (uint32_t b = 0; b < slice->block_count; b++) {
		const struct vkr_block *block = &slice->blocks[b];
		for (uint32_t i = block->first; i < block->terminator; i++) {
			const struct vkr_instruction *in = &module->instructions[i];
			uint32_t component, value;
			slice->needy = vkr_slice_stored(slice, in, &component, &value);
			if (!slice->needy)
				continue;
			need_block(slice, b);
			need_value(slice, value, b);
		}
	}
}

static bool make_room(struct vkr_slice *slice)
{
	const struct vkr_module *module = slice->analysis->module;
	struct vkr_arena *arena = slice->analysis->arena;
	slice->block_of = vkr_arena_alloc(arena, module->bound * sizeof *slice->block_of);
	slice->home = vkr_arena_alloc(arena, module->bound * sizeof *slice->home);
	slice->worklist = vkr_arena_alloc(arena, module->bound * sizeof *slice->worklist);
	slice->needed = vkr_arena_alloc(arena, module->bound);
	slice->is_far = vkr_arena_alloc(arena, module->bound);
	slice->is_odd = vkr_arena_alloc(arena, module->bound);
	slice->is_logged = vkr_arena_alloc(arena, module->bound);
	return slice->block_of && slice->home && slice->worklist && slice->needed &&
	       slice->is_far && slice->is_odd && slice->is_logged && vkr_slice_read_blocks(slice);
}

bool vkr_slice_read(struct vkr_slice *slice, const struct vkr_analysis *analysis, bool *is_there)
{
	*slice = (struct vkr_slice){.analysis = analysis,
				    .function = &analysis->module->functions[analysis->main]};
	if (!make_room(slice))
		return false;
	*is_there = slice->block_count <= BLOCKS_MOST;
	return true;
}

bool vkr_slice_find(struct vkr_slice *slice, const bool *is_cut, bool *no_memory)
{
	slice->block_count = slice->uniform_count = slice->uniform_words = slice->work = 0;
	slice->failed = slice->lacks = false;
	slice->is_cut = is_cut;
	*no_memory = !make_room(slice);
	if (*no_memory || slice->block_count > BLOCKS_MOST)
		return false;
	note_uses(slice);
	need_accesses(slice);
	do {
		slice->changed = false;
		vkr_slice_reach(slice);
		for (uint32_t b = 0; b < slice->block_count; b++)
			if (slice->blocks[b].reached && !slice->blocks[b].passed)
				need_condition(slice, b);
		need_stores(slice);
		while (slice->work && !slice->failed)
			need_sources(slice, slice->worklist[--slice->work]);
	} while (slice->changed && !slice->failed);
	return !slice->failed;
}

bool vkr_slice_note_needs(struct vkr_slice *slice)
{
	const struct vkr_module *module = slice->analysis->module;
	slice->notes = true;
	slice->needy = vkr_slice_node_of_accesses(slice);
	need_accesses(slice);
	for (uint32_t i = slice->function->body; i < slice->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		slice->needy = in->result;
		if (in->result && in->opcode != SpvOpVariable && slice->needed[in->result])
			need_sources(slice, in->result);
	}
	need_stores(slice);
	for (uint32_t b = 0; b < slice->block_count; b++) {
		slice->needy = vkr_slice_node_of_condition(slice, b);
		if (slice->blocks[b].reached && !slice->blocks[b].passed)
			need_condition(slice, b);
	}
	slice->notes = false;
	return !slice->failed;
}
