// SPDX-License-Identifier: Apache-2.0
// Checks a site table that was read from elsewhere. Knows its format (vkrace/site.h).
#include "error.h"
#include "site_summary.h"
#include "site_table.h"

#include <stdbool.h>
#include <stdint.h>

static enum vkr_result refuse_table(struct vkr_error *error, uint64_t offset, const char *reason)
{
	return vkr_error_set(error, VKR_ERROR_FORMAT, "site table, byte %llu: %s",
			     (unsigned long long)offset, reason);
}

static bool is_string(const struct vkr_site_table *table, uint32_t offset)
{
	return offset < table->string_bytes || offset == 0;
}

static enum vkr_result check_head(const struct vkr_site_table *table, size_t bytes,
				  struct vkr_error *error)
{
	if (table->version != VKR_SITE_TABLE_VERSION)
		return vkr_error_set(error, VKR_ERROR_VERSION,
				     "site table, byte 0: version %u, this build knows %u",
				     table->version, VKR_SITE_TABLE_VERSION);
	const struct vkr_site_table_parts parts = vkr_site_table_parts(table);
	if (table->bytes != bytes || parts.end != bytes)
		return refuse_table(error, 4, "its size and its counts disagree");
	if (!table->string_bytes)
		return refuse_table(error, 4, "no strings, not even the empty one");
	const char *strings = vkr_site_table_string(table, 0);
	if (strings[0] || strings[table->string_bytes - 1])
		return refuse_table(error, parts.strings,
				    "strings without the empty one or an end");
	if (!is_string(table, table->entry_point) || !is_string(table, table->source_file))
		return refuse_table(error, 48, "a string beyond the strings");
	if ((table->identity & ~(VKR_IDENTITY_ALL | VKR_IDENTITY_ASKED | VKR_IDENTITY_SHARED)) >>
	    VKR_IDENTITY_BITS)
		return refuse_table(error, 60, "an identity of no known kind");
	if (table->identity & VKR_IDENTITY_SHARED && !(table->identity & VKR_IDENTITY_FRAGMENT))
		return refuse_table(error, 60, "chunks that are shared by other than fragments");
	if (!(table->identity & VKR_IDENTITY_LAUNCH) != !table->tag)
		return refuse_table(error, 68,
				    "a tag without a ray tracing stage, or one without a tag");
	return VKR_OK;
}

static enum vkr_result check_variables(const struct vkr_site_table *table, struct vkr_error *error)
{
	const struct vkr_variable *variables = vkr_site_table_variables(table);
	for (uint32_t i = 0; i < table->variable_count; i++) {
		uint64_t at =
			vkr_site_table_parts(table).variables + (uint64_t)i * sizeof *variables;
		if (variables[i].kind < VKR_VARIABLE_BUFFER ||
		    variables[i].kind > VKR_VARIABLE_ACCELERATION_STRUCTURE)
			return refuse_table(error, at, "a variable of no known kind");
		if (!is_string(table, variables[i].name))
			return refuse_table(error, at, "a string beyond the strings");
	}
	return VKR_OK;
}

static bool is_image(const struct vkr_variable *variable)
{
	return variable->kind >= VKR_VARIABLE_STORAGE_IMAGE &&
	       variable->kind < VKR_VARIABLE_SAMPLER;
}

// The words that identify a descriptor.
static uint32_t descriptor_words(bool is_chosen, bool is_arrayed)
{
	return is_chosen ? 2 : is_arrayed;
}

// The words in front of an atomic's evidence that a texel access asks for.
static uint32_t texel_words(const struct vkr_texel *texel, const struct vkr_site *site,
			    const struct vkr_variable *variable)
{
	// SPIR-V's Dim: 1D, 2D, 3D, Cube, Rect, Buffer, SubpassData.
	static const uint8_t axes[] = {1, 2, 3, 3, 2, 1, 2};
	uint32_t words = texel->coordinates - (texel->flags & VKR_TEXEL_PACKED ? 1u : 0u);
	words += descriptor_words(site->flags & VKR_SITE_CHOSEN, site->flags & VKR_SITE_ARRAYED);
	words += descriptor_words(texel->flags & VKR_TEXEL_SAMPLER_CHOSEN,
				  texel->flags & VKR_TEXEL_SAMPLER_ELEMENT);
	words += texel->flags & VKR_TEXEL_SAMPLE_INDEX ? 1 : 0;
	words += texel->flags & VKR_TEXEL_MIN_LOD ? 1 : 0;
	if (texel->flags & VKR_TEXEL_OFFSET_WORDS)
		words += (uint32_t)texel->offset_count * texel->offset_components;
	if (texel->level == VKR_LEVEL_GRADIENTS)
		return words + 2u * axes[variable->dim];
	return words + (texel->level != VKR_LEVEL_BASE ? 1 : 0);
}

// Whether a derived texel access is one that can be, apart from which words it names.
static bool is_derived_well(const struct vkr_texel *texel, const struct vkr_site *site,
			    const struct vkr_variable *variable)
{
	static const uint8_t axes[] = {1, 2, 3, 0, 2, 0, 0}; // by SPIR-V's Dim, 0: none is derived
	return texel->form != VKR_TEXEL_INTEGER && texel->coordinates == axes[variable->dim] &&
	       texel->level != VKR_LEVEL_GRADIENTS && !(site->flags & VKR_SITE_CHOSEN) &&
	       !(texel->flags & ~(unsigned)(VKR_TEXEL_DERIVED | VKR_TEXEL_LEVEL_NEAR)) &&
	       (texel->level_word == VKR_TEXEL_NO_WORD) == (texel->level == VKR_LEVEL_BASE) &&
	       (texel->level_spread == VKR_TEXEL_NO_WORD) ==
		       !(texel->flags & VKR_TEXEL_LEVEL_NEAR) &&
	       texel->words >= descriptor_words(false, site->flags & VKR_SITE_ARRAYED);
}

static const char *texel_fault(const struct vkr_site_table *table, const struct vkr_site *site)
{
	const struct vkr_variable *variables = vkr_site_table_variables(table);
	if (site->texel > table->texel_count)
		return "a texel access beyond the texel accesses";
	const struct vkr_texel *texel = vkr_site_table_texel(table, site);
	const struct vkr_variable *variable = &variables[site->variable];
	if (is_image(variable) != (texel != NULL))
		return "a variable's kind and a site's form disagree";
	if (texel == NULL)
		return NULL;
	if (site->piece_count || (site->flags & VKR_SITE_POINTER) || variable->dim > 6)
		return "a texel access of no known kind";
	if (texel->form < VKR_TEXEL_INTEGER || texel->form > VKR_TEXEL_GATHER ||
	    texel->level > VKR_LEVEL_GRADIENTS || texel->coordinates < 1 ||
	    texel->coordinates > 4 || texel->component > 3 || texel->offset_count > 4 ||
	    texel->offset_components > 3 ||
	    ((texel->flags & VKR_TEXEL_PACKED) && texel->coordinates < 2))
		return "a texel access of no known form";
	if (texel->sampler != UINT32_MAX &&
	    (texel->sampler >= table->variable_count ||
	     variables[texel->sampler].kind != VKR_VARIABLE_SAMPLER))
		return "a sampler that is none";
	if (texel->flags & VKR_TEXEL_SAMPLER_CHOSEN && texel->flags & VKR_TEXEL_SAMPLER_ELEMENT)
		return "a sampler that is named twice";
	if (texel->flags & (VKR_TEXEL_DERIVED | VKR_TEXEL_LEVEL_NEAR))
		return texel->flags & VKR_TEXEL_DERIVED && table->identity &&
				       is_derived_well(texel, site, variable)
			       ? NULL
			       : "a texel access whose coordinates cannot follow from others";
	if (texel->words != texel_words(texel, site, variable))
		return "a texel access's words and its form disagree";
	return NULL;
}

static bool is_traced(const struct vkr_site_table *table, const struct vkr_site *site)
{
	return site->variable < table->variable_count &&
	       vkr_site_table_variables(table)[site->variable].kind ==
		       VKR_VARIABLE_ACCELERATION_STRUCTURE;
}

// The words that operation, flags and size ask for.
static uint32_t words_of(const struct vkr_site_table *table, const struct vkr_site *site)
{
	if (site->operation >= VKR_SITE_SHADER_CALL)
		return 1;
	if (site->operation >= VKR_SITE_CONTROL_BARRIER)
		return 0;
	if (is_traced(table, site))
		return descriptor_words(site->flags & (VKR_SITE_POINTER | VKR_SITE_CHOSEN),
					site->flags & VKR_SITE_ARRAYED);
	uint32_t words = site->flags & (VKR_SITE_POINTER | VKR_SITE_ARRAYED) ? 2 : 1;
	if (site->flags & VKR_SITE_CHOSEN)
		words = 3;
	if (site->flags & VKR_SITE_SHARED || (site->flags & VKR_SITE_COMPUTED && !site->factor))
		words--;
	if (site->texel)
		words = vkr_site_table_texel(table, site)->words;
	if (site->flags & VKR_SITE_VALUES) {
		uint32_t values = site->operation == VKR_SITE_ATOMIC_RMW ? 2 : 1;
		words += values * (site->bytes > 4 ? 2 : 1);
	}
	words += site->flags & VKR_SITE_STRIDED ? 1 : 0;
	return words + (site->flags & VKR_SITE_CONDITIONAL ? 1 : 0);
}

// Whether the site has lines exactly if it is a matrix with lines.
static bool has_lines_well(const struct vkr_site *site)
{
	if (!(site->flags & VKR_SITE_STRIDED))
		return !site->lines && !site->stride_unit;
	return site->lines && site->stride_unit && site->flags & VKR_SITE_COOPERATIVE &&
	       (site->operation == VKR_SITE_LOAD || site->operation == VKR_SITE_STORE) &&
	       !site->texel && !site->piece_count;
}

// Whether a computed offset follows from more than the iteration.
static bool follows_from_place(const struct vkr_site *site)
{
	uint32_t bits = site->factor;
	for (uint32_t axis = 0; axis < 3; axis++)
		bits |= site->by_group[axis] | site->by_local[axis];
	return bits != 0;
}

static enum vkr_result check_site(const struct vkr_site_table *table, uint64_t at,
				  const struct vkr_site *site, struct vkr_error *error)
{
	bool is_barrier = site->operation >= VKR_SITE_CONTROL_BARRIER;
	if (site->operation < VKR_SITE_LOAD || site->operation > VKR_SITE_SUBGROUP)
		return refuse_table(error, at, "a site of no known operation");
	if (is_barrier ? site->variable != UINT32_MAX : site->variable >= table->variable_count)
		return refuse_table(error, at, "a variable beyond the variables");
	const unsigned place = site->flags & (VKR_SITE_POINTER | VKR_SITE_ARRAYED |
					      VKR_SITE_CHOSEN | VKR_SITE_SHARED);
	if (place & (place - 1) && place != (VKR_SITE_ARRAYED | VKR_SITE_SHARED))
		return refuse_table(error, at, "a site with two kinds of offset");
	if (site->flags & VKR_SITE_COMPUTED &&
	    (is_barrier || site->texel || (table->identity && follows_from_place(site)) ||
	     !table->workgroup_size[0] || !table->workgroup_size[1] ||
	     place & (VKR_SITE_POINTER | VKR_SITE_CHOSEN) ||
	     (place & VKR_SITE_SHARED && !site->factor)))
		return refuse_table(error, at, "a computed offset in a site that can have none");
	if (site->by_iteration && !(site->flags & VKR_SITE_COMPUTED))
		return refuse_table(error, at, "an iteration value without a computed offset");
	if (site->texel && place & ~(unsigned)(VKR_SITE_ARRAYED | VKR_SITE_CHOSEN))
		return refuse_table(error, at, "a texel with a byte offset");
	const char *fault = is_barrier ? NULL : texel_fault(table, site);
	if (fault)
		return refuse_table(error, at, fault);
	if (is_barrier && site->texel)
		return refuse_table(error, at, "a barrier with a texel");
	if (is_traced(table, site) &&
	    (site->operation != VKR_SITE_LOAD || site->bytes || site->piece_count ||
	     site->flags & ~(unsigned)(VKR_SITE_POINTER | VKR_SITE_ARRAYED | VKR_SITE_CHOSEN)))
		return refuse_table(error, at, "an acceleration structure that is not just read");
	if (!has_lines_well(site))
		return refuse_table(error, at, "lines without a matrix");
	if (site->words != words_of(table, site))
		return refuse_table(error, at, "a site's words and its kind disagree");
	if (!is_barrier && !site->bytes && !site->texel && !is_traced(table, site))
		return refuse_table(error, at, "an access of no bytes");
	if ((uint64_t)site->first_piece + site->piece_count > table->piece_count)
		return refuse_table(error, at, "a piece beyond the pieces");
	if (!is_string(table, site->file) || !is_string(table, site->member) ||
	    !is_string(table, site->instruction))
		return refuse_table(error, at, "a string beyond the strings");
	const struct vkr_piece *pieces = vkr_site_table_pieces(table) + site->first_piece;
	uint64_t behind = 0;
	for (uint32_t i = 0; i < site->piece_count; i++) {
		if (pieces[i].offset < behind || !pieces[i].bytes)
			return refuse_table(error, at, "pieces out of order");
		behind = (uint64_t)pieces[i].offset + pieces[i].bytes;
		if (behind > site->bytes)
			return refuse_table(error, at, "a piece beyond the access");
	}
	return VKR_OK;
}

// A shared offset is an earlier site's of the segment, which has a word of it.
static bool is_shared_well(const struct vkr_site_table *table, uint32_t first, uint32_t site)
{
	const struct vkr_site *sites = vkr_site_table_sites(table);
	if (!(sites[site].flags & VKR_SITE_SHARED))
		return true;
	const uint32_t from = sites[site].offset_site;
	return from >= first && from < site && !sites[from].texel &&
	       words_of(table, &sites[from]) > 0 &&
	       !(sites[from].flags & VKR_SITE_COMPUTED && !sites[from].factor) &&
	       !(sites[from].flags & (VKR_SITE_POINTER | VKR_SITE_CHOSEN | VKR_SITE_SHARED));
}

// What a segment's sites amount to.
struct amount {
	uint64_t words, others; // others: no accesses
	bool iterations;
	bool beyond; // a coordinate follows from words behind those of its site
};

static bool is_before(uint8_t word, uint64_t words)
{
	return word == VKR_TEXEL_NO_WORD || word < words;
}

// Whether the words that a derived access names are before the end of its own.
static bool names_words(const struct vkr_texel *texel, uint64_t words)
{
	bool named = is_before(texel->level_word, words) && is_before(texel->level_spread, words);
	for (uint32_t axis = 0; axis < texel->coordinates && axis < VKR_TEXEL_PARTS; axis++)
		named = named && is_before(texel->parts[axis].word, words) &&
			is_before(texel->parts[axis].scaled_word, words);
	return named;
}

static struct amount amount_of(const struct vkr_site_table *table,
			       const struct vkr_segment *segment)
{
	const struct vkr_site *sites = vkr_site_table_sites(table);
	struct amount amount = {0};
	for (uint32_t s = segment->first_site; s < segment->first_site + segment->site_count; s++) {
		const struct vkr_texel *texel = vkr_site_table_texel(table, &sites[s]);
		amount.words += sites[s].words;
		amount.beyond |= texel && texel->flags & VKR_TEXEL_DERIVED &&
				 !names_words(texel, amount.words);
		amount.others += sites[s].operation >= VKR_SITE_CONTROL_BARRIER;
		amount.iterations |= sites[s].by_iteration != 0;
	}
	return amount;
}

// The fault of a segment of its kind; NULL: none.
static const char *kind_fault(const struct vkr_segment *segment, const struct amount *amount)
{
	if (segment->kind > VKR_SEGMENT_RUN_LENGTH)
		return "a segment of no known kind";
	if (segment->kind == VKR_SEGMENT_RUN_LENGTH && amount->words + amount->others)
		return "a run-length record of sites that have words or are no accesses";
	if (amount->beyond)
		return "a coordinate of words that are not logged before it";
	// Records are padded to an even number of words, their first one included.
	return segment->words == (amount->words | 1) ? NULL
						     : "a segment's words and its sites' disagree";
}

static enum vkr_result check_segments(const struct vkr_site_table *table, struct vkr_error *error)
{
	const struct vkr_segment *segments = vkr_site_table_segments(table);
	const struct vkr_site *sites = vkr_site_table_sites(table);
	uint32_t next = 0, turning = 0;
	for (uint32_t i = 0; i < table->segment_count; i++) {
		uint64_t at = vkr_site_table_parts(table).segments + (uint64_t)i * sizeof *segments;
		if (segments[i].first_site != next || !segments[i].site_count ||
		    segments[i].site_count > table->site_count - next)
			return refuse_table(error, at,
					    "segments that do not cover the sites in order");
		next += segments[i].site_count;
		for (uint32_t s = segments[i].first_site; s < next; s++) {
			if (sites[s].operation == VKR_SITE_SUBGROUP &&
			    (s != segments[i].first_site || table->identity))
				return refuse_table(error, at,
						    "a subgroup that is not logged first");
			if (!is_shared_well(table, segments[i].first_site, s))
				return refuse_table(error, at,
						    "an offset shared with no site before");
		}
		const struct amount amount = amount_of(table, &segments[i]);
		const char *fault = kind_fault(&segments[i], &amount);
		if (fault)
			return refuse_table(error, at, fault);
		turning += amount.iterations && segments[i].kind == VKR_SEGMENT_ONCE;
		if (turning > VKR_SITE_ITERATIONS)
			return refuse_table(error, at, "too many segments with counted iterations");
	}
	if (next != table->site_count)
		return refuse_table(error, vkr_site_table_parts(table).segments,
				    "sites without a segment");
	return VKR_OK;
}

enum vkr_result vkr_site_table_check(const void *bytes_of_table, size_t bytes,
				     struct vkr_error *error)
{
	const struct vkr_site_table *table = bytes_of_table;
	if (bytes < sizeof *table)
		return refuse_table(error, bytes, "cut off");
	enum vkr_result result = check_head(table, bytes, error);
	if (result == VKR_OK)
		result = check_variables(table, error);
	for (uint32_t i = 0; result == VKR_OK && i < table->site_count; i++)
		result = check_site(table,
				    vkr_site_table_parts(table).sites +
					    (uint64_t)i * sizeof(struct vkr_site),
				    &vkr_site_table_sites(table)[i], error);
	if (result == VKR_OK)
		result = check_segments(table, error);
	if (result == VKR_OK)
		result = vkr_site_summary_check(table, vkr_site_table_parts(table).summary, error);
	return result;
}
