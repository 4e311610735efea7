// SPDX-License-Identifier: Apache-2.0
// Order between invocations of one dispatch that control barriers do not give: by acquire and
// release through atomics (between those of different ones: command_links.h). Knows which shaders
// could have it, and puts the verdict off where one has: until all of the dispatch's log has been
// read (shader_sync.h).
#include "framebuffer_places.h"
#include "model_state.h"
#include "order_ladder.h"
#include "sync_log.h"

#include "error.h"
#include "site_table.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

static const struct vkr_site *site_of(const struct vkr_access_site *site)
{
	return &vkr_site_table_sites(site->shader->sites)[site->site];
}

// Whether two fragments whose covered samples are known have none in common. Of a fragment that
// covers none of the first 32 samples nothing is known.
static bool are_apart(const uint32_t *one, const uint32_t *other)
{
	return one != NULL && other != NULL && *one != 0 && *other != 0 && (*one & *other) == 0;
}

// Whether two fragments overlap, as far as their logged locations show.
static bool accesses_overlap(const struct vkr_model *model, const struct vkr_engine_access *x,
			     const struct vkr_engine_access *y)
{
	static const enum vkr_identity bits[] = {VKR_IDENTITY_FRAGMENT, VKR_IDENTITY_LAYER,
						 VKR_IDENTITY_VIEW};
	const struct vkr_invocation_group *groups = model->invocation_groups.items;
	const size_t count = model->invocation_groups.count;
	if (x->workgroup >= count || y->workgroup >= count)
		return false;
	const struct vkr_invocation_group *first = &groups[x->workgroup];
	const struct vkr_invocation_group *second = &groups[y->workgroup];
	uint32_t words[2][VKR_IDENTITY_WORDS_MOST];
	vkr_invocation_identity(first, x->local, words[0]);
	vkr_invocation_identity(second, y->local, words[1]);
	for (size_t at = vkr_framebuffer_coarse(model) ? 1 : 0; at < sizeof bits / sizeof *bits;
	     at++) {
		const uint32_t *one = vkr_invocation_told(first->identity, words[0], bits[at]);
		const uint32_t *other = vkr_invocation_told(second->identity, words[1], bits[at]);
		if (one != NULL && other != NULL &&
		    memcmp(one, other, vkr_identity_words(bits[at]) * sizeof *one) != 0)
			return false;
	}
	return vkr_framebuffer_coarse(model) ||
	       !are_apart(vkr_invocation_told(first->identity, words[0], VKR_IDENTITY_COVERAGE),
			  vkr_invocation_told(second->identity, words[1], VKR_IDENTITY_COVERAGE));
}

// The end of one fragment's interlock synchronizes with the beginning of an overlapping one's
// ("Synchronizes-With"), in whichever order they were: what only one order would make a race is
// none. Fragments overlap within one subpass.
static bool is_interlocked(const struct vkr_model *model, const struct vkr_engine_race *candidate,
			   const struct vkr_site *x, const struct vkr_site *y)
{
	const struct vkr_executed *executed = model->names.executed.items;
	return x->flags & y->flags & VKR_SITE_INTERLOCKED &&
	       executed[candidate->first.tag].subpass == executed[candidate->second.tag].subpass &&
	       executed[candidate->first.tag].queue == executed[candidate->second.tag].queue &&
	       accesses_overlap(model, &candidate->first, &candidate->second);
}

// Two overlapping fragments' accesses between interlocks.
struct interlocked_pair {
	const struct vkr_engine_race *candidate;
	const struct vkr_site *x, *y;
};

static bool interlocked_have(void *context, enum vkr_rung rung)
{
	const struct interlocked_pair *pair = context;
	switch (rung) {
	case VKR_RUNG_NONPRIVATE:
		return pair->x->flags & pair->y->flags & VKR_SITE_NONPRIVATE;
	case VKR_RUNG_REFERENCE:
		return pair->candidate->first.reference == pair->candidate->second.reference;
	case VKR_RUNG_AVAILABLE: // as the writes say themselves
		return (pair->x->flags | pair->y->flags) & VKR_SITE_MAKE_AVAILABLE;
	case VKR_RUNG_HAPPENS_BEFORE: // the interlock orders by itself
	case VKR_RUNG_DOMAIN:         // both are of shaders
	case VKR_RUNG_VISIBLE:        // the read may be the first of the two
	case VKR_RUNG_TOP:
		break;
	}
	return true;
}

static enum vkr_race_class interlocked_class(const struct vkr_engine_race *candidate,
					     const struct vkr_site *x, const struct vkr_site *y)
{
	const bool both_write = candidate->first.access & candidate->second.access &
				VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
	struct interlocked_pair pair = {candidate, x, y};
	return vkr_rung_class(vkr_ladder_climb(interlocked_have, &pair, both_write, false));
}

// For a shader that does not log its subgroups (VKR_SITE_SUBGROUP), they are taken as known if the
// workgroup has only one dimension: most drivers then assign them by local index.
uint32_t vkr_model_subgroup_size(const struct vkr_shader *shader, const struct vkr_device *device)
{
	const uint32_t *size = shader->sites->workgroup_size;
	return device != NULL && size[1] == 1 && size[2] == 1 ? device->subgroup_size : 0;
}

// Invocations that access a cooperative matrix together do not race with each other; which of them
// accesses which bytes is not known.
static bool make_together(const struct vkr_model *model, const struct vkr_engine_race *candidate,
			  const struct vkr_site *x, const struct vkr_site *y)
{
	const struct vkr_site *of = x->flags & VKR_SITE_COOPERATIVE ? x : y;
	if (!(of->flags & VKR_SITE_COOPERATIVE) ||
	    candidate->first.workgroup != candidate->second.workgroup)
		return false;
	return vkr_make_together(of->execution, model->walk.subgroup_size, candidate->first.local,
				 candidate->second.local);
}

// Storage classes that the shader's atomics may order, and, where these are judged together, its
// barriers along shader calls.
static unsigned ordered_classes(const struct vkr_model *model, const struct vkr_shader *shader)
{
	const unsigned classes = shader->orders_invocations | shader->orders_workgroups;
	return model->order.joint.kind == VKR_JOINT_CALLS ? classes | shader->orders_calls
							  : classes;
}

// Whether fragments that the shader shades are after early tests: these are in rasterization order
// with each other, and the shading is not ("Fragment Operations").
static bool is_behind_tests(const struct vkr_access_site *shading,
			    const struct vkr_access_site *tests)
{
	return tests->unshaded && shading->shader->flags & VKR_SHADER_EARLY;
}

// Whether two commands are one draw.
static bool is_one_draw(const struct vkr_executed *first, const struct vkr_executed *second)
{
	return first->info == second->info && first->submission == second->submission &&
	       first->subpass == second->subpass && first->queue == second->queue;
}

// A fragment's accesses come before its own writes to attachments, and before store operations
// ("Common Render Pass Data Races"). They do not come before what later draws write at the same
// pixel: rasterization order covers little of what shaders do ("Fragment Operations"), and no
// access to memory except interlocked ones (docs/render_passes.md). Resolved texels may be written
// at any time ("Render Pass Multisample Resolve Operations"). In other stages nothing comes before
// any output.
static bool is_before_output(const struct vkr_model *model, const struct vkr_engine_race *candidate,
			     const struct vkr_access_site *first,
			     const struct vkr_access_site *second)
{
	const struct vkr_executed *before = &model->names.executed.items[candidate->first.tag];
	const struct vkr_executed *after = &model->names.executed.items[candidate->second.tag];
	return first->kind == VKR_SITE_OF_SHADER && second->kind == VKR_SITE_OF_COMMAND &&
	       first->shader->stage == VK_SHADER_STAGE_FRAGMENT_BIT && !second->any_time &&
	       !is_behind_tests(first, second) &&
	       second->stage & (VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT |
				VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
				VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT) &&
	       before->subpass == after->subpass && before->queue == after->queue &&
	       (second->store || is_one_draw(before, after)) &&
	       vkr_framebuffer_same_pixel(model, candidate);
}

enum vkr_race_class vkr_model_shader_order(void *context, const struct vkr_engine_race *candidate)
{
	struct vkr_model *model = context;
	const struct vkr_access_site *first = &model->names.sites.items[candidate->first.site_tag];
	const struct vkr_access_site *second =
		&model->names.sites.items[candidate->second.site_tag];
	if (candidate->shortfall & (VKR_SHORT_OTHER_REGION | VKR_SHORT_OTHER_VIEW) &&
	    vkr_framebuffer_same_place(model, candidate))
		return VKR_RACE_NONE;
	// In order only: what a shader writes becomes available to attachments by nothing of this.
	const bool ordered_is_seen = vkr_memory_is_hrf(&model->options.rules);
	if (is_before_output(model, candidate, first, second))
		return first->write && !ordered_is_seen ? VKR_RACE_UNAVAILABLE : VKR_RACE_NONE;
	if (first->kind != VKR_SITE_OF_SHADER || second->kind != VKR_SITE_OF_SHADER)
		return candidate->first.command == candidate->second.command ||
				       first->kind == VKR_SITE_OF_HOST ||
				       second->kind == VKR_SITE_OF_HOST
			       ? candidate->race_class
			       : vkr_command_links_ask(model, candidate, first, second);
	const struct vkr_site *x = site_of(first), *y = site_of(second);
	if (is_interlocked(model, candidate, x, y))
		return ordered_is_seen ? VKR_RACE_NONE : interlocked_class(candidate, x, y);
	if (candidate->first.command != candidate->second.command)
		return vkr_command_links_ask(model, candidate, first, second);
	if (make_together(model, candidate, x, y))
		return VKR_RACE_NONE;
	const unsigned of_memory = x->storage_class | y->storage_class;
	const bool both = ordered_classes(model, first->shader) & of_memory &&
			  ordered_classes(model, second->shader) & of_memory;
	const struct vkr_sync_range range = {
		.memory = vkr_sync_memory(candidate->memory, candidate->second.workgroup),
		.low = candidate->offset,
		.high = candidate->offset + candidate->bytes};
	// The engine has no place for a failure here: it is reported when the command's log ends.
	if (both && model->order.joint.kind != VKR_JOINT_NONE) {
		if (!vkr_sync_ranges_add(&model->order.joint.logs.sync.ranges, &range))
			model->order.failed = true;
		return VKR_RACE_NONE;
	}
	// The log of one shader is judged after the other, without regard to shader calls.
	if (both && (first->shader != second->shader ||
		     vkr_calls_order(first->shader, second->shader, of_memory))) {
		model->order.between = true;
		return VKR_RACE_NONE;
	}
	if (both && !vkr_sync_ranges_add(&model->order.sync.ranges, &range))
		model->order.failed = true;
	model->order.tag = candidate->second.site_tag;
	if (both)
		return VKR_RACE_NONE;
	if (!vkr_calls_order(first->shader, second->shader, of_memory))
		return candidate->race_class;
	if (!vkr_sync_ranges_add(&model->order.calls.ranges, &range))
		model->order.calls.failed = true;
	return VKR_RACE_NONE;
}

enum vkr_result vkr_model_miss_subgroups(struct vkr_model *model, const char *name,
					 struct vkr_error *error)
{
	return vkr_model_missed(model, error, VKR_COVERAGE_SYNC, 0,
				"which invocations of %s share a subgroup is not known: each "
				"workgroup is treated as one subgroup",
				name);
}

static bool has_subgroup_scope(const struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->site_count; at++)
		if (sync->sites[at].scope == VKR_SCOPE_SUBGROUP &&
		    sync->sites[at].order & (VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE))
			return true;
	return false;
}

// `ambiguous` is set where something hangs on it.
static enum vkr_result note_doubts(struct vkr_model *model, const struct vkr_sync *sync,
				   const char *name, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (sync->ambiguous)
		result = vkr_model_missed(
			model, error, VKR_COVERAGE_SYNC, 0,
			"%s orders invocations by atomics whose values several of them have "
			"written: each read is treated as a read from all of these writes, and "
			"what may race otherwise is listed as possible",
			name);
	return result == VKR_OK && sync->subgroup_size == 0 && has_subgroup_scope(sync)
		       ? vkr_model_miss_subgroups(model, name, error)
		       : result;
}

static void keep_workgroup_memory(struct vkr_sync *sync)
{
	size_t kept = 0;
	for (size_t at = 0; at < sync->accesses.count; at++)
		if (sync->accesses.items[at].memory > UINT32_MAX)
			sync->accesses.items[kept++] = sync->accesses.items[at];
	sync->accesses.count = kept;
}

// Once more, where ambiguous values order nothing: what races only then is possible. `accesses`: as
// they were before they were fed.
static enum vkr_result judge_possible(struct vkr_model *model, struct vkr_sync *sync,
				      const struct vkr_sync_access *accesses, size_t count,
				      bool is_put_off, struct vkr_error *error)
{
	if (count > 0)
		memcpy(sync->accesses.items, accesses, count * sizeof *accesses);
	sync->accesses.count = count;
	if (is_put_off)
		keep_workgroup_memory(sync);
	vkr_sync_take_back(sync);
	vkr_sync_drop_doubts(sync);
	sync->judging.possible = true;
	const enum vkr_result result = vkr_sync_feed(sync, error);
	return result == VKR_OK ? vkr_sync_judge(sync, model->engine, error) : result;
}

// Atomics of other commands may order what this one's own do not: if there are races, those in
// memory that others share are judged with all commands (command_links.h).
static enum vkr_result judge_and_put_off(struct vkr_model *model, struct vkr_sync *sync,
					 const struct vkr_shader *shader, bool *is_put_off,
					 struct vkr_error *error)
{
	sync->judging.only_count = true;
	const enum vkr_result result = vkr_sync_judge(sync, model->engine, error);
	sync->judging.only_count = false;
	if (result != VKR_OK || sync->judging.races == 0)
		return result;
	if (!vkr_command_links_put_off(&model->order.links, shader, model->order.tag,
				       &sync->ranges))
		return vkr_error_memory(error, "order between commands");
	*is_put_off = true;
	keep_workgroup_memory(sync);
	return vkr_sync_judge(sync, model->engine, error);
}

static enum vkr_result judge_sync(struct vkr_model *model, struct vkr_sync *sync, const char *name,
				  const struct vkr_shader *put_off, struct vkr_error *error)
{
	const size_t count = sync->accesses.count;
	struct vkr_sync_access *accesses = NULL;
	bool is_put_off = false;
	enum vkr_result result = vkr_sync_match(sync, error);
	if (result == VKR_OK && sync->ambiguous &&
	    (accesses = malloc((count + 1) * sizeof *accesses)) == NULL)
		result = vkr_error_memory(error, "a dispatch's synchronization");
	if (accesses != NULL && count > 0)
		memcpy(accesses, sync->accesses.items, count * sizeof *accesses);
	if (result == VKR_OK)
		result = vkr_sync_feed(sync, error);
	if (result == VKR_OK)
		result = put_off == NULL || !vkr_sync_reads_others(sync)
				 ? vkr_sync_judge(sync, model->engine, error)
				 : judge_and_put_off(model, sync, put_off, &is_put_off, error);
	if (result == VKR_OK && accesses != NULL) {
		const uint64_t certain = sync->judging.races;
		sync->judging.races = 0;
		result = judge_possible(model, sync, accesses, count, is_put_off, error);
		sync->ambiguous = is_put_off || sync->judging.races != certain;
	}
	free(accesses);
	return result == VKR_OK ? note_doubts(model, sync, name, error) : result;
}

enum vkr_result vkr_model_judge_sync(struct vkr_model *model, struct vkr_sync *sync,
				     const char *name, struct vkr_error *error)
{
	return judge_sync(model, sync, name, NULL, error);
}

enum vkr_result vkr_model_judge_order(struct vkr_model *model, struct vkr_dispatch_targets *targets,
				      const struct vkr_device *device, uint32_t command,
				      const struct vkr_chunk *chunks, size_t count,
				      struct vkr_error *error)
{
	const struct vkr_program *program = targets->program;
	struct vkr_sync *sync = &model->order.sync;
	enum vkr_result result = VKR_OK;
	if (model->order.failed)
		return vkr_error_memory(error, "a dispatch's synchronization");
	const bool links = vkr_command_links_keep(model, program->shader);
	if (sync->ranges.count == 0 && !links)
		return VKR_OK;
	const bool is_open = sync->ranges.count > 0;
	vkr_sync_ranges_merge(&sync->ranges);
	sync->local_size = targets->local_size;
	sync->sites = vkr_site_table_sites(program->shader->sites);
	sync->site_count = program->shader->sites->site_count;
	sync->subgroup_size = targets->subgroup_size;
	sync->rules = model->options.rules;
	sync->chains = device != NULL && (device->flags & VKR_DEVICE_AVAILABILITY_CHAINS);
	sync->command = command;
	sync->shared = links;
	result = vkr_sync_collect(sync, targets, chunks, count, error);
	if (result == VKR_OK && links &&
	    !vkr_command_links_add(&model->order.links, program->shader, sync))
		result = vkr_error_memory(error, "a dispatch's synchronization");
	vkr_sync_keep_ranges(sync);
	if (result == VKR_OK && is_open)
		result = judge_sync(model, sync, vkr_shader_title(program->shader),
				    links ? program->shader : NULL, error);
	vkr_sync_clear(sync);
	return result;
}
