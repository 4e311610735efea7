// SPDX-License-Identifier: Apache-2.0
// Location-order by the letter of the Vulkan memory model (specification, appendix "Memory Model"):
// synchronization goes in event by event, questions about pairs of accesses come out. Knows agents,
// events and bytes; nothing of Vulkan commands, and not where events come from or which pairs are
// worth asking about.
//
// An agent's life is a sequence of positions: 0 before its first event, 2n-1 its n-th event, 2n the
// plain accesses after that event. Plain accesses are not fed: they are described when they are
// asked about, by their position, and all accesses at one position share their clocks. An agent
// that never synchronizes costs nothing.
//
// Events are fed in an order in which nothing that happens-before an event comes after it. Events
// that happen-before each other, such as the arrivals at one control barrier, are fed in one call.
#pragma once

#include "vkrace/memory_model.h"
#include "vkrace/race_class.h"
#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// From narrow to wide ("Scope"). The memory domain dual to a scope bears its name: DEVICE is the
// dual of the shader domain. The shader-call domain's place among the domains is up to the
// implementation; it is taken to be here.
enum vkr_order_scope {
	VKR_ORDER_INVOCATION,
	VKR_ORDER_SUBGROUP,
	VKR_ORDER_WORKGROUP,
	VKR_ORDER_SHADER_CALL,
	VKR_ORDER_FRAGMENT_INTERLOCK,
	VKR_ORDER_QUEUE_FAMILY,
	VKR_ORDER_DEVICE,
	VKR_ORDER_CROSS_DEVICE,
	VKR_ORDER_SCOPES,
};

// Storage classes are the bits of enum vkr_site_class (vkrace/site.h).
#define VKR_ORDER_CLASSES 15u

struct vkr_order_options {
	bool chains; // vulkanMemoryModelAvailabilityVisibilityChains
	// Whether host and device atomics can be mutually ordered ("Atomic Operation").
	bool concurrent_host_atomics;
	// All agents are invocations of one dispatch: a chain needs no agent outside of the two
	// accesses' workgroups, for one domain holds all workgroups.
	bool one_dispatch;
	// The memory model. What the HRF models know nothing of (references, storage classes,
	// availability, visibility, domains) they pass over.
	struct vkr_memory_rules rules;
};

// Agents that come into being together: the invocations of a dispatch, one host thread, the
// fixed-function work of one command. Equal numbers name equal groups, over all calls.
struct vkr_order_group {
	uint64_t count; // of agents
	bool host;
	uint64_t device, queue_family;
	uint64_t interlock, shader_call;    // of all of them; 0 for none
	uint64_t workgroup, workgroup_size; // agent i of them is in workgroup + i / workgroup_size
	uint64_t subgroup, subgroup_size;   // likewise; sizes are not 0
};

// A memory access ("Memory Operation"). `step` is its place in its agent's program order: greater
// than that of every earlier access or event of the agent. `event` is 0 unless it was fed.
struct vkr_order_access {
	uint64_t agent, position, step, event;
	uint64_t reference;            // any number; equal for the same reference
	uint64_t memory, offset, size; // bytes [offset, offset + size) of the memory
	unsigned storage_class;        // one bit, 0 for host and fixed-function accesses
	bool read, write, atomic, nonprivate;
	// A host access to coherent memory: available to the host domain when written, and all that
	// is available there is visible when read.
	bool coherent;
	enum vkr_order_scope scope;     // of an atomic
	enum vkr_order_scope available; // per instruction; INVOCATION where it has none
	enum vkr_order_scope visible;
	uint64_t kinds; // bits that API-level operations select accesses by; their meaning is the
			// caller's
	// For the HRF models: in the local address space, and not in the global one; in an
	// allocation that at most its device's agents observe.
	bool local, coarse;
};

// Sets of the HRF models' address spaces.
enum vkr_order_space {
	VKR_ORDER_GLOBAL = 1,
	VKR_ORDER_LOCAL = 2,
};

enum vkr_order_kind {
	VKR_ORDER_ACCESS, // a plain access that system-synchronizes-with others on its own
	VKR_ORDER_ATOMIC,
	VKR_ORDER_FENCE,   // OpMemoryBarrier, a host fence, either end of a fragment interlock
	VKR_ORDER_BARRIER, // OpControlBarrier
	// "Availability, Visibility, and Domain Operations" of the API:
	VKR_ORDER_AVAILABLE,   // to the device or the host domain
	VKR_ORDER_VISIBLE,     // from the device or the host domain
	VKR_ORDER_HOST_DEVICE, // memory domain operation from host to device
	VKR_ORDER_DEVICE_HOST,
};

// Part of the scope of an API-level availability or visibility operation.
struct vkr_order_range {
	uint64_t reference;            // 0 for every reference
	uint64_t memory, offset, size; // size UINT64_MAX for all of the memory
};

struct vkr_order_event {
	enum vkr_order_kind kind;
	uint64_t agent, step;
	struct vkr_order_access
		access; // of ACCESS and ATOMIC; its agent, position, step, event are set here

	// Of ATOMIC, FENCE and BARRIER ("Memory Semantics"). A BARRIER that neither acquires nor
	// releases is no memory barrier.
	bool acquire, release, make_available, make_visible;
	enum vkr_order_scope scope;
	unsigned semantics; // storage classes
	unsigned spaces;    // of FENCE and BARRIER: enum vkr_order_space bits

	// Of ATOMIC: the atomic write it reads the value of (0 for none), and its own place in the
	// order of the atomic writes to its bytes.
	uint64_t from, modification;
	// For the HRF models, whose coherent order is of all accesses to a location: the turn of
	// the write that its read comes right after, 0 for none.
	uint64_t seen;
	// The index of the first write of the run that it reads from, or is in; 0: there is but one
	// run. Runs of overlapping bytes have no index in common.
	uint64_t since;
	// A read-modify-write that comes right after the write whose value it reads, whatever the
	// indices are. Without this flag that holds only if its index is the next one.
	bool follows;
	// Where it is not known which of several atomic writes to its bytes it reads the value of,
	// these are a class, named by any number; 0 for none. It is ordered as if it had read the
	// values of all that were fed before or are fed in the same call. A write can be in two.
	uint64_t reads_class, writes_class[2];
	// Of events of one call: clocks are computed in the order of these numbers, which affects
	// only the time: what comes before should have the lower number.
	uint64_t visit;

	// Of BARRIER: its dynamic instance, 0 for one of its own, and execution scope.
	uint64_t instance;
	enum vkr_order_scope execution;

	// Of AVAILABLE and VISIBLE: the domain, and the accesses covered: of all memory, or of the
	// ranges only; of all kinds where `kinds` is 0.
	bool host_domain, all_memory;
	const struct vkr_order_range *ranges;
	size_t range_count;
	uint64_t kinds;

	// Earlier events that system-synchronize-with this one.
	const uint64_t *system;
	size_t system_count;
	// Release fences that synchronize-with this acquire fence because their agents' order is
	// given from outside: fragment interlock, shader calls. Scopes are still checked.
	const uint64_t *released;
	size_t released_count;
};

// Why a pair of accesses is unordered; events are 0 if there is none.
struct vkr_order_separation {
	enum vkr_race_class race_class;
	bool forward;     // first is the earlier access; where neither is, as the evidence takes it
	uint64_t release; // the nearest release of the earlier access's agent after it
	uint64_t acquire; // the nearest acquire of the later access's agent before it
	uint64_t available; // an availability operation that covers the write
	uint64_t visible;   // a visibility operation that covers the read
};

enum vkr_order_relation {
	VKR_ORDER_NEITHER,
	VKR_ORDER_FIRST,  // first is location-ordered before second
	VKR_ORDER_SECOND, // second is location-ordered before first
};

// One run of bytes of a pair.
struct vkr_order_run {
	uint64_t offset, size;
	enum vkr_order_relation relation;
	struct vkr_order_separation separation; // where it is NEITHER
};

struct vkr_order;

// NULL for lack of memory.
struct vkr_order *vkr_order_create(const struct vkr_order_options *options);
void vkr_order_destroy(struct vkr_order *order);

// The agents get ids *first, *first + 1, ...
enum vkr_result vkr_order_add_group(struct vkr_order *order, const struct vkr_order_group *group,
				    uint64_t *first, struct vkr_error *error) VKR_MUST_USE;

// The id that the next event fed will get; ids count up from 1.
uint64_t vkr_order_next_event(const struct vkr_order *order);

// Feeds events that may happen-before each other; those of one agent in program order.
enum vkr_result vkr_order_feed(struct vkr_order *order, const struct vkr_order_event *events,
			       size_t count, struct vkr_error *error) VKR_MUST_USE;

// Everything that agent `from` did so far system-synchronizes-with everything that `to` does from
// now on.
enum vkr_result vkr_order_system(struct vkr_order *order, uint64_t from, uint64_t to,
				 struct vkr_error *error) VKR_MUST_USE;

// Orders whole groups, named by any of their agents: all events of `from` are complete, and no
// agent of `to` has had an event yet.
enum vkr_result vkr_order_system_groups(struct vkr_order *order, uint64_t from, uint64_t to,
					struct vkr_error *error) VKR_MUST_USE;

// A plain access with per-instruction availability or visibility: it covers other accesses of its
// agent through the same reference too, and can be an element of a chain.
enum vkr_result vkr_order_operate(struct vkr_order *order, const struct vkr_order_access *access,
				  struct vkr_error *error) VKR_MUST_USE;

// The agent's position for plain accesses now.
uint64_t vkr_order_position(const struct vkr_order *order, uint64_t agent);

// Happens-before, and the transitive closure of system-synchronizes-with.
bool vkr_order_happens_before(const struct vkr_order *order, const struct vkr_order_access *first,
			      const struct vkr_order_access *second);
bool vkr_order_system_before(const struct vkr_order *order, const struct vkr_order_access *first,
			     const struct vkr_order_access *second);

// Happens-before of any two accesses under the model, over all that joins its address spaces.
bool vkr_order_is_before(const struct vkr_order *order, const struct vkr_order_access *first,
			 const struct vkr_order_access *second);

// "Atomic Operation": mutually-ordered.
bool vkr_order_mutual(const struct vkr_order *order, const struct vkr_order_access *first,
		      const struct vkr_order_access *second);

// "Location-Ordered", for the byte at `offset` of the memory.
bool vkr_order_located(const struct vkr_order *order, const struct vkr_order_access *first,
		       const struct vkr_order_access *second, uint64_t offset);

// "Data Race": calls `report` for each run of bytes on which the two accesses overlap, in
// ascending order; not at all where they are mutually ordered atomics or both only read.
enum vkr_result vkr_order_compare(const struct vkr_order *order,
				  const struct vkr_order_access *first,
				  const struct vkr_order_access *second,
				  bool (*report)(void *context, const struct vkr_order_run *run),
				  void *context, struct vkr_error *error) VKR_MUST_USE;
