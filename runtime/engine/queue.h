// SPDX-License-Identifier: Apache-2.0
// Order between commands: timelines, dependencies, tokens, and the verdict on a pair of accesses.
// Knows nothing of shadow memory, and nothing of what happens inside one dispatch.
#pragma once

#include "queue_state.h"

struct vkr_command {
	uint64_t tag;
	uint64_t position; // on its timeline, from 1
	uint32_t timeline;
	uint64_t number;       // in the order of all commands, from 1
	uint64_t section;      // of its timeline's, from 1; 0: in none
	uint64_t group;        // 0: none
	uint64_t second_scope; // of a transition, as a number; 0: not all that follows may be in it
	bool marked;           // while what is remembered is looked through
	bool transition;       // a layout transition: part of the dependency at its position
	bool over;             // no more accesses come, but for those that wait
	bool keeps;            // vkr_engine_command_keeps
	uint32_t holds;        // by who still judges accesses of it, after it is over, too
	struct vkr_state *state; // NULL once it is over and nobody holds it
};

// Limits a first scope to what comes after a position. For stages that only commands in sections
// have, the limit may as well be the end of the previous section, so that the scopes of consecutive
// sections leave no gap.
struct vkr_scope_limit {
	bool limited;
	uint64_t behind;
	uint64_t stages, stages_behind; // such stages, and where they begin
};

// A dependency as it was given, for naming the nearest one.
struct vkr_past_dependency {
	uint64_t tag, position; // of the command before it; of its layout transition, if it has one
	uint64_t transition;    // position of that, 0: it has none
	uint64_t first_begin;   // what its first scope may hold stands after this position
	uint64_t first_end;     // and here or before
	uint64_t section;       // that its second scope is limited to; 0: to none
	uint64_t second_end;    // where it ends; UINT64_MAX: not yet, or nowhere
	uint64_t source_stages, destination_stages;
	size_t first_access;
	uint32_t access_count;
	bool forgotten; // while those to be forgotten are looked for
};

// Some state knows accesses in (behind, position] of these stages, but not all earlier ones.
struct vkr_cut {
	uint64_t behind, position, stages;
};

// A timeline's sections (engine.h).
struct vkr_sections {
	uint64_t count, over;   // begun; those up to which no more dependencies come
	uint64_t begin;         // position of the last command before the one that is open
	uint64_t last_end;      // of the last command of the one before
	uint64_t stages;        // that commands have in sections only
	struct vkr_state *base; // what is known after the one that is open; NULL: none is
};

// The latest layout transition of [low, high) of a memory on a timeline: what comes after it comes
// after all earlier transitions at positions after `behind`.
struct vkr_transitioned {
	uint32_t memory;
	uint64_t low, high;
	uint64_t position, behind;
};

struct vkr_timeline {
	bool host;
	uint32_t family;
	uint64_t position; // of the last command
	uint64_t changes;  // as vkr_engine_changes has them
	struct vkr_state *state;
	struct vkr_sections sections;
	struct {
		struct vkr_cut *items;
		size_t count, capacity;
	} cuts; // ascending by `behind`
	struct {
		struct vkr_transitioned *items;
		size_t count, capacity;
	} transitions; // ascending by memory and offset, disjoint
	struct {
		struct vkr_past_dependency *items;
		size_t count, capacity;
	} past;
	struct {
		struct vkr_engine_barrier_access *items;
		size_t count, capacity;
	} past_accesses;
	size_t forget_at; // count of past dependencies; 0: not set yet
};

// Where a timeline stood (engine.h).
struct vkr_engine_mark {
	uint32_t timeline;
	uint64_t position;
	struct vkr_state *state;
	struct vkr_scope_limit within;
};

struct vkr_ids {
	uint32_t *items;
	size_t count, capacity;
};

struct vkr_queues {
	bool execution_only; // order in execution is enough, whatever is available and visible
	struct {
		struct vkr_timeline *items;
		size_t count, capacity;
	} timelines; // index: id - 1
	struct {
		struct vkr_command *items;
		size_t count, capacity;
	} commands;           // index: id - 1
	struct vkr_ids spare; // of commands, for new ones
	struct vkr_ids open;  // of commands that are not over
	size_t collect_at;    // commands (vkr_engine_collect_commands)
	uint64_t made;        // commands in all
	struct {
		struct vkr_token *items;
		size_t count, capacity;
	} tokens;               // index: id - 1
	struct vkr_ids dropped; // of tokens, for new ones
	uint64_t local_stages;  // of local dependencies so far: of both scopes
};

// The stages of a local dependency; 0: it is not local.
static inline uint64_t vkr_queues_local_stages(const struct vkr_engine_dependency *dependency)
{
	return dependency->local ? dependency->source_stages | dependency->destination_stages : 0;
}

void vkr_queues_init(struct vkr_queues *queues);
void vkr_queues_finish(struct vkr_queues *queues);

// As their namesakes in engine.h. Memory numbers of barriers and ranges are the caller's to make
// unique for all time.
enum vkr_result vkr_queues_timeline(struct vkr_queues *queues, bool host, uint32_t family,
				    uint32_t *id, struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_queues_command(struct vkr_queues *queues, uint32_t timeline, uint64_t tag,
				   uint32_t *id, struct vkr_error *error) VKR_MUST_USE;
void vkr_queues_command_end(struct vkr_queues *queues, uint32_t command);
// Keeps the command's state after it is over; and no longer.
void vkr_queues_command_hold(struct vkr_queues *queues, uint32_t command);
void vkr_queues_command_release(struct vkr_queues *queues, uint32_t command);
enum vkr_result vkr_queues_section_begin(struct vkr_queues *queues, uint32_t timeline,
					 uint64_t stages, struct vkr_error *error) VKR_MUST_USE;
void vkr_queues_section_end(struct vkr_queues *queues, uint32_t timeline);
void vkr_queues_sections_over(struct vkr_queues *queues, uint32_t timeline);
struct vkr_engine_mark vkr_queues_mark(struct vkr_queues *queues, uint32_t timeline);
enum vkr_result vkr_queues_command_knows(struct vkr_queues *queues, uint32_t command,
					 const struct vkr_engine_mark *mark,
					 struct vkr_error *error) VKR_MUST_USE;
// `since`: where the first scopes end; NULL: here.
enum vkr_result vkr_queues_dependencies(struct vkr_queues *queues, uint32_t timeline,
					const struct vkr_engine_mark *since, uint64_t tag,
					const struct vkr_engine_dependency *dependencies,
					uint32_t count, struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_queues_release(struct vkr_queues *queues, uint32_t timeline, uint64_t stages,
				   bool to_device, uint32_t *token,
				   struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_queues_acquire(struct vkr_queues *queues, uint32_t timeline, uint32_t token,
				   uint64_t stages, struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_queues_token_join(struct vkr_queues *queues, uint32_t token, uint32_t more,
				      struct vkr_error *error) VKR_MUST_USE;
void vkr_queues_token_drop(struct vkr_queues *queues, uint32_t token);
enum vkr_result vkr_queues_flush(struct vkr_queues *queues, uint32_t timeline, uint32_t memory,
				 uint64_t low, uint64_t high, struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_queues_invalidate(struct vkr_queues *queues, uint32_t timeline, uint32_t memory,
				      uint64_t low, uint64_t high,
				      struct vkr_error *error) VKR_MUST_USE;

// For the files that share a timeline's change.
enum vkr_result vkr_queues_token_place(struct vkr_queues *queues, uint32_t *token,
				       struct vkr_error *error) VKR_MUST_USE;
struct vkr_timeline *vkr_queues_on(struct vkr_queues *queues, uint32_t id);
void vkr_timeline_commit(struct vkr_timeline *timeline, struct vkr_state *state);
// The states that must learn what everything later shall know: the timeline's state, which is being
// changed; the one that chains; and the one that will be known after the open section. Each comes
// with its states for other places.
#define VKR_LEARNERS 3u
struct vkr_learners {
	struct vkr_state *items[VKR_LEARNERS];
	unsigned count;
	unsigned chained; // which of them need no visibility; VKR_LEARNERS: none
};
struct vkr_learners vkr_timeline_learners(struct vkr_timeline *timeline, struct vkr_state *known,
					  bool limited);

// Notes what a state, of the timeline's or of a command on it, knows of some stretches alone.
enum vkr_result vkr_queues_note_cuts(struct vkr_queues *queues, uint32_t timeline,
				     const struct vkr_state *state,
				     struct vkr_error *error) VKR_MUST_USE;
// Whether some scope may take in a command of the timeline, in a stage, and not an earlier one.
bool vkr_queues_cut(const struct vkr_queues *queues, const struct vkr_command *earlier,
		    const struct vkr_command *later, uint64_t stage);

// One side of a pair, as far as order between commands goes.
struct vkr_side {
	uint32_t command;
	uint64_t stage, access; // of host timelines: 0
	bool read, write;
	bool coherent;   // of the memory that a host thread accesses
	bool rasterized; // in order with others in the group of its command
	// Of the later one: 1 + the kind of place in which the two differ; 0: none.
	unsigned apart;
};

// Whether x, fed earlier, is location-ordered before y at place->offset, for two commands; the
// answer holds for [place->low, place->high). *shortfall: what a race lacks.
enum vkr_race_class vkr_queues_verdict(const struct vkr_queues *queues, const struct vkr_side *x,
				       const struct vkr_side *y, struct vkr_verdict_range *place,
				       uint32_t *shortfall);

// Adds a layout transition to the earlier ones that were found, for later commands.
enum vkr_result vkr_queues_transitioned(struct vkr_queues *queues, uint32_t timeline,
					const struct vkr_engine_transition *transition,
					uint64_t position, struct vkr_token *found,
					struct vkr_error *error) VKR_MUST_USE;

// Whether only the order of transitions puts y after x, and not all after y; with *place as above.
bool vkr_queues_only_in_order(const struct vkr_queues *queues, const struct vkr_side *x,
			      const struct vkr_side *y, struct vkr_verdict_range *place);

// Whether x happens-before y, in execution alone; with *place as above.
bool vkr_queues_before(const struct vkr_queues *queues, const struct vkr_side *x,
		       const struct vkr_side *y, struct vkr_verdict_range *place);

// Whether the command knows something else about accesses at another place of a kind.
bool vkr_queues_tells_apart(const struct vkr_queues *queues, uint32_t command, unsigned kind);

// Keeps a dependency that was put after the last command, whose first scope ends at the mark.
// Those that cannot be the nearest to any race are forgotten from time to time.
enum vkr_result vkr_queues_remember(struct vkr_queues *queues, uint32_t timeline,
				    const struct vkr_engine_mark *from, uint64_t tag,
				    const struct vkr_engine_dependency *dependency,
				    struct vkr_error *error) VKR_MUST_USE;

// Forgets those that no command is before which a byte remembers, or which is not over: ids of
// others are on timeline 0.
enum vkr_result vkr_queues_forget(struct vkr_queues *queues, uint32_t timeline,
				  struct vkr_error *error) VKR_MUST_USE;

// Fills in shortfall and nearest dependency of a race between commands.
void vkr_queues_explain(const struct vkr_queues *queues, const struct vkr_side *x,
			const struct vkr_side *y, uint32_t memory, uint64_t offset,
			struct vkr_engine_race *race);
