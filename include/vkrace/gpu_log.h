// SPDX-License-Identifier: Apache-2.0
// The GPU-side layout of the access log: what instrumented shaders read and write, word by word.
// Valid in C and in GLSL. Knows nothing of who fills the structures in.
//
// All words are 32 bits, little-endian. An invocation finds its log through two steps:
//
//   block address (push constant or reserved uniform buffer, 8 bytes)
//     -> struct vkr_gpu_block   one a recorded command, constant once recorded
//     -> struct vkr_gpu_cell    one a command buffer, set anew for each of its executions
//     -> log                    one an execution, drained when the execution has completed
//
// The log begins with VKR_LOG_HEADER_WORDS words. Word VKR_LOG_HEAD is the index of the next free
// word, moved forward with a relaxed atomic addition of QueueFamily scope; it starts at
// VKR_LOG_HEADER_WORDS, and may end beyond the capacity: then records were lost, at least as many
// words as the difference. Invocations that begin when it is full do not move it. Word
// VKR_LOG_NUMBERS counts workgroups that need a number (VKR_IDENTITY_NUMBER). All the rest of the
// log is zero before the execution.
//
// An invocation takes *chunks* of the log, each of at least the shader's `chunk_words` (site
// table):
//
//   word 0  command: cell.command_base + block.command + 1, so never 0
//   word 1  workgroup: linear index in the dispatch's whole grid (x fastest)
//   word 2  local invocation: linear index in the workgroup (LocalInvocationIndex)
//   word 3  words of the chunk, these four included
//   then    records, one behind the other, in program order; a zero word ends them early
//
// Shaders of graphics stages, whose invocations stand on no dispatch's grid of workgroups (site
// table: `identity` is not 0), take chunks of the same log with these words in place of 1 and 2,
// and more words behind word 3:
//
//   word 1  the invocation: index in the log of the first word of its first chunk. Two invocations
//           may say the same of themselves: fragments of two triangles at one place, a vertex that
//           is shaded twice
//   word 2  the shader: its VkShaderStageFlagBits
//   word 4  what `identity` lists, padded with a zero to an even number of words
//
// A fragment that is a helper invocation as it begins takes no chunk, and one that becomes one
// (OpDemoteToHelperInvocation) logs nothing from there on: its stores have no effect.
//
// A chunk is taken whole or not at all. Of one invocation, a chunk at a higher index is later in
// program order. A record is the segment's number (site table, from 1) and then the words of the
// segment's sites in order:
//
//   an access                 VKR_SITE_ARRAYED: descriptor array element; then the byte offset
//                             from the start of the descriptor's range, or of the Workgroup
//                             variable; VKR_SITE_POINTER: two words of device address instead;
//                             VKR_SITE_CHOSEN: variable, element, offset; VKR_SITE_SHARED: no
//                             word of offset, it follows from an earlier site's
//   VKR_SITE_EVIDENCE (atomics) after that the value read and, where it writes, the value
//                             written; low word first, one or two words each by the site's size;
//                             VKR_SITE_CONDITIONAL: then 1 where it wrote, 0 where it only read
//   barriers, fences          no words
//   where the record would else end at an odd word, one word 0: segment.words counts it
//
// A site whose words are all still zero when its record is the last of its invocation may not have
// been reached (the invocation was cut off by the driver).
#ifndef VKRACE_GPU_LOG_H
#define VKRACE_GPU_LOG_H

#define VKR_LOG_HEADER_WORDS   16u // 64 bytes: the head has a cache line of its own
#define VKR_LOG_HEAD           0u
#define VKR_LOG_NUMBERS        15u
#define VKR_CHUNK_HEADER_WORDS 4u // without those of an identity

// Where the 8-byte block address stands, unless the program's own push constants reach into it.
#define VKR_PUSH_CONSTANT_BYTES 8u

#ifdef __STDC__
#include <assert.h>
#include <stdint.h>

// Aligned to 16 bytes in memory.
struct vkr_gpu_block {
	uint32_t cell[2];   // device address of the struct vkr_gpu_cell, low word first
	uint32_t command;   // the command's index in its command buffer
	uint32_t reserved;  // 0
	uint32_t groups[3]; // NumWorkgroups of the whole dispatch; all 0: the builtin is right
	uint32_t padding;   // 0
};

// Aligned to 16 bytes in memory. Written by the host, or on the device timeline between executions.
struct vkr_gpu_cell {
	uint32_t log[2];       // device address of the log's word 0, low word first; 0: log nothing
	uint32_t capacity;     // words of the log, header included
	uint32_t command_base; // added to block.command: commands of a secondary command buffer
			       // continue the numbering of the primary that executes it
};

static_assert(sizeof(struct vkr_gpu_block) == 32, "instrumented shaders read 32 bytes");
static_assert(sizeof(struct vkr_gpu_cell) == 16, "instrumented shaders read 16 bytes");
#endif
#endif
