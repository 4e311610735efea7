// SPDX-License-Identifier: Apache-2.0
// Order between whole commands, for callers that keep more of them than bytes remember. Knows
// nothing of accesses.
#pragma once

#include "engine.h"

struct vkr_state;

// Where a command stands, which may be kept longer than the engine keeps the command.
struct vkr_engine_standing {
	uint64_t number; // of the command: no other one has it
	uint64_t position;
	uint32_t timeline;
	struct vkr_state *state; // what happens-before it
};

// The standing of a command that has not ended. It must be dropped before the engine is destroyed.
struct vkr_engine_standing vkr_engine_stand(const struct vkr_engine *engine, uint32_t command);
void vkr_engine_standing_drop(struct vkr_engine_standing *standing);

// Keeps a command that still stands, which has not ended the first time: its number is not used
// anew, and races of it can be reported (vkr_engine_race_found), until it is dropped as often.
void vkr_engine_command_hold(struct vkr_engine *engine, uint32_t command);
void vkr_engine_command_drop(struct vkr_engine *engine, uint32_t command);

// Whether everything that one command does in its stages is executed before everything that the
// other command does in its own, at all places of a framebuffer.
bool vkr_engine_stands_before(const struct vkr_engine_standing *one, uint64_t stages,
			      const struct vkr_engine_standing *other, uint64_t other_stages);

// Whether writes that one command does in its stages by one access type are available to the device
// domain, at all bytes [low, high) of the memory, before what the other one does in its own.
bool vkr_engine_stands_available(const struct vkr_engine_standing *one, uint64_t stages,
				 uint64_t written, const struct vkr_engine_standing *other,
				 uint64_t other_stages, uint32_t memory, uint64_t low,
				 uint64_t high);

// Whether after what one command does in its stages some dependency made these bytes visible to
// reads of one access type that the other does in its own.
bool vkr_engine_stands_seeing(const struct vkr_engine_standing *one, uint64_t stages,
			      const struct vkr_engine_standing *other, uint64_t other_stages,
			      uint64_t read, uint32_t memory, uint64_t low, uint64_t high);

// Whether the command is still the one that stands there.
bool vkr_engine_is_standing(const struct vkr_engine *engine, uint32_t command,
			    const struct vkr_engine_standing *standing);

// Whether all that comes on the queue timeline in `later` stages from now on happens-after all that
// the command does in these stages, and its writes by one access type (0: it only reads) are
// visible to that by another one.
bool vkr_engine_is_past(const struct vkr_engine *engine, const struct vkr_engine_standing *standing,
			uint64_t stages, uint64_t written, uint32_t timeline, uint64_t later,
			uint64_t read);

// Whether all accesses to the memory that are yet to be fed, of whatever command, happen-after all
// that the command does in these stages: no read of it can race any more.
bool vkr_engine_is_settled(const struct vkr_engine *engine, uint32_t command, uint64_t stages,
			   uint32_t memory);

// Whether a host thread knows all that the command does in these stages, and its writes by one
// access type (0: it only reads) are available to the thread: then everything that the thread
// submits later comes after them, and sees them.
bool vkr_engine_is_known(const struct vkr_engine *engine,
			 const struct vkr_engine_standing *standing, uint64_t stages,
			 uint64_t written, uint32_t host);
