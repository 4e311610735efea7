// SPDX-License-Identifier: Apache-2.0
#include "address.h"

#include "text.h"

#include <string.h>

// One walk from a pointer to its base and back.
struct walk {
	const struct vkr_address_book *book;
	struct vkr_pointer_target *place;
	const struct vkr_instruction **steps; // pointer instructions, the accessed one first
	uint32_t step_count;
	uint32_t own_steps;  // steps of the pointer's own function; later ones are callers'
	bool in_descriptors; // still above the block: indices choose the descriptor
	bool in_heap;        // still in a heap that is a variable
	bool stays;          // within the pointer's own function
	struct vkr_text member;
};

static bool is_array(const struct vkr_module *module, uint32_t type)
{
	uint16_t opcode = vkr_module_definition(module, type)->opcode;
	return opcode == SpvOpTypeArray || opcode == SpvOpTypeRuntimeArray;
}

static bool is_block_array(const struct vkr_module *module, uint32_t type)
{
	if (!type || !is_array(module, type))
		return false;
	while (is_array(module, type))
		type = vkr_module_word(module, vkr_module_definition(module, type), 2);
	return vkr_module_decorated(module, type, VKR_NO_MEMBER, SpvDecorationBlock, NULL) ||
	       vkr_module_decorated(module, type, VKR_NO_MEMBER, SpvDecorationBufferBlock, NULL);
}

// How many blocks an array of descriptors holds; 0 where it has a runtime array.
static uint32_t block_count(const struct vkr_types *types, uint32_t type, uint32_t *block)
{
	uint64_t count = 1;
	while (is_array(types->module, type)) {
		const struct vkr_instruction *def = vkr_module_definition(types->module, type);
		uint64_t length =
			def->opcode == SpvOpTypeArray ? vkr_type_array_length(types, type) : 0;
		count = length > UINT32_MAX || count * length > UINT32_MAX ? 0 : count * length;
		type = vkr_module_word(types->module, def, 2);
	}
	if (block)
		*block = type;
	return (uint32_t)count;
}

uint32_t vkr_descriptor_block(const struct vkr_types *types, uint32_t variable, uint32_t *count)
{
	uint32_t block;
	*count = block_count(types, vkr_variable_type(types->module, variable), &block);
	return block;
}

uint32_t vkr_pointer_root(const struct vkr_module *module, uint32_t pointer)
{
	const struct vkr_instruction *in = vkr_module_definition(module, pointer);
	struct vkr_chain chain;
	while (vkr_chain_read(module, in, &chain))
		in = vkr_module_definition(module, chain.base);
	return in->result;
}

// Lists the instructions from the pointer up to its base, the base last; following parameters to
// the one argument that all calls pass. False for lack of memory.
static bool address_climb(struct walk *walk, uint32_t pointer)
{
	const struct vkr_module *module = walk->book->module;
	uint32_t count = 0, indices = 0;
	for (int pass = 0; pass < 2; pass++) {
		uint32_t id = pointer;
		count = 0;
		walk->own_steps = UINT32_MAX;
		for (;;) {
			const struct vkr_instruction *in = vkr_module_definition(module, id);
			struct vkr_chain chain;
			if (pass)
				walk->steps[count] = in;
			count++;
			if (count > module->instruction_count)
				return false;
			if (vkr_chain_read(module, in, &chain)) {
				indices += in->length;
				id = chain.base;
				continue;
			}
			if (in->opcode != SpvOpFunctionParameter)
				break;
			uint32_t argument = walk->book->arguments[id];
			if (!argument || argument == VKR_ARGUMENT_MANY || walk->stays)
				break;
			if (walk->own_steps == UINT32_MAX)
				walk->own_steps = count;
			id = argument;
		}
		if (!pass) {
			walk->steps =
				vkr_arena_alloc(walk->book->arena, count * sizeof *walk->steps);
			walk->place->offset.terms = vkr_arena_alloc(
				walk->book->arena, indices * sizeof(struct vkr_term));
			walk->place->element.terms = vkr_arena_alloc(
				walk->book->arena, indices * sizeof(struct vkr_term));
			if (!walk->steps || !walk->place->offset.terms ||
			    !walk->place->element.terms)
				return false;
		}
	}
	walk->step_count = count;
	return true;
}

// Adds index * factor. False where a caller's index cannot be named in this function.
static bool add_index(struct walk *walk, struct vkr_sum *sum, uint32_t index, uint64_t factor,
		      uint32_t step, bool named)
{
	uint64_t value;
	if (vkr_constant_value(walk->book->types->constants, index, &value)) {
		sum->constant += (uint32_t)(value * factor);
		if (named)
			vkr_text_add(&walk->member, "[%lld]", (long long)(int64_t)value);
		return true;
	}
	if (walk->place->kind != VKR_TARGET_ADDRESS && step >= walk->own_steps)
		return false;
	// The validator does not look at the types of indices.
	const struct vkr_module *module = walk->book->module;
	uint32_t type = vkr_module_definition(module, index)->type;
	if (vkr_module_definition(module, type)->opcode != SpvOpTypeInt)
		return false;
	sum->terms[sum->term_count++] = (struct vkr_term){index, (uint32_t)factor, 0};
	if (named)
		vkr_text_add(&walk->member, "[]");
	return true;
}

static bool apply_structure(struct walk *walk, uint32_t index)
{
	struct vkr_pointer_target *place = walk->place;
	const struct vkr_module *module = walk->book->module;
	uint64_t member;
	struct vkr_chain_step step;
	uint32_t structure = place->type;
	if (!vkr_constant_value(walk->book->types->constants, index, &member) ||
	    member >= UINT32_MAX ||
	    !vkr_type_step(walk->book->types, structure, place->layout, (uint32_t)member, &step))
		return false;
	place->offset.constant += (uint32_t)step.offset;
	place->type = step.type;
	place->layout = step.layout;
	place->is_coherent |= vkr_module_decorated(module, structure, (uint32_t)member,
						   SpvDecorationCoherent, NULL);
	place->is_volatile |= vkr_module_decorated(module, structure, (uint32_t)member,
						   SpvDecorationVolatile, NULL);
	const char *name = vkr_module_member_name(module, structure, (uint32_t)member);
	const char *dot = walk->member.count ? "." : "";
	if (*name)
		vkr_text_add(&walk->member, "%s%s", dot, name);
	else
		vkr_text_add(&walk->member, "%s_%u", dot, (unsigned)member);
	return true;
}

static bool apply_index(struct walk *walk, uint32_t index, uint32_t at_step)
{
	struct vkr_pointer_target *place = walk->place;
	const struct vkr_types *types = walk->book->types;
	struct vkr_chain_step step;
	const struct vkr_instruction *def = vkr_module_definition(walk->book->module, place->type);
	if (def->opcode == SpvOpTypeStruct) {
		walk->in_descriptors = false;
		return apply_structure(walk, index);
	}
	if (walk->in_descriptors && is_array(walk->book->module, place->type)) {
		uint32_t inner = vkr_module_word(walk->book->module, def, 2);
		uint32_t factor = block_count(types, inner, NULL);
		place->type = inner;
		return factor && add_index(walk, &place->element, index, factor, at_step, false);
	}
	if (!vkr_type_step(types, place->type, place->layout, 0, &step))
		return false;
	bool is_component = def->opcode == SpvOpTypeVector;
	uint64_t component;
	place->type = step.type;
	place->layout = step.layout;
	if (is_component && vkr_constant_value(types->constants, index, &component) &&
	    component < 4) {
		vkr_text_add(&walk->member, ".%c", "xyzw"[component]);
		place->offset.constant += (uint32_t)(component * step.stride);
		return true;
	}
	return add_index(walk, &place->offset, index, step.stride, at_step, true);
}

// Adds index * stride to where the descriptor begins. Strides are literals, or constants that only
// the driver knows (OpConstantSizeOfEXT).
static bool apply_heap_array(struct walk *walk, uint32_t index, uint32_t at_step)
{
	struct vkr_pointer_target *place = walk->place;
	const struct vkr_module *module = walk->book->module;
	const uint32_t array = place->type;
	uint32_t stride = 0, scale = 0;
	uint64_t value;
	place->type = vkr_module_word(module, vkr_module_definition(module, array), 2);
	if (vkr_module_decorated(module, array, VKR_NO_MEMBER, SpvDecorationArrayStride, &stride))
		return add_index(walk, &place->element, index, stride, at_step, false);
	if (!vkr_module_decorated(module, array, VKR_NO_MEMBER,
				  (SpvDecoration)VKR_DECORATION_ARRAY_STRIDE_ID, &scale) ||
	    (at_step >= walk->own_steps &&
	     !vkr_constant_value(walk->book->types->constants, index, &value)))
		return false;
	place->element.terms[place->element.term_count++] = (struct vkr_term){index, 1, scale};
	return true;
}

// Adds the offset of a member, a literal or such a constant.
static bool apply_heap_member(struct walk *walk, uint32_t index)
{
	struct vkr_pointer_target *place = walk->place;
	const struct vkr_module *module = walk->book->module;
	const struct vkr_instruction *def = vkr_module_definition(module, place->type);
	uint32_t offset = 0;
	uint64_t member;
	if (!vkr_constant_value(walk->book->types->constants, index, &member) ||
	    member + 2 >= def->length)
		return false;
	if (vkr_module_decorated(module, place->type, (uint32_t)member, SpvDecorationOffset,
				 &offset))
		place->element.constant += offset;
	else if (vkr_module_decorated(module, place->type, (uint32_t)member,
				      (SpvDecoration)VKR_DECORATION_OFFSET_ID, &offset))
		place->element.terms[place->element.term_count++] = (struct vkr_term){offset, 1, 0};
	else
		return false;
	place->type = vkr_module_word(module, def, (uint32_t)member + 2);
	return true;
}

static bool apply_heap_index(struct walk *walk, uint32_t index, uint32_t at_step)
{
	if (!walk->place->type)
		return false;
	const struct vkr_instruction *def =
		vkr_module_definition(walk->book->module, walk->place->type);
	if (def->opcode == SpvOpTypeStruct)
		return apply_heap_member(walk, index);
	return is_array(walk->book->module, walk->place->type) &&
	       apply_heap_array(walk, index, at_step);
}

// OpPtrAccessChain's first index counts whole pointees, ArrayStride of the pointer's type apart.
static bool apply_element(struct walk *walk, const struct vkr_chain *chain, uint32_t at_step)
{
	const struct vkr_module *module = walk->book->module;
	const struct vkr_instruction *base = vkr_module_definition(module, chain->base);
	uint32_t stride;
	uint64_t bytes;
	if (walk->place->layout.is_explicit &&
	    vkr_module_decorated(module, base->type, VKR_NO_MEMBER, SpvDecorationArrayStride,
				 &stride))
		bytes = stride;
	else
		bytes = vkr_type_bytes(walk->book->types, walk->place->type, walk->place->layout);
	return bytes <= UINT32_MAX &&
	       add_index(walk, &walk->place->offset, chain->element, bytes, at_step, true);
}

// A raw access chain counts bytes from its base's start (SPV_NV_raw_access_chains): the stride is a
// constant, and what is there has the layout of its own decorations.
static bool apply_raw(struct walk *walk, const struct vkr_chain *chain, uint32_t type,
		      uint32_t at_step)
{
	uint64_t stride;
	if (is_array(walk->book->module, walk->place->type) ||
	    !vkr_constant_value(walk->book->types->constants, chain->raw_stride, &stride))
		return false;
	walk->in_descriptors = false;
	walk->place->type = type;
	walk->place->layout = (struct vkr_layout){.is_explicit = true};
	return add_index(walk, &walk->place->offset, chain->element, stride, at_step, true) &&
	       add_index(walk, &walk->place->offset, chain->raw_offset, 1, at_step, true);
}

static bool is_direct(const struct vkr_pointer_target *place)
{
	return place->home && place->home->kind == VKR_HOME_DIRECT;
}

static bool is_of_descriptor(const struct walk *walk)
{
	return walk->place->variable && !vkr_is_group_class(walk->book, walk->place->storage_class);
}

// A pointer without a type leads to what the chain says, with a layout of its own decorations.
static void take_type(struct walk *walk, uint32_t type)
{
	walk->place->type = type;
	walk->place->layout = (struct vkr_layout){.is_explicit = true};
	walk->in_descriptors = is_of_descriptor(walk) && !is_direct(walk->place) &&
			       is_block_array(walk->book->module, type);
}

// Behind the descriptor of a buffer that stands in a heap.
static void enter_buffer(struct walk *walk, const struct vkr_instruction *in)
{
	const struct vkr_module *module = walk->book->module;
	walk->in_heap = false;
	take_type(walk, vkr_pointer_pointee(module, in->type));
	walk->place->is_coherent |= vkr_module_decorated(module, in->result, VKR_NO_MEMBER,
							 SpvDecorationCoherent, NULL);
	walk->place->is_volatile |= vkr_module_decorated(module, in->result, VKR_NO_MEMBER,
							 SpvDecorationVolatile, NULL);
}

// Applies the indices of every step, the base's first. False where the place is not known.
static bool address_descend(struct walk *walk)
{
	const struct vkr_module *module = walk->book->module;
	for (uint32_t s = walk->step_count - 1; s-- > 0;) {
		const struct vkr_instruction *in = walk->steps[s];
		struct vkr_chain chain;
		if (!vkr_chain_read(module, in, &chain))
			continue; // a parameter
		if (chain.enters_buffer) {
			if (!walk->in_heap)
				return false;
			enter_buffer(walk, in);
			continue;
		}
		if (chain.base_type)
			take_type(walk, chain.base_type);
		if (chain.raw_stride) {
			if (!apply_raw(walk, &chain, vkr_pointer_pointee(module, in->type), s))
				return false;
			continue;
		}
		if (chain.element &&
		    (walk->in_descriptors || walk->in_heap || !apply_element(walk, &chain, s)))
			return false;
		for (uint32_t w = chain.first_index; w < in->length; w++) {
			const uint32_t index = vkr_module_word(module, in, w);
			if (walk->in_heap ? !apply_heap_index(walk, index, s)
					  : !apply_index(walk, index, s))
				return false;
		}
	}
	return true;
}

// Whether the type holds a structure with a member so decorated.
static bool holds_decorated(const struct vkr_module *module, uint32_t type,
			    SpvDecoration decoration)
{
	if (!type)
		return false;
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	switch (def->opcode) {
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
		return holds_decorated(module, vkr_module_word(module, def, 2), decoration);
	case SpvOpTypeStruct:
		for (uint32_t m = 0; m + 2u < def->length; m++) {
			if (vkr_module_decorated(module, type, m, decoration, NULL) ||
			    holds_decorated(module, vkr_module_word(module, def, m + 2),
					    decoration))
				return true;
		}
		return false;
	default:
		return false;
	}
}

bool vkr_is_group_class(const struct vkr_address_book *book, uint32_t storage_class)
{
	return storage_class == SpvStorageClassWorkgroup ||
	       (book->shares_outputs && storage_class == SpvStorageClassOutput) ||
	       (book->shares_payload && storage_class == SpvStorageClassTaskPayloadWorkgroupEXT);
}

static enum vkr_target_kind base_kind(const struct vkr_address_book *book,
				      const struct vkr_instruction *base, uint32_t storage_class)
{
	const struct vkr_home *home = book->homes ? book->homes[base->result] : NULL;
	const bool is_variable = vkr_is_variable(base->opcode) &&
				 (vkr_variable_type(book->module, base->result) || home) &&
				 (!home || home->kind != VKR_HOME_LOST);
	if (vkr_is_group_class(book, storage_class))
		return is_variable ? VKR_TARGET_VARIABLE : VKR_TARGET_UNKNOWN;
	switch (storage_class) {
	case SpvStorageClassPhysicalStorageBuffer:
		return VKR_TARGET_ADDRESS;
	case SpvStorageClassStorageBuffer:
	case SpvStorageClassUniform:
	case SpvStorageClassUniformConstant:
		return is_variable ? VKR_TARGET_VARIABLE : VKR_TARGET_UNKNOWN;
	case SpvStorageClassImage:
	case SpvStorageClassGeneric:
	case SpvStorageClassCrossWorkgroup:
	case SpvStorageClassAtomicCounter:
		return VKR_TARGET_UNKNOWN;
	default:
		return VKR_TARGET_UNLOGGED;
	}
}

// Workgroup variables have offsets only where the module asks for an explicit layout, interfaces
// never.
static bool has_explicit_layout(const struct vkr_module *module, uint32_t storage_class,
				uint32_t type)
{
	if (storage_class == SpvStorageClassOutput ||
	    storage_class == SpvStorageClassTaskPayloadWorkgroupEXT)
		return false;
	if (storage_class != SpvStorageClassWorkgroup)
		return true;
	return vkr_module_decorated(module, type, VKR_NO_MEMBER, SpvDecorationBlock, NULL);
}

// Starts at the base: a variable, or a pointer of pointer_bases.c.
static void start_walk(struct walk *walk, const struct vkr_instruction *base)
{
	const struct vkr_address_book *book = walk->book;
	const struct vkr_module *module = book->module;
	struct vkr_pointer_target *place = walk->place;
	place->kind = base_kind(book, base, place->storage_class);
	place->type = vkr_is_variable(base->opcode) ? vkr_variable_type(module, base->result)
						    : vkr_pointer_pointee(module, base->type);
	place->layout.is_explicit =
		!place->type || has_explicit_layout(module, place->storage_class, place->type);
	place->is_coherent = vkr_module_decorated(module, base->result, VKR_NO_MEMBER,
						  SpvDecorationCoherent, NULL);
	place->is_volatile = vkr_module_decorated(module, base->result, VKR_NO_MEMBER,
						  SpvDecorationVolatile, NULL);
	// A callee cannot name what its caller chose.
	const bool is_own = walk->own_steps == UINT32_MAX;
	struct vkr_pointer_base *run_time =
		is_own && place->kind == VKR_TARGET_UNKNOWN && book->bases
			? book->bases[base->result]
			: NULL;
	if (is_own && base->opcode == SpvOpConvertUToAccelerationStructureKHR) {
		place->kind = VKR_TARGET_ADDRESS;
		place->address = vkr_module_word(module, base, 3);
	} else if (run_time && !run_time->is_unknown && run_time->is_address) {
		place->kind = VKR_TARGET_ADDRESS;
		place->base = run_time;
	} else if (run_time && !run_time->is_unknown && run_time->variable_count) {
		place->kind =
			run_time->variable_count == 1 ? VKR_TARGET_VARIABLE : VKR_TARGET_CHOSEN;
		place->base = run_time;
		place->variable = run_time->variables[0];
		place->layout = run_time->layout;
		place->is_coherent |= run_time->is_coherent;
		place->is_volatile |= run_time->is_volatile;
	} else if (place->kind == VKR_TARGET_VARIABLE) {
		place->variable = base->result;
	}
	if (place->kind == VKR_TARGET_UNKNOWN || !is_of_descriptor(walk))
		return;
	place->home = book->homes ? book->homes[place->variable] : NULL;
	if (is_direct(place)) {
		place->is_arrayed = true;
		walk->in_heap = !run_time || vkr_pointer_class(module, base->type) ==
						     SpvStorageClassUniformConstant;
		return;
	}
	place->is_arrayed = is_array(module, vkr_variable_type(module, place->variable));
	walk->in_descriptors = !place->base ||
			       place->storage_class == SpvStorageClassUniformConstant ||
			       is_block_array(module, place->type);
}

// A heap's element is always logged.
static bool is_in_heap(const struct vkr_pointer_target *place)
{
	return place->home &&
	       (place->home->kind == VKR_HOME_HEAP || place->home->kind == VKR_HOME_DATA);
}

uint32_t vkr_descriptor_words(const struct vkr_pointer_target *place)
{
	return place->kind == VKR_TARGET_CHOSEN ? 2 : place->is_arrayed;
}

// Whether a variable is an array of descriptors that has one element, as compilers from other
// languages make them of every block: an index is 0.
static bool has_one_descriptor(const struct vkr_address_book *book, uint32_t variable)
{
	const struct vkr_module *module = book->module;
	uint32_t type = vkr_variable_type(module, variable);
	while (is_array(module, type)) {
		const struct vkr_instruction *array = vkr_module_definition(module, type);
		uint64_t length = 0;
		if (array->opcode != SpvOpTypeArray ||
		    !vkr_constant_value(book->types->constants, vkr_module_word(module, array, 3),
					&length) ||
		    length != 1)
			return false;
		type = vkr_module_word(module, array, 2);
	}
	return true;
}

// One attempt; `stays`: within the pointer's own function. False for lack of memory.
static bool address_resolve(const struct vkr_address_book *book, uint32_t pointer, bool stays,
			    struct vkr_pointer_target *place)
{
	const struct vkr_module *module = book->module;
	const struct vkr_instruction *in = vkr_module_definition(module, pointer);
	struct walk walk = {.book = book, .place = place, .stays = stays};
	*place = (struct vkr_pointer_target){.member = ""};
	place->storage_class = vkr_pointer_class(module, in->type);
	if (base_kind(book, in, place->storage_class) == VKR_TARGET_UNLOGGED)
		return true;
	if (!address_climb(&walk, pointer))
		return false;
	start_walk(&walk, walk.steps[walk.step_count - 1]);
	if (place->kind == VKR_TARGET_UNKNOWN)
		return true;
	// Of images, functions take whole arrays of descriptors.
	const bool is_typed = vkr_pointer_pointee(module, in->type) != 0;
	const bool is_block = place->storage_class != SpvStorageClassUniformConstant;
	if (!address_descend(&walk) ||
	    (is_typed && is_block && walk.in_descriptors && is_array(module, place->type)))
		place->kind = VKR_TARGET_UNKNOWN;
	else if (!is_typed)
		take_type(&walk, 0);
	else if (!place->type)
		place->type = vkr_pointer_pointee(module, in->type);
	if (is_in_heap(place))
		place->is_arrayed = !place->home->resource.is_embedded;
	else if (place->kind == VKR_TARGET_VARIABLE && !place->base && !place->home &&
		 place->is_arrayed && has_one_descriptor(book, place->variable))
		place->is_arrayed = false;
	place->is_coherent |= holds_decorated(module, place->type, SpvDecorationCoherent);
	place->is_volatile |= holds_decorated(module, place->type, SpvDecorationVolatile);
	const char *member = vkr_text_text(&walk.member);
	place->member = member ? vkr_arena_string(book->arena, member, walk.member.count) : NULL;
	vkr_text_finish(&walk.member);
	return place->member != NULL;
}

bool vkr_pointer_target_resolve(const struct vkr_address_book *book, uint32_t pointer,
				struct vkr_pointer_target *place)
{
	if (!address_resolve(book, pointer, false, place))
		return false;
	return place->kind != VKR_TARGET_UNKNOWN || address_resolve(book, pointer, true, place);
}

// How many members of a block have the decoration.
static uint32_t count_members(const struct vkr_module *module, const struct vkr_instruction *block,
			      SpvDecoration decoration)
{
	uint32_t count = 0;
	for (uint32_t m = 0; m + 2u < block->length; m++)
		count += vkr_module_decorated(module, block->result, m, decoration, NULL);
	return count;
}

bool vkr_is_uniform_block(const struct vkr_module *module, uint32_t variable, uint32_t block)
{
	return vkr_module_word(module, vkr_module_definition(module, variable), 3) ==
		       SpvStorageClassUniform &&
	       !vkr_module_decorated(module, block, VKR_NO_MEMBER, SpvDecorationBufferBlock, NULL);
}

bool vkr_buffer_is_read_only(const struct vkr_module *module, uint32_t variable, uint32_t block)
{
	const struct vkr_instruction *def = vkr_module_definition(module, block);
	return vkr_is_uniform_block(module, variable, block) ||
	       vkr_module_decorated(module, variable, VKR_NO_MEMBER, SpvDecorationNonWritable,
				    NULL) ||
	       (def->opcode == SpvOpTypeStruct &&
		count_members(module, def, SpvDecorationNonWritable) == def->length - 2u);
}

bool vkr_buffer_is_constant(const struct vkr_module *module, uint32_t variable, uint32_t block)
{
	static const SpvDecoration others[] = {SpvDecorationVolatile, SpvDecorationCoherent};
	const struct vkr_instruction *def = vkr_module_definition(module, block);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (count_members(module, def, others[i]) ||
		    vkr_module_decorated(module, variable, VKR_NO_MEMBER, others[i], NULL))
			return false;
	return vkr_buffer_is_read_only(module, variable, block);
}
