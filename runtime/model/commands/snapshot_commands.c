// SPDX-License-Identifier: Apache-2.0
// Waits for the copies of memory that commands read as their parameters. Does not know what the
// parameters mean.
#include "command_walk.h"

#include "event_payload.h"

enum vkr_result vkr_walk_snapshot(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_snapshot *snapshot = vkr_event_payload(event);
	struct vkr_model *model = walk->model;
	const struct vkr_log *log = vkr_log_store_find(&model->logs, walk->execution);
	const bool there = vkr_snapshots_has(&model->snapshots, walk->execution,
					     vkr_walk_top(walk)->base + snapshot->command);
	// What has not come with the log never will.
	walk->waits_for_snapshot =
		!there && (log == NULL || !log->ended) && !model->submissions.ended;
	walk->waiting = walk->waits_for_snapshot;
	return VKR_OK;
}

bool vkr_walk_snapshot_read(const struct vkr_walk *walk, uint32_t command, uint64_t address,
			    void *to, size_t bytes)
{
	return vkr_snapshots_read(&walk->model->snapshots, walk->execution,
				  vkr_walk_top(walk)->base + command, address, to, bytes);
}
