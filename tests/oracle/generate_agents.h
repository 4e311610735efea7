// SPDX-License-Identifier: Apache-2.0
// Random agents in random groups. Knows how scopes nest, and nothing of events.
#pragma once

#include "random.h"
#include "sample.h"

// Two to six agents, to an execution that has none.
void vkr_generate_agents(struct vkr_oracle_sample *sample, struct vkr_random *random);

// The narrowest scope whose instance holds both.
enum vkr_litmus_scope vkr_generate_common_scope(const struct vkr_litmus_agent *a,
						const struct vkr_litmus_agent *b);
