// SPDX-License-Identifier: Apache-2.0
// The layouts of events of host threads among themselves (vkrace/trace_host.h). Knows names and
// places, and not what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field_name order_names[] = {
	{VKR_HOST_ORDER_OBSERVED, "observed"}, {VKR_HOST_ORDER_OWN, "own"}, {0, NULL}};
static const struct vkr_event_field_name sync_names[] = {
	{VKR_HOST_SYNC_ANNOTATION, "annotation"},
	{VKR_HOST_SYNC_MUTEX, "mutex"},
	{VKR_HOST_SYNC_RWLOCK, "rwlock"},
	{VKR_HOST_SYNC_READERS, "readers"},
	{VKR_HOST_SYNC_SEMAPHORE, "semaphore"},
	{VKR_HOST_SYNC_BARRIER, "barrier"},
	{VKR_HOST_SYNC_ONCE, "once"},
	{VKR_HOST_SYNC_THREAD_START, "thread start"},
	{VKR_HOST_SYNC_THREAD_END, "thread end"},
	{0, NULL}};

static const struct vkr_event_field host_order_fields[] = {NAMED(host_order, order, order_names),
							   FIELD(host_order, reserved, RESERVED)};
static const struct vkr_event_field host_release_fields[] = {FIELD(host_release, object, HEX),
							     NAMED(host_release, kind, sync_names),
							     FIELD(host_release, flags, FLAGS)};
static const struct vkr_event_field host_acquire_fields[] = {
	FIELD(host_acquire, object, HEX), NAMED(host_acquire, kind, sync_names),
	FIELD(host_acquire, reserved, RESERVED)};
static const struct vkr_event_field host_ignore_fields[] = {FIELD(host_ignore, begins, NUMBER),
							    FIELD(host_ignore, reserved, RESERVED)};
static const struct vkr_event_field module_fields[] = {
	FIELD(module, first, HEX), FIELD(module, end, HEX), FIELD(module, bias, HEX),
	FIELD(module, path_bytes, COUNT), FIELD(module, build_id_bytes, COUNT)};
static const struct vkr_event_field call_stack_fields[] = {FIELD(call_stack, frame_count, COUNT),
							   FIELD(call_stack, reserved, RESERVED)};

const struct vkr_event_layout vkr_trace_host_order_layout = {"HOST_ORDER", LIST(host_order), {{0}}};
const struct vkr_event_layout vkr_trace_host_release_layout = {
	"HOST_RELEASE", LIST(host_release), {{0}}};
const struct vkr_event_layout vkr_trace_host_acquire_layout = {
	"HOST_ACQUIRE", LIST(host_acquire), {{0}}};
const struct vkr_event_layout vkr_trace_host_ignore_layout = {
	"HOST_IGNORE", LIST(host_ignore), {{0}}};
const struct vkr_event_layout vkr_trace_module_layout = {
	"MODULE",
	LIST(module),
	{{VKR_TAIL_TEXT, "path", offsetof(struct vkr_trace_module, path_bytes), NULL},
	 {VKR_TAIL_TEXT, "build_id", offsetof(struct vkr_trace_module, build_id_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_call_stack_layout = {
	"CALL_STACK",
	LIST(call_stack),
	{{VKR_TAIL_FRAMES, "frames", offsetof(struct vkr_trace_call_stack, frame_count), NULL}}};
