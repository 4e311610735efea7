// SPDX-License-Identifier: Apache-2.0
// The site table: what each word that an instrumented shader logs means. Made by instrument/,
// carried in the trace as bytes, read by the model. Knows SPIR-V's terms, nothing of Vulkan
// objects.
//
// Serialized form: struct vkr_site_table, then `variable_count` variables, `segment_count`
// segments, `site_count` sites, `piece_count` pieces, `texel_count` texel accesses, `summary_count`
// operations (vkrace/summary.h), then `string_bytes` bytes of
// NUL-terminated strings, the whole padded with zeros to 8 bytes. Strings are named by their offset
// in that block; offset 0 is the empty string.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define VKR_SITE_TABLE_VERSION 15u

// Segments of kind VKR_SEGMENT_ONCE that have sites with a by_iteration, at most.
#define VKR_SITE_ITERATIONS 8u

enum vkr_site_operation {
	VKR_SITE_LOAD = 1,
	VKR_SITE_STORE,
	VKR_SITE_ATOMIC_LOAD,
	VKR_SITE_ATOMIC_STORE,
	VKR_SITE_ATOMIC_RMW,
	VKR_SITE_CONTROL_BARRIER,
	VKR_SITE_MEMORY_BARRIER,
	// Before a shader call instruction, and after it, where the invocation continues: one word,
	// the log's VKR_LOG_HEAD. Chunks of the same launch that begin between the two positions
	// belong to invocations that the call made, or that these made in turn.
	VKR_SITE_SHADER_CALL,
	VKR_SITE_SHADER_RETURN,
	// Where main begins, in front of all else: one word, SubgroupId. Of dispatches whose
	// shader has sites that ask which invocations share a subgroup: that follows from no other
	// builtin ("SubgroupLocalInvocationId").
	VKR_SITE_SUBGROUP,
};

enum vkr_site_flags {
	VKR_SITE_NONPRIVATE = 1u << 0, // NonPrivatePointer, or implied; legacy: Coherent, Workgroup
	VKR_SITE_VOLATILE = 1u << 1,
	VKR_SITE_ARRAYED = 1u << 2,        // the descriptor is an array: its element is logged
	VKR_SITE_POINTER = 1u << 3,        // through a device address: two words
	VKR_SITE_VALUES = 1u << 4,         // atomics: values read and written are logged
	VKR_SITE_MAKE_AVAILABLE = 1u << 5, // of accesses: MakePointerAvailable with available_scope
	VKR_SITE_MAKE_VISIBLE = 1u << 6,   // of accesses: MakePointerVisible with visible_scope
	VKR_SITE_CONDITIONAL = 1u << 7, // compare-exchange: after the evidence a word, 1 where it
					// wrote, 0 where it failed and only read
	// The variable is known only at run time. The site has three words: the variable's index
	// (UINT32_MAX: none, no access), the descriptor array element (0 if the variable is no
	// array), and the offset; texels and acceleration structures have only the first two.
	// `variable` is one of the possible variables. All possible ones are storage buffers, or
	// all uniform buffers, or all Workgroup variables, or all images of one type, or all
	// acceleration structures.
	VKR_SITE_CHOSEN = 1u << 8,
	// No word of its own for the offset: its word is that of site `offset_site`, an earlier one
	// of the segment, which has one.
	VKR_SITE_SHARED = 1u << 9,
	// Between OpBeginInvocationInterlockEXT and OpEndInvocationInterlockEXT.
	VKR_SITE_INTERLOCKED = 1u << 10,
	// The offset is not the word itself, but computed, modulo 2^32: `factor` times the word,
	// plus `addend`, plus each component of WorkgroupId times its by_group, plus each component
	// of LocalInvocationId times its by_local, plus by_iteration times a count. The count is
	// how often the invocation has executed this segment before; in a run-length record, since
	// the record began. With factor 0 there is no word. Where the table has an identity it
	// follows from the iteration alone.
	VKR_SITE_COMPUTED = 1u << 11,
	// Of a cooperative matrix: each invocation of the scope `execution` logs all of it, but
	// they make the access together.
	VKR_SITE_COOPERATIVE = 1u << 12,
	// A cooperative matrix whose stride is known only at run time: `lines` lines of `bytes`
	// bytes each. The site's last word times `stride_unit` is the distance in bytes from the
	// start of one line to the start of the next.
	VKR_SITE_STRIDED = 1u << 13,
	// A barrier that no shader has: a change puts it there (vkrace/change.h).
	VKR_SITE_ADDED = 1u << 14,
};

// One bit a storage class, as memory semantics group them; used in sites and in semantics.
enum vkr_site_class {
	VKR_CLASS_UNIFORM = 1u << 0, // StorageBuffer, Uniform, PhysicalStorageBuffer
	VKR_CLASS_WORKGROUP = 1u << 1,
	VKR_CLASS_IMAGE = 1u << 2,
	VKR_CLASS_OUTPUT = 1u << 3,
};

enum vkr_site_order {
	VKR_ORDER_ACQUIRE = 1u << 0,
	VKR_ORDER_RELEASE = 1u << 1,
	VKR_ORDER_MAKE_AVAILABLE = 1u << 2,
	VKR_ORDER_MAKE_VISIBLE = 1u << 3,
	VKR_ORDER_VOLATILE = 1u << 4,
};

// SPIR-V's scopes, in its numbering. Legacy modules (GLSL450) already upgraded: Device is
// QueueFamily.
enum vkr_scope {
	VKR_SCOPE_CROSS_DEVICE = 0,
	VKR_SCOPE_DEVICE = 1,
	VKR_SCOPE_WORKGROUP = 2,
	VKR_SCOPE_SUBGROUP = 3,
	VKR_SCOPE_INVOCATION = 4,
	VKR_SCOPE_QUEUE_FAMILY = 5,
	VKR_SCOPE_SHADER_CALL = 6,
};

enum vkr_variable_kind {
	VKR_VARIABLE_BUFFER = 1, // a descriptor: StorageBuffer, Uniform
	VKR_VARIABLE_WORKGROUP,  // Workgroup memory and its like: another one in each workgroup
	// No descriptor, the address is logged: PhysicalStorageBuffer, or a block that is mapped to
	// an address.
	VKR_VARIABLE_POINTER,
	VKR_VARIABLE_STORAGE_IMAGE,
	VKR_VARIABLE_SAMPLED_IMAGE, // alone, or combined with its sampler
	VKR_VARIABLE_TEXEL_BUFFER,
	VKR_VARIABLE_INPUT_ATTACHMENT,
	VKR_VARIABLE_SAMPLER, // alone: no memory, but what texels a sample reads
	// A site on it reads all of the structure: no offset is logged. A descriptor, or, with a
	// spirv_id of 0, what a device address leads to (OpConvertUToAccelerationStructureKHR).
	VKR_VARIABLE_ACCELERATION_STRUCTURE,
};

enum vkr_variable_flags {
	VKR_VARIABLE_READ_ONLY = 1u << 0, // NonWritable, or a uniform block: never a writer
	VKR_VARIABLE_UNIFORM = 1u << 1,   // a uniform buffer (UNIFORM_READ), not a storage buffer,
					  // also behind an address;
					  // a uniform texel buffer (SHADER_SAMPLED_READ)
	VKR_VARIABLE_ARRAYED = 1u << 2,   // of images: with array layers
	VKR_VARIABLE_MULTISAMPLED = 1u << 3,
	// Of VKR_VARIABLE_WORKGROUP: storage that a workgroup shares beside the Workgroup class.
	VKR_VARIABLE_OUTPUT = 1u << 4,  // Output of a mesh shader, of a patch
	VKR_VARIABLE_PAYLOAD = 1u << 5, // TaskPayloadWorkgroupEXT of a task shader
	// In descriptor heaps (VK_EXT_descriptor_heap). The element of such a variable is the byte
	// where its descriptor begins in the heap that is bound: of samplers the sampler heap, else
	// the resource heap. Variables without set and binding have UINT32_MAX for both.
	VKR_VARIABLE_HEAP = 1u << 6,
	// A uniform block that is the resource heap's own memory, from its element on.
	VKR_VARIABLE_HEAP_DATA = 1u << 7,
	VKR_VARIABLE_EMBEDDED = 1u << 8, // a sampler that the shader holds (SHADER_SAMPLERS)
};

// What a site on an image or texel buffer logs in place of a byte offset. In the order of the
// log's words: the descriptor array's element (VKR_SITE_ARRAYED), or the variable and the element
// (VKR_SITE_CHOSEN); the sampler's element (VKR_TEXEL_SAMPLER_ELEMENT), or its variable and element
// (VKR_TEXEL_SAMPLER_CHOSEN); the coordinates, the level, the sample, the least level, the offsets.
enum vkr_texel_form {
	VKR_TEXEL_INTEGER = 1, // coordinates of one texel, signed 32-bit integers; of input
			       // attachments: where the fragment stands added
	VKR_TEXEL_SAMPLE,      // coordinates are 32-bit floats, projection done; read by a sampler
	VKR_TEXEL_GATHER,      // the same, the four texels of a linear filter
};

enum vkr_level_choice {
	VKR_LEVEL_BASE,      // no word: level 0 of the view
	VKR_LEVEL_LOGGED,    // as the program gives it: a signed integer of an integer form, else a
			     // 32-bit float
	VKR_LEVEL_QUERIED,   // 32-bit float: lambda' as OpImageQueryLod returns it, the program's
			     // bias added (Vulkan, "Image Level(s) Selection")
	VKR_LEVEL_GRADIENTS, // 32-bit floats: derivatives by x of s, t, r as the dimensionality has
			     // them, then by y
};

enum vkr_texel_flags {
	VKR_TEXEL_PACKED = 1u << 0, // x and y share a word: x + (y << 16), each at most 0xffff,
				    // which stands for all larger coordinates
	VKR_TEXEL_SAMPLER_ELEMENT = 1u << 1, // the sampler is of an array: its element is logged
	VKR_TEXEL_SAMPLE_INDEX = 1u << 2,    // a word: the sample of a multisampled image
	VKR_TEXEL_MIN_LOD = 1u << 3,         // a word: 32-bit float
	VKR_TEXEL_OFFSET_WORDS = 1u << 4,    // offset_count offsets are logged, offset_components
					     // words each; else they are constant: `offsets`
	VKR_TEXEL_SAMPLER_CHOSEN = 1u << 5,  // the sampler's variable is known only at run time: it
					     // and the element are logged; `sampler` is one of the
					     // possible variables
	// Of samples and gathers without layers, cubes and gradients: the coordinates follow from
	// words of the record as `parts` say, and the level is `level_word`. The site's own words
	// are elements, then those of these words that no earlier site has.
	VKR_TEXEL_DERIVED = 1u << 6,
	// The level is that of an earlier sample of the same image, from which the coordinates
	// differ by what is the same in all invocations, or at most `level_spread` from it, which
	// is a 32-bit float.
	VKR_TEXEL_LEVEL_NEAR = 1u << 7,
};

#define VKR_TEXEL_NO_WORD UINT8_MAX
#define VKR_TEXEL_PARTS   3u

// One coordinate: a word, plus `factor` times another word, plus `constant`, each a 32-bit float.
// Words count from the record's second one on; VKR_TEXEL_NO_WORD: there is none. The shader may
// have rounded otherwise: the error is at most VKR_TEXEL_ROUNDING times the sum of the magnitudes
// of the three.
struct vkr_texel_part {
	uint8_t word, scaled_word;
	uint16_t reserved;
	float factor, constant;
};

#define VKR_TEXEL_ROUNDING (1.0 / (1 << 20))

struct vkr_texel {
	uint8_t form;        // enum vkr_texel_form
	uint8_t level;       // enum vkr_level_choice
	uint8_t flags;       // enum vkr_texel_flags
	uint8_t coordinates; // components, an array layer's last (cube faces of integer forms: too)
	uint8_t words;       // in all, those of elements included, an atomic's evidence not
	uint8_t component;   // that a gather reads: 0 to 3
	uint8_t offset_count; // 0, 1, or 4 of a gather
	uint8_t offset_components;
	uint32_t sampler;     // index of its variable; UINT32_MAX: none, or the image's own
	int8_t offsets[4][4]; // texels
	uint8_t level_word;   // of VKR_TEXEL_DERIVED; VKR_TEXEL_NO_WORD: VKR_LEVEL_BASE
	uint8_t level_spread; // of VKR_TEXEL_LEVEL_NEAR: a word; else VKR_TEXEL_NO_WORD
	uint16_t reserved;
	struct vkr_texel_part parts[VKR_TEXEL_PARTS]; // of VKR_TEXEL_DERIVED
};

// The words that an invocation of a stage without a grid of workgroups writes into each of its
// chunks to identify itself (vkrace/gpu_log.h): those of each bit that is set, in this order.
enum vkr_identity {
	VKR_IDENTITY_VERTEX = 1u << 0,       // VertexIndex
	VKR_IDENTITY_INSTANCE = 1u << 1,     // InstanceIndex
	VKR_IDENTITY_FRAGMENT = 1u << 2,     // FragCoord x and y, rounded down: two words
	VKR_IDENTITY_PRIMITIVE = 1u << 3,    // PrimitiveId
	VKR_IDENTITY_INVOCATION = 1u << 4,   // InvocationId
	VKR_IDENTITY_TESSELLATION = 1u << 5, // TessCoord: three words, the bits of its floats
	VKR_IDENTITY_SAMPLE = 1u << 6,       // SampleId
	VKR_IDENTITY_LAYER = 1u << 7,        // Layer
	VKR_IDENTITY_VIEW = 1u << 8,         // ViewIndex
	VKR_IDENTITY_DRAW = 1u << 9,         // DrawIndex
	VKR_IDENTITY_WORKGROUP = 1u << 10,   // WorkgroupId: three words
	VKR_IDENTITY_LOCAL = 1u << 11,       // LocalInvocationIndex
	VKR_IDENTITY_NUMBER = 1u << 12, // not 0, the same in all invocations of one workgroup, and
					// in no others of the execution: WorkgroupId may be
					// that of several mesh workgroups
	VKR_IDENTITY_LAUNCH = 1u << 13, // LaunchIdKHR: three words
	VKR_IDENTITY_COVERAGE = 1u << 14, // SampleMask's first word, of interlocks of samples and
					  // where draws may ask for samples
	// Of fragments: the samples that their outputs are for, as the shader leaves them, written
	// where main returns. 0 before that, and where the fragment is discarded or demoted.
	// Without an input mask of samples (several of them are not expected) all bits.
	VKR_IDENTITY_END = 1u << 15,
};
#define VKR_IDENTITY_BITS 16u

// Beside these: every invocation takes a chunk, of fragments all that are no helpers as they begin,
// so that the log says which there were.
#define VKR_IDENTITY_ALL (1u << 31)

// The stage's invocations take chunks only in draws whose struct vkr_gpu_block asks for it.
#define VKR_IDENTITY_ASKED (1u << 30)

// Of fragments: the invocations of a subgroup that log a record at once take a chunk for it
// together (vkrace/gpu_log.h).
#define VKR_IDENTITY_SHARED (1u << 29)

// The bits of it that the invocations of a shared chunk tell last, and only where a draw asks.
#define VKR_SHARED_IDENTITY_ASKED ((uint32_t)(VKR_IDENTITY_COVERAGE | VKR_IDENTITY_END))

// The words of one bit.
static inline uint32_t vkr_identity_words(enum vkr_identity bit)
{
	if (bit == VKR_IDENTITY_TESSELLATION || bit == VKR_IDENTITY_WORKGROUP ||
	    bit == VKR_IDENTITY_LAUNCH)
		return 3;
	return bit == VKR_IDENTITY_FRAGMENT ? 2 : 1;
}

// The words of all bits that are set, padded to an even number.
static inline uint32_t vkr_identity_total(uint32_t identity)
{
	uint32_t words = 0;
	for (uint32_t bit = 0; bit < VKR_IDENTITY_BITS; bit++)
		if (identity >> bit & 1)
			words += vkr_identity_words((enum vkr_identity)(1u << bit));
	return (words + 1) & ~1u;
}

struct vkr_site_table {
	uint32_t version;     // VKR_SITE_TABLE_VERSION
	uint32_t bytes;       // of the whole serialized form
	uint32_t chunk_words; // the least that an invocation takes of the log at once; of
			      // dispatches what it makes room for as it begins
	uint32_t variable_count, segment_count, site_count, piece_count, string_bytes;
	// Specialization applied. Tessellation control: the patch's output vertices; other stages
	// without workgroups: 1. Task and mesh: those of the entry point.
	uint32_t workgroup_size[3];
	uint32_t stage;        // VkShaderStageFlagBits
	uint32_t entry_point;  // string
	uint32_t source_file;  // string: main source file, may be empty
	uint32_t memory_model; // SPIR-V MemoryModel: 1 GLSL450, 3 Vulkan
	uint32_t identity;     // enum vkr_identity bits; 0: workgroups on a dispatch's grid
	uint32_t texel_count;
	uint32_t tag; // of ray tracing stages: the word by which their chunks name the shader; else
		      // 0
	uint32_t summary_count; // of compute shaders; 0: it has no summary
	uint32_t summary_registers;
	uint32_t streams; // 1: what the summary wants logged is logged as streams (gpu_log.h); else
			  // 0
};

struct vkr_variable {
	uint32_t kind; // enum vkr_variable_kind
	uint32_t set, binding;
	uint32_t count; // array elements of the descriptor: 1 not an array, 0 runtime-sized
	uint32_t bytes; // of a Workgroup variable, in the layout that offsets follow
	uint32_t flags; // enum vkr_variable_flags
	uint32_t name;  // string, may be empty
	uint32_t spirv_id;
	uint8_t dim;    // of images and texel buffers: SPIR-V's Dim
	uint8_t format; // SPIR-V's Image Format, 0 unknown
	uint16_t reserved;
	uint32_t attachment; // of input attachments: their index
};

enum vkr_segment_kind {
	// A straight-line run of sites: executed all or, at the invocation's end, a first part.
	VKR_SEGMENT_ONCE,
	// A run-length record. Its sites are accesses without words, but the record has one word:
	// how often the invocation executed all of them, one after the other.
	VKR_SEGMENT_RUN_LENGTH,
};

struct vkr_segment {
	uint32_t first_site, site_count;
	uint32_t words; // that follow the record's first word
	uint32_t kind;  // enum vkr_segment_kind
};

struct vkr_site {
	uint8_t operation;     // enum vkr_site_operation
	uint8_t storage_class; // one bit of enum vkr_site_class; 0 for barriers
	uint8_t scope;         // memory scope of atomics and barriers
	uint8_t execution;     // execution scope of a control barrier; VKR_SITE_COOPERATIVE
	uint8_t order;         // enum vkr_site_order bits, of atomics and barriers
	uint8_t semantics;     // storage classes (enum vkr_site_class) of atomics and barriers
	uint8_t available_scope, visible_scope;
	uint16_t flags;    // enum vkr_site_flags
	uint16_t words;    // logged for this site
	uint32_t variable; // index; UINT32_MAX for barriers
	uint32_t bytes;    // from the first to after the last byte accessed; 0: a texel of the view
			   // that is bound, or a whole acceleration structure
	uint32_t first_piece, piece_count; // which of those bytes; 0 pieces: all of them
	uint32_t spirv_word;          // offset of the instruction in the original module, in words
	uint32_t file, line, column;  // string; 0 unknown
	uint32_t member;              // string: "bodies[].velocity", may be empty
	uint32_t instruction;         // string: "OpAtomicIAdd"
	uint32_t offset_site, addend; // of VKR_SITE_SHARED; else the offset is the word and addend
	uint32_t texel; // 1 + index of a texel access; 0: none, a byte offset is logged
	uint32_t factor, by_group[3], by_local[3]; // of VKR_SITE_COMPUTED
	uint16_t lines, stride_unit;               // of VKR_SITE_STRIDED
	uint32_t by_iteration;                     // of VKR_SITE_COMPUTED
};

// Whether it makes itself available or visible to its subgroup alone.
static inline bool vkr_site_is_near(const struct vkr_site *site)
{
	return (site->flags & VKR_SITE_MAKE_AVAILABLE &&
		site->available_scope == VKR_SCOPE_SUBGROUP) ||
	       (site->flags & VKR_SITE_MAKE_VISIBLE && site->visible_scope == VKR_SCOPE_SUBGROUP);
}

// Bytes of one access that are not contiguous: padding in structures, rows of a matrix.
struct vkr_piece {
	uint32_t offset, bytes;
};

static_assert(sizeof(struct vkr_site_table) == 84, "serialized");
static_assert(sizeof(struct vkr_variable) == 40, "serialized");
static_assert(sizeof(struct vkr_segment) == 16, "serialized");
static_assert(sizeof(struct vkr_site) == 100, "serialized");
static_assert(sizeof(struct vkr_piece) == 8, "serialized");
static_assert(sizeof(struct vkr_texel) == 68, "serialized");
