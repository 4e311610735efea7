// SPDX-License-Identifier: Apache-2.0
// Dispatches: recorded, led to their block, cut and stopped for so that logs fit.
// Knows how a dispatch finds its block; not what it logs.
#include "buffer_addresses.h"
#include "command_buffer.h"

#include "log_commands.h"
#include "logging_pipeline.h"
#include "record.h"
#include "settings.h"
#include "snapshots.h"

#include "vkrace/gpu_log.h"

#include <assert.h>
#include <string.h>

// How many invocations may log between two drains where it is not known how much each logs: what
// the smallest log of one execution (log_memory.c) holds at some kilobytes each.
#define INVOCATIONS_PER_DRAIN (UINT64_C(64) << 10)

// How many words each may log at least before that is, however small the log was made.
#define UNKNOWN_WORDS UINT64_C(1024)

// Words around a column log: its header, and what lies idle so that the next one is aligned.
#define COLUMN_LOG_WORDS (UINT64_C(4) * VKR_COLUMN_LOG_HEADER_PAIRS)

// Pairs of a column log, at least where that is a small part of the log, whose invocations log it
// is not known how much: with few invocations one may well log a lot.
#define COLUMN_LOG_PAIRS UINT64_C(0x1000000)
#define SMALL_PART       4u

// The part of a column log's room that is left to invocations that need more than most do.
#define SPILL_PART 4u

// An invocation gets room for this many times the most that an earlier one has logged.
#define LEARNED_MARGIN UINT64_C(4)

// Words of marks for each invocation of a dispatch whose reads have some (struct vkr_gpu_block), or
// as many as it logs at most; and in all: at least, at most, and in parts of the log.
#define MARK_WORDS_EACH  UINT64_C(16)
#define MARK_WORDS_LEAST UINT64_C(1024)
#define MARK_WORDS_MOST  (UINT64_C(1) << 22)
#define MARKS_PART       16u

// Words that lie idle before the marks.
#define MARK_GAP_WORDS (UINT64_C(2) * VKR_READER_MARKS_ALIGNMENT)

struct dispatch {
	uint32_t base[3], groups[3];
};

// Setting INVOCATIONS_PER_DRAIN: this many, whatever they log. 0: not set.
static uint64_t invocations_setting(void)
{
	static _Atomic uint64_t setting = UINT64_MAX;
	uint64_t value = atomic_load_explicit(&setting, memory_order_relaxed);
	if (value == UINT64_MAX) {
		value = vkr_setting_number(VKR_SETTING_INVOCATIONS_PER_DRAIN, 0);
		atomic_store_explicit(&setting, value, memory_order_relaxed);
	}
	return value;
}

// Whether what it does follows from its shader's summary, and it is certain to run.
static bool is_summarized(const struct vkr_layer_command_buffer *buffer)
{
	const struct vkr_layer_pipeline *pipeline = buffer->compute;
	return pipeline && pipeline->logging && !buffer->is_conditional &&
	       !(pipeline->pushed & ~buffer->push.known) &&
	       (!pipeline->rest.uniforms || vkr_snapshots_apply(buffer));
}

// How much an invocation of the dispatch logs.
static const struct vkr_log_shape *shape_of(const struct vkr_layer_command_buffer *buffer)
{
	return is_summarized(buffer) ? &buffer->compute->rest : &buffer->compute->log;
}

// Words that one invocation of the bound pipeline logs, at most or by experience.
static uint64_t words_of_invocation(const struct vkr_layer_command_buffer *buffer)
{
	uint64_t setting = invocations_setting();
	const struct vkr_log_shape *shape = shape_of(buffer);
	uint64_t known = shape->words;
	if (known && !setting)
		return known;
	uint64_t learned = setting ? 0 : atomic_load(shape->learned);
	if (learned)
		return 2 * (LEARNED_MARGIN * learned + shape->tail);
	uint64_t words =
		vkr_log_region_room(buffer->device) / (setting ? setting : INVOCATIONS_PER_DRAIN);
	if (!setting)
		return words > UNKNOWN_WORDS ? words : UNKNOWN_WORDS;
	return words > known ? words : known ? known : 2;
}

static void prepare_block(struct vkr_layer_command_buffer *buffer, struct vkr_gpu_block *block)
{
	vkr_log_prepare_block(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, block);
}

static bool hooks_dispatch_logs(const struct vkr_layer_command_buffer *buffer)
{
	return buffer && buffer->compute && buffer->compute->logs;
}

static uint64_t groups_of(const struct dispatch *dispatch)
{
	return (uint64_t)dispatch->groups[0] * dispatch->groups[1] * dispatch->groups[2];
}

// Words that are free for columns now, if so many stand around them.
static uint64_t free_words(const struct vkr_layer_command_buffer *buffer, uint64_t around)
{
	const uint64_t room = vkr_log_region_room(buffer->device), used = buffer->track->words;
	return used + around < room ? room - used - around : 0;
}

// Words of marks that a dispatch of this many invocations gets: a power of two, or none.
static uint32_t mark_words_for(const struct vkr_layer_command_buffer *buffer, uint64_t invocations)
{
	const uint32_t least = shape_of(buffer)->marks, known = shape_of(buffer)->words;
	const uint64_t each = known && known < MARK_WORDS_EACH ? known : MARK_WORDS_EACH;
	const uint64_t part = vkr_log_region_room(buffer->device) / MARKS_PART;
	const uint64_t most = part < MARK_WORDS_MOST ? part : MARK_WORDS_MOST;
	uint64_t words = MARK_WORDS_LEAST;
	while (words < most && words / each < invocations)
		words *= 2;
	while (words > most)
		words /= 2;
	return least && words >= least ? (uint32_t)words : 0;
}

// What the block says of them.
static uint32_t told_marks(const struct vkr_column_log *column_log)
{
	return column_log->mark_words ? (uint32_t)column_log->marks |
						(uint32_t)__builtin_ctz(column_log->mark_words)
				      : 0;
}

// Words that column logs have around them.
static uint64_t words_around(const struct vkr_column_log *column_log)
{
	return COLUMN_LOG_WORDS +
	       (column_log->mark_words ? MARK_GAP_WORDS + column_log->mark_words : 0);
}

// The columns that a column log for this many invocations should have: by what each logs at most,
// or may log.
static uint64_t columns_wanted(const struct vkr_layer_command_buffer *buffer, uint64_t invocations)
{
	const uint64_t known = shape_of(buffer)->words / 2;
	assert(invocations > 0);
	if (known)
		return known;
	const uint64_t least = words_of_invocation(buffer) / 2;
	const uint64_t part = vkr_log_region_room(buffer->device) / 2 / SMALL_PART;
	const uint64_t share = (part < COLUMN_LOG_PAIRS ? part : COLUMN_LOG_PAIRS) / invocations;
	return share > least ? share : least;
}

// The columns that it gets. 0: there is too little room.
static uint64_t columns_for(const struct vkr_layer_command_buffer *buffer, uint64_t invocations,
			    uint64_t around)
{
	const uint64_t wanted = columns_wanted(buffer, invocations);
	uint64_t pairs = free_words(buffer, around) / 2;
	if (shape_of(buffer)->spills)
		pairs -= pairs / SPILL_PART;
	const uint64_t most = pairs / invocations;
	const uint64_t columns = wanted < most ? wanted : most;
	if (shape_of(buffer)->words && most < wanted)
		return 0;
	return columns < UINT32_MAX ? columns : UINT32_MAX;
}

// Pairs at the end of an invocation's columns that show that it may have lacked room.
static uint32_t tail_of(const struct vkr_log_shape *shape)
{
	return shape->words || shape->spills || shape->streams ? 0 : shape->tail;
}

static uint32_t first_group(const struct dispatch *whole, const struct dispatch *slice)
{
	return slice->base[0] +
	       whole->groups[0] * (slice->base[1] + whole->groups[1] * slice->base[2]);
}

// What the first invocation of a dispatch tells for all: of its first slice.
static struct vkr_told told_by(const struct vkr_layer_command_buffer *buffer,
			       const struct dispatch *whole, const struct dispatch *slice)
{
	const bool is_first = !memcmp(whole->base, slice->base, sizeof whole->base);
	return (struct vkr_told){
		.invocation = first_group(whole, slice) * buffer->compute->group_invocations,
		.words = is_first ? shape_of(buffer)->uniforms : 0,
	};
}

// Leads the dispatch, or a slice of `whole`, to a block with a column log.
static void prepare_column_log(struct vkr_layer_command_buffer *buffer, uint32_t command,
			       const struct dispatch *whole, const struct dispatch *slice)
{
	const struct vkr_layer_pipeline *pipeline = buffer->compute;
	const struct vkr_log_shape *shape = shape_of(buffer);
	const uint64_t invocations = groups_of(slice) * pipeline->group_invocations;
	struct vkr_column_log column_log = {
		.mark_words = mark_words_for(buffer, invocations),
		.command = command,
		.pitch = (uint32_t)invocations,
		.first_group = first_group(whole, slice),
		.groups = {whole->groups[0], whole->groups[1], whole->groups[2]},
		.local_size = pipeline->group_invocations,
		.learned = shape->learned,
		.least = shape->least,
		.record = shape->record,
		.tail = tail_of(shape),
		.streams = shape->streams,
		.whole = is_summarized(buffer),
	};
	if (buffer->track && invocations) {
		const uint64_t around = words_around(&column_log);
		vkr_log_stop_for(buffer,
				 2 * invocations * columns_wanted(buffer, invocations) + around);
		column_log.columns = (uint32_t)columns_for(buffer, invocations, around);
	}
	column_log.pairs = VKR_COLUMN_LOG_HEADER_PAIRS + column_log.columns * invocations;
	if (!column_log.columns || !vkr_track_column_log(buffer->track, &column_log)) {
		if (invocations)
			vkr_record_coverage(VKR_COVERAGE_LOG, 0, 0,
					    "a dispatch of %llu invocations is not observed: the "
					    "log has no room for it",
					    (unsigned long long)invocations);
		prepare_block(buffer, NULL);
		return;
	}
	struct vkr_gpu_block block = {
		.command = command,
		.room = column_log.columns,
		.groups = {whole->groups[0], whole->groups[1], whole->groups[2]},
		.pitch = column_log.pitch,
		.column_log = (uint32_t)column_log.first + VKR_COLUMN_LOG_HEADER_PAIRS -
			      column_log.first_group * column_log.local_size,
	};
	if (column_log.mark_words)
		block.reader_marks = told_marks(&column_log);
	const struct vkr_told told = told_by(buffer, whole, slice);
	vkr_log_prepare_told(buffer, &block, &told);
}

// Leads a dispatch that logs nothing else to where one invocation tells what all load alike.
static void prepare_told(struct vkr_layer_command_buffer *buffer, uint32_t command,
			 const struct dispatch *dispatch)
{
	const struct vkr_gpu_block block = {.command = command};
	const struct vkr_told told = told_by(buffer, dispatch, dispatch);
	vkr_log_prepare_told(buffer, &block, &told);
}

static void dispatch_slice(struct vkr_layer_command_buffer *buffer, uint32_t command,
			   const struct dispatch *whole, const struct dispatch *slice)
{
	prepare_column_log(buffer, command, whole, slice);
	buffer->device->next.CmdDispatchBase(buffer->handle, slice->base[0], slice->base[1],
					     slice->base[2], slice->groups[0], slice->groups[1],
					     slice->groups[2]);
}

// Cuts the part of a dispatch along `axis` into slices of at most `groups` workgroups, and along
// the axes below where one step of this axis is too much.
static void dispatch_slices(struct vkr_layer_command_buffer *buffer, uint32_t command,
			    const struct dispatch *whole, const struct dispatch *part, int axis,
			    uint64_t groups)
{
	uint64_t step = 1;
	for (int i = 0; i < axis; i++)
		step *= part->groups[i];
	uint64_t steps = groups / step;
	struct dispatch slice = *part;
	for (uint32_t at = 0; at < part->groups[axis];) {
		uint32_t left = part->groups[axis] - at;
		slice.base[axis] = part->base[axis] + at;
		slice.groups[axis] = steps && steps < left ? (uint32_t)steps : left;
		if (!steps)
			slice.groups[axis] = 1;
		if (steps || axis == 0)
			dispatch_slice(buffer, command, whole, &slice);
		else
			dispatch_slices(buffer, command, whole, &slice, axis - 1, groups);
		at += slice.groups[axis];
	}
}

// Dispatches in slices; false where nothing needs to be cut.
static bool dispatch_cut(struct vkr_layer_command_buffer *buffer, uint32_t command,
			 const struct dispatch *whole)
{
	uint64_t words = buffer->compute->group_invocations * words_of_invocation(buffer);
	const struct vkr_column_log largest = {
		.mark_words = mark_words_for(buffer, groups_of(whole) *
							     buffer->compute->group_invocations)};
	const uint64_t room = vkr_log_region_room(buffer->device), around = words_around(&largest);
	const uint64_t fit = room > around ? (room - around) / words : 0;
	if (!vkr_log_can_stop(buffer) || groups_of(whole) <= fit)
		return false;
	dispatch_slices(buffer, command, whole, whole, 2, fit ? fit : 1);
	return true;
}

static uint32_t record_dispatch(struct vkr_layer_command_buffer *buffer,
				const struct dispatch *dispatch)
{
	struct vkr_trace_cmd_dispatch payload = {.command = vkr_command_index(buffer)};
	if (is_summarized(buffer) && buffer->compute->rest.uniforms)
		vkr_snapshots_await(buffer, payload.command);
	memcpy(payload.base, dispatch->base, sizeof payload.base);
	memcpy(payload.groups, dispatch->groups, sizeof payload.groups);
	if (is_summarized(buffer)) {
		payload.flags = VKR_DISPATCH_SUMMARIZED;
		while (payload.pushed_count < VKR_SUMMARY_PUSHED_BYTES / 4 &&
		       buffer->compute->pushed >> payload.pushed_count)
			payload.pushed_count++;
	}
	const size_t bytes = payload.pushed_count * sizeof *buffer->push.words;
	uint32_t *pushed =
		vkr_command_event(buffer, VKR_TRACE_CMD_DISPATCH, &payload, sizeof payload, bytes);
	for (uint32_t word = 0; pushed && word < payload.pushed_count; word++)
		if (buffer->compute->pushed >> word & 1)
			pushed[word] = buffer->push.words[word];
	return payload.command;
}

// Binds the pipeline that logs everything in place of the one that the program has bound. False
// where it cannot be made.
static bool bind_logging(const struct vkr_layer_command_buffer *buffer)
{
	const struct vkr_layer_pipeline *pipeline = buffer->compute;
	if (!pipeline->logging)
		return true;
	const VkPipeline handle =
		vkr_logging_pipeline_get(pipeline->logging, pipeline->layout->own);
	if (handle)
		buffer->device->next.CmdBindPipeline(buffer->handle, VK_PIPELINE_BIND_POINT_COMPUTE,
						     handle);
	else
		vkr_record_coverage(VKR_COVERAGE_SHADER, pipeline->shaders[0], 0,
				    "a dispatch is not observed: the driver refused a pipeline "
				    "with the instrumented module");
	return handle != VK_NULL_HANDLE;
}

// Binds the program's pipeline again.
static void bind_own(const struct vkr_layer_command_buffer *buffer)
{
	const struct vkr_layer_pipeline *pipeline = buffer ? buffer->compute : NULL;
	if (pipeline && pipeline->logging)
		buffer->device->next.CmdBindPipeline(buffer->handle, VK_PIPELINE_BIND_POINT_COMPUTE,
						     pipeline->handle);
}

// Records and prepares the dispatch. False where it was dispatched in slices.
static bool prepare_dispatch(struct vkr_layer_command_buffer *buffer,
			     const struct dispatch *dispatch)
{
	if (!buffer)
		return true;
	uint32_t command = record_dispatch(buffer, dispatch);
	if (!hooks_dispatch_logs(buffer))
		vkr_push_data_leave(buffer);
	const bool logs_rest = hooks_dispatch_logs(buffer) && is_summarized(buffer);
	if (!hooks_dispatch_logs(buffer) ||
	    (logs_rest && !buffer->compute->rest.record && !buffer->compute->rest.uniforms))
		return true;
	if (buffer->compute->left_out) {
		prepare_block(buffer, NULL);
		return true;
	}
	if (logs_rest && !buffer->compute->rest.record) {
		prepare_told(buffer, command, dispatch);
		return true;
	}
	if (!logs_rest && !bind_logging(buffer)) {
		prepare_block(buffer, NULL);
		return true;
	}
	if (dispatch_cut(buffer, command, dispatch))
		return false;
	prepare_column_log(buffer, command, dispatch, dispatch);
	return true;
}

// The dispatch has been passed on.
static void end_dispatch(const struct vkr_layer_command_buffer *buffer)
{
	if (buffer && !is_summarized(buffer))
		bind_own(buffer);
}

// How many invocations there will be is not known: half of the log.
static void prepare_indirect(struct vkr_layer_command_buffer *buffer, uint32_t command)
{
	const struct vkr_log_shape *shape = &buffer->compute->log;
	uint64_t pairs = 0;
	struct vkr_column_log column_log = {
		.mark_words = mark_words_for(buffer, INVOCATIONS_PER_DRAIN),
		.command = command,
		.columns = shape->words / 2,
		.local_size = buffer->compute->group_invocations,
		.learned = shape->learned,
		// The shader divides in floats, see instrument/log_columns.c.
		.least = shape->least + 1 + (shape->least >> 15),
		.record = shape->record,
		.tail = tail_of(shape),
	};
	if (buffer->track) {
		const uint64_t around = words_around(&column_log);
		vkr_log_stop_for(buffer, vkr_log_region_room(buffer->device) / 2 + around);
		pairs = free_words(buffer, around) / 4;
	}
	column_log.pairs = VKR_COLUMN_LOG_HEADER_PAIRS + pairs;
	if (!pairs || !vkr_track_column_log(buffer->track, &column_log)) {
		vkr_record_coverage(VKR_COVERAGE_LOG, 0, 0,
				    "an indirect dispatch is not observed: the log has no room for "
				    "it");
		prepare_block(buffer, NULL);
		return;
	}
	struct vkr_gpu_block block = {
		.command = command,
		.room = (uint32_t)pairs,
		.column_log = (uint32_t)column_log.first + VKR_COLUMN_LOG_HEADER_PAIRS,
		.reader_marks = told_marks(&column_log),
	};
	prepare_block(buffer, &block);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y,
					   uint32_t z)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_layer_device *device = buffer ? buffer->device : vkr_device_of(handle);
	if (prepare_dispatch(buffer, &(struct dispatch){.groups = {x, y, z}}))
		device->next.CmdDispatch(handle, x, y, z);
	end_dispatch(buffer);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDispatchBase(VkCommandBuffer handle, uint32_t base_x,
					       uint32_t base_y, uint32_t base_z, uint32_t x,
					       uint32_t y, uint32_t z)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_layer_device *device = buffer ? buffer->device : vkr_device_of(handle);
	struct dispatch dispatch = {{base_x, base_y, base_z}, {x, y, z}};
	if (prepare_dispatch(buffer, &dispatch))
		device->next.CmdDispatchBase(handle, base_x, base_y, base_z, x, y, z);
	end_dispatch(buffer);
}

void vkr_dispatch_begin_indirect(struct vkr_layer_command_buffer *buffer, uint32_t command)
{
	if (!hooks_dispatch_logs(buffer)) {
		vkr_push_data_leave(buffer);
		return;
	}
	if (buffer->compute->left_out || !bind_logging(buffer)) {
		prepare_block(buffer, NULL);
		return;
	}
	prepare_indirect(buffer, command);
}

void vkr_dispatch_end_indirect(struct vkr_layer_command_buffer *buffer)
{
	bind_own(buffer);
}

static void begin_indirect(struct vkr_layer_command_buffer *buffer, VkBuffer arguments,
			   VkDeviceSize offset)
{
	const struct vkr_layer_buffer *found = vkr_command_find_buffer(buffer, arguments);
	const struct vkr_trace_cmd_dispatch_indirect payload = {
		.command = vkr_command_index(buffer),
		.buffer = found ? found->id : 0,
		.offset = offset,
	};
	vkr_command_event(buffer, VKR_TRACE_CMD_DISPATCH_INDIRECT, &payload, sizeof payload, 0);
	vkr_dispatch_begin_indirect(buffer, payload.command);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer arguments,
						   VkDeviceSize offset)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		begin_indirect(buffer, arguments, offset);
	vkr_command_device(buffer, handle)->next.CmdDispatchIndirect(handle, arguments, offset);
	vkr_dispatch_end_indirect(buffer);
}

#ifdef VK_KHR_device_address_commands
VKAPI_ATTR void VKAPI_CALL vkr_CmdDispatchIndirect2KHR(VkCommandBuffer handle,
						       const VkDispatchIndirect2InfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		const struct vkr_buffer_place at =
			vkr_buffer_addresses_place(buffer->device, info->addressRange.address);
		begin_indirect(buffer, at.buffer, at.offset);
	}
	vkr_command_device(buffer, handle)->next.CmdDispatchIndirect2KHR(handle, info);
	vkr_dispatch_end_indirect(buffer);
}
#endif
