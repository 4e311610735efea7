// SPDX-License-Identifier: Apache-2.0
// Races as reports describe them: grouped by the two places in the program, described in words.
// Knows names and masks; not how races are found or shown.
#pragma once

#include "engine.h"
#include "map.h"

#include "vkrace/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_model;

// What the engine distinguishes and a group holds together: the order of the two, and whether a
// compare-exchange wrote.
struct vkr_race_pair {
	uint32_t pair;  // the engine's
	uint32_t group; // index
	bool possible;  // of `possible`
};

// Where the object of a group's first example lies: at `base` of a memory, so that bytes that race
// later have a place in it.
struct vkr_race_spot {
	bool known;
	uint32_t memory;
	uint64_t base;
};

// A race that ambiguous evidence decides on.
struct vkr_race_possible {
	struct vkr_race_report report;
	struct vkr_race_spot spot;
	const char *places; // kept text: of the two places in the program
};

struct vkr_race_reports {
	struct {
		struct vkr_race_report *items;
		size_t count, capacity;
	} groups;
	struct {
		struct vkr_race_spot *items;
		size_t count, capacity;
	} spots; // of the groups
	struct {
		struct vkr_race_possible *items;
		size_t count, capacity;
	} possible;
	struct {
		struct vkr_race_report *items;
		size_t count, capacity;
	} shown; // of `possible`: those between whose places no race is certain
	struct {
		struct vkr_race_pair *items;
		size_t count, capacity;
	} pairs;
	struct vkr_map places;              // kept key text -> 1 + index of the group
	struct vkr_map identities;          // identity of a race -> how many groups have it
	struct vkr_map possible_identities; // of a possible race -> how many of these have it
	struct vkr_map certain;             // kept text of two places -> 1
	struct vkr_map host_sites;          // engine sites of host threads that groups name -> 1
	bool failed;                        // memory ran out in the engine's callback
};

void vkr_race_reports_finish(struct vkr_race_reports *races);

// The engine's callback; `model` is the struct vkr_model.
void vkr_race_reports_add(void *model, const struct vkr_engine_race *race);

// Brings the groups' counts and `shown` up to date; the sum of the counts of certain races.
uint64_t vkr_race_reports_count(struct vkr_model *model);

// race_text.c: the missing edge; NULL for lack of memory.
const char *vkr_race_missing(struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_race_report *report);

// race_text.c: the report's change, in words and as data. False for lack of memory.
bool vkr_race_change(struct vkr_model *model, const struct vkr_engine_race *race,
		     struct vkr_race_report *report);

// "Workgroup", of an enum vkr_scope.
const char *vkr_memory_scope_name(uint8_t scope);
