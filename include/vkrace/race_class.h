// SPDX-License-Identifier: Apache-2.0
// The classes of data races: which part of location-order is missing (Vulkan specification,
// appendix "Memory Model", "Location-Ordered"). Knows only their names.
#pragma once

// X(NAME, text, meaning)
#define VKR_RACE_CLASSES(X)                                                                        \
	X(UNORDERED, "unordered", "neither access happens-before the other")                       \
	X(UNAVAILABLE, "unavailable", "ordered, but the write was not made available")             \
	X(INVISIBLE, "invisible", "ordered and available, but not made visible to the reader")     \
	X(DOMAIN, "domain", "the step between the host and the device domain is missing")          \
	X(SCOPE, "scope", "atomics or fences that are not in each other's scope")                  \
	X(REFERENCE, "reference", "ordered for one reference only, accessed through two")          \
	X(PRIVATE, "private", "communication through private accesses")                            \
	X(FREE, "free", "memory freed while in use")                                               \
	X(UNOBSERVABLE, "unobservable",                                                            \
	  "ordered, but in memory that the other one does not observe (HRF models)")

enum vkr_race_class {
	VKR_RACE_NONE = 0, // location-ordered
#define VKR_RACE_CLASS(name, text, meaning) VKR_RACE_##name,
	VKR_RACE_CLASSES(VKR_RACE_CLASS)
#undef VKR_RACE_CLASS
};
