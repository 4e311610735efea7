// SPDX-License-Identifier: Apache-2.0
// Which races are the same to a reader: those of one pair of places in the program and its shaders,
// however often they happen and to however many objects. Knows what names a place; nothing of
// order.
#pragma once

#include "access_names.h"
#include "model_state.h"

// A text that is equal for the same place: what a line of a shader, or without lines an
// instruction, does with a variable; a command that one call of the program records, by what it
// does to objects of one name or, without names, of one kind; a call stack of the host
// (its innermost call by the function, where no line is known). `across`:
// the race is not within one command, so that of shaders without lines all instructions are alike.
// NULL for lack of memory.
const char *vkr_race_site_key(struct vkr_model *model, const struct vkr_access_site *site,
			      bool across);

// The call stack of a host access, a line a call; "" where there is none, NULL for lack of memory.
const char *vkr_race_stack_text(struct vkr_model *model, const struct vkr_access_site *site);
