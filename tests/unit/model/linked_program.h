// SPDX-License-Identifier: Apache-2.0
// A small program of commands whose shaders synchronize, as a trace and as a litmus test: what the
// model says of the one, and the oracle of the other, which reads the appendix "Memory Model" by
// brute force. Knows both forms; no rule of the memory model.
//
// Each event has a site of its own, and each value is written once, so that who read from whom
// leaves no doubt.
#pragma once

#include "random.h"
#include "vkrace/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LINKED_QUEUES = 3,
	LINKED_COMMANDS = 5,
	LINKED_AGENTS = 2, // invocations of a command, each in its workgroup
	LINKED_EVENTS = 5, // of an invocation
	LINKED_WORDS = 4,
};

struct linked_event {
	struct vkr_site site; // its variable: through which of two descriptors of the memory
	uint32_t word, line;  // line: from 1, another one for each event
	uint32_t read, written;
};

struct linked_agent {
	struct linked_event events[LINKED_EVENTS];
	uint32_t count, done;
};

struct linked_command {
	uint32_t queue, agent_count;
	bool barrier; // before it on its queue, of execution alone, but for what fills write
	bool memory;  // the barrier makes shaders' writes available, too, and all visible
	bool sees;    // with memory: the barrier makes visible, and nothing available
	bool alone;   // with memory: the barrier's first scope is empty
	// Instead of a dispatch, which the oracle knows nothing of: a fill of the word of its only
	// event, or a copy from it.
	bool fills, copies;
	struct linked_agent agents[LINKED_AGENTS];
	uint32_t index, pipeline; // in its recording
};

struct linked_program {
	uint32_t families[LINKED_QUEUES];
	bool chains;
	struct linked_command commands[LINKED_COMMANDS];
	uint32_t command_count;
	char text[16384]; // the litmus test
	size_t text_length;
	char found[1024], wanted[1024]; // pairs of events that race
	size_t found_length, wanted_length;
};

// Runs all invocations: by turns that the random numbers choose, or, without any, one command after
// the other in the order of `turns`, each of whose invocations runs as a whole.
void linked_run(struct linked_program *program, struct vkr_random *random, const uint32_t *turns);

// A bit for each word with a race, as the model has it. *coverage: something was not observed.
unsigned linked_ask_model(struct linked_program *program, bool put_off, bool *coverage);

// Asks the oracle. *open: words of which the model may say either.
unsigned linked_ask_oracle(struct linked_program *program, unsigned *open);

// Whether both say the same, in whichever order the logs come; else prints the program.
bool linked_agree(struct linked_program *program, const char *name, unsigned *wanted);
