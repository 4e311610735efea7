// SPDX-License-Identifier: Apache-2.0
// The model: tells the engine what Vulkan's commands and synchronization mean. Knows Vulkan;
// nothing of files, threads or how reports are shown.
#pragma once

#include "choice.h"

#include "vkrace/memory_model.h"
#include "vkrace/report.h"
#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_model;
struct vkr_shard;

// Puts one address of a file into words: lines of "function() file:line", innermost first, to be
// freed, empty where the frame is not to be shown; NULL where nothing is known of it. `address` is
// the file's virtual address.
typedef char *vkr_place_words(void *user, const char *path, const char *build_id, uint64_t address);

// An instruction of a module as text, as vkr_instruction_text() has it.
typedef char *vkr_instruction_words(void *user, const uint32_t *words, size_t word_count,
				    uint32_t word);

struct vkr_model_options {
	// Called for each new group of races, with its first example. NULL: not called.
	void (*race_found)(void *user, const struct vkr_race_report *race);
	// Called for each access of a host thread that races as a group of races says: the place
	// (host_place.h) at which it was made. NULL: not called.
	void (*host_raced)(void *user, uint64_t place);
	void *user;
	uint32_t hidden_classes; // bits (1u << enum vkr_race_class): not reported
	bool any_image;          // as in struct vkr_session_options
	bool costs;              // what judging took is noted
	bool no_repeats;         // as in struct vkr_session_options
	bool may_cut;            // volume_begin.h
	// For call stacks of the host. NULL: module and offset are given.
	vkr_place_words *place_words;
	void *place_user;
	vkr_instruction_words *instruction_words; // NULL: instructions have no text
	struct vkr_memory_rules rules;            // what is judged by
	struct vkr_shard *shard;                  // as in struct vkr_session_options
	struct vkr_choice choice;                 // whose shaders are judged
	// Set within race_found: no more shaders are judged. NULL: never.
	const bool *enough;
	// Set by another thread: calls return VKR_ERROR_STOPPED soon. NULL: never.
	const _Atomic bool *stop;
	struct vkr_crew *crew; // as in struct vkr_session_options
};

enum vkr_result vkr_model_create(const struct vkr_model_options *options, struct vkr_model **model,
				 struct vkr_error *error) VKR_MUST_USE;

// The next event, checked (event_check.h). VKR_ERROR_FORMAT: it contradicts what was before; the
// next event may follow.
enum vkr_result vkr_model_event(struct vkr_model *model, const struct vkr_trace_event *event,
				struct vkr_error *error) VKR_MUST_USE;

// A finding of the caller's own.
enum vkr_result vkr_model_coverage(struct vkr_model *model, enum vkr_trace_coverage_kind kind,
				   uint64_t amount, const char *text,
				   struct vkr_error *error) VKR_MUST_USE;

// Whether everything up to here has been judged; if not, the model waits for the end of an
// execution's log, and takes only GPU_LOG, GPU_COLUMN_LOG, COMMANDS_LOGGED, EXECUTION_END and
// SUBMIT_FAILED events.
bool vkr_model_is_waiting(const struct vkr_model *model);

// No further log will come: goes on, by what is there. Other events may still follow.
enum vkr_result vkr_model_end_logs(struct vkr_model *model, struct vkr_error *error) VKR_MUST_USE;

// No further event will come: judges what is pending, whatever it waits for.
enum vkr_result vkr_model_end(struct vkr_model *model, struct vkr_error *error) VKR_MUST_USE;

// Ends judging because a call has failed, or because what follows is not to be judged: this
// sentence becomes the last entry of the coverage, and after this only the report may be asked for.
// Frees the largest parts of the memory.
void vkr_model_abandon(struct vkr_model *model, enum vkr_trace_coverage_kind kind, uint64_t amount,
		       const char *text);

// Which event of its volume comes next, for vkr_model_cut (volume_begin.h).
void vkr_model_place(struct vkr_model *model, uint64_t place);
uint64_t vkr_model_last_place(const struct vkr_model *model);

// Command buffers whose judgement has begun.
uint64_t vkr_model_executions(const struct vkr_model *model);

// Borrowed until the next call on the model.
const struct vkr_report *vkr_model_report(struct vkr_model *model);

// Has the report count accesses that were judged elsewhere. The model has ended.
void vkr_model_add_accesses(struct vkr_model *model, uint64_t accesses);
void vkr_model_destroy(struct vkr_model *model);
