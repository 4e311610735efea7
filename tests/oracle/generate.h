// SPDX-License-Identifier: Apache-2.0
// Random small executions, biased towards those that just are, or just are not, free of races.
// Knows which synchronization usually works, and leaves every verdict to others.
#pragma once

#include "sample.h"

// Makes the execution of that seed: the same on every machine. Every event order it makes is one in
// which the execution can have taken place, and it keeps the memory model's acyclicity.
void vkr_generate(struct vkr_oracle_sample *sample, uint64_t seed);

// Generates for a model: for the HRF models with the features of version 2 of the format. Here some
// executions are no candidates.
void vkr_generate_for(struct vkr_oracle_sample *sample, enum vkr_memory_model model, uint64_t seed);
