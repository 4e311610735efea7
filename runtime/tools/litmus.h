// SPDX-License-Identifier: Apache-2.0
// One execution of a litmus test, as a .vlit file (docs/litmus.md) states it: agents, locations,
// references and events in execution order. Knows the format, and no rule of the memory model.
#pragma once

#include "vkrace/memory_model.h"
#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VKR_LITMUS_NONE UINT32_MAX // no index

// Bits of a set of storage classes; an access has exactly one, or none (host).
enum vkr_litmus_class {
	VKR_LITMUS_UNIFORM = 1,
	VKR_LITMUS_WORKGROUP = 2,
	VKR_LITMUS_IMAGE = 4,
	VKR_LITMUS_OUTPUT = 8,
};

// From narrow to wide, so that scopes compare with <.
enum vkr_litmus_scope {
	VKR_LITMUS_SCOPE_NONE, // not said
	VKR_LITMUS_INVOCATION, // version 2
	VKR_LITMUS_SUBGROUP,
	VKR_LITMUS_WORKGROUP_SCOPE,
	VKR_LITMUS_QUEUE_FAMILY,
	VKR_LITMUS_DEVICE,
	VKR_LITMUS_CROSS_DEVICE,
};

enum vkr_litmus_order {
	VKR_LITMUS_RELAXED = 0,
	VKR_LITMUS_ACQUIRE = 1,
	VKR_LITMUS_RELEASE = 2,
	VKR_LITMUS_ACQ_REL = 3, // both bits
	VKR_LITMUS_SEQ_CST = 7, // these and one of its own (version 2)
};

// Bits of a set of address spaces (version 2).
enum vkr_litmus_space {
	VKR_LITMUS_GLOBAL = 1,
	VKR_LITMUS_LOCAL = 2,
};

// Kinds of allocation (version 2).
enum vkr_litmus_alloc {
	VKR_LITMUS_ALLOC_ATOMIC, // fine-grained, with platform atomics
	VKR_LITMUS_ALLOC_FINE,
	VKR_LITMUS_ALLOC_COARSE,
};

enum vkr_litmus_operation {
	VKR_LITMUS_LOAD,
	VKR_LITMUS_STORE,
	VKR_LITMUS_RMW,
	VKR_LITMUS_FENCE,
	VKR_LITMUS_BARRIER,
	VKR_LITMUS_AVAILABLE, // API level, to the device domain, everything
	VKR_LITMUS_VISIBLE,   // API level, from the device domain, everything
	VKR_LITMUS_DOMAIN_HOST_DEVICE,
	VKR_LITMUS_DOMAIN_DEVICE_HOST,
	VKR_LITMUS_FLUSH,
	VKR_LITMUS_INVALIDATE,
};

struct vkr_litmus_agent {
	char *name;
	bool host;
	uint32_t device, queue_family, workgroup, subgroup; // group numbers; 0 for hosts
};

struct vkr_litmus_location {
	char *name;
	uint32_t size; // bytes
	bool local;    // in the local address space, not the global one
	enum vkr_litmus_alloc alloc;
};

// Reference i < location_count is the one that location i declares, of the same name.
struct vkr_litmus_reference {
	char *name;
	uint32_t location, offset, size; // bytes within the location
};

struct vkr_litmus_event {
	char *label;
	uint32_t line;  // in the file, from 1
	uint32_t agent; // index
	enum vkr_litmus_operation operation;
	uint32_t reference;              // of an access, else VKR_LITMUS_NONE
	uint32_t offset, size;           // bytes within the *location*, of an access
	bool atomic, nonprivate;         // nonprivate also where another word implies it
	unsigned storage_class;          // one bit; 0 for host accesses
	enum vkr_litmus_scope scope;     // memory scope of atomic, fence, barrier
	enum vkr_litmus_scope execution; // of a barrier
	enum vkr_litmus_order order;
	bool fence;                               // a fence, or a barrier with order=
	unsigned semantics;                       // storage-class bits of sem=
	unsigned spaces;                          // of a fence or barrier: address spaces
	bool make_available, make_visible;        // the semantics flags
	enum vkr_litmus_scope available, visible; // per instruction; also what atomics imply
	uint32_t instance;                        // id= of a barrier
	uint32_t from; // event a read took its value from; VKR_LITMUS_NONE: initial value.
		       // Resolved also where the file does not say it
	uint32_t after;       // after=LABEL of an atomic write, else VKR_LITMUS_NONE
	uint32_t *references; // of flush and invalidate: indices
	size_t reference_count;
};

struct vkr_litmus_edge {
	uint32_t first, second; // indices of events, or of agents
};

enum vkr_litmus_expect {
	VKR_LITMUS_EXPECT_NOTHING,
	VKR_LITMUS_EXPECT_RACE,
	VKR_LITMUS_EXPECT_NO_RACE,
};

enum vkr_litmus_candidate {
	VKR_LITMUS_CANDIDATE_NOTHING,
	VKR_LITMUS_CANDIDATE_YES,
	VKR_LITMUS_CANDIDATE_NO,
};

struct vkr_litmus {
	char *name;
	uint32_t version;
	enum vkr_litmus_expect expect[VKR_MEMORY_MODEL_COUNT];
	enum vkr_litmus_candidate candidate[VKR_MEMORY_MODEL_COUNT]; // version 2
	bool chains; // vulkanMemoryModelAvailabilityVisibilityChains
	struct vkr_litmus_agent *agents;
	struct vkr_litmus_location *locations;
	struct vkr_litmus_reference *references;
	struct vkr_litmus_event *events;     // in execution order
	struct vkr_litmus_edge *event_edges; // LABEL ssw LABEL
	struct vkr_litmus_edge *agent_edges; // ssw AGENT AGENT
	size_t agent_count, location_count, reference_count, event_count;
	size_t event_edge_count, agent_edge_count;
};

// Reads `length` bytes of a .vlit file. Errors (VKR_ERROR_FORMAT, VKR_ERROR_VERSION,
// VKR_ERROR_MEMORY) name `path` and the line; then *execution holds nothing.
enum vkr_result vkr_litmus_read(struct vkr_litmus *execution, const char *path, const char *text,
				size_t length, struct vkr_error *error) VKR_MUST_USE;

// Writes the execution as a .vlit file.
enum vkr_result vkr_litmus_write(const struct vkr_litmus *execution, FILE *file,
				 struct vkr_error *error) VKR_MUST_USE;

void vkr_litmus_finish(struct vkr_litmus *execution);

// One judged pair of events, first < second, with the bytes on which they race: `offset` and
// `size` within their location. Where the racing bytes are not contiguous, one entry a run.
struct vkr_litmus_race {
	uint32_t first, second;
	uint32_t location, offset, size;
	const char *reason; // a class of vkr_race_class as text, static
};
