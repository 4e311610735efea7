// SPDX-License-Identifier: Apache-2.0
#include "spirv_validity.h"

#include "array.h"
#include "error.h"
// The C header defines this constant without `static`: two files that include it do not link.
#define kDefaultMaxIdBound kValidityMaxIdBound
#include "spirv_calls.h"
#include "spirv_newer.h"
#include "spirv_stream.h"

#include <assert.h>
#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

static bool spirv_validity_contains(const uint32_t *ids, size_t count, uint32_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

// Copies a module without what means nothing to the program (SPV_KHR_non_semantic_info), such as
// debug information. `sets` has room for its imports. Returns the words of the copy, 0 where it is
// no shorter.
static size_t copy_meaning(const uint32_t *words, size_t word_count, uint32_t *copy, uint32_t *sets)
{
	static const char prefix[] = "NonSemantic.";
	struct vkr_spirv_stream stream = vkr_spirv_stream_of(words, word_count);
	size_t kept = VKR_SPIRV_HEADER_WORDS, set_count = 0;
	memcpy(copy, words, kept * sizeof *words);
	while (vkr_spirv_stream_next(&stream)) {
		if (stream.opcode == SpvOpExtInstImport && stream.length >= 5 &&
		    memcmp(&stream.in[2], prefix, sizeof prefix - 1) == 0)
			sets[set_count++] = stream.in[1];
		else if ((stream.opcode == SpvOpExtInst ||
			  stream.opcode == VKR_OP_EXT_INST_WITH_FORWARD_REFS) &&
			 stream.length > 3 &&
			 spirv_validity_contains(sets, set_count, stream.in[3]))
			continue;
		memcpy(copy + kept, stream.in, stream.length * sizeof *words);
		kept += stream.length;
	}
	return stream.next == word_count && kept < word_count ? kept : 0;
}

// Operands of an atomic that are of its result's type: the first one's word, and how many.
static uint32_t atomic_values(uint32_t opcode, uint32_t *first)
{
	*first = 6;
	if (opcode == SpvOpAtomicCompareExchange)
		*first = 7;
	if (opcode == SpvOpAtomicCompareExchange)
		return 2;
	return opcode == SpvOpAtomicExchange ||
	       (opcode >= SpvOpAtomicIAdd && opcode <= SpvOpAtomicXor);
}

#define HEADER_WORDS 5u
#define BOUND_MOST   0x400000u // of ids ("Universal Limits" of the SPIR-V specification)

// Of each id its type, of each integer type its bits, and of each OpConstant the word of its value;
// else 0.
struct integers {
	uint32_t *types, *widths, *constants;
	uint32_t bound;
};

static bool read_integers(const struct vkr_parsed *parsed, const uint32_t *words,
			  struct integers *of)
{
	if (parsed->bound > BOUND_MOST)
		return false;
	of->types = calloc(3 * (size_t)parsed->bound + 1, sizeof *of->types);
	if (!of->types)
		return false;
	of->bound = parsed->bound;
	of->widths = of->types + of->bound;
	of->constants = of->widths + of->bound;
	for (size_t i = 0; i < parsed->instructions.count; i++) {
		const struct vkr_instruction *in = &parsed->instructions.items[i];
		if (in->result >= of->bound || in->type >= of->bound)
			return false;
		of->types[in->result] = in->type;
		if (in->opcode == SpvOpTypeInt)
			of->widths[in->result] = words[in->at + 2];
		if (in->opcode == SpvOpConstant)
			of->constants[in->result] = in->at + 3;
	}
	return true;
}

// Copies an instruction; if it is an atomic, with a cast before it for each value that is an
// integer of the other signedness. Returns the words of the copy.
static size_t copy_casting(const struct integers *of, const struct vkr_instruction *in,
			   const uint32_t *words, uint32_t *copy, uint32_t *bound)
{
	uint32_t first, cast[2] = {0, 0};
	const uint32_t values = atomic_values(in->opcode, &first);
	size_t kept = 0;
	for (uint32_t v = 0; v < values; v++) {
		const uint32_t value = words[first + v];
		const uint32_t type = value < of->bound ? of->types[value] : 0;
		if (type == in->type || !of->widths[type] ||
		    of->widths[type] != of->widths[in->type])
			continue;
		cast[v] = (*bound)++;
		const uint32_t bitcast[] = {4u << SpvWordCountShift | SpvOpBitcast, in->type,
					    cast[v], value};
		memcpy(copy + kept, bitcast, sizeof bitcast);
		kept += 4;
	}
	memcpy(copy + kept, words, in->length * sizeof *words);
	for (uint32_t v = 0; v < values; v++)
		if (cast[v])
			copy[kept + first + v] = cast[v];
	return kept + in->length;
}

// Copies a module so that atomics have values of their result's signedness, which bits do not show:
// compilers that know no signs (Mesa's of OpenCL) name constants by one type or the other, and
// drivers do not mind. `copy` has room for twice the words. Returns the words of the copy, 0 where
// it is no longer.
static size_t copy_signs(const uint32_t *words, size_t word_count, uint32_t environment,
			 uint32_t *copy)
{
	struct vkr_parsed parsed;
	struct vkr_error ignored;
	struct integers of = {0};
	size_t kept = 0;
	if (vkr_spirv_parse(words, word_count, environment, &parsed, &ignored) == VKR_OK &&
	    read_integers(&parsed, words, &of)) {
		memcpy(copy, words, 5 * sizeof *words);
		kept = 5;
		for (size_t i = 0; i < parsed.instructions.count; i++) {
			const struct vkr_instruction *in = &parsed.instructions.items[i];
			kept += copy_casting(&of, in, words + in->at, copy + kept, &copy[3]);
		}
	}
	free(of.types);
	vkr_parsed_finish(&parsed);
	return kept > word_count ? kept : 0;
}

// Explicit layout where Vulkan allows none, in variables of Workgroup and the like ("Universal
// Validation Rules" of the SPIR-V specification let it be). Compilers that use one array type for
// buffers and for shared memory write it, and drivers do not mind.
static bool is_of_layout(const spv_diagnostic diagnostic)
{
	return diagnostic && diagnostic->error &&
	       strstr(diagnostic->error, "VUID-StandaloneSpirv-None-10684");
}

// A module that the validator refused as it is: a copy without what drivers do not mind.
struct subject {
	spv_context vulkan, universal;
	spv_validator_options options;
	const uint32_t *words;
	size_t word_count;
	struct vkr_parsed parsed;
	uint32_t *copy; // with mends
};

// `room`: five times the words, and what mending takes.
static void subject_init(struct subject *of, const uint32_t *words, size_t word_count,
			 uint32_t environment, uint32_t *room)
{
	of->words = words;
	of->word_count = word_count;
	const size_t kept = copy_meaning(words, word_count, room, room + word_count);
	if (kept) {
		of->words = room;
		of->word_count = kept;
	}
	uint32_t *const casts = room + word_count;
	const size_t signs = copy_signs(of->words, of->word_count, environment, casts);
	if (signs) {
		of->words = casts;
		of->word_count = signs;
	}
	of->copy = casts + 2 * word_count;
}

static void subject_finish(struct subject *of)
{
	vkr_parsed_finish(&of->parsed);
	if (of->options)
		spvValidatorOptionsDestroy(of->options);
	if (of->universal)
		spvContextDestroy(of->universal);
	if (of->vulkan)
		spvContextDestroy(of->vulkan);
}

// The first line of a diagnostic: what follows shows the instruction. NULL where there is no
// memory.
static char *copy_rule(spv_diagnostic diagnostic)
{
	const char *rule = diagnostic && diagnostic->error ? diagnostic->error : "refused";
	return strndup(rule, strcspn(rule, "\n"));
}

// *rule: what the validator refuses the module for, with mends, to be freed; NULL: it is valid.
// With `only_spirv` Vulkan's own rules do not count.
static enum vkr_result spirv_validity_check(struct subject *of, const struct vkr_mends *mends,
					    bool only_spirv, char **rule, struct vkr_error *error)
{
	spv_diagnostic diagnostic = NULL;
	const size_t count = vkr_mends_apply(mends, &of->parsed, of->words, of->copy);
	spv_result_t checked = vkr_spirv_check(only_spirv ? of->universal : of->vulkan, of->options,
					       of->copy, count, &diagnostic);
	if (checked != SPV_SUCCESS && !only_spirv && is_of_layout(diagnostic)) {
		spvDiagnosticDestroy(diagnostic);
		diagnostic = NULL;
		checked = vkr_spirv_check(of->universal, of->options, of->copy, count, &diagnostic);
	}
	*rule = checked == SPV_SUCCESS ? NULL : copy_rule(diagnostic);
	spvDiagnosticDestroy(diagnostic);
	return checked == SPV_ERROR_OUT_OF_MEMORY || (checked != SPV_SUCCESS && !*rule)
		       ? vkr_error_memory(error, "the SPIR-V validator")
		       : VKR_OK;
}

static void mend_first(struct vkr_mends *mends, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mends->items[i].used = true;
}

// Whether two broken rules are one, whichever ids they name.
static bool same_rule(const char *a, const char *b)
{
	static const char digits[] = "0123456789";
	for (;;) {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

// Takes `rule`.
static enum vkr_result add_rule(struct vkr_broken_rules *broken, char *rule,
				struct vkr_error *error)
{
	for (size_t i = 0; i < broken->count; i++)
		if (same_rule(broken->items[i], rule)) {
			free(rule);
			return VKR_OK;
		}
	if (!VKR_ARRAY_RESERVE(broken, 1)) {
		free(rule);
		return vkr_error_memory(error, "a broken rule of SPIR-V");
	}
	broken->items[broken->count++] = rule;
	return VKR_OK;
}

// Whether the validator refuses the module for another rule than `rule`, or for none, once the
// first `count` mends are used, too. `trial` has room for all.
static enum vkr_result spirv_validity_mends(struct subject *of,
					    const struct vkr_broken_rules *broken, const char *rule,
					    size_t count, struct vkr_mend *trial, bool *mended,
					    struct vkr_error *error)
{
	struct vkr_mends tried = broken->mends;
	char *found;
	tried.items = trial;
	memcpy(trial, broken->mends.items, tried.count * sizeof *trial);
	mend_first(&tried, count);
	enum vkr_result result =
		spirv_validity_check(of, &tried, broken->only_spirv, &found, error);
	*mended = result == VKR_OK && (!found || strcmp(found, rule) != 0);
	free(found);
	return result;
}

// Mends what breaks `rule`: the last of the fewest mends in order with which another one comes
// first. A rule that none mends is Vulkan's.
static enum vkr_result mend_rule(struct subject *of, struct vkr_broken_rules *broken,
				 const char *rule, struct vkr_error *error)
{
	const size_t count = broken->mends.count;
	struct vkr_mend *trial = malloc((count + 1) * sizeof *trial);
	size_t low = 0, high = count; // the fewest are more than `low`, at most `high`
	bool mended = false;
	enum vkr_result result =
		trial ? spirv_validity_mends(of, broken, rule, count, trial, &mended, error)
		      : vkr_error_memory(error, "what a shader may lack");
	if (result == VKR_OK && !mended) {
		if (broken->only_spirv)
			mend_first(&broken->mends, count);
		broken->only_spirv = true;
		high = 0;
	}
	while (result == VKR_OK && low + 1 < high) {
		const size_t middle = low + (high - low) / 2;
		result = spirv_validity_mends(of, broken, rule, middle, trial, &mended, error);
		if (mended)
			high = middle;
		else
			low = middle;
	}
	if (high)
		vkr_mends_use(&broken->mends, high - 1);
	free(trial);
	return result;
}

#define RULES_MOST 24 // that are looked for: each takes about ten validations

// Names the rules that a sound shader breaks, one after another: the validator stops at the first,
// so it is mended. At the end the mends that are used make the module valid.
static enum vkr_result find_rules(struct subject *of, struct vkr_broken_rules *broken,
				  struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (int i = 0; result == VKR_OK; i++) {
		char *rule, *named;
		result = spirv_validity_check(of, &broken->mends, broken->only_spirv, &rule, error);
		if (result != VKR_OK || !rule)
			return result;
		if (i == RULES_MOST) {
			mend_first(&broken->mends, broken->mends.count);
			broken->only_spirv = true;
			free(rule);
			return VKR_OK;
		}
		named = strdup(rule);
		result = named ? add_rule(broken, named, error)
			       : vkr_error_memory(error, "a broken rule of SPIR-V");
		if (result == VKR_OK)
			result = mend_rule(of, broken, rule, error);
		free(rule);
	}
	return result;
}

// Newer validators are stricter than the compilers that built the programs. They reject debug
// information, which drivers do not read; layout where none is needed; and the signedness of
// atomics' values. A module whose only faults are of these kinds is valid for us. One that is
// refused for another rule may still be sound. *refusal: why it is not, to be freed.
static enum vkr_result look_closer(struct subject *of, struct vkr_broken_rules *broken,
				   char **refusal, struct vkr_error *error)
{
	enum vkr_result result = vkr_mends_list(&of->parsed, of->words, &broken->mends, error);
	if (result == VKR_OK)
		result = spirv_validity_check(of, &broken->mends, false, refusal, error);
	if (result != VKR_OK || !*refusal || !vkr_spirv_is_shader(&of->parsed, of->words))
		return result;
	struct vkr_broken_rules all = {.only_spirv = true};
	char *unsound;
	result = vkr_mends_list(&of->parsed, of->words, &all.mends, error);
	mend_first(&all.mends, all.mends.count);
	if (result == VKR_OK)
		result = spirv_validity_check(of, &all.mends, true, &unsound, error);
	vkr_broken_rules_finish(&all);
	if (result != VKR_OK)
		return result;
	free(*refusal);
	*refusal = unsound;
	return unsound ? VKR_OK : find_rules(of, broken, error);
}

// `as`: what the module may break; `broken`: the same, to be found out, or NULL.
static enum vkr_result validate_module(const uint32_t *words, size_t word_count,
				       uint32_t environment, enum vkr_result failure,
				       const char *what, struct vkr_broken_rules *broken,
				       const struct vkr_broken_rules *as, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	spv_diagnostic diagnostic = NULL;
	char *refusal = NULL;
	uint32_t *room = NULL;
	struct subject of = {0};
	assert(as);
	if (environment >= SPV_ENV_MAX)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "no environment %u of the SPIR-V validator", environment);
	of.vulkan = vkr_spirv_context((spv_target_env)environment);
	of.options = vkr_spirv_options();
	if (!of.vulkan || !of.options) {
		result = vkr_error_memory(error, "the SPIR-V validator");
		goto done;
	}
	// The device's features are not known here: every layout that one of them permits is valid.
	spvValidatorOptionsSetScalarBlockLayout(of.options, true);
	spvValidatorOptionsSetWorkgroupScalarBlockLayout(of.options, true);
	spvValidatorOptionsSetUniformBufferStandardLayout(of.options, true);
	spvValidatorOptionsSetAllowLocalSizeId(of.options, true);
	spvValidatorOptionsSetFriendlyNames(of.options, false); // takes time, for messages alone
	const spv_result_t checked =
		vkr_spirv_check(of.vulkan, of.options, words, word_count, &diagnostic);
	if (checked == SPV_SUCCESS)
		goto done;
	if (checked == SPV_ERROR_OUT_OF_MEMORY) {
		result = vkr_error_memory(error, "the SPIR-V validator");
		goto done;
	}
	// The validator refuses a bound that no module may have, whatever is mended.
	if (word_count < HEADER_WORDS || words[3] > BOUND_MOST) {
		result = VKR_ERROR_FORMAT;
		goto refused;
	}
	of.universal = vkr_spirv_context(SPV_ENV_UNIVERSAL_1_6);
	room = malloc((5 * word_count + VKR_MENDS_ROOM) * sizeof *room);
	if (!of.universal || !room) {
		result = vkr_error_memory(error, "a copy of a shader");
		goto done;
	}
	subject_init(&of, words, word_count, environment, room);
	result = vkr_spirv_parse(of.words, of.word_count, environment, &of.parsed, error);
	if (result == VKR_OK)
		result = broken ? look_closer(&of, broken, &refusal, error)
				: spirv_validity_check(&of, &as->mends, as->only_spirv, &refusal,
						       error);
refused:
	if (result == VKR_ERROR_FORMAT || refusal)
		result = vkr_error_set(error, failure, "%s, word %zu: %s%s%s", what,
				       diagnostic ? diagnostic->position.index : (size_t)0,
				       diagnostic && diagnostic->error ? diagnostic->error
								       : "refused",
				       refusal ? "; " : "", refusal ? refusal : "");
done:
	free(room);
	free(refusal);
	spvDiagnosticDestroy(diagnostic);
	subject_finish(&of);
	return result;
}

enum vkr_result vkr_spirv_validate(const uint32_t *words, size_t word_count, uint32_t environment,
				   struct vkr_broken_rules *broken, struct vkr_error *error)
{
	return validate_module(words, word_count, environment, VKR_ERROR_FORMAT, "invalid SPIR-V",
			       broken, broken, error);
}

enum vkr_result vkr_spirv_validate_rewritten(const uint32_t *words, size_t word_count,
					     uint32_t environment,
					     const struct vkr_broken_rules *broken,
					     struct vkr_error *error)
{
	return validate_module(words, word_count, environment, VKR_ERROR_UNSUPPORTED,
			       "the rewritten module is not valid", NULL, broken, error);
}

void vkr_broken_rules_finish(struct vkr_broken_rules *broken)
{
	for (size_t i = 0; i < broken->count; i++)
		free(broken->items[i]);
	free(broken->items);
	vkr_mends_finish(&broken->mends);
	*broken = (struct vkr_broken_rules){0};
}
