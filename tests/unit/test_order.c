// SPDX-License-Identifier: Apache-2.0
// The location-order engine where litmus executions do not reach: dispatches, command-level
// synchronization, coherent memory, ranges and kinds, scopes without a word in the format,
// deallocation, evidence, and memory that must not grow.
#include "order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "order_state.h"

enum {
	UNIFORM = 1,
	IMAGE = 4,
};

struct fixture {
	struct vkr_order *order;
	uint64_t step;
};

static int set_up_under(void **state, enum vkr_memory_model model)
{
	const struct vkr_order_options options = {.chains = true, .rules = {.model = model}};
	struct fixture *fixture = calloc(1, sizeof *fixture);
	if (!fixture)
		return -1;
	fixture->order = vkr_order_create(&options);
	*state = fixture;
	return fixture->order ? 0 : -1;
}

static int set_up(void **state)
{
	return set_up_under(state, VKR_MEMORY_VULKAN);
}

static int set_up_hrf(void **state)
{
	return set_up_under(state, VKR_MEMORY_HRF_INDIRECT);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	vkr_order_destroy(fixture->order);
	free(fixture);
	return 0;
}

static uint64_t add_group(struct fixture *fixture, struct vkr_order_group group)
{
	uint64_t first = 0;
	if (!group.workgroup_size)
		group.workgroup_size = 1;
	if (!group.subgroup_size)
		group.subgroup_size = 1;
	assert_int_equal(vkr_order_add_group(fixture->order, &group, &first, NULL), VKR_OK);
	return first;
}

static uint64_t add_dispatch(struct fixture *fixture, uint64_t count)
{
	static uint64_t workgroup = 1000;
	workgroup += 100000;
	return add_group(fixture, (struct vkr_order_group){
					  .count = count,
					  .workgroup = workgroup,
					  .workgroup_size = 64,
					  .subgroup = workgroup,
					  .subgroup_size = 8,
				  });
}

static uint64_t add_host(struct fixture *fixture)
{
	return add_group(fixture, (struct vkr_order_group){.count = 1, .host = true});
}

// A plain access of four bytes at `offset` by the agent as it stands now.
static struct vkr_order_access access_now(struct fixture *fixture, uint64_t agent, uint64_t offset,
					  bool write)
{
	return (struct vkr_order_access){
		.agent = agent,
		.position = vkr_order_position(fixture->order, agent),
		.step = ++fixture->step,
		.reference = 1,
		.memory = 1,
		.offset = offset,
		.size = 4,
		.storage_class = UNIFORM,
		.read = !write,
		.write = write,
		.nonprivate = true,
	};
}

static struct vkr_order_access plain(struct fixture *fixture, uint64_t agent, bool write,
				     enum vkr_order_scope scope)
{
	struct vkr_order_access access = access_now(fixture, agent, 0, write);
	*(write ? &access.available : &access.visible) = scope;
	assert_int_equal(vkr_order_operate(fixture->order, &access, NULL), VKR_OK);
	return access;
}

static uint64_t feed(struct fixture *fixture, struct vkr_order_event event)
{
	uint64_t id = vkr_order_next_event(fixture->order);
	event.step = ++fixture->step;
	assert_int_equal(vkr_order_feed(fixture->order, &event, 1, NULL), VKR_OK);
	return id;
}

static uint64_t feed_fence(struct fixture *fixture, uint64_t agent, enum vkr_order_scope scope,
			   bool acquire, bool release, const uint64_t *released)
{
	return feed(fixture, (struct vkr_order_event){
				     .kind = VKR_ORDER_FENCE,
				     .agent = agent,
				     .acquire = acquire,
				     .release = release,
				     .scope = scope,
				     .semantics = UNIFORM,
				     .released = released,
				     .released_count = released ? 1 : 0,
			     });
}

// An atomic on bytes of its own; its turn is its event.
static uint64_t feed_atomic(struct fixture *fixture, uint64_t agent, bool acquire, bool release,
			    uint64_t from)
{
	uint64_t id = vkr_order_next_event(fixture->order);
	return feed(fixture, (struct vkr_order_event){
				     .kind = VKR_ORDER_ATOMIC,
				     .agent = agent,
				     .acquire = acquire,
				     .release = release,
				     .scope = VKR_ORDER_DEVICE,
				     .semantics = UNIFORM,
				     .from = from,
				     .modification = id,
				     .seen = from,
				     .access =
					     {
						     .reference = 2,
						     .memory = 2,
						     .size = 4,
						     .storage_class = UNIFORM,
						     .read = acquire || from,
						     .write = release || !acquire,
						     .atomic = true,
						     .nonprivate = true,
						     .scope = VKR_ORDER_DEVICE,
					     },
			     });
}

static uint64_t feed_api(struct fixture *fixture, enum vkr_order_kind kind, uint64_t agent,
			 bool host_domain, const struct vkr_order_range *range, uint64_t kinds)
{
	return feed(fixture, (struct vkr_order_event){
				     .kind = kind,
				     .agent = agent,
				     .host_domain = host_domain,
				     .all_memory = !range,
				     .ranges = range,
				     .range_count = range ? 1 : 0,
				     .kinds = kinds,
			     });
}

struct found {
	struct vkr_order_run runs[8];
	size_t count;
};

static bool keep_run(void *context, const struct vkr_order_run *run)
{
	struct found *found = context;
	assert_true(found->count < 8);
	found->runs[found->count++] = *run;
	return true;
}

static struct found compare(struct fixture *fixture, const struct vkr_order_access *first,
			    const struct vkr_order_access *second)
{
	struct found found = {.count = 0};
	assert_int_equal(vkr_order_compare(fixture->order, first, second, keep_run, &found, NULL),
			 VKR_OK);
	return found;
}

static bool located(struct fixture *fixture, const struct vkr_order_access *first,
		    const struct vkr_order_access *second)
{
	return vkr_order_located(fixture->order, first, second, first->offset);
}

// Invocations that never synchronize leave nothing behind, however many they are.
static void silent_agents_cost_nothing(void **state)
{
	struct fixture *fixture = *state;
	uint64_t one = add_dispatch(fixture, 16000000), two = add_dispatch(fixture, 16000000);
	assert_int_equal(vkr_order_system_groups(fixture->order, one, two, NULL), VKR_OK);
	size_t bytes = fixture->order->memory.arena.bytes;
	for (uint64_t i = 0; i < 100000; i++) {
		struct vkr_order_access read = access_now(fixture, one + i * 160, i, false);
		struct vkr_order_access write = access_now(fixture, two + i * 160 + 7, i, true);
		assert_true(located(fixture, &read, &write));
		assert_false(located(fixture, &write, &read));
	}
	assert_int_equal(fixture->order->memory.arena.bytes, bytes);
	assert_int_equal(fixture->order->agents.count, 0);
}

static void invocations_of_a_dispatch_are_unordered(void **state)
{
	struct fixture *fixture = *state;
	uint64_t one = add_dispatch(fixture, 128);
	struct vkr_order_access write = access_now(fixture, one, 0, true);
	struct vkr_order_access read = access_now(fixture, one + 1, 2, false);
	struct found found = compare(fixture, &write, &read);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.runs[0].relation, VKR_ORDER_NEITHER);
	assert_int_equal(found.runs[0].separation.race_class, VKR_RACE_UNORDERED);
	assert_int_equal(found.runs[0].offset, 2);
	assert_int_equal(found.runs[0].size, 2);
}

static void groups_follow_from_sizes(void **state)
{
	struct fixture *fixture = *state;
	struct vkr_order *order = fixture->order;
	uint64_t one = add_dispatch(fixture, 256), two = add_dispatch(fixture, 256);
	assert_true(vkr_order_within(order, VKR_ORDER_SUBGROUP, one, one + 7));
	assert_false(vkr_order_within(order, VKR_ORDER_SUBGROUP, one, one + 8));
	assert_true(vkr_order_within(order, VKR_ORDER_WORKGROUP, one + 64, one + 127));
	assert_false(vkr_order_within(order, VKR_ORDER_WORKGROUP, one + 63, one + 64));
	assert_false(vkr_order_within(order, VKR_ORDER_WORKGROUP, one, two));
	assert_true(vkr_order_within(order, VKR_ORDER_QUEUE_FAMILY, one, two));
	assert_false(vkr_order_within(order, VKR_ORDER_INVOCATION, one, two));
	assert_true(vkr_order_within(order, VKR_ORDER_INVOCATION, one, one));
	assert_true(vkr_order_within(order, VKR_ORDER_CROSS_DEVICE, one, add_host(fixture)));
	assert_false(vkr_order_within(order, VKR_ORDER_DEVICE, one, add_host(fixture)));
	// Without an interlock or a shader call, none is shared.
	assert_false(vkr_order_within(order, VKR_ORDER_FRAGMENT_INTERLOCK, one, two));
	assert_false(vkr_order_within(order, VKR_ORDER_SHADER_CALL, one, two));
}

// All that a dispatch was ordered after reaches the next dispatch with it.
static void dispatches_chain(void **state)
{
	struct fixture *fixture = *state;
	uint64_t one = add_dispatch(fixture, 64), two = add_dispatch(fixture, 64);
	uint64_t three = add_dispatch(fixture, 64);
	assert_int_equal(vkr_order_system_groups(fixture->order, one, two, NULL), VKR_OK);
	feed_fence(fixture, two + 3, VKR_ORDER_DEVICE, true, true, NULL);
	assert_int_equal(vkr_order_system_groups(fixture->order, two, three, NULL), VKR_OK);
	struct vkr_order_access read = access_now(fixture, one + 9, 0, false);
	struct vkr_order_access write = access_now(fixture, three + 5, 0, true);
	read.nonprivate = write.nonprivate = false;
	assert_true(vkr_order_system_before(fixture->order, &read, &write));
	assert_true(located(fixture, &read, &write));
	assert_false(located(fixture, &write, &read));
	// Too late: an agent of the second dispatch has had an event.
	struct vkr_error error;
	assert_int_equal(vkr_order_system_groups(fixture->order, three, two, &error),
			 VKR_ERROR_UNSUPPORTED);
}

static void command_barrier(void **state)
{
	struct fixture *fixture = *state;
	static const struct vkr_order_range range = {.memory = 1, .offset = 4, .size = 8};
	uint64_t one = add_dispatch(fixture, 64), barrier = add_host(fixture);
	uint64_t two = add_dispatch(fixture, 64);
	struct vkr_order_access write = access_now(fixture, one, 0, true);
	write.size = 16;
	write.kinds = 2;
	assert_int_equal(vkr_order_system_groups(fixture->order, one, barrier, NULL), VKR_OK);
	uint64_t available = feed_api(fixture, VKR_ORDER_AVAILABLE, barrier, false, &range, 2);
	feed_api(fixture, VKR_ORDER_VISIBLE, barrier, false, NULL, 4);
	assert_int_equal(vkr_order_system_groups(fixture->order, barrier, two, NULL), VKR_OK);
	struct vkr_order_access read = access_now(fixture, two, 0, false);
	read.size = 16;
	read.kinds = 4;
	// Ordered everywhere, available in its range alone.
	struct found found = compare(fixture, &write, &read);
	assert_int_equal(found.count, 3);
	assert_int_equal(found.runs[0].size, 4);
	assert_int_equal(found.runs[0].separation.race_class, VKR_RACE_UNAVAILABLE);
	assert_int_equal(found.runs[1].offset, 4);
	assert_int_equal(found.runs[1].size, 8);
	assert_int_equal(found.runs[1].relation, VKR_ORDER_FIRST);
	assert_int_equal(found.runs[2].offset, 12);
	assert_int_equal(found.runs[2].separation.race_class, VKR_RACE_UNAVAILABLE);
	// Asked the other way round, the relation turns.
	assert_int_equal(compare(fixture, &read, &write).runs[1].relation, VKR_ORDER_SECOND);
	// Accesses of another kind are covered by neither operation.
	read.kinds = 1;
	found = compare(fixture, &write, &read);
	assert_int_equal(found.runs[1].separation.race_class, VKR_RACE_INVISIBLE);
	assert_int_equal(found.runs[1].separation.available, available);
	assert_true(found.runs[1].separation.forward);
	read.kinds = 4;
	write.kinds = 1;
	assert_int_equal(compare(fixture, &write, &read).runs[0].separation.race_class,
			 VKR_RACE_UNAVAILABLE);
}

static void coherent_host_memory(void **state)
{
	struct fixture *fixture = *state;
	uint64_t host = add_host(fixture), dispatch = add_dispatch(fixture, 64);
	struct vkr_order_access write = access_now(fixture, host, 0, true);
	write.storage_class = 0;
	write.nonprivate = false;
	uint64_t submit = add_host(fixture);
	assert_int_equal(vkr_order_system_groups(fixture->order, host, submit, NULL), VKR_OK);
	feed_api(fixture, VKR_ORDER_HOST_DEVICE, submit, false, NULL, 0);
	feed_api(fixture, VKR_ORDER_VISIBLE, submit, false, NULL, 0);
	assert_int_equal(vkr_order_system_groups(fixture->order, submit, dispatch, NULL), VKR_OK);
	struct vkr_order_access read = access_now(fixture, dispatch + 1, 0, false);
	assert_false(located(fixture, &write, &read));
	assert_int_equal(compare(fixture, &write, &read).runs[0].separation.race_class,
			 VKR_RACE_UNAVAILABLE);
	write.coherent = true;
	assert_true(located(fixture, &write, &read));
}

static void coherent_host_read(void **state)
{
	struct fixture *fixture = *state;
	uint64_t dispatch = add_dispatch(fixture, 64), end = add_host(fixture);
	uint64_t host = add_host(fixture);
	struct vkr_order_access write = access_now(fixture, dispatch, 0, true);
	assert_int_equal(vkr_order_system_groups(fixture->order, dispatch, end, NULL), VKR_OK);
	feed_api(fixture, VKR_ORDER_AVAILABLE, end, false, NULL, 0);
	feed_api(fixture, VKR_ORDER_DEVICE_HOST, end, false, NULL, 0);
	assert_int_equal(vkr_order_system_groups(fixture->order, end, host, NULL), VKR_OK);
	struct vkr_order_access read = access_now(fixture, host, 0, false);
	read.storage_class = 0;
	assert_int_equal(compare(fixture, &write, &read).runs[0].separation.race_class,
			 VKR_RACE_INVISIBLE);
	read.coherent = true;
	assert_true(located(fixture, &write, &read));
}

// Ordered "so far" and "from now on" at the level of agents: what comes later is not.
static void agents_from_now_on(void **state)
{
	struct fixture *fixture = *state;
	uint64_t one = add_host(fixture), two = add_host(fixture);
	struct vkr_order_access before = access_now(fixture, one, 0, false);
	struct vkr_order_access early = access_now(fixture, two, 0, true);
	assert_int_equal(vkr_order_system(fixture->order, one, two, NULL), VKR_OK);
	struct vkr_order_access after = access_now(fixture, one, 0, false);
	struct vkr_order_access late = access_now(fixture, two, 0, true);
	assert_true(vkr_order_system_before(fixture->order, &before, &late));
	assert_false(vkr_order_system_before(fixture->order, &before, &early));
	assert_false(vkr_order_system_before(fixture->order, &after, &late));
}

// Fragment interlock and shader calls: the order comes from outside, the scope is checked.
static void outside_order(void **state)
{
	struct fixture *fixture = *state;
	static const struct vkr_order_group pixel[] = {
		{.count = 1, .interlock = 5, .subgroup = 1, .workgroup = 1},
		{.count = 1, .interlock = 5, .subgroup = 2, .workgroup = 2},
		{.count = 1, .interlock = 6, .subgroup = 3, .workgroup = 3},
	};
	enum vkr_order_scope scope = VKR_ORDER_FRAGMENT_INTERLOCK;
	uint64_t one = add_group(fixture, pixel[0]), two = add_group(fixture, pixel[1]);
	uint64_t three = add_group(fixture, pixel[2]);
	struct vkr_order_access write = plain(fixture, one, true, scope);
	uint64_t end = feed_fence(fixture, one, scope, false, true, NULL);
	feed_fence(fixture, two, scope, true, false, &end);
	feed_fence(fixture, three, scope, true, false, &end);
	struct vkr_order_access read = plain(fixture, two, false, scope);
	struct vkr_order_access other = plain(fixture, three, false, scope);
	assert_true(located(fixture, &write, &read));
	assert_false(located(fixture, &write, &other));
	struct found found = compare(fixture, &write, &other);
	assert_int_equal(found.runs[0].separation.race_class, VKR_RACE_SCOPE);
	assert_int_equal(found.runs[0].separation.release, end);
}

// A chain may run over the shader-call domain.
static void shader_call_chain(void **state)
{
	struct fixture *fixture = *state;
	static const struct vkr_order_group calls[] = {
		{.count = 1, .shader_call = 9, .subgroup = 1, .workgroup = 1},
		{.count = 1, .shader_call = 9, .subgroup = 2, .workgroup = 2},
		{.count = 1, .subgroup = 3, .workgroup = 3},
	};
	uint64_t one = add_group(fixture, calls[0]), two = add_group(fixture, calls[1]);
	uint64_t three = add_group(fixture, calls[2]);
	struct vkr_order_access write = plain(fixture, one, true, VKR_ORDER_SHADER_CALL);
	uint64_t end = feed_fence(fixture, one, VKR_ORDER_SHADER_CALL, false, true, NULL);
	feed_fence(fixture, two, VKR_ORDER_SHADER_CALL, true, false, &end);
	uint64_t carry = feed(fixture, (struct vkr_order_event){
					       .kind = VKR_ORDER_FENCE,
					       .agent = two,
					       .release = true,
					       .make_available = true,
					       .scope = VKR_ORDER_DEVICE,
					       .semantics = UNIFORM,
				       });
	feed_fence(fixture, three, VKR_ORDER_DEVICE, true, false, &carry);
	struct vkr_order_access read = plain(fixture, three, false, VKR_ORDER_DEVICE);
	assert_true(located(fixture, &write, &read));
}

// A pair's evidence names the nearest release and acquire there were.
static void separation(void **state)
{
	struct fixture *fixture = *state;
	uint64_t one = add_dispatch(fixture, 64), two = add_dispatch(fixture, 64);
	feed_fence(fixture, one, VKR_ORDER_DEVICE, false, true, NULL);
	struct vkr_order_access write = access_now(fixture, one, 0, true);
	uint64_t release = feed_fence(fixture, one, VKR_ORDER_DEVICE, false, true, NULL);
	uint64_t flag = feed_atomic(fixture, one, false, false, 0);
	feed_fence(fixture, one, VKR_ORDER_DEVICE, false, true, NULL);
	feed_atomic(fixture, two, true, false, flag);
	uint64_t acquire = feed_fence(fixture, two, VKR_ORDER_DEVICE, true, false, NULL);
	struct vkr_order_access read = access_now(fixture, two, 0, false);
	struct found found = compare(fixture, &write, &read);
	assert_int_equal(found.runs[0].separation.race_class, VKR_RACE_UNAVAILABLE);
	assert_int_equal(found.runs[0].separation.release, release);
	assert_int_equal(found.runs[0].separation.acquire, acquire);
	assert_int_equal(found.runs[0].separation.available, 0);
}

// One lock handed round by many agents: each acquire must not look at every release before it.
static void a_long_release_sequence(void **state)
{
	struct fixture *fixture = *state;
	enum { TURNS = 20000 };
	uint64_t dispatch = add_dispatch(fixture, TURNS), previous = 0;
	struct vkr_order_access first = access_now(fixture, dispatch, 0, false);
	for (uint64_t i = 0; i < TURNS; i++)
		previous = feed_atomic(fixture, dispatch + i, true, true, previous);
	struct vkr_order_access last = access_now(fixture, dispatch + TURNS - 1, 0, true);
	assert_int_equal(compare(fixture, &first, &last).runs[0].relation, VKR_ORDER_FIRST);
	for (size_t i = 0; i < fixture->order->nodes.count; i++)
		assert_true(fixture->order->nodes.items[i]->source_count <= 1);
}

// Where host and device atomics cannot be mutually ordered no release sequence goes on across.
static void a_host_is_in_no_sequence_of_the_device(void **state)
{
	struct fixture *fixture = *state;
	uint64_t dispatch = add_dispatch(fixture, 256), host = add_host(fixture), flag = 0;
	struct vkr_order_access read = access_now(fixture, dispatch, 0, false);
	const uint64_t agents[] = {dispatch, host, dispatch + 128};
	for (unsigned i = 0; i < 3; i++)
		flag = feed(fixture, (struct vkr_order_event){
					     .kind = VKR_ORDER_ATOMIC,
					     .agent = agents[i],
					     .acquire = i == 2,
					     .release = i == 0,
					     .scope = VKR_ORDER_CROSS_DEVICE,
					     .semantics = i == 1 ? 0 : UNIFORM,
					     .from = flag,
					     .modification = i + 1,
					     .access =
						     {
							     .reference = 2,
							     .memory = 2,
							     .size = 4,
							     .storage_class = i == 1 ? 0 : UNIFORM,
							     .read = i > 0,
							     .write = i < 2,
							     .atomic = true,
							     .nonprivate = true,
							     .scope = VKR_ORDER_CROSS_DEVICE,
						     },
				     });
	struct vkr_order_access write = access_now(fixture, dispatch + 128, 0, true);
	assert_false(vkr_order_happens_before(fixture->order, &read, &write));
}

// CrossDevice on the operand of an access names no domain of its own: the widest that shaders have
// is the shader domain.
static void an_operand_of_all_devices(void **state)
{
	struct fixture *fixture = *state;
	uint64_t one = add_dispatch(fixture, 64), two = add_dispatch(fixture, 64);
	struct vkr_order_access write = access_now(fixture, one, 0, true);
	uint64_t flag = feed_atomic(fixture, one, false, true, 0);
	feed_atomic(fixture, two, true, false, flag);
	struct vkr_order_access read = access_now(fixture, two, 0, false);
	assert_false(located(fixture, &write, &read));
	write.available = read.visible = VKR_ORDER_CROSS_DEVICE;
	assert_true(located(fixture, &write, &read));
}

// Logs come in any order: the access that is asked about first may be the later one.
static void hrf_pairs_either_way_round(void **state)
{
	struct fixture *fixture = *state;
	uint64_t dispatch = add_dispatch(fixture, 256);
	struct vkr_order_access write = access_now(fixture, dispatch, 0, true);
	uint64_t flag = feed_atomic(fixture, dispatch, false, true, 0);
	struct vkr_order_access early = access_now(fixture, dispatch + 128, 0, false);
	feed_atomic(fixture, dispatch + 128, true, false, flag);
	struct vkr_order_access late = access_now(fixture, dispatch + 128, 0, false);
	assert_int_equal(compare(fixture, &write, &late).runs[0].relation, VKR_ORDER_FIRST);
	assert_int_equal(compare(fixture, &late, &write).runs[0].relation, VKR_ORDER_SECOND);
	assert_int_equal(compare(fixture, &write, &early).runs[0].relation, VKR_ORDER_NEITHER);
	assert_int_equal(compare(fixture, &early, &write).runs[0].relation, VKR_ORDER_NEITHER);
}

static uint64_t feed_turn(struct fixture *fixture, uint64_t agent, bool write, uint64_t turn)
{
	return feed(fixture, (struct vkr_order_event){
				     .kind = VKR_ORDER_ATOMIC,
				     .agent = agent,
				     .acquire = !write,
				     .release = write,
				     .scope = VKR_ORDER_DEVICE,
				     .access = {.reference = 1,
						.memory = 2,
						.size = 4,
						.read = !write,
						.write = write,
						.atomic = true},
				     .modification = write ? turn : 0,
				     .seen = turn,
			     });
}

// Writes come in another order than they have in the coherent order: an acquire is after those up
// to the one that it reads from.
static void hrf_turns_in_any_order(void **state)
{
	static const uint64_t turns[] = {1, 4, 3, 2};
	struct fixture *fixture = *state;
	const uint64_t dispatch = add_dispatch(fixture, 16);
	struct vkr_order_access writes[4], read;
	feed_turn(fixture, dispatch + 15, false, 0); // from here on each write hands on at once
	for (unsigned i = 0; i < 4; i++) {
		writes[i] = access_now(fixture, dispatch + i, 16 * i, true);
		feed_turn(fixture, dispatch + i, true, turns[i]);
	}
	for (uint64_t seen = 0; seen <= 4; seen++) {
		feed_turn(fixture, dispatch + 8 + seen, false, seen);
		read = access_now(fixture, dispatch + 8 + seen, 0, false);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(vkr_order_is_before(fixture->order, &writes[i], &read),
					 turns[i] <= seen);
	}
}

// One location handed on by that many invocations in turn, each with another scope than the one
// before: what it takes in memory and in edges between single events.
static size_t hand_on(struct fixture *fixture, uint64_t count)
{
	static const enum vkr_order_scope scopes[] = {VKR_ORDER_SUBGROUP, VKR_ORDER_WORKGROUP,
						      VKR_ORDER_DEVICE, VKR_ORDER_CROSS_DEVICE};
	const uint64_t first = add_dispatch(fixture, count);
	size_t edges = 0;
	for (uint64_t i = 0, from = 0; i < count; i++) {
		const uint64_t turn = i + 1;
		from = feed(fixture, (struct vkr_order_event){
					     .kind = VKR_ORDER_ATOMIC,
					     .agent = first + i,
					     .acquire = true,
					     .release = true,
					     .scope = scopes[i % 4],
					     .access = {.reference = 1,
							.memory = first,
							.size = 4,
							.read = true,
							.write = true,
							.atomic = true},
					     .from = from,
					     .modification = turn,
					     .seen = i,
					     .follows = true,
				     });
		edges += fixture->order->nodes.items[from - 1]->source_count;
	}
	return edges;
}

// Acquires of any scope take what releases of any scope hand on, in memory that is linear.
static void hrf_scopes_hand_on(void **state)
{
	enum { COUNT = 2000 };
	struct fixture *fixture = *state;
	assert_int_equal(hand_on(fixture, COUNT), 0);
	const size_t bytes = fixture->order->memory.arena.bytes;
	assert_int_equal(hand_on(fixture, 4 * COUNT), 0);
	assert_true(fixture->order->memory.arena.bytes - bytes < 6 * bytes);
}

#define TEST(function)     cmocka_unit_test_setup_teardown(function, set_up, tear_down)
#define HRF_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_hrf, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(silent_agents_cost_nothing),
		TEST(invocations_of_a_dispatch_are_unordered),
		TEST(groups_follow_from_sizes),
		TEST(dispatches_chain),
		TEST(command_barrier),
		TEST(coherent_host_memory),
		TEST(coherent_host_read),
		TEST(agents_from_now_on),
		TEST(outside_order),
		TEST(shader_call_chain),
		TEST(separation),
		TEST(a_long_release_sequence),
		TEST(an_operand_of_all_devices),
		TEST(a_host_is_in_no_sequence_of_the_device),
		HRF_TEST(a_long_release_sequence),
		HRF_TEST(hrf_pairs_either_way_round),
		HRF_TEST(hrf_scopes_hand_on),
		HRF_TEST(hrf_turns_in_any_order),
	};
	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
