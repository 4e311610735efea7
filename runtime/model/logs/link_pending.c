// SPDX-License-Identifier: Apache-2.0
#include "link_pending.h"

#include "array.h"
#include "error.h"
#include "model_state.h"
#include "shader_logs.h"

#include <stdlib.h>
#include <string.h>

// Whether nothing that was submitted to the queue waits to be judged.
static bool is_idle(const struct vkr_model *model, uint32_t timeline)
{
	const struct vkr_submissions *submissions = &model->submissions;
	for (size_t at = 0; at < submissions->queues.count; at++)
		if (submissions->queues.items[at].queue->timeline == timeline)
			return submissions->queues.items[at].first == NULL;
	return true;
}

// What a volume begins with is judged at once, whatever the queues had pending then.
static bool is_waited_for(const struct vkr_model *model, const struct vkr_engine_standing *standing,
			  uint64_t stage, uint64_t written)
{
	return !model->thread_order.own && !model->past.replaying &&
	       vkr_engine_is_known(model->engine, standing, stage, written, model->host.timeline);
}

static bool is_past_on(const struct vkr_model *model, uint32_t timeline,
		       const struct vkr_engine_standing *standing, uint64_t stage, uint64_t written,
		       bool waited)
{
	return (waited && is_idle(model, timeline)) ||
	       vkr_engine_is_past(model->engine, standing, stage, written, timeline,
				  model->order.links.stages, VK_ACCESS_2_SHADER_STORAGE_READ_BIT);
}

bool vkr_links_is_past(const struct vkr_model *model, const struct vkr_linked *linked)
{
	const struct vkr_command_links *links = &model->order.links;
	const uint64_t written = linked->written;
	const bool waited = is_waited_for(model, &linked->standing, linked->stage, written);
	bool past = true;
	for (size_t at = 0; at < links->timelines.count && past; at++)
		past = is_past_on(model, links->timelines.items[at], &linked->standing,
				  linked->stage, written, waited);
	return past;
}

bool vkr_links_is_past_everywhere(void *context, const struct vkr_engine_standing *standing,
				  uint64_t stage, uint64_t written)
{
	const struct vkr_model *model = context;
	const struct vkr_submissions *submissions = &model->submissions;
	const bool waited = is_waited_for(model, standing, stage, written);
	bool past = true;
	for (size_t at = 0; at < submissions->queues.count && past; at++)
		past = is_past_on(model, submissions->queues.items[at].queue->timeline, standing,
				  stage, written, waited);
	return past;
}

static const char *link_pending_title(const struct vkr_access_site *site)
{
	return site->shader != NULL ? vkr_shader_title(site->shader) : site->info->name;
}

enum vkr_result vkr_links_miss(struct vkr_model *model, uint64_t first_tag, uint64_t second_tag,
			       uint64_t count, struct vkr_error *error)
{
	const struct vkr_access_site *sites = model->names.sites.items;
	return vkr_model_missed(
		model, error, VKR_COVERAGE_SYNC, count,
		"atomics of %s may have read what atomics of %s wrote in another command: "
		"accesses that these could order are not judged against each other",
		link_pending_title(&sites[second_tag]), link_pending_title(&sites[first_tag]));
}

static enum vkr_result link_pending_doubt(struct vkr_model *model, uint64_t first_tag,
					  uint64_t second_tag, struct vkr_error *error)
{
	const struct vkr_access_site *sites = model->names.sites.items;
	return vkr_model_missed(
		model, error, VKR_COVERAGE_SYNC, 0,
		"atomics of %s may have read what atomics of %s wrote in another command, or what "
		"others wrote: each read is treated as a read from all of these writes, and what "
		"may race otherwise is listed as possible",
		link_pending_title(&sites[second_tag]), link_pending_title(&sites[first_tag]));
}

// What doubts are left of links->bytes, which are dropped.
static enum vkr_result report_doubts(struct vkr_model *model,
				     const struct vkr_link_question *question,
				     struct vkr_error *error)
{
	struct vkr_command_links *links = &model->order.links;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < links->bytes.count && result == VKR_OK; at++) {
		const struct vkr_link_bytes *bytes = &links->bytes.items[at];
		if (question->unknown)
			result = vkr_links_miss(model, bytes->first_tag, bytes->second_tag, 0,
						error);
		else if (question->ambiguous && bytes->certain != bytes->races)
			result = link_pending_doubt(model, bytes->first_tag, bytes->second_tag,
						    error);
	}
	vkr_link_bytes_clear(links->bytes.items, links->bytes.count);
	links->bytes.count = 0;
	return result;
}

void vkr_link_pending_finish(struct vkr_link_pending *pending)
{
	vkr_link_bytes_clear(pending->bytes, pending->count);
	free(pending->bytes);
	*pending = (struct vkr_link_pending){0};
}

static size_t find_stage(const struct vkr_command_links *links, uint64_t number, uint64_t stage)
{
	size_t at = links->commands.count;
	while (at-- > 0)
		if (vkr_linked_is(&links->commands.items[at], number) &&
		    links->commands.items[at].stage == stage)
			break;
	return at;
}

// Whether a command yet to come may bring the second one of links->bytes into order with a first
// one. *failed: for lack of memory.
static bool may_change(struct vkr_model *model, uint64_t second, bool *failed)
{
	struct vkr_command_links *links = &model->order.links;
	const size_t count = links->commands.count;
	bool *from = calloc(count, 2 * sizeof *from), may = false;
	*failed = from == NULL;
	if (*failed)
		return false;
	bool *unknown = from + count;
	for (size_t at = 0; at < count; at++)
		from[at] = vkr_linked_is(&links->commands.items[at], second);
	for (size_t at = 0; at < links->bytes.count; at++)
		from[links->bytes.items[at].first] = true;
	*failed =
		!vkr_link_reach_unknown(&links->reach, links->commands.items, count, from, unknown);
	for (size_t at = 0; at < count && !*failed && !may; at++)
		may = unknown[at] && !vkr_links_is_past(model, &links->commands.items[at]);
	free(from);
	return may;
}

// Takes links->bytes.
static bool add_pending(struct vkr_model *model, const struct vkr_link_question *question)
{
	struct vkr_command_links *links = &model->order.links;
	const size_t count = links->bytes.count;
	struct vkr_link_bytes *bytes = malloc(count * sizeof *bytes);
	if (bytes == NULL || !VKR_ARRAY_RESERVE(&links->pending, 1)) {
		free(bytes);
		return false;
	}
	for (size_t at = 0; at < count; at++) {
		const struct vkr_linked *first =
			&links->commands.items[links->bytes.items[at].first];
		bytes[at] = links->bytes.items[at];
		bytes[at].first_number = first->standing.number;
		bytes[at].first_stage = first->stage;
		vkr_engine_command_hold(model->engine, first->command);
	}
	vkr_engine_command_hold(model->engine, question->command);
	links->pending.items[links->pending.count++] =
		(struct vkr_link_pending){.question = *question, .bytes = bytes, .count = count};
	links->bytes.count = 0;
	return true;
}

static bool has_races(const struct vkr_command_links *links)
{
	for (size_t at = 0; at < links->bytes.count; at++)
		if (links->bytes.items[at].races > 0)
			return true;
	return false;
}

enum vkr_result vkr_links_judge_now(struct vkr_model *model, uint32_t command,
				    struct vkr_error *error)
{
	struct vkr_command_links *links = &model->order.links;
	size_t own = links->commands.count - 1;
	while (own > 0 && (links->commands.items[own].command != command ||
			   !vkr_engine_is_standing(model->engine, command,
						   &links->commands.items[own].standing)))
		own--;
	struct vkr_link_question question = {.command = command,
					     .number = links->commands.items[own].standing.number};
	bool failed = false;
	question.waits = may_change(model, question.number, &failed);
	enum vkr_result result = failed ? vkr_error_memory(error, "order between commands")
					: vkr_links_judge(links, model->engine, &question, error);
	if (result == VKR_OK && question.waits && (has_races(links) || question.reversed)) {
		question.ended = true;
		return add_pending(model, &question)
			       ? VKR_OK
			       : vkr_error_memory(error, "order between commands");
	}
	return result == VKR_OK ? report_doubts(model, &question, error) : result;
}

// ---- Once more ----------------------------------------------------------------------------------

static bool take_bytes(struct vkr_command_links *links, struct vkr_link_pending *pending)
{
	if (!VKR_ARRAY_RESERVE(&links->bytes, pending->count))
		return false;
	memcpy(links->bytes.items, pending->bytes, pending->count * sizeof *pending->bytes);
	links->bytes.count = pending->count;
	for (size_t at = 0; at < pending->count; at++) {
		struct vkr_link_bytes *bytes = &links->bytes.items[at];
		bytes->first = find_stage(links, bytes->first_number, bytes->first_stage);
		bytes->races = bytes->certain = 0;
	}
	return true;
}

static void give_bytes_back(struct vkr_command_links *links, struct vkr_link_pending *pending)
{
	memcpy(pending->bytes, links->bytes.items, pending->count * sizeof *pending->bytes);
	links->bytes.count = 0;
}

static void link_pending_release(struct vkr_model *model, struct vkr_link_pending *pending)
{
	const struct vkr_command_links *links = &model->order.links;
	for (size_t at = 0; at < pending->count; at++)
		vkr_engine_command_drop(
			model->engine, links->commands.items[links->bytes.items[at].first].command);
	vkr_engine_command_drop(model->engine, pending->question.command);
}

// Judges it, unless it waits on.
static enum vkr_result link_pending_settle(struct vkr_model *model,
					   struct vkr_link_pending *pending, bool all,
					   bool *settled, struct vkr_error *error)
{
	struct vkr_command_links *links = &model->order.links;
	struct vkr_link_question question = pending->question;
	bool failed = !take_bytes(links, pending);
	*settled = false;
	if (!failed && !all && may_change(model, question.number, &failed)) {
		give_bytes_back(links, pending);
		return VKR_OK;
	}
	if (failed) {
		links->bytes.count = 0;
		return vkr_error_memory(error, "order between commands");
	}
	*settled = true;
	question.waits = false;
	const enum vkr_result result = vkr_links_judge(links, model->engine, &question, error);
	link_pending_release(model, pending);
	free(pending->bytes);
	*pending = (struct vkr_link_pending){0};
	return result == VKR_OK ? report_doubts(model, &question, error) : result;
}

enum vkr_result vkr_links_settle(struct vkr_model *model, bool all, struct vkr_error *error)
{
	struct vkr_command_links *links = &model->order.links;
	enum vkr_result result = VKR_OK;
	size_t kept = 0;
	for (size_t at = 0; at < links->pending.count; at++) {
		bool settled = false;
		if (result == VKR_OK)
			result = link_pending_settle(model, &links->pending.items[at], all,
						     &settled, error);
		if (!settled)
			links->pending.items[kept++] = links->pending.items[at];
	}
	links->pending.count = kept;
	return result;
}

static bool is_ordered(const struct vkr_linked *x, const struct vkr_linked *y)
{
	return vkr_engine_stands_before(&x->standing, x->stage, &y->standing, y->stage) ||
	       vkr_engine_stands_before(&y->standing, y->stage, &x->standing, x->stage);
}

bool vkr_links_pending_need(const struct vkr_command_links *links, const struct vkr_linked *linked)
{
	for (size_t at = 0; at < links->pending.count; at++) {
		const struct vkr_link_pending *pending = &links->pending.items[at];
		for (size_t i = 0; i < pending->count; i++) {
			const struct vkr_link_bytes *bytes = &pending->bytes[i];
			const size_t first =
				find_stage(links, bytes->first_number, bytes->first_stage);
			const size_t second =
				find_stage(links, pending->question.number, bytes->second_stage);
			if (!is_ordered(linked, &links->commands.items[first]) ||
			    !is_ordered(linked, &links->commands.items[second]))
				return true;
		}
	}
	return false;
}
