// SPDX-License-Identifier: Apache-2.0
// A small execution in storage of its own, to be made, changed, copied and shrunk many times a
// second. Knows the rules of the litmus format, and no rule of the memory model.
#pragma once

#include "litmus.h"

enum {
	VKR_SAMPLE_AGENTS = 6,
	VKR_SAMPLE_LOCATIONS = 3,
	VKR_SAMPLE_REFERENCES = 6,
	VKR_SAMPLE_EVENTS = 48,
	VKR_SAMPLE_EVENT_EDGES = 192,
	VKR_SAMPLE_AGENT_EDGES = 4,
};

// `execution` borrows everything from the other members: never vkr_litmus_finish it, and copy with
// vkr_sample_copy.
struct vkr_oracle_sample {
	struct vkr_litmus execution;
	struct vkr_litmus_agent agents[VKR_SAMPLE_AGENTS];
	struct vkr_litmus_location locations[VKR_SAMPLE_LOCATIONS];
	struct vkr_litmus_reference references[VKR_SAMPLE_REFERENCES];
	struct vkr_litmus_event events[VKR_SAMPLE_EVENTS];
	struct vkr_litmus_edge event_edges[VKR_SAMPLE_EVENT_EDGES];
	struct vkr_litmus_edge agent_edges[VKR_SAMPLE_AGENT_EDGES];
	uint32_t ranges[VKR_SAMPLE_EVENTS][VKR_SAMPLE_REFERENCES]; // of flush and invalidate
};

// An execution of nothing, chains on.
void vkr_sample_init(struct vkr_oracle_sample *sample);

void vkr_sample_copy(struct vkr_oracle_sample *sample, const struct vkr_oracle_sample *other);

// Appends one, zeroed but for its name and what means "none". NULL where the sample is full.
struct vkr_litmus_agent *vkr_sample_add_agent(struct vkr_oracle_sample *sample);
struct vkr_litmus_location *vkr_sample_add_location(struct vkr_oracle_sample *sample,
						    uint32_t size);
// Only after the last location.
struct vkr_litmus_reference *vkr_sample_add_reference(struct vkr_oracle_sample *sample,
						      uint32_t location, uint32_t offset,
						      uint32_t size);
struct vkr_litmus_event *vkr_sample_add_event(struct vkr_oracle_sample *sample, uint32_t agent,
					      enum vkr_litmus_operation operation);
// False where the sample is full, or has the edge.
bool vkr_sample_add_edge(struct vkr_oracle_sample *sample, uint32_t first, uint32_t second);

// Makes an event say only what the format lets it say.
void vkr_sample_normalize(const struct vkr_oracle_sample *sample, struct vkr_litmus_event *event);

// Removal, with what referred to the removed one. Labels and names stay.
void vkr_sample_remove_event(struct vkr_oracle_sample *sample, uint32_t event);
void vkr_sample_remove_edge(struct vkr_oracle_sample *sample, size_t edge);
void vkr_sample_remove_agent_edge(struct vkr_oracle_sample *sample, size_t edge);
// Only where no event uses it.
void vkr_sample_remove_agent(struct vkr_oracle_sample *sample, uint32_t agent);
void vkr_sample_remove_reference(struct vkr_oracle_sample *sample, uint32_t reference);

// Reorders the events: `order[i]` is the former index of what becomes event i.
void vkr_sample_permute(struct vkr_oracle_sample *sample, const uint32_t *order);

bool vkr_sample_reads(const struct vkr_litmus_event *event);
bool vkr_sample_writes(const struct vkr_litmus_event *event);
