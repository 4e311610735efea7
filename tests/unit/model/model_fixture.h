// SPDX-License-Identifier: Apache-2.0
// A small program for the model's tests: one buffer, one set, shaders of a few words. Knows what
// most of these tests need; nothing of what their judgement should be.
#pragma once

#include "trace_builder.h"

#define COMPUTE VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT
#define COPY    VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT

// A storage buffer at set 0, binding 0.
struct fixture {
	struct trace_builder tb;
	uint32_t buffer, set_layout, layout, set;
	uint32_t writer, reader; // pipelines: one word an invocation, workgroups of 4
};

void fixture_init(struct fixture *fixture, uint64_t bytes);
// Begins with flags of the device (enum vkr_device_flags).
void fixture_init_on(struct fixture *fixture, uint64_t bytes, uint32_t device_flags);

// The pipeline of a shader of one access to binding 0.
uint32_t fixture_pipeline(struct trace_builder *tb, enum vkr_site_operation operation,
			  uint32_t line, const char *name);

// Submits one dispatch of two workgroups of the shader; the execution's id, whose log must follow.
uint32_t fixture_dispatch(struct fixture *fixture, const struct tb_shader *shader,
			  uint32_t *command);

void fixture_bind(struct fixture *fixture, uint32_t pipeline);

// The pipeline of a fragment shader alone.
uint32_t fixture_draw_pipeline(struct trace_builder *tb, const struct tb_shader *shader,
			       const char *name);
// That of one access to a word of binding 0, with enum vkr_site_flags and what a fragment's log
// says besides where it is.
uint32_t fixture_fragments(struct trace_builder *tb, enum vkr_site_operation operation,
			   uint16_t flags, uint32_t identity, const char *name);
// The words behind the header of a chunk that `count` fragments at (x + i, 7) share, which read
// words word + i.
#define FIXTURE_SHARED_MOST  16u
#define FIXTURE_SHARED_WORDS (2 + 2 * FIXTURE_SHARED_MOST)
uint32_t fixture_shared_chunk(uint32_t chunk[FIXTURE_SHARED_WORDS], uint32_t x, uint32_t word,
			      uint32_t count);
// Binds the set for draws.
void fixture_bind_draws(struct fixture *fixture);
// Draws one triangle with the pipeline: the command.
uint32_t fixture_draw(struct fixture *fixture, uint32_t pipeline);

// Logs invocations 0..3 of one workgroup of a one-access shader: word `first` + index.
void fixture_log(struct fixture *fixture, uint32_t command, uint32_t workgroup, uint32_t first);

// The judgement, logs in order and put off as far as they go: both must be equal.
struct vkr_session *fixture_judge(struct trace_builder *tb);

// Ends the recording by fills of every word of a buffer, without a barrier before them, submits and
// judges. In `words`, of count + 1 characters: 'x' for each word that what was recorded touches.
struct vkr_session *fixture_words(struct trace_builder *tb, uint32_t buffer, uint32_t count,
				  char *words);

// Judges, expects this many groups of races and no coverage, and ends the fixture.
void fixture_expect(struct fixture *fixture, uint32_t races);
// Expects one race, of this class.
void fixture_expect_class(struct fixture *fixture, enum vkr_race_class race_class);
