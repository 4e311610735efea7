// SPDX-License-Identifier: Apache-2.0
// The GPU-side layout of the access log: what instrumented shaders read and write, word by word.
// Valid in C and in GLSL. Knows nothing of who fills the structures in.
//
// All words are 32 bits, little-endian. An invocation finds its log through two addresses:
//
//   struct vkr_gpu_place (push constants or reserved uniform buffer, 16 bytes)
//     -> struct vkr_gpu_block   one for each recorded command, constant once recorded
//     -> struct vkr_gpu_cell    one for each command buffer, set anew for each execution
//          -> log               one for each execution, drained when the execution has completed
//
// The place holds both addresses, because drivers know that an address in push constants is the
// same for all invocations, but do not know that of an address loaded from memory.
//
// Where all logs of a device lie behind one address that never changes, shaders hold that address
// as a constant, and column logs are counted from there.
//
// The log begins with VKR_LOG_HEADER_WORDS words. Then come the *column logs* of the execution's
// dispatches, laid out by the host when it records them, then *chunks*, which invocations of
// graphics stages take. Word VKR_LOG_NUMBERS counts workgroups that need a number
// (VKR_IDENTITY_NUMBER). Before the execution all words are zero except word VKR_LOG_HEAD.
//
// A column log belongs to one dispatch, or to one part of a dispatch that was cut. It begins with
// VKR_COLUMN_LOG_HEADER_PAIRS pairs of words, then come columns of pairs. Each column has one pair
// for every invocation of the dispatch, `pitch` pairs in all: by workgroup (linear index in the
// dispatch's whole grid, x fastest), then by LocalInvocationIndex. An invocation writes its records
// one after the other, in program order, into its pairs of columns 0, 1, ..., at most `room` of
// them. When its next record might not fit, it stops logging, or, if its shader spills, it
// continues in chunks. A shader that spills has at least as many columns as it ever reserves at
// once, so an invocation that has chunks has written in its column log. So a column log needs no
// headers, invocations share nothing, the words of a subgroup are neighbours, and columns that no
// invocation reaches are never accessed. For an indirect dispatch the host does not know the number
// of invocations: `pitch` is 0, `room` is the number of pairs of all columns together, and the
// dispatch writes NumWorkgroups into the header: its first invocation writes x and y into the first
// pair, its second invocation, if there is one, writes z into the second pair.
//
// Invocations that log only values for a summary (vkrace/summary.h), in an order that follows from
// the summary, may log them as a *stream*. The first word of an invocation's columns is then 1 plus
// the number of words that it has logged, or would have logged with enough room; it is written when
// the invocation ends. The logged words follow without segment numbers, each XORed with
// VKR_STREAM_MARK. After the first record that does not fit, no word is written. If an invocation
// was cut off before it ended, the first word is 0, and the last nonzero word is the last one that
// it has logged.
//
// Word VKR_LOG_HEAD is the index of the next word that is free for chunks. Invocations move it
// forward with a relaxed atomic addition of QueueFamily scope. It starts after the column logs and
// may end beyond the capacity: then records were lost, at least as many words as the difference.
// Invocations that find the log full do not move it. Each chunk has at least the shader's
// `chunk_words` (site table) words:
//
//   word 0  command: cell.command_base + block.command + 1, so never 0
//   word 1  the invocation: index in the log of the first word of its first chunk. What word 4
//           says need not identify it: two fragments of different triangles at one location, or
//           a vertex that is shaded twice, have the same words there
//   word 2  the shader: its VkShaderStageFlagBits; for ray tracing stages, of which a pipeline may
//           have several shaders, the site table's `tag`
//   word 3  words of the chunk, including these
//   word 4  what the site table's `identity` lists, padded with a zero to an even number of words
//   then    records, one after the other, in program order; a zero word ends them early
//
// In chunks of dispatches (`identity` is 0) word 1 is the workgroup's linear index, word 2 the
// local invocation's, and there is no word 4.
//
// Where the site table's identity has VKR_IDENTITY_SHARED, the invocations of a subgroup that log a
// record at once take one chunk for it together:
//
//   words 0, 2, 3  as above, of any even size; the last word may be padding
//   word 1  the index in the log of this very chunk
//   word 4  the number of invocations; VKR_SHARED_SAMPLES where the last columns are those of
//           VKR_SHARED_IDENTITY_ASKED; from bit VKR_SHARED_SEGMENT_SHIFT on the segment's number, 0
//           where there is no record, VKR_SHARED_ROOM where the chunk has room for many
//   word 5  a bit for each of the first 32 columns: it is told once
//   then    columns, each of a word an invocation, or of one word for all if it is told once:
//           the position, x | y << 16, with VKR_SHARED_GOES_ON where the invocation has a chunk
//           before this one; one for each other bit of the identity; one for each word of the
//           record behind its first, or of the room, which each invocation's records fill one
//           after the other, until a zero word; and those that were asked for
//
// Of a position that is told once, invocation i is (i & 1) + i / 4 * 2 pixels to the right and
// i >> 1 & 1 below: quads stand side by side.
//
// A fragment that is a helper invocation when it begins takes no chunk. One that becomes a helper
// (OpDemoteToHelperInvocation) logs nothing from then on: its stores have no effect.
//
// An invocation takes a whole chunk or none. Of two chunks of one invocation, the one at the higher
// index is later in program order.
//
// A record is the segment's number (site table, from 1) and then the words of the segment's sites
// in order:
//
//   an access                 VKR_SITE_ARRAYED: descriptor array element; then the byte offset
//                             from the start of the descriptor's range, or of the Workgroup
//                             variable; VKR_SITE_POINTER: two words of device address instead;
//                             VKR_SITE_CHOSEN: variable, element, offset; VKR_SITE_SHARED: no
//                             word of offset, it follows from an earlier site's;
//                             of texels: what struct vkr_texel says in place of the offset;
//                             of an acceleration structure: no word of offset;
//                             VKR_SITE_COMPUTED: a word that it is computed from, or none
//   VKR_SITE_VALUES (atomics) after that the value read and, where it writes, the value
//                             written; low word first, one or two words each by the site's size;
//                             VKR_SITE_CONDITIONAL: then 1 where it wrote, 0 where it only read
//   barriers, fences          no words
//   a run-length record       VKR_SEGMENT_RUN_LENGTH: after its sites a word: how often they
//                             were gone through
//   shader calls, returns     the value of VKR_LOG_HEAD
//   the invocation's subgroup SubgroupId
//   where the record would else end at an odd word, one word 0: segment.words counts it
//
// A site whose words are all still zero when its record is the last of its invocation may not have
// been reached (the invocation was cut off by the driver).
#ifndef VKRACE_GPU_LOG_H
#define VKRACE_GPU_LOG_H

#define VKR_LOG_HEADER_WORDS        16u // 64 bytes: the head has a cache line of its own
#define VKR_LOG_HEAD                0u
#define VKR_LOG_NUMBERS             15u
#define VKR_CHUNK_HEADER_WORDS      4u // without those of an identity
#define VKR_SHARED_HEADER_WORDS     6u
#define VKR_SHARED_COUNT_MASK       0xffu // subgroups have at most 128 invocations
#define VKR_SHARED_SAMPLES          (1u << 8)
#define VKR_SHARED_SEGMENT_SHIFT    9u
#define VKR_SHARED_ROOM             (UINT32_MAX >> VKR_SHARED_SEGMENT_SHIFT)
#define VKR_SHARED_GOES_ON          (1u << 15)
#define VKR_SHARED_ONCE_MOST        32u         // columns that may be told once
#define VKR_STREAM_MARK             0x5bd1e995u // a value that few programs have
#define VKR_COLUMN_LOG_HEADER_PAIRS 8u          // columns begin at a multiple of 64 bytes

// Where the place stands, unless the program's own push constants reach into it.
#define VKR_PUSH_CONSTANT_BYTES 16u

// Stages of draws that have marks: the VkShaderStageFlagBits from VERTEX to FRAGMENT.
#define VKR_DRAW_STAGES 5u

#ifdef __STDC__
#include <assert.h>
#include <stdint.h>

// Device addresses, low words first.
struct vkr_gpu_place {
	uint32_t block[2]; // of the struct vkr_gpu_block
	uint32_t cell[2];  // of the struct vkr_gpu_cell
};

// Aligned to 16 bytes in memory.
struct vkr_gpu_block {
	uint32_t command; // the command's index in its command buffer
	uint32_t room; // pairs of an invocation in the column log; of an indirect dispatch: of all;
		       // of a draw: VkShaderStageFlagBits of the stages whose invocations take
		       // a chunk each, if they can (VKR_IDENTITY_ASKED)
	union {
		struct { // of a dispatch
			// NumWorkgroups of the whole dispatch; all 0: the builtin is right
			uint32_t groups[3];
			uint32_t pitch; // pairs from column to column; 0: it is indirect
			// Where column 0 would begin if the column log began with the first
			// workgroup of the whole grid: pairs from cell.column_logs on, modulo 2^32.
			uint32_t column_log;
			union {
				// Where its marks begin: pairs from cell.column_logs on, a multiple
				// of VKR_READER_MARKS_ALIGNMENT, plus the logarithm to base 2 of
				// how many words they are. 0: there are none.
				uint32_t reader_marks;
				// Of a shader whose summary has words that all invocations find
				// alike: how many words after the block's start stands which
				// invocation of the whole grid tells them, which writes them
				// behind that word. 0: none does.
				uint32_t uniforms;
			};
		};
		struct { // of a draw
			// Where the marks of each of its stages begin, in words from the block's
			// start; 0: they are not to be used, nor those of texels.
			uint32_t marks[VKR_DRAW_STAGES];
			uint32_t draw; // which of the draws with marks of its command buffer it is
		};
	};
};

// Marks of a dispatch: words in the log after its column log. Of reads of the same bytes by many
// invocations those of two are logged. A word belongs to one of the shader's `groups` of reads and
// to what the group's logged word is, `word` (0 for a group that logs none):
//
//   1 + word * groups + the group's number from 0 on
//
// It is 0 where no invocation of the dispatch has logged this read, 1 + which invocation of the
// whole grid it was where one has, and VKR_READER_MARKS_TWO where two have. Of shaders with
// barriers it tells workgroups in place of invocations. Word 0 stays 0. A read that would have its
// mark beyond the last word has none, and is logged.
#define VKR_READER_MARKS_ALIGNMENT 32u
#define VKR_READER_MARKS_TWO       UINT32_MAX

// Marks: words after the block of a draw, as many for each stage as its shader wants, all of them
// 0 before it is first executed. Of reads of the same bytes by many invocations one is logged: a
// mark is the number of the draw's execution, cell.generation + block.draw, where an invocation of
// it has. Of each stage the first one is of what has none, and stays 0.
#define VKR_DRAW_MARKS_MOST 192u // of one stage: a page holds the block and the marks of all

static inline uint32_t vkr_draw_marks_slot(uint32_t stage)
{
	uint32_t slot = 0;
	while (slot < VKR_DRAW_STAGES && stage != 1u << slot)
		slot++;
	return slot;
}

// Marks of texels: cell.texel_marks words behind the log, from word cell.capacity on, which all
// draws of the execution use alike. Of the texels that a draw's invocations read at one site, one
// record is logged each: a mark is the number of the draw's execution where one has been that
// surely reads the texel. Of a shader with `sites` such sites a texel of the view's level 0 has the
// words
//
//   (((layer * height + y) * width + x) * 2 + 0) * sites + the site's number from 0 on: its mark
//   (((layer * height + y) * width + x) * 2 + 1) * sites + the site's number from 0 on: whether it
//       and those to the right of it, below it, and below that one are known to have theirs
//
// A read of a texel that would have its mark beyond the last word is logged.
#define VKR_TEXEL_MARK_WORDS 2u

// Before a chunk of `words` words is read, of `left` that are there: gets the header of one further
// on, where chunks are of one size. Their headers are too far apart for processors to see that.
static inline void vkr_chunk_prefetch(const uint32_t *chunk, uint64_t words, uint64_t left)
{
	if (left / 8 > words)
		__builtin_prefetch(chunk + 8 * words);
}

// Behind the block of a command whose shaders use descriptor heaps, in bytes from its start: the
// address of a copy of the program's push data, where the program uses those that the place hides.
#define VKR_BLOCK_PUSHED 32u

// Aligned to 16 bytes in memory. Written by the host, or on the device timeline between executions.
struct vkr_gpu_cell {
	uint32_t log[2];       // device address of the log's word 0, low word first; 0: log nothing
	uint32_t capacity;     // words of the log, header included
	uint32_t command_base; // added to block.command: commands of a secondary command buffer
			       // continue the numbering of the primary that executes it
	uint32_t column_logs[2]; // device address that column logs count from; 0: log nothing
	uint32_t generation;     // its draws are numbered from here on; 0: marks are not to be used
	uint32_t texel_marks;    // words behind the log; 0: there are none
};

static_assert(sizeof(struct vkr_gpu_place) == VKR_PUSH_CONSTANT_BYTES,
	      "instrumented shaders read 16 bytes");
static_assert(sizeof(struct vkr_gpu_block) == VKR_BLOCK_PUSHED,
	      "instrumented shaders read 32 bytes");
static_assert(sizeof(struct vkr_gpu_cell) == 32, "instrumented shaders read 32 bytes");
#endif
#endif
