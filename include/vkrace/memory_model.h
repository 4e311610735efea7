// SPDX-License-Identifier: Apache-2.0
// The memory models that an execution can be judged under, and the readings of those documents that
// leave room for two. Knows their names; docs/models.md says what they mean.
#pragma once

#include <stdbool.h>

// X(NAME, text, document). The first is the default.
#define VKR_MEMORY_MODELS(X)                                                                       \
	X(VULKAN, "vulkan", "Vulkan specification, appendix \"Memory Model\", 2023")               \
	X(VULKAN_2018, "vulkan-2018", "Vulkan memory model as first published, 2018")              \
	X(HRF_DIRECT, "hrf-direct", "HRF-direct-relaxed, TACO 12 (2015) 7, figures 9, 13, 14")     \
	X(HRF_INDIRECT, "hrf-indirect", "HRF-indirect-relaxed, figures 9, 12, 13, 14")             \
	X(HRF_OPENCL, "hrf-opencl", "HRF-OpenCL, figure 17")

enum vkr_memory_model {
#define VKR_MEMORY_MODEL(name, text, document) VKR_MEMORY_##name,
	VKR_MEMORY_MODELS(VKR_MEMORY_MODEL)
#undef VKR_MEMORY_MODEL
		VKR_MEMORY_MODEL_COUNT
};

// X(member, "name", "default value", "other value", what is read)
#define VKR_READINGS(X)                                                                            \
	X(direct_union, "direct-union", "scope", "agent",                                          \
	  "figure 9: the union is taken for each dynamic scope, the narrower of a pair's, or for " \
	  "each agent")                                                                            \
	X(join, "join", "two", "one",                                                              \
	  "figures 14, 17: address spaces are joined by two fences that synchronize and each "     \
	  "name both, or by one fence that names both")                                            \
	X(fence_pair, "fence-pair", "fences", "mixed",                                             \
	  "figure 14: a fence synchronizes with a fence only, or with an atomic as well")          \
	X(fence_atomics, "fence-atomics", "write-read", "any",                                     \
	  "figure 14: X and Y between two fences are a write and a read, or any two atomics")      \
	X(fence_allocation, "fence-allocation", "atomics", "none",                                 \
	  "definition 6.1: a fence affects the locations of the atomics between two fences, or "   \
	  "none")                                                                                  \
	X(atomic_overlap, "atomic-overlap", "agree", "conflict",                                   \
	  "figure 9: atomics that overlap and are not of the same bytes agree, or conflict")       \
	X(coherence, "coherence", "location", "all",                                               \
	  "figures 14, 17: happens-before is consistent with the coherent order of each "          \
	  "location, "                                                                             \
	  "or with all of them together")                                                          \
	X(sequential_atomics, "sequential", "seqcst", "atomics",                                   \
	  "figure 17: there is a sequentially consistent order if all sequentially consistent "    \
	  "operations are of one kind, or all atomics")

// Each: whether the other value is chosen.
struct vkr_readings {
#define VKR_READING(member, name, usual, other, gist) bool member;
	VKR_READINGS(VKR_READING)
#undef VKR_READING
};

// The rules that an execution is judged by; zeroed: the default model.
struct vkr_memory_rules {
	enum vkr_memory_model model;
	struct vkr_readings readings;
};

static inline bool vkr_memory_is_hrf(const struct vkr_memory_rules *rules)
{
	return rules->model == VKR_MEMORY_HRF_DIRECT || rules->model == VKR_MEMORY_HRF_INDIRECT ||
	       rules->model == VKR_MEMORY_HRF_OPENCL;
}
