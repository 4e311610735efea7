// SPDX-License-Identifier: Apache-2.0
// How timelines and tokens stand, as events of a trace say it (vkrace/trace_volumes.h), and which
// commands may still be asked about. Does not know what timelines stand for.
#pragma once

#include "engine.h"
#include "map.h"

#include "vkrace/trace_volumes.h"

// Where a timeline stands, for as long as it is held.
struct vkr_timeline_image;

enum vkr_result vkr_timeline_image_take(struct vkr_engine *engine, uint32_t timeline,
					struct vkr_timeline_image **image,
					struct vkr_error *error) VKR_MUST_USE;
struct vkr_timeline_image *vkr_timeline_image_hold(struct vkr_timeline_image *image);
void vkr_timeline_image_drop(struct vkr_timeline_image *image); // NULL is allowed
uint32_t vkr_timeline_image_timeline(const struct vkr_timeline_image *image);
uint64_t vkr_timeline_image_position(const struct vkr_timeline_image *image);

// The tails of PAST_STATE and PAST_TOKEN events; zeroed before the first use.
struct vkr_past_parts {
	struct {
		struct vkr_trace_past_group *items;
		size_t count, capacity;
	} groups;
	struct {
		struct vkr_trace_past_set *items;
		size_t count, capacity;
	} sets;
	struct {
		struct vkr_trace_past_span *items;
		size_t count, capacity;
	} spans;
	struct {
		struct vkr_trace_past_cut *items;
		size_t count, capacity;
	} cuts;
	struct {
		struct vkr_trace_past_transition *items;
		size_t count, capacity;
	} transitions;
	struct vkr_map memories; // numbers in dependencies -> memory
	const bool *lines;       // by timeline, from 1: whether it is written; others are left out
};
void vkr_past_parts_finish(struct vkr_past_parts *parts);

// Before the first of a series: which memories there are.
enum vkr_result vkr_past_parts_begin(struct vkr_past_parts *parts, const struct vkr_engine *engine,
				     struct vkr_error *error) VKR_MUST_USE;
// Replaces what is in the parts.
enum vkr_result vkr_timeline_image_write(const struct vkr_timeline_image *image,
					 struct vkr_past_parts *parts,
					 struct vkr_trace_past_state *state,
					 struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_token_write(const struct vkr_engine *engine, uint32_t token,
				struct vkr_past_parts *parts, struct vkr_trace_past_token *event,
				struct vkr_error *error) VKR_MUST_USE;

// The timeline stands as the event, checked, says. `lines` has the engine's timelines by the
// event's numbers, 0: there is none, up to line_count. VKR_ERROR_FORMAT: it names another one.
enum vkr_result vkr_timeline_image_read(struct vkr_engine *engine, uint32_t timeline,
					const struct vkr_trace_past_state *state,
					const uint32_t *lines, size_t line_count,
					struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_token_read(struct vkr_engine *engine, const struct vkr_trace_past_token *event,
			       const uint32_t *lines, size_t line_count, uint32_t *token,
			       struct vkr_error *error) VKR_MUST_USE;

// A mark, as the members of a PAST_EVENT event that say where the event was set.
enum vkr_result vkr_mark_write(const struct vkr_engine_mark *mark, struct vkr_past_parts *parts,
			       struct vkr_trace_past_event *event,
			       struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_mark_read(struct vkr_engine *engine, const struct vkr_trace_past_event *event,
			      const uint32_t *lines, size_t line_count,
			      struct vkr_engine_mark **mark, struct vkr_error *error) VKR_MUST_USE;

// What may yet be reported, apart from what comes: numbers, ascending, of commands that some byte
// remembers or that have not ended, and of those before halves of transfers; places of dependencies
// that may be the nearest to a race.
struct vkr_engine_remembered {
	uint64_t *commands, *halves;
	size_t command_count, half_count;
	struct vkr_remembered_place {
		uint32_t timeline;
		uint64_t position; // of the command before it
	} * dependencies;          // ascending
	size_t dependency_count;
};
// No dispatch is open.
enum vkr_result vkr_engine_remembered(struct vkr_engine *engine,
				      struct vkr_engine_remembered *remembered,
				      struct vkr_error *error) VKR_MUST_USE;
void vkr_engine_remembered_finish(struct vkr_engine_remembered *remembered);

// Commands so far, of all timelines; the position of one on its timeline, and that.
uint64_t vkr_engine_commands(const struct vkr_engine *engine);
uint64_t vkr_engine_command_position(const struct vkr_engine *engine, uint32_t command);
uint32_t vkr_engine_command_timeline(const struct vkr_engine *engine, uint32_t command);
uint64_t vkr_engine_timeline_position(const struct vkr_engine *engine, uint32_t timeline);
// There was a local dependency, of stages that are not known (vkr_engine_has_locals).
void vkr_engine_note_local(struct vkr_engine *engine);

// Whether a timeline stands within a section, which no image says.
bool vkr_engine_in_section(const struct vkr_engine *engine);
uint32_t vkr_engine_timelines(const struct vkr_engine *engine);

// Forgets which races were found, and how much was judged: what comes is counted anew.
void vkr_engine_begin_count(struct vkr_engine *engine);
