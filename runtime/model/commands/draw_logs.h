// SPDX-License-Identifier: Apache-2.0
// What the shaders of a draw have logged: each invocation found a number, stage by stage. Knows
// chunks and identities; not what the accesses are.
#pragma once

#include "invocation_groups.h"
#include "log_store.h"
#include "map.h"

#include "vkrace/result.h"

struct vkr_walk;
struct vkr_draw;
struct vkr_read_blocks;
struct vkr_fetch_reads;
struct vkr_shader;

// An invocation of the command under way: neighbouring chunks of the gathered ones.
struct vkr_draw_invocation {
	uint32_t shader; // as its chunks name it (vkrace/gpu_log.h); 0: damaged
	uint32_t group;  // among the groups of its shader
	uint32_t local;
	uint32_t first_chunk, chunk_count;
};

// Vertices [base, base + 64) that were shaded.
struct vkr_draw_vertices {
	uint32_t base;
	uint64_t mask;
};

// Where a fragment was. Several of one draw may be at one pixel.
struct vkr_draw_pixel {
	uint32_t x, y;
	uint32_t layer;     // or view; 0 if it is not logged
	uint32_t samples;   // that it left at its end; all bits if they are not logged
	uint32_t fragments; // 1; if several were put together, their number
};

// Chunks of what fragments share, one for each (draw_members.h).
struct vkr_split_chunks {
	struct vkr_chunk *items;
	size_t count, capacity;
	struct {
		uint32_t *items; // of all chunks
		size_t count, capacity;
	} words;
};

// What is kept from draw to draw; NULL until it is needed.
struct vkr_draw_kept {
	struct vkr_read_blocks *read_blocks; // of draws that several threads read (draw_reads.h)
	struct vkr_fetch_reads *fetch_reads; // of vertices with gaps between them (fetch_reads.h)
	struct vkr_unread_draws *unread;     // (draw_unread.h)
};

// The invocations of a draw, and the numbers of one shader's; zeroed before the first.
struct vkr_draw_numbers {
	uint64_t number; // of the draw and shader that is being sorted
	struct {
		struct vkr_draw_invocation *items;
		size_t count, capacity;
	} invocations;
	struct {
		uint32_t *items; // ids of groups
		size_t count, capacity;
	} accessed;
	struct {
		uint32_t *items; // by group: invocations of it, then where its next chunk goes
		size_t count, capacity;
	} counts;
	struct {
		uint32_t *items; // by group and slot: invocations that say the same
		size_t count, capacity;
	} same;
	struct vkr_map numbered; // by a workgroup's number: its group's id
	struct {
		// By id of group: what it is to the last draw that it is in.
		struct vkr_draw_group {
			uint64_t draw;   // its number
			uint32_t index;  // among its groups
			uint32_t others; // of the first one with its words: how many more there are
		} * items;
		size_t count, capacity;
	} groups;
};

// Buffers that are kept from draw to draw; zeroed before the first.
struct vkr_draw_logs {
	struct vkr_draw_numbers numbers;
	uint32_t asked; // by the draw under way, see struct vkr_gpu_block
	struct {
		uint32_t *items; // by group: where its first chunk goes
		size_t count, capacity;
	} firsts;
	struct {
		struct vkr_chunk *items;
		size_t count, capacity;
	} chunks;
	struct vkr_split_chunks split;
	struct {
		struct vkr_draw_vertices *items;
		size_t count, capacity;
	} vertices;
	bool vertices_logged; // by the draw under way: all of them are in `vertices`
	struct {
		struct vkr_draw_pixel *items;
		size_t count, capacity;
	} pixels;
	bool wants_pixels; // of the draw under way: where its fragments are
	// By id of shader: 1 + draws since its reads could not be judged together.
	struct vkr_map apart;
	struct vkr_draw_kept kept;
};

void vkr_draw_logs_finish(struct vkr_draw_logs *logs);

// A draw begins: nothing of it is logged yet. `asked` as in struct vkr_gpu_block.
void vkr_walk_draw_log_begin(struct vkr_walk *walk, uint32_t asked);

// Notes a vertex that was shaded. False for lack of memory.
bool vkr_draw_logs_vertex(struct vkr_draw_logs *logs, uint32_t vertex);

// Notes the pixel of a fragment by what it says of itself, and the samples that it left, all bits
// if they are not known; `views`: the mask of multiview, or 0. False for lack of memory.
bool vkr_draw_logs_pixel(struct vkr_draw_logs *logs, uint32_t identity, const uint32_t *words,
			 uint32_t samples, uint32_t views);

// Sorts the pixels by layer and row, each once.
void vkr_draw_logs_sort_pixels(struct vkr_draw_logs *logs);

// Whether all invocations of an instrumented shader log that they are, in the draw under way.
bool vkr_draw_logs_all(const struct vkr_draw_logs *logs, const struct vkr_shader *shader);

// Judges what the shaders of the draw under way have logged. walk->waiting: more is to come; the
// same call goes on from there.
enum vkr_result vkr_walk_draw_log(struct vkr_walk *walk) VKR_MUST_USE;

// Reads of vertex buffers for the vertices that the draw's vertex shader has logged. *known: these
// are all of its vertices; else nothing is read.
enum vkr_result vkr_walk_logged_vertices(struct vkr_walk *walk, const struct vkr_draw *draw,
					 bool *known) VKR_MUST_USE;
