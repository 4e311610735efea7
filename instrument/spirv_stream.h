// SPDX-License-Identifier: Apache-2.0
// Goes through a module's words instruction by instruction, whether or not the module is valid.
// Knows where instructions begin and end; spirv_module.h reads valid modules whole.
#pragma once

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VKR_SPIRV_HEADER_WORDS 5u

struct vkr_spirv_stream {
	const uint32_t *words;
	size_t count, next; // of words; where the next instruction begins
	const uint32_t *in; // the instruction at hand
	uint32_t opcode, length;
};

// Before the first instruction. There is none in fewer words than a header has.
static inline struct vkr_spirv_stream vkr_spirv_stream_of(const uint32_t *words, size_t count)
{
	return (struct vkr_spirv_stream){
		.words = words,
		.count = count,
		.next = count < VKR_SPIRV_HEADER_WORDS ? count : VKR_SPIRV_HEADER_WORDS};
}

// Takes the next instruction. False at the end, and where an instruction has no length or is cut
// off: then words are left.
static inline bool vkr_spirv_stream_next(struct vkr_spirv_stream *stream)
{
	if (stream->next == stream->count)
		return false;
	stream->in = &stream->words[stream->next];
	stream->opcode = stream->in[0] & SpvOpCodeMask;
	stream->length = stream->in[0] >> SpvWordCountShift;
	if (stream->length == 0 || stream->length > stream->count - stream->next)
		return false;
	stream->next += stream->length;
	return true;
}
