// SPDX-License-Identifier: Apache-2.0
// What submissions and synchronization objects are made of. Knows names and places, and not what
// they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field batch_fields[] = {
	FIELD(batch, wait_count, NUMBER), FIELD(batch, execution_count, NUMBER),
	FIELD(batch, signal_count, NUMBER), FIELD(batch, reserved, RESERVED)};
static const struct vkr_event_field semaphore_operation_fields[] = {
	FIELD(semaphore_operation, semaphore, NUMBER),
	FIELD(semaphore_operation, reserved, RESERVED), FIELD(semaphore_operation, value, NUMBER),
	FIELD(semaphore_operation, stages, FLAGS)};
static const struct vkr_event_field execution_fields[] = {FIELD(execution, execution, NUMBER),
							  FIELD(execution, recording, NUMBER)};
static const struct vkr_event_field sync_event_fields[] = {
	FIELD(sync_event, event, NUMBER), FIELD(sync_event, device, NUMBER),
	FIELD(sync_event, flags, FLAGS), FIELD(sync_event, reserved, RESERVED)};
static const struct vkr_event_field sync_event_destroy_fields[] =
	ID_FIELDS(sync_event_destroy, event);
static const struct vkr_event_field sync_event_set_fields[] = ID_FIELDS(sync_event_set, event);
static const struct vkr_event_field sync_event_reset_fields[] = ID_FIELDS(sync_event_reset, event);
static const struct vkr_event_field sync_event_seen_fields[] = ID_FIELDS(sync_event_seen, event);
static const struct vkr_event_field submit_fields[] = {
	FIELD(submit, submission, NUMBER),  FIELD(submit, queue, NUMBER),
	FIELD(submit, fence, NUMBER),       FIELD(submit, batch_count, COUNT),
	FIELD(submit, wait_count, COUNT),   FIELD(submit, execution_count, COUNT),
	FIELD(submit, signal_count, COUNT), FIELD(submit, sparse, NUMBER)};
static const struct vkr_event_field submit_failed_fields[] = {
	FIELD(submit_failed, submission, NUMBER), FIELD(submit_failed, result, NUMBER)};
static const struct vkr_event_field gpu_log_fields[] = {FIELD(gpu_log, execution, NUMBER),
							FIELD(gpu_log, word_count, COUNT),
							FIELD(gpu_log, first_word, NUMBER)};
static const struct vkr_event_field gpu_column_log_fields[] = {
	FIELD(gpu_column_log, execution, NUMBER),   FIELD(gpu_column_log, word_count, COUNT),
	FIELD(gpu_column_log, command, NUMBER),     FIELD(gpu_column_log, first_group, NUMBER),
	FIELD(gpu_column_log, group_count, NUMBER), FIELD(gpu_column_log, local_size, NUMBER),
	FIELD(gpu_column_log, columns, NUMBER),     FIELD(gpu_column_log, reserved, RESERVED),
	ARRAY(gpu_column_log, groups, NUMBER),      FIELD(gpu_column_log, reserved2, RESERVED)};
static const struct vkr_event_field execution_end_fields[] = {
	FIELD(execution_end, execution, NUMBER), FIELD(execution_end, flags, FLAGS),
	FIELD(execution_end, lost_words, NUMBER)};
static const struct vkr_event_field commands_logged_fields[] = {
	FIELD(commands_logged, execution, NUMBER), FIELD(commands_logged, command, NUMBER)};
static const struct vkr_event_field_name left_out_names[] = {
	{VKR_LEFT_OUT_FRAME, "frame"},   {VKR_LEFT_OUT_SAMPLE, "sample"},
	{VKR_LEFT_OUT_BUDGET, "budget"}, {VKR_LEFT_OUT_PAUSE, "pause"},
	{VKR_LEFT_OUT_ENOUGH, "enough"}, {0, NULL}};
static const struct vkr_event_field execution_left_out_fields[] = {
	FIELD(execution_left_out, execution, NUMBER),
	NAMED(execution_left_out, reason, left_out_names)};
static const struct vkr_event_field fence_fields[] = {
	FIELD(fence, fence, NUMBER), FIELD(fence, device, NUMBER), FIELD(fence, signaled, NUMBER),
	FIELD(fence, reserved, RESERVED)};
static const struct vkr_event_field fence_destroy_fields[] = ID_FIELDS(fence_destroy, fence);
static const struct vkr_event_field fence_reset_fields[] = ID_FIELDS(fence_reset, fence);
static const struct vkr_event_field fence_wait_fields[] = ID_FIELDS(fence_wait, fence);
static const struct vkr_event_field queue_idle_fields[] = ID_FIELDS(queue_idle, queue);
static const struct vkr_event_field device_idle_fields[] = ID_FIELDS(device_idle, device);
static const struct vkr_event_field semaphore_fields[] = {
	FIELD(semaphore, semaphore, NUMBER), FIELD(semaphore, device, NUMBER),
	FIELD(semaphore, type, NUMBER), FIELD(semaphore, reserved, RESERVED),
	FIELD(semaphore, value, NUMBER)};
static const struct vkr_event_field semaphore_destroy_fields[] =
	ID_FIELDS(semaphore_destroy, semaphore);
static const struct vkr_event_field semaphore_signal_fields[] = {
	FIELD(semaphore_signal, semaphore, NUMBER), FIELD(semaphore_signal, reserved, RESERVED),
	FIELD(semaphore_signal, value, NUMBER)};
static const struct vkr_event_field semaphore_wait_fields[] = {
	FIELD(semaphore_wait, semaphore, NUMBER), FIELD(semaphore_wait, reserved, RESERVED),
	FIELD(semaphore_wait, value, NUMBER)};
static const struct vkr_event_field_list batch_item = LIST(batch);
static const struct vkr_event_field_list semaphore_operation_item = LIST(semaphore_operation);
static const struct vkr_event_field_list execution_item = LIST(execution);

const struct vkr_event_layout vkr_trace_submit_layout = {
	"SUBMIT",
	LIST(submit),
	{{VKR_TAIL_ITEMS, "batch", offsetof(struct vkr_trace_submit, batch_count), &batch_item},
	 {VKR_TAIL_ITEMS, "wait", offsetof(struct vkr_trace_submit, wait_count),
	  &semaphore_operation_item},
	 {VKR_TAIL_ITEMS, "execution", offsetof(struct vkr_trace_submit, execution_count),
	  &execution_item},
	 {VKR_TAIL_ITEMS, "signal", offsetof(struct vkr_trace_submit, signal_count),
	  &semaphore_operation_item}}};
const struct vkr_event_layout vkr_trace_submit_failed_layout = {
	"SUBMIT_FAILED", LIST(submit_failed), {{0}}};
const struct vkr_event_layout vkr_trace_gpu_log_layout = {
	"GPU_LOG",
	LIST(gpu_log),
	{{VKR_TAIL_LOG, "words", offsetof(struct vkr_trace_gpu_log, word_count), NULL}}};
const struct vkr_event_layout vkr_trace_gpu_column_log_layout = {
	"GPU_COLUMN_LOG",
	LIST(gpu_column_log),
	{{VKR_TAIL_COLUMN_LOG, "words", offsetof(struct vkr_trace_gpu_column_log, word_count),
	  NULL}}};
const struct vkr_event_layout vkr_trace_execution_end_layout = {
	"EXECUTION_END", LIST(execution_end), {{0}}};
const struct vkr_event_layout vkr_trace_commands_logged_layout = {
	"COMMANDS_LOGGED", LIST(commands_logged), {{0}}};
const struct vkr_event_layout vkr_trace_execution_left_out_layout = {
	"EXECUTION_LEFT_OUT", LIST(execution_left_out), {{0}}};
const struct vkr_event_layout vkr_trace_fence_layout = {"FENCE", LIST(fence), {{0}}};
const struct vkr_event_layout vkr_trace_fence_destroy_layout = {
	"FENCE_DESTROY", LIST(fence_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_fence_reset_layout = {
	"FENCE_RESET", LIST(fence_reset), {{0}}};
const struct vkr_event_layout vkr_trace_fence_wait_layout = {"FENCE_WAIT", LIST(fence_wait), {{0}}};
const struct vkr_event_layout vkr_trace_queue_idle_layout = {"QUEUE_IDLE", LIST(queue_idle), {{0}}};
const struct vkr_event_layout vkr_trace_device_idle_layout = {
	"DEVICE_IDLE", LIST(device_idle), {{0}}};
const struct vkr_event_layout vkr_trace_semaphore_layout = {"SEMAPHORE", LIST(semaphore), {{0}}};
const struct vkr_event_layout vkr_trace_semaphore_destroy_layout = {
	"SEMAPHORE_DESTROY", LIST(semaphore_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_semaphore_signal_layout = {
	"SEMAPHORE_SIGNAL", LIST(semaphore_signal), {{0}}};
const struct vkr_event_layout vkr_trace_semaphore_wait_layout = {
	"SEMAPHORE_WAIT", LIST(semaphore_wait), {{0}}};
const struct vkr_event_layout vkr_trace_sync_event_layout = {"EVENT", LIST(sync_event), {{0}}};
const struct vkr_event_layout vkr_trace_sync_event_destroy_layout = {
	"EVENT_DESTROY", LIST(sync_event_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_sync_event_set_layout = {
	"EVENT_SET", LIST(sync_event_set), {{0}}};
const struct vkr_event_layout vkr_trace_sync_event_reset_layout = {
	"EVENT_RESET", LIST(sync_event_reset), {{0}}};
const struct vkr_event_layout vkr_trace_sync_event_seen_layout = {
	"EVENT_SEEN", LIST(sync_event_seen), {{0}}};
