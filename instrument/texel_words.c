// SPDX-License-Identifier: Apache-2.0
#include "texel_words.h"

#include "pointer_forms.h"
#include "spirv_constants.h"

#include <math.h>
#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

// Operations that one coordinate is followed through: what VKR_TEXEL_ROUNDING allows for.
#define OPERATIONS_MOST 4u
// Copies, shuffles and constructions.
#define COPIES_MOST 32u
// Of the operand words of a record: what a part's byte can say.
#define WORDS_MOST 200u

// A scalar, or a component of a vector.
struct scalar {
	uint32_t id; // 0: none
	uint32_t component;
};

// A sum: `word`, plus `factor` times `scaled`, plus `constant`.
struct sum {
	struct scalar word, scaled;
	double factor, constant;
	uint32_t operations; // that may have rounded
};

// What a record has logged so far.
struct logged {
	struct scalar items[WORDS_MOST]; // by word; id 0: of something else
	uint32_t count;
};

struct sharing {
	struct vkr_analysis *analysis;
	const struct vkr_values *values;
	const struct vkr_module *module;
	struct vkr_image_use **uses; // by site: of those that share words
	// What the coordinates of the present segment's sites are made of, those of its first site
	// first: of those that may share words.
	struct sum (*sums)[VKR_TEXEL_PARTS];
};

// ---- What a coordinate is made of ---------------------------------------------------------------

static const struct vkr_instruction *texel_words_definition(const struct sharing *of, uint32_t id)
{
	return vkr_module_definition(of->module, id);
}

static uint32_t components_of(const struct sharing *of, uint32_t id)
{
	const struct vkr_instruction *type =
		texel_words_definition(of, texel_words_definition(of, id)->type);
	return type->opcode == SpvOpTypeVector ? vkr_module_word(of->module, type, 3) : 1;
}

// Which constituent, or component of one, is a component of the whole; false: not known.
static bool take_constituent(const struct sharing *of, const struct vkr_instruction *in,
			     struct scalar *scalar)
{
	uint32_t left = scalar->component;
	for (uint32_t word = 3; word < in->length; word++) {
		const uint32_t part = vkr_module_word(of->module, in, word);
		const uint32_t count = components_of(of, part);
		if (left < count) {
			*scalar = (struct scalar){part, left};
			return true;
		}
		left -= count;
	}
	return false;
}

static bool take_shuffled(const struct sharing *of, const struct vkr_instruction *in,
			  struct scalar *scalar)
{
	const uint32_t chosen = vkr_module_word(of->module, in, 5 + scalar->component);
	const uint32_t first = vkr_module_word(of->module, in, 3);
	const uint32_t count = components_of(of, first);
	if (chosen == UINT32_MAX)
		return false;
	*scalar = chosen < count
			  ? (struct scalar){first, chosen}
			  : (struct scalar){vkr_module_word(of->module, in, 4), chosen - count};
	return true;
}

// The type of a value, or of its components.
static const struct vkr_instruction *scalar_type(const struct sharing *of, uint32_t id)
{
	const struct vkr_instruction *type =
		texel_words_definition(of, texel_words_definition(of, id)->type);
	return type->opcode == SpvOpTypeVector
		       ? texel_words_definition(of, vkr_module_word(of->module, type, 2))
		       : type;
}

// Numbers of 32 bits.
static bool is_word(const struct sharing *of, uint32_t id)
{
	const struct vkr_instruction *type = scalar_type(of, id);
	return (type->opcode == SpvOpTypeFloat || type->opcode == SpvOpTypeInt) &&
	       vkr_module_word(of->module, type, 2) == 32;
}

static bool is_float(const struct sharing *of, uint32_t id)
{
	return scalar_type(of, id)->opcode == SpvOpTypeFloat && is_word(of, id);
}

// One step towards where a scalar comes from; false at its end.
static bool take_step(const struct sharing *of, struct scalar *scalar)
{
	const struct vkr_instruction *in = texel_words_definition(of, scalar->id);
	switch (in->opcode) {
	case SpvOpCompositeExtract: {
		const uint32_t from = vkr_module_word(of->module, in, 3);
		if (in->length != 5 || components_of(of, from) == 1)
			return false;
		*scalar = (struct scalar){from, vkr_module_word(of->module, in, 4)};
		return true;
	}
	case SpvOpCompositeConstruct:
		return texel_words_definition(of, in->type)->opcode == SpvOpTypeVector &&
		       take_constituent(of, in, scalar);
	case SpvOpVectorShuffle:
		return take_shuffled(of, in, scalar);
	case SpvOpBitcast: { // as compilers from other forms write every value
		const uint32_t from = vkr_module_word(of->module, in, 3);
		if (!is_word(of, from) || !is_word(of, scalar->id) ||
		    components_of(of, from) != components_of(of, scalar->id))
			return false;
		scalar->id = from;
		return true;
	}
	default:
		return false;
	}
}

// Where a scalar comes from, in *last the last one that is a float, if any is.
static struct scalar texel_words_follow(const struct sharing *of, struct scalar scalar,
					struct scalar *last)
{
	for (uint32_t step = 0; step < COPIES_MOST; step++) {
		scalar.id = vkr_value_source(of->values, scalar.id);
		if (is_float(of, scalar.id))
			*last = scalar;
		if (!take_step(of, &scalar))
			break;
	}
	return scalar;
}

// The float that a float comes from.
static struct scalar source_of(const struct sharing *of, struct scalar scalar)
{
	struct scalar last = scalar;
	texel_words_follow(of, scalar, &last);
	return last;
}

// A 32-bit float that is constant.
static bool constant_of(const struct sharing *of, struct scalar scalar, double *constant)
{
	const struct vkr_constants *constants = of->analysis->constants;
	uint64_t bits = 0;
	float value;
	struct scalar last;
	scalar = texel_words_follow(of, scalar, &last);
	if (components_of(of, scalar.id) > 1
		    ? !vkr_constant_component(constants, scalar.id, scalar.component, &bits)
		    : !vkr_constant_value(constants, scalar.id, &bits))
		return false;
	const uint32_t low = (uint32_t)bits;
	memcpy(&value, &low, sizeof value);
	*constant = (double)value;
	return isfinite(value);
}

static bool is_constant(const struct sum *sum)
{
	return sum->word.id == 0 && sum->scaled.id == 0;
}

static struct sum sum_of(const struct sharing *of, struct scalar scalar, uint32_t depth);

// The component of an operand: a scalar has one.
static struct sum texel_words_operand(const struct sharing *of, const struct vkr_instruction *in,
				      uint32_t word, uint32_t component, uint32_t depth)
{
	const uint32_t id = vkr_module_word(of->module, in, word);
	const uint32_t at = components_of(of, id) > 1 ? component : 0;
	return sum_of(of, (struct scalar){id, at}, depth + 1);
}

// Neither intermediate result is larger than the magnitudes that are left of it.
static bool texel_words_scale(struct sum *sum, double factor)
{
	if (sum->word.id != 0 && (sum->scaled.id != 0 || sum->constant < 0 || sum->constant > 0))
		return false;
	if (sum->word.id != 0) {
		sum->scaled = sum->word;
		sum->word = (struct scalar){0};
		sum->factor = 1;
	}
	sum->factor *= factor;
	sum->constant *= factor;
	return true;
}

static bool have_one_sign(double a, double b)
{
	return !(a < 0 && b > 0) && !(a > 0 && b < 0);
}

static bool texel_words_add(struct sum *sum, struct sum other)
{
	if ((sum->word.id != 0 && other.word.id != 0) ||
	    (sum->scaled.id != 0 && other.scaled.id != 0) ||
	    !have_one_sign(sum->constant, other.constant))
		return false;
	if (other.word.id != 0)
		sum->word = other.word;
	if (other.scaled.id != 0) {
		sum->scaled = other.scaled;
		sum->factor = other.factor;
	}
	sum->constant += other.constant;
	return true;
}

// a + (b - a) * t, of constants a and b: "derived from x * (1.0 - a) + y * a". Not where what
// cancels out is large.
static bool texel_words_mix(const struct sum *x, const struct sum *y, struct sum *at)
{
	const double from = x->constant, by = y->constant - from;
	const bool has_constant = at->constant < 0 || at->constant > 0;
	if (!is_constant(x) || !is_constant(y) || !(fabs(by) >= fabs(from) / 2) ||
	    !(fabs(by) >= fabs(y->constant) / 2) || (has_constant && !is_constant(at)))
		return false;
	return texel_words_scale(at, by) && texel_words_add(at, (struct sum){.constant = from});
}

// *result is one operand, and becomes the sum. False: it is not known as one.
static bool texel_words_calculate(const struct sharing *of, const struct vkr_instruction *in,
				  uint32_t component, uint32_t depth, struct sum *result)
{
	struct sum other = {0};
	switch (in->opcode) {
	case SpvOpFNegate:
		*result = texel_words_operand(of, in, 3, component, depth);
		return texel_words_scale(result, -1);
	case SpvOpFAdd:
	case SpvOpFSub:
	case SpvOpFMul:
	case SpvOpVectorTimesScalar:
		*result = texel_words_operand(of, in, 3, component, depth);
		other = texel_words_operand(of, in, 4, component, depth);
		break;
	case SpvOpExtInst:
		if (in->ext_set != VKR_EXT_GLSL_STD_450 ||
		    vkr_module_word(of->module, in, 4) != GLSLstd450FMix)
			return false;
		*result = texel_words_operand(of, in, 7, component, depth);
		result->operations += 2;
		const struct sum x = texel_words_operand(of, in, 5, component, depth);
		const struct sum y = texel_words_operand(of, in, 6, component, depth);
		return texel_words_mix(&x, &y, result);
	default:
		return false;
	}
	result->operations += other.operations + 1;
	if (in->opcode == SpvOpFAdd)
		return texel_words_add(result, other);
	if (in->opcode == SpvOpFSub)
		return texel_words_scale(&other, -1) && texel_words_add(result, other);
	if (is_constant(&other))
		return texel_words_scale(result, other.constant);
	const double factor = result->constant;
	const bool is_scaled = is_constant(result);
	other.operations = result->operations;
	*result = other;
	return is_scaled && texel_words_scale(result, factor);
}

static struct sum sum_of(const struct sharing *of, struct scalar scalar, uint32_t depth)
{
	struct sum sum = {0};
	scalar = source_of(of, scalar);
	if (constant_of(of, scalar, &sum.constant))
		return sum;
	if (depth <= OPERATIONS_MOST &&
	    texel_words_calculate(of, texel_words_definition(of, scalar.id), scalar.component,
				  depth, &sum) &&
	    sum.operations <= OPERATIONS_MOST && isfinite((float)sum.factor) &&
	    isfinite((float)sum.constant))
		return sum;
	return (struct sum){.word = scalar};
}

// ---- Words --------------------------------------------------------------------------------------

static bool is_same(const struct sharing *of, struct scalar a, struct scalar b)
{
	return a.component == b.component && vkr_same_value(of->values, a.id, b.id);
}

// The record's word that a scalar is; VKR_TEXEL_NO_WORD: it has none.
static uint8_t find_word(const struct sharing *of, const struct logged *logged,
			 struct scalar scalar)
{
	for (uint32_t at = 0; at < logged->count; at++)
		if (logged->items[at].id != 0 && is_same(of, logged->items[at], scalar))
			return (uint8_t)at;
	return VKR_TEXEL_NO_WORD;
}

// The word of a scalar of the use's, which it logs if it must.
static uint8_t take_word(const struct sharing *of, struct logged *logged, struct vkr_image_use *use,
			 struct scalar scalar)
{
	if (scalar.id == 0)
		return VKR_TEXEL_NO_WORD;
	const uint8_t found = find_word(of, logged, scalar);
	if (found != VKR_TEXEL_NO_WORD)
		return found;
	use->logged[use->logged_count++] = (struct vkr_image_scalar){scalar.id, scalar.component};
	logged->items[logged->count] = scalar;
	return (uint8_t)logged->count++;
}

// A word of push constants at a constant place: what all invocations of a draw find alike.
static bool is_uniform(const struct sharing *of, struct scalar scalar)
{
	const struct vkr_instruction *in = texel_words_definition(of, scalar.id);
	struct vkr_chain chain;
	if (in->opcode != SpvOpLoad)
		return false;
	const struct vkr_instruction *from =
		texel_words_definition(of, vkr_module_word(of->module, in, 3));
	if (vkr_pointer_class(of->module, from->type) != SpvStorageClassPushConstant ||
	    !vkr_chain_read(of->module, from, &chain) || chain.element != 0)
		return false;
	for (uint32_t word = chain.first_index; word < from->length; word++) {
		uint64_t value;
		if (!vkr_constant_value(of->analysis->constants,
					vkr_module_word(of->module, from, word), &value))
			return false;
	}
	return true;
}

static bool is_plain(const struct vkr_site_draft *draft)
{
	const struct vkr_image_use *use = draft->image;
	return use->image.kind == VKR_TARGET_VARIABLE && !use->image.is_arrayed &&
	       (!use->has_sampler ||
		(use->sampler.kind == VKR_TARGET_VARIABLE && !use->sampler.is_arrayed));
}

// Whether two parts differ by what is the same in all invocations.
static bool is_beside(const struct sharing *of, const struct vkr_texel_part *a,
		      const struct vkr_texel_part *b, const struct logged *logged)
{
	if (a->word != b->word)
		return false;
	if (a->scaled_word == b->scaled_word &&
	    (a->scaled_word == VKR_TEXEL_NO_WORD || !(a->factor != b->factor)))
		return true;
	return (a->scaled_word == VKR_TEXEL_NO_WORD ||
		is_uniform(of, logged->items[a->scaled_word])) &&
	       (b->scaled_word == VKR_TEXEL_NO_WORD ||
		is_uniform(of, logged->items[b->scaled_word]));
}

// Whether the derivatives of two are the same to the bit.
static bool are_equal(const struct vkr_texel_part *a, const struct vkr_texel_part *b)
{
	const bool varies = a->word != VKR_TEXEL_NO_WORD || a->scaled_word != VKR_TEXEL_NO_WORD;
	return a->word == b->word && a->scaled_word == b->scaled_word &&
	       (!varies || (!(a->factor != b->factor) && !(a->constant != b->constant)));
}

// An earlier sample of the record whose level this one has, or nearly has; NULL: none.
static struct vkr_image_use *find_level(const struct sharing *of, const struct vkr_segment *segment,
					uint32_t site, const struct vkr_image_use *use,
					const struct logged *logged, bool *is_equal)
{
	const struct vkr_site_draft *drafts = of->analysis->drafts.items;
	for (uint32_t i = segment->first_site; i < site; i++) {
		struct vkr_image_use *other = of->uses[i];
		bool beside = other && !(other->texel.flags & VKR_TEXEL_LEVEL_NEAR) &&
			      other->texel.level == VKR_LEVEL_QUERIED && !other->bias &&
			      is_plain(&drafts[i]) &&
			      drafts[i].site.variable == drafts[site].site.variable &&
			      other->texel.sampler == use->texel.sampler &&
			      other->axes == use->axes;
		*is_equal = true;
		for (uint32_t axis = 0; axis < use->axes && beside; axis++) {
			const struct vkr_texel_part *a = &other->texel.parts[axis];
			const struct vkr_texel_part *b = &use->texel.parts[axis];
			beside = is_beside(of, a, b, logged);
			*is_equal = *is_equal && are_equal(a, b);
		}
		if (beside)
			return other;
	}
	return NULL;
}

// The sample is one of those whose level is nearly that of `from`. False for lack of memory.
static bool take_spread(const struct sharing *of, uint32_t sites, struct vkr_image_use *from,
			struct vkr_image_use *use, struct logged *logged)
{
	if (!from->levels) {
		from->levels = vkr_arena_alloc(of->analysis->arena, sizeof *from->levels);
		if (!from->levels)
			return false;
		*from->levels = (struct vkr_image_levels){.of = from};
		from->levels->near =
			vkr_arena_alloc(of->analysis->arena, sites * sizeof *from->levels->near);
		if (!from->levels->near)
			return false;
		from->levels->word = (uint8_t)logged->count++;
		use->logs_spread = from->levels;
	}
	from->levels->near[from->levels->count++] = use;
	use->texel.flags |= VKR_TEXEL_LEVEL_NEAR;
	use->texel.level_spread = from->levels->word;
	return true;
}

static bool take_level(const struct sharing *of, const struct vkr_segment *segment, uint32_t site,
		       struct vkr_image_use *use, struct logged *logged)
{
	bool is_equal = false;
	use->texel.level_word = use->texel.level_spread = VKR_TEXEL_NO_WORD;
	use->logs_level = use->texel.level != VKR_LEVEL_BASE;
	if (!use->logs_level)
		return true;
	struct vkr_image_use *from = use->texel.level == VKR_LEVEL_QUERIED && !use->bias &&
						     is_plain(&of->analysis->drafts.items[site])
					     ? find_level(of, segment, site, use, logged, &is_equal)
					     : NULL;
	const uint8_t known = use->texel.level == VKR_LEVEL_LOGGED
				      ? find_word(of, logged, (struct scalar){use->level, 0})
				      : VKR_TEXEL_NO_WORD;
	if (from || known != VKR_TEXEL_NO_WORD) {
		use->texel.level_word = from ? from->texel.level_word : known;
		use->logs_level = false;
		return !from || is_equal || take_spread(of, segment->site_count, from, use, logged);
	}
	if (use->texel.level == VKR_LEVEL_LOGGED)
		logged->items[logged->count] = (struct scalar){use->level, 0};
	use->texel.level_word = (uint8_t)logged->count++;
	return true;
}

// ---- Sites --------------------------------------------------------------------------------------

static bool may_share(const struct sharing *of, const struct vkr_site_draft *draft)
{
	const struct vkr_image_use *use = draft->image;
	const struct vkr_texel *texel = use ? &use->texel : NULL;
	return texel && texel->form != VKR_TEXEL_INTEGER && texel->flags == 0 &&
	       texel->level != VKR_LEVEL_GRADIENTS && !use->is_projective &&
	       use->image.kind == VKR_TARGET_VARIABLE && use->dim != SpvDimCube &&
	       texel->coordinates == use->axes && texel->coordinates <= VKR_TEXEL_PARTS &&
	       is_float(of, use->coordinate) && (!use->level || is_float(of, use->level));
}

static bool find_sums(struct sharing *of, const struct vkr_segment *segment)
{
	of->sums = vkr_arena_alloc(of->analysis->arena, segment->site_count * sizeof *of->sums);
	if (!of->sums)
		return false;
	memset(of->sums, 0, segment->site_count * sizeof *of->sums);
	for (uint32_t i = 0; i < segment->site_count; i++) {
		const struct vkr_site_draft *draft =
			&of->analysis->drafts.items[segment->first_site + i];
		for (uint32_t axis = 0; may_share(of, draft) && axis < draft->image->axes; axis++)
			of->sums[i][axis] =
				sum_of(of, (struct scalar){draft->image->coordinate, axis}, 0);
	}
	return true;
}

static bool has_scalar(const struct sharing *of, const struct sum *sum, struct scalar scalar)
{
	return (sum->word.id && is_same(of, sum->word, scalar)) ||
	       (sum->scaled.id && is_same(of, sum->scaled, scalar));
}

// A coordinate of a site of the segment, itself.
static struct scalar coordinate_of(const struct sharing *of, const struct vkr_segment *segment,
				   uint32_t at, uint32_t axis)
{
	const struct vkr_site_draft *draft = &of->analysis->drafts.items[segment->first_site + at];
	return source_of(of, (struct scalar){draft->image->coordinate, axis});
}

// Whether another coordinate may have use for what a sum is made of, which it has to do with: not
// one that is the same itself; nor of the same site, which then needs as many words.
static bool has_use(const struct sharing *of, const struct vkr_segment *segment, uint32_t at,
		    uint32_t axis, uint32_t other_at, uint32_t other_axis)
{
	const struct sum *sum = &of->sums[at][axis];
	if (at == other_at)
		return !sum->word.id || !sum->scaled.id;
	return !is_same(of, coordinate_of(of, segment, at, axis),
			coordinate_of(of, segment, other_at, other_axis));
}

// Whether no other coordinate of the segment's sites has use for a scalar of this one's.
static bool is_alone(const struct sharing *of, const struct vkr_segment *segment, uint32_t at,
		     uint32_t axis)
{
	const struct sum *sum = &of->sums[at][axis];
	for (uint32_t i = 0; i < segment->site_count * VKR_TEXEL_PARTS; i++) {
		const uint32_t other_at = i / VKR_TEXEL_PARTS, other_axis = i % VKR_TEXEL_PARTS;
		const struct sum *other = &of->sums[other_at][other_axis];
		if (other != sum &&
		    ((sum->word.id && has_scalar(of, other, sum->word)) ||
		     (sum->scaled.id && has_scalar(of, other, sum->scaled))) &&
		    has_use(of, segment, at, axis, other_at, other_axis))
			return false;
	}
	return true;
}

// What the coordinate is made of: of itself, where that needs no more words. Then nothing of it is
// rounded.
static struct sum choose_sum(const struct sharing *of, const struct vkr_segment *segment,
			     uint32_t site, uint32_t axis)
{
	const uint32_t at = site - segment->first_site;
	const struct sum *sum = &of->sums[at][axis];
	if (!sum->word.id && !sum->scaled.id)
		return *sum;
	return is_alone(of, segment, at, axis)
		       ? (struct sum){.word = coordinate_of(of, segment, at, axis)}
		       : *sum;
}

static bool share_site(const struct sharing *of, const struct vkr_segment *segment, uint32_t site,
		       struct logged *logged)
{
	struct vkr_site_draft *draft = &of->analysis->drafts.items[site];
	if (!may_share(of, draft) || logged->count + 2 * VKR_TEXEL_PARTS + 3 >= WORDS_MOST) {
		const uint32_t end = logged->count + draft->site.words;
		for (; logged->count < end && logged->count < WORDS_MOST; logged->count++)
			logged->items[logged->count] = (struct scalar){0};
		return true;
	}
	struct vkr_image_use *use = vkr_arena_alloc(of->analysis->arena, sizeof *use);
	if (!use)
		return false;
	*use = *draft->image;
	const uint32_t first = logged->count;
	for (uint32_t i = vkr_descriptor_words(&use->image); i > 0; i--)
		logged->items[logged->count++] = (struct scalar){0};
	use->texel.flags |= VKR_TEXEL_DERIVED;
	for (uint32_t axis = 0; axis < use->axes; axis++) {
		const struct sum sum = choose_sum(of, segment, site, axis);
		const uint8_t word = take_word(of, logged, use, sum.word);
		use->texel.parts[axis] = (struct vkr_texel_part){
			.word = word,
			.scaled_word = take_word(of, logged, use, sum.scaled),
			.factor = (float)sum.factor,
			.constant = (float)sum.constant};
	}
	if (!take_level(of, segment, site, use, logged))
		return false;
	of->uses[site] = use;
	use->texel.words = (uint8_t)(logged->count - first);
	draft->site.words = use->texel.words;
	draft->image = use;
	of->analysis->texels.items[draft->site.texel - 1] = use->texel;
	return true;
}

bool vkr_texel_words_share(struct vkr_analysis *analysis, const struct vkr_values *values)
{
	struct sharing of = {.analysis = analysis, .values = values, .module = analysis->module};
	if (!analysis->identity || analysis->options->without & VKR_REDUCE_WORDS)
		return true;
	of.uses = vkr_arena_alloc(analysis->arena, (analysis->drafts.count + 1) * sizeof *of.uses);
	if (!of.uses)
		return false;
	for (size_t i = 0; i < analysis->segments.count; i++) {
		struct vkr_segment *segment = &analysis->segments.items[i].segment;
		const uint32_t end = segment->first_site + segment->site_count;
		struct logged logged = {.count = 0};
		uint32_t words = 0;
		if (!find_sums(&of, segment))
			return false;
		for (uint32_t site = segment->first_site; site < end; site++) {
			if (!share_site(&of, segment, site, &logged))
				return false;
			words += analysis->drafts.items[site].site.words;
		}
		// Whole records are an even number of words (gpu_log.h).
		segment->words = words | 1;
	}
	return true;
}
