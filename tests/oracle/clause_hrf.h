// SPDX-License-Identifier: Apache-2.0
// The clauses of the paper "HRF-Relaxed" (Gaster, Hower, Howes: TACO 12 (2015) 7) that the oracle
// of the HRF models consists of, each with the place it stands in and the models that have it. Any
// can be left out of an evaluation, to show that it decides verdicts. Knows nothing of how a clause
// is evaluated.
#pragma once

#include "vkrace/memory_model.h"

#define VKR_HRF_RELAXED (1u << VKR_MEMORY_HRF_DIRECT | 1u << VKR_MEMORY_HRF_INDIRECT)
#define VKR_HRF_CL      (1u << VKR_MEMORY_HRF_OPENCL)
#define VKR_HRF_ALL     (VKR_HRF_RELAXED | VKR_HRF_CL)

// VKR_CLAUSE(name, models, place, gist). At most 64.
#define VKR_HRF_CLAUSES(VKR_CLAUSE)                                                                \
	VKR_CLAUSE(SCOPE_FIRST, VKR_HRF_RELAXED, "Definition 3.1", "S contains A'")                \
	VKR_CLAUSE(SCOPE_SECOND, VKR_HRF_RELAXED, "Definition 3.1", "S' contains A")               \
	VKR_CLAUSE(EQUAL_STATIC, VKR_HRF_CL, "Definition 6.1", "S == S'")                          \
	VKR_CLAUSE(EQUAL_GROUP, VKR_HRF_CL, "Definition 6.1", "of one group")                      \
	VKR_CLAUSE(EQUAL_SYSTEM, VKR_HRF_CL, "Definition 6.1",                                     \
		   "ms_svm: both fine-grained with atomics, or of one device")                     \
	VKR_CLAUSE(CONFLICT_ATOMIC, VKR_HRF_ALL, "Figure 9, Atomic Conflict",                      \
		   "atomics that are not inclusive")                                               \
	VKR_CLAUSE(CONFLICT_INCLUSIVE, VKR_HRF_ALL, "Figure 9, Atomic Conflict",                   \
		   "inclusive atomics do not conflict")                                            \
	VKR_CLAUSE(PROGRAM, VKR_HRF_ALL, "Figure 9, Program Order", "orders one agent's")          \
	VKR_CLAUSE(PROGRAM_SPACE, VKR_HRF_ALL, "Figure 14, Per-Address-Space Program Order",       \
		   "both in one space")                                                            \
	VKR_CLAUSE(SYNC_RELEASE, VKR_HRF_ALL, "Figure 9, Scoped Synchronization Order",            \
		   "a release action")                                                             \
	VKR_CLAUSE(SYNC_ACQUIRE, VKR_HRF_ALL, "Figure 9, Scoped Synchronization Order",            \
		   "an acquire action")                                                            \
	VKR_CLAUSE(SYNC_INCLUSIVE, VKR_HRF_ALL, "Figure 9, Scoped Synchronization Order",          \
		   "Rel and Acq are inclusive")                                                    \
	VKR_CLAUSE(SYNC_ATOMICS, VKR_HRF_ALL, "Figure 14, Scoped Synchronization Order",           \
		   "Rel occurs before Acq in coh")                                                 \
	VKR_CLAUSE(SYNC_COHERENT, VKR_HRF_ALL, "Figure 14, Scoped Synchronization Order",          \
		   "before in coh, read from or not")                                              \
	VKR_CLAUSE(SYNC_LATER, VKR_HRF_ALL, "Figure 14, Scoped Synchronization Order",             \
		   "and not after")                                                                \
	VKR_CLAUSE(SYNC_FENCES, VKR_HRF_ALL, "Figure 14, Scoped Synchronization Order",            \
		   "Rel and Acq are fences")                                                       \
	VKR_CLAUSE(SYNC_BEFORE_X, VKR_HRF_ALL, "Figure 14, Scoped Synchronization Order",          \
		   "Rel before X in program order")                                                \
	VKR_CLAUSE(SYNC_AFTER_Y, VKR_HRF_ALL, "Figure 14, Scoped Synchronization Order",           \
		   "Y before Acq in program order")                                                \
	VKR_CLAUSE(SYNC_SPACE, VKR_HRF_ALL, "Figure 14, Scoped Synchronization Order",             \
		   "fences, X and Y act on one space")                                             \
	VKR_CLAUSE(BARRIER, VKR_HRF_ALL, "Section 1", "a release by all members, then an acquire") \
	VKR_CLAUSE(BARRIER_INSTANCE, VKR_HRF_ALL, "Section 1", "of one dynamic instance")          \
	VKR_CLAUSE(BARRIER_MEMBERS, VKR_HRF_ALL, "Section 1", "in the execution scope")            \
	VKR_CLAUSE(BARRIER_HALVES, VKR_HRF_ALL, "Section 1",                                       \
		   "what it acquires it does not release")                                         \
	VKR_CLAUSE(DIRECT, 1u << VKR_MEMORY_HRF_DIRECT, "Figure 9",                                \
		   "a union of closures, not the closure of a union")                              \
	VKR_CLAUSE(TRANSITIVE, VKR_HRF_ALL, "Figures 9, 12, 17", "transitive")                     \
	VKR_CLAUSE(BRIDGE, VKR_HRF_ALL, "Section 6.1", "two fences join the spaces")               \
	VKR_CLAUSE(BRIDGE_BOTH, VKR_HRF_ALL, "Section 6.1", "if each specifies both")              \
	VKR_CLAUSE(COARSE, VKR_HRF_ALL, "Section 5.1",                                             \
		   "coarse-grained synchronization points order")                                  \
	VKR_CLAUSE(OBSERVE_DEVICE, VKR_HRF_ALL, "Figures 13, 17, Observability",                   \
		   "at most the device")                                                           \
	VKR_CLAUSE(OBSERVE_LOCAL, VKR_HRF_ALL, "Figure 17, Observability",                         \
		   "local memory: in one work-group")                                              \
	VKR_CLAUSE(OBSERVE_COARSE, VKR_HRF_ALL, "Section 5.1",                                     \
		   "past a coarse-grained synchronization point")                                  \
	VKR_CLAUSE(ADJACENT, VKR_HRF_ALL, "Figure 9, Coherent Order",                              \
		   "read and write of a read-modify-write are adjacent")                           \
	VKR_CLAUSE(COHERENT_BEFORE, VKR_HRF_ALL, "Figures 9, 12, 17, Happens-Before",              \
		   "consistent with the coherent order")                                           \
	VKR_CLAUSE(SEQUENCE, VKR_HRF_ALL, "Figure 9, Sequentially Consistent Atomic Order",        \
		   "there is a total order")                                                       \
	VKR_CLAUSE(SEQUENCE_KIND, VKR_HRF_CL, "Figure 17, Sequentially Consistent Atomic Order",   \
		   "iff all are of one kind")                                                      \
	VKR_CLAUSE(SEQUENCE_PROGRAM, VKR_HRF_ALL,                                                  \
		   "Figure 9, Sequentially Consistent Atomic Order",                               \
		   "consistent with program order")                                                \
	VKR_CLAUSE(SEQUENCE_COHERENT, VKR_HRF_ALL, "Figure 9, Coherent Order",                     \
		   "consistent with the sequentially consistent order")                            \
	VKR_CLAUSE(SEQUENCE_BEFORE, VKR_HRF_ALL, "Figures 9, 12, 17, Happens-Before",              \
		   "consistent with the sequentially consistent order")

#define VKR_CLAUSE(name, models, place, gist) VKR_HRF_CLAUSE_##name,
enum vkr_hrf_clause { VKR_HRF_CLAUSES(VKR_CLAUSE) VKR_HRF_CLAUSE_COUNT };
#undef VKR_CLAUSE
