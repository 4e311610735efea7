// SPDX-License-Identifier: Apache-2.0
// The clauses of the Vulkan specification's appendix "Memory Model" that the oracle consists of,
// each with the section it stands in. Any can be left out of an evaluation, to show that it
// decides verdicts. Knows nothing of how a clause is evaluated.
#pragma once

// VKR_CLAUSE(name, section, gist). At most 64.
#define VKR_CLAUSES(VKR_CLAUSE)                                                                    \
	VKR_CLAUSE(MUTUAL_LOCATIONS, "Atomic Operation", "same set of memory locations")           \
	VKR_CLAUSE(MUTUAL_REFERENCE, "Atomic Operation", "same reference")                         \
	VKR_CLAUSE(MUTUAL_SCOPE, "Atomic Operation", "in each other's memory scope instance")      \
	VKR_CLAUSE(SEQUENCE_RMW, "Release Sequence", "read-modify-writes by any agent")            \
	VKR_CLAUSE(SEQUENCE_CONTINUOUS, "Release Sequence", "longest continuous subsequence")      \
	VKR_CLAUSE(SEQUENCE_AFTER, "Release Sequence",                                             \
		   "only what follows A in modification order")                                    \
	VKR_CLAUSE(SW_ATOMIC_ATOMIC, "Synchronizes-With", "atomic and atomic")                     \
	VKR_CLAUSE(SW_BARRIER_ATOMIC, "Synchronizes-With", "release barrier and atomic")           \
	VKR_CLAUSE(SW_ATOMIC_BARRIER, "Synchronizes-With", "atomic and acquire barrier")           \
	VKR_CLAUSE(SW_BARRIER_BARRIER, "Synchronizes-With", "release barrier and acquire barrier") \
	VKR_CLAUSE(SW_CONTROL_BARRIER, "Synchronizes-With", "barriers around a control barrier")   \
	VKR_CLAUSE(SW_RELEASE, "Synchronizes-With", "A performs a release operation")              \
	VKR_CLAUSE(SW_ACQUIRE, "Synchronizes-With", "B performs an acquire operation")             \
	VKR_CLAUSE(SW_MUTUAL, "Synchronizes-With", "the atomics are mutually-ordered")             \
	VKR_CLAUSE(SW_VALUE, "Synchronizes-With", "the read takes a value of the sequence")        \
	VKR_CLAUSE(SW_HYPOTHETICAL, "Synchronizes-With",                                           \
		   "relaxed X heads a hypothetical sequence")                                      \
	VKR_CLAUSE(SW_ORDER, "Synchronizes-With", "A before X, Y before B in program order")       \
	VKR_CLAUSE(SW_SCOPE, "Synchronizes-With", "A and B in each other's memory scopes")         \
	VKR_CLAUSE(SW_CLASS, "Synchronizes-With", "storage class of X and Y in the semantics")     \
	VKR_CLAUSE(SW_EXECUTION, "Synchronizes-With", "A and B in C's execution scope")            \
	VKR_CLAUSE(SW_INSTANCE, "Synchronizes-With", "one dynamic instance C")                     \
	VKR_CLAUSE(ITHB_SYSTEM, "Inter-Thread-Happens-Before", "A system-synchronizes-with B")     \
	VKR_CLAUSE(ITHB_SYNCHRONIZES, "Inter-Thread-Happens-Before", "A synchronizes-with B")      \
	VKR_CLAUSE(ITHB_BOTH, "Inter-Thread-Happens-Before", "both have all of SC in semantics")   \
	VKR_CLAUSE(ITHB_RELEASE, "Inter-Thread-Happens-Before",                                    \
		   "program-ordered before a release")                                             \
	VKR_CLAUSE(ITHB_ACQUIRE, "Inter-Thread-Happens-Before",                                    \
		   "program-ordered after an acquire")                                             \
	VKR_CLAUSE(ITHB_CLASS, "Inter-Thread-Happens-Before", "storage class in SC")               \
	VKR_CLAUSE(ITHB_ALL, "Inter-Thread-Happens-Before", "the barrier has all of SC")           \
	VKR_CLAUSE(ITHB_HOST, "Inter-Thread-Happens-Before", "as the host language defines it")    \
	VKR_CLAUSE(ITHB_TRANSITIVE, "Inter-Thread-Happens-Before", "through some X")               \
	VKR_CLAUSE(HB_PROGRAM, "Happens-Before", "A is program-ordered before B")                  \
	VKR_CLAUSE(HB_INTER_THREAD, "Happens-Before", "inter-thread-happens-before<SC>, some SC")  \
	VKR_CLAUSE(CHAIN_AVAILABLE, "Availability and Visibility", "availability chains")          \
	VKR_CLAUSE(CHAIN_VISIBLE, "Availability and Visibility", "visibility chains")              \
	VKR_CLAUSE(CHAIN_DUAL, "Availability and Visibility", "performed in the dual scope")       \
	VKR_CLAUSE(CHAIN_ORDER, "Availability and Visibility", "element N before element N+1")     \
	VKR_CLAUSE(DOMAIN_FLUSH, "Vulkan Operations", "flush covers the ranges passed to it")      \
	VKR_CLAUSE(DOMAIN_INVALIDATE, "Vulkan Operations", "invalidate covers the ranges passed")  \
	VKR_CLAUSE(MAKE_AVAILABLE, "Semantics",                                                    \
		   "MakeAvailable performs an availability operation")                             \
	VKR_CLAUSE(MAKE_VISIBLE, "Semantics", "MakeVisible performs a visibility operation")       \
	VKR_CLAUSE(MAKE_CLASS, "Semantics", "references in the instruction's storage classes")     \
	VKR_CLAUSE(MAKE_SMALLER, "Semantics", "also the domains of each smaller scope")            \
	VKR_CLAUSE(MAKE_SCOPE, "Semantics", "domains selected by the memory scope")                \
	VKR_CLAUSE(POINTER_AVAILABLE, "Per-Instruction", "MakePointerAvailable")                   \
	VKR_CLAUSE(POINTER_VISIBLE, "Per-Instruction", "MakePointerVisible")                       \
	VKR_CLAUSE(POINTER_REFERENCE, "Per-Instruction", "the reference used")                     \
	VKR_CLAUSE(POINTER_LOCATIONS, "Per-Instruction", "the memory locations accessed")          \
	VKR_CLAUSE(LO_SAME, "Location-Ordered", "same agent, same reference, X->Y")                \
	VKR_CLAUSE(LO_READ, "Location-Ordered", "X is a read, both non-private, X->Y")             \
	VKR_CLAUSE(LO_READ_SYSTEM, "Location-Ordered", "X is a read and ssw (transitively) Y")     \
	VKR_CLAUSE(LO_SHADER_WRITE, "Location-Ordered", "X->AVC->Y through a common domain")       \
	VKR_CLAUSE(LO_SHADER_READ, "Location-Ordered", "X->AVC->VISC->Y through a common domain")  \
	VKR_CLAUSE(LO_SHADER_REFERENCE, "Location-Ordered", "common domain: same reference")       \
	VKR_CLAUSE(LO_SHADER_COMMON, "Location-Ordered", "common domain: both agents access it")   \
	VKR_CLAUSE(LO_SHADER_PRIVATE, "Location-Ordered", "common domain: both non-private")       \
	VKR_CLAUSE(LO_SHADER_FEATURE, "Location-Ordered", "chains off: one element each")          \
	VKR_CLAUSE(LO_READ_PRIVATE, "Location-Ordered", "read bullet: both non-private")           \
	VKR_CLAUSE(LO_DEVICE_WRITE, "Location-Ordered", "X->AV->DOM->Y, device and host domain")   \
	VKR_CLAUSE(LO_DEVICE_READ, "Location-Ordered", "X->AV->DOM->VIS->Y, device and host")      \
	VKR_CLAUSE(LO_DEVICE_DOMAIN, "Location-Ordered", "DOM between different domains")          \
	VKR_CLAUSE(OLD_SEQUENCE, "Synchronizes-With, 2018",                                        \
		   "only X with release semantics heads a sequence")                               \
	VKR_CLAUSE(OLD_CHAINS, "Location-Ordered, 2018", "no chains: one operation each")          \
	VKR_CLAUSE(RACE_MUTUAL, "Data Race", "mutually-ordered atomics do not race")

#define VKR_CLAUSE(name, section, gist) VKR_CLAUSE_##name,
enum vkr_clause { VKR_CLAUSES(VKR_CLAUSE) VKR_CLAUSE_COUNT };
#undef VKR_CLAUSE
