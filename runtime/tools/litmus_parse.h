// SPDX-License-Identifier: Apache-2.0
// What the parts of the litmus reader share: the line at hand cut into words, the names met so far,
// and the growing execution. Knows nothing of the memory model.
#pragma once

#include "litmus.h"
#include "map.h"

// Names of one kind, each with the index it stands for.
struct vkr_litmus_names {
	char **items; // owned
	size_t count, capacity;
	struct vkr_map indices; // salted hash of the name to its index
};

struct vkr_litmus_pending {
	uint32_t event, line;
	char *label;
};

struct vkr_litmus_parser {
	struct vkr_litmus *execution;
	const char *path;
	struct vkr_error *error;
	uint32_t line;
	char **words; // of the line at hand
	size_t word_count, word_capacity;
	const char *rest; // the line after its first word, for `name`
	bool versioned;

	// References stand in the order of their statements until the last line is read.
	struct vkr_litmus_names agents, locations, references, labels, instances;
	size_t agent_capacity, location_capacity, reference_capacity, event_capacity;
	size_t agent_edge_capacity, event_edge_capacity;
	// from=, after= and `LABEL ssw LABEL` may name events that follow.
	struct vkr_litmus_pending *from, *after;
	size_t from_count, from_capacity, after_count, after_capacity;
	struct vkr_litmus_pending *edge_labels; // two an edge
	size_t edge_count, edge_capacity;
};

// Fails with "PATH:LINE: " and the message.
enum vkr_result vkr_litmus_fail(struct vkr_litmus_parser *parser, const char *format, ...)
	VKR_PRINTF(2, 3) VKR_MUST_USE;

// The name's index, or VKR_LITMUS_NONE.
uint32_t vkr_litmus_find(const struct vkr_litmus_names *names, const char *name);

// Adds a new name, and puts a copy of it, the caller's, into *copy unless that is NULL.
// VKR_ERROR_FORMAT if the name exists already.
enum vkr_result vkr_litmus_declare(struct vkr_litmus_parser *parser, struct vkr_litmus_names *names,
				   const char *what, const char *name, char **copy) VKR_MUST_USE;

// A decimal number of 32 bits.
bool vkr_litmus_number(const char *word, uint32_t *number);

// Reads an event statement: words[0] is its label, words[1] its agent.
enum vkr_result vkr_litmus_read_event(struct vkr_litmus_parser *parser) VKR_MUST_USE;
