// SPDX-License-Identifier: Apache-2.0
// Query pools, found by their ids, and what the host does to queries. Knows what a query's state
// is; not the commands that change it.
#pragma once

#include "map.h"
#include "model_objects.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdint.h>

struct vkr_model;

struct vkr_query_pool {
	uint32_t id, device, type, count;
	uint32_t statistics, counters, feedback;
	// A query's state is a location: byte `query` of it.
	struct vkr_buffer locations;
	uint32_t ended; // queries from this one on have never been made available
};

struct vkr_query_tokens {
	struct vkr_map ends; // pool << 32 | query -> token: what made the query available last
};

void vkr_query_tokens_finish(struct vkr_query_tokens *tokens);

// NULL where there is none.
struct vkr_query_pool *vkr_query_pool_find(const struct vkr_model *model, uint32_t id);

// The query was made available on a queue: whoever sees that happens-after what the token holds.
enum vkr_result vkr_query_ended(struct vkr_model *model, struct vkr_query_pool *pool,
				uint32_t query, uint32_t token,
				struct vkr_error *error) VKR_MUST_USE;

// QUERY_POOL, QUERY_POOL_DESTROY, QUERY_RESET.
enum vkr_result vkr_query_pools_event(struct vkr_model *model, const struct vkr_trace_event *event,
				      struct vkr_error *error) VKR_MUST_USE;

// QUERY_SEEN: first whether all these queries have been made available as far as is judged, then,
// where nothing more can be judged, the order that their end has.
bool vkr_queries_ended(const struct vkr_model *model, const struct vkr_query_pool *pool,
		       uint32_t first, uint32_t count);
enum vkr_result vkr_queries_seen(struct vkr_model *model, const struct vkr_query_pool *pool,
				 uint32_t first, uint32_t count,
				 struct vkr_error *error) VKR_MUST_USE;
