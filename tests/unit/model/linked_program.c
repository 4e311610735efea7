// SPDX-License-Identifier: Apache-2.0
#include "linked_program.h"

#include "model_fixture.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool behind(const struct linked_program *program, uint32_t first, uint32_t second)
{
	if (program->commands[first].queue != program->commands[second].queue)
		return false;
	for (uint32_t at = first + 1; at <= second; at++)
		if (program->commands[at].queue == program->commands[first].queue &&
		    program->commands[at].barrier)
			return true;
	return false;
}

static bool is_done(const struct linked_command *command)
{
	for (uint32_t at = 0; at < command->agent_count; at++)
		if (command->agents[at].done < command->agents[at].count)
			return false;
	return true;
}

static bool may_go_on(const struct linked_program *program, uint32_t command)
{
	for (uint32_t first = 0; first < command; first++)
		if (behind(program, first, command) && !is_done(&program->commands[first]))
			return false;
	return !is_done(&program->commands[command]);
}

// ---- As a litmus test ---------------------------------------------------------------------------

static void say(struct linked_program *program, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const int length =
		vsnprintf(program->text + program->text_length,
			  sizeof program->text - program->text_length, format, arguments);
	va_end(arguments);
	assert_true(length >= 0 && (size_t)length < sizeof program->text - program->text_length);
	program->text_length += (size_t)length;
}

static const char *scope_name(uint8_t scope)
{
	return scope == VKR_SCOPE_DEVICE         ? "device"
	       : scope == VKR_SCOPE_QUEUE_FAMILY ? "queuefamily"
						 : "workgroup";
}

static void say_begin(struct linked_program *program)
{
	program->text_length = 0;
	say(program, "vlit 1\nname random\nchains %s\nlocation m %d\nreference n m 0 %d\n",
	    program->chains ? "on" : "off", 4 * LINKED_WORDS, 4 * LINKED_WORDS);
	for (uint32_t at = 0; at < program->command_count; at++)
		for (uint32_t i = 0; i < program->commands[at].agent_count; i++)
			say(program,
			    "agent a%u_%u invocation device=0 queuefamily=%u workgroup=%u "
			    "subgroup=%u\n",
			    at, i, program->families[program->commands[at].queue],
			    at * LINKED_AGENTS + i, at * LINKED_AGENTS + i);
	for (uint32_t to = 0; to < program->command_count; to++)
		for (uint32_t from = 0; from < to; from++)
			for (uint32_t i = 0;
			     behind(program, from, to) && i < program->commands[from].agent_count;
			     i++)
				for (uint32_t k = 0; k < program->commands[to].agent_count; k++)
					say(program, "ssw a%u_%u a%u_%u\n", from, i, to, k);
}

static void say_event(struct linked_program *program, uint32_t command, uint32_t agent,
		      const struct linked_event *event)
{
	const struct vkr_site *site = &event->site;
	const bool atomic =
		site->operation == VKR_SITE_ATOMIC_LOAD || site->operation == VKR_SITE_ATOMIC_STORE;
	const bool write =
		site->operation == VKR_SITE_STORE || site->operation == VKR_SITE_ATOMIC_STORE;
	say(program, "e%u a%u_%u ", event->line, command, agent);
	if (site->operation == VKR_SITE_MEMORY_BARRIER)
		say(program, "fence");
	else
		say(program, "%s %c bytes=%u:4%s",
		    site->operation == VKR_SITE_ATOMIC_RMW ? "rmw"
		    : write                                ? "store"
							   : "load",
		    site->variable == 0 ? 'm' : 'n', 4 * event->word, atomic ? " atomic" : "");
	if (atomic || site->operation == VKR_SITE_ATOMIC_RMW ||
	    site->operation == VKR_SITE_MEMORY_BARRIER) {
		static const char *const orders[] = {"relaxed", "acquire", "release", "acqrel"};
		say(program, " scope=%s order=%s", scope_name(site->scope),
		    orders[site->order & 3]);
		if (site->order & 3)
			say(program, " sem=%s",
			    site->semantics == VKR_CLASS_UNIFORM ? "uniform" : "image");
		if (site->order & VKR_ORDER_MAKE_AVAILABLE)
			say(program, " makeavailable");
		if (site->order & VKR_ORDER_MAKE_VISIBLE)
			say(program, " makevisible");
	} else if (site->flags & VKR_SITE_NONPRIVATE) {
		say(program, " nonprivate");
		if (site->flags & VKR_SITE_MAKE_AVAILABLE)
			say(program, " available=%s", scope_name(site->available_scope));
		if (site->flags & VKR_SITE_MAKE_VISIBLE)
			say(program, " visible=%s", scope_name(site->visible_scope));
	}
	say(program, "\n");
}

static void run_event(struct linked_program *program, uint32_t *memory, uint32_t command,
		      uint32_t agent)
{
	struct linked_agent *modification = &program->commands[command].agents[agent];
	struct linked_event *event = &modification->events[modification->done++];
	event->read = memory[event->word];
	event->written = event->line;
	if (event->site.operation == VKR_SITE_STORE ||
	    event->site.operation == VKR_SITE_ATOMIC_STORE ||
	    event->site.operation == VKR_SITE_ATOMIC_RMW)
		memory[event->word] = event->written;
	say_event(program, command, agent, event);
}

static void run_random(struct linked_program *program, struct vkr_random *random, uint32_t *memory)
{
	for (;;) {
		uint32_t ready[LINKED_COMMANDS], count = 0;
		for (uint32_t at = 0; at < program->command_count; at++)
			if (may_go_on(program, at))
				ready[count++] = at;
		if (count == 0)
			return;
		const uint32_t command = ready[vkr_random_below(random, count)];
		const struct linked_command *running = &program->commands[command];
		const uint32_t agent = vkr_random_below(random, running->agent_count);
		if (running->agents[agent].done < running->agents[agent].count)
			run_event(program, memory, command, agent);
	}
}

void linked_run(struct linked_program *program, struct vkr_random *random, const uint32_t *turns)
{
	uint32_t memory[LINKED_WORDS] = {0};
	say_begin(program);
	if (random != NULL)
		run_random(program, random, memory);
	for (uint32_t at = 0; random == NULL && at < program->command_count; at++) {
		const struct linked_command *running = &program->commands[turns[at]];
		for (uint32_t agent = 0; agent < running->agent_count; agent++)
			while (running->agents[agent].done < running->agents[agent].count)
				run_event(program, memory, turns[at], agent);
	}
}

#define TRANSFER VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT

// ---- As a trace ---------------------------------------------------------------------------------

// The buffer behind two bindings, in place of the fixture's one.
static void bind_twice(struct fixture *fixture)
{
	struct trace_builder *tb = &fixture->tb;
	const struct vkr_trace_binding bindings[] = {
		{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1},
		{.binding = 1, .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1}};
	const struct vkr_trace_descriptor descriptor = {.object = fixture->buffer,
							.bytes = VK_WHOLE_SIZE};
	fixture->set_layout = tb_set_layout(tb, bindings, 2);
	fixture->layout = tb_pipeline_layout(tb, fixture->set_layout);
	fixture->set = tb_set(tb, fixture->set_layout);
	for (uint32_t binding = 0; binding < 2; binding++)
		tb_write(tb, fixture->set, binding, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			 &descriptor, 1);
}

static void make_pipeline(struct trace_builder *tb, struct linked_command *command)
{
	const struct vkr_variable variables[] = {
		{.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10},
		{.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 11, .binding = 1}};
	struct vkr_site sites[LINKED_AGENTS * LINKED_EVENTS];
	uint32_t segments[LINKED_AGENTS * LINKED_EVENTS + 1] = {0}, count = 0;
	for (uint32_t at = 0; at < command->agent_count; at++)
		for (uint32_t i = 0; i < command->agents[at].count; i++) {
			sites[count] = command->agents[at].events[i].site;
			segments[count++] = 1;
		}
	command->pipeline = tb_shader_pipeline(tb,
					       &(struct tb_shader){.variables = variables,
								   .variable_count = 2,
								   .sites = sites,
								   .site_count = count,
								   .segments = segments,
								   .workgroup_size = {1, 1, 1},
								   .name = "words"},
					       "linked");
}

static bool is_dispatch(const struct linked_command *command)
{
	return !command->fills && !command->copies;
}

static void log_command(struct trace_builder *tb, const struct linked_command *command)
{
	uint32_t segment = 0;
	for (uint32_t at = 0; at < command->agent_count; at++)
		for (uint32_t i = 0; i < command->agents[at].count; i++) {
			const struct linked_event *event = &command->agents[at].events[i];
			const bool reads = event->site.operation != VKR_SITE_ATOMIC_STORE;
			const bool plain = !(event->site.flags & VKR_SITE_VALUES);
			const uint32_t words[4] = {++segment, 4 * event->word,
						   reads ? event->read : event->written,
						   event->written};
			tb_chunk(tb, command->index, at, 0, words,
				 event->site.operation == VKR_SITE_MEMORY_BARRIER ? 1
				 : plain                                          ? 2
				 : event->site.operation == VKR_SITE_ATOMIC_RMW   ? 4
										  : 3);
		}
}

static void record_queue(struct linked_program *program, struct fixture *fixture, uint32_t queue,
			 uint32_t id, uint32_t elsewhere)
{
	struct trace_builder *tb = &fixture->tb;
	bool used = false;
	tb_record(tb);
	for (uint32_t at = 0; at < program->command_count; at++) {
		struct linked_command *command = &program->commands[at];
		if (command->queue != queue)
			continue;
		const uint32_t word = command->agents[0].events[0].word;
		if (command->barrier && command->memory)
			tb_memory_barrier(tb, command->alone ? 0 : COMPUTE | TRANSFER,
					  command->sees ? 0 : VK_ACCESS_2_MEMORY_WRITE_BIT,
					  COMPUTE | TRANSFER,
					  VK_ACCESS_2_MEMORY_READ_BIT |
						  VK_ACCESS_2_MEMORY_WRITE_BIT);
		else if (command->barrier)
			tb_memory_barrier(tb, COMPUTE | TRANSFER, VK_ACCESS_2_TRANSFER_WRITE_BIT,
					  COMPUTE | TRANSFER, VK_ACCESS_2_SHADER_WRITE_BIT);
		if (command->fills) {
			tb_fill(tb, fixture->buffer, 4 * word, 4);
		} else if (command->copies) {
			tb_copy(tb, fixture->buffer, elsewhere,
				(struct vkr_trace_copy){.source_offset = 4 * word, .bytes = 4});
		} else {
			fixture_bind(fixture, command->pipeline);
			command->index = tb_dispatch(tb, command->agent_count, 1, 1);
		}
		used = true;
	}
	const uint32_t recording = tb_record_end(tb);
	if (!used)
		return;
	const uint32_t execution = tb_submit(tb, id, recording);
	for (uint32_t at = 0; at < program->command_count; at++)
		if (program->commands[at].queue == queue && is_dispatch(&program->commands[at]))
			log_command(tb, &program->commands[at]);
	tb_log_end(tb, execution);
}

unsigned linked_ask_model(struct linked_program *program, bool put_off, bool *coverage)
{
	struct fixture fixture;
	uint32_t queues[LINKED_QUEUES] = {1};
	uint32_t elsewhere[LINKED_QUEUES]; // where copies go
	unsigned words = 0;
	fixture_init_on(&fixture, 4 * LINKED_WORDS,
			program->chains ? VKR_DEVICE_AVAILABILITY_CHAINS : 0);
	bind_twice(&fixture);
	for (uint32_t at = 1; at < LINKED_QUEUES; at++)
		queues[at] = tb_queue(&fixture.tb, program->families[at]);
	for (uint32_t at = 0; at < LINKED_QUEUES; at++)
		elsewhere[at] = tb_buffer(&fixture.tb, 4, "elsewhere");
	for (uint32_t at = 0; at < program->command_count; at++)
		if (is_dispatch(&program->commands[at]))
			make_pipeline(&fixture.tb, &program->commands[at]);
	// The first of the queues, or the last, is fed first.
	for (uint32_t at = 0; at < LINKED_QUEUES; at++)
		record_queue(program, &fixture, at, queues[at], elsewhere[at]);
	struct vkr_session *session = tb_judge(&fixture.tb, put_off);
	const struct vkr_report *report = vkr_session_report(session);
	program->found_length = 0;
	for (uint32_t at = 0; at < report->race_count; at++) {
		const struct vkr_race_report *race = &report->races[at];
		words |= 1u << race->first.offset / 4;
		if (program->found_length < sizeof program->found)
			program->found_length +=
				(size_t)snprintf(program->found + program->found_length,
						 sizeof program->found - program->found_length,
						 "  e%u e%u class %d", race->first.source.line,
						 race->second.source.line, race->race_class);
	}
	*coverage = report->coverage_count > 0;
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	return words;
}

static bool races_at(const struct vkr_oracle_races *races, uint32_t first, uint32_t second,
		     uint32_t word)
{
	for (size_t at = 0; at < races->count; at++) {
		const struct vkr_litmus_race *race = &races->items[at];
		if (race->first == first && race->second == second && race->offset / 4 <= word &&
		    word <= (race->offset + race->size - 1) / 4)
			return true;
	}
	return false;
}

static bool is_write(const struct vkr_litmus_event *event, uint32_t word)
{
	return (event->operation == VKR_LITMUS_STORE || event->operation == VKR_LITMUS_RMW) &&
	       event->offset / 4 == word;
}

// Whether a plain write stands between the two, in order with both: of such a pair the model is not
// to speak, for nobody would read the first one's value.
static bool is_overwritten(const struct vkr_litmus *litmus, const struct vkr_oracle_races *races,
			   const struct vkr_litmus_race *race)
{
	const uint32_t word = race->offset / 4;
	for (uint32_t at = race->first + 1; at < race->second; at++)
		if (is_write(&litmus->events[at], word) && !litmus->events[at].atomic &&
		    !races_at(races, race->first, at, word) &&
		    !races_at(races, at, race->second, word))
			return true;
	return false;
}

// A bit for each word with atomics and plain accesses, or with updates through several references:
// the oracle takes an update for a read, too, that needs nothing but order to be before others, and
// lets atomics make plain accesses of their invocation visible, which the model does not look for
// in shaders without fences.
static unsigned mixed_words(const struct vkr_litmus *litmus)
{
	unsigned atomic = 0, plain = 0, updated = 0, through[2] = {0};
	for (size_t at = 0; at < litmus->event_count; at++) {
		const struct vkr_litmus_event *event = &litmus->events[at];
		const unsigned word = 1u << event->offset / 4;
		if (event->operation > VKR_LITMUS_RMW)
			continue;
		*(event->atomic ? &atomic : &plain) |= word;
		through[event->reference] |= word;
		if (event->operation == VKR_LITMUS_RMW)
			updated |= word;
	}
	return (atomic & plain) | (updated & through[0] & through[1]);
}

// Whether an atomic of a command has read what no atomic that it is mutually ordered with wrote:
// the oracle, which goes by the order of execution, takes it to have read from the one before that.
static bool reads_others(const struct linked_program *program, uint32_t command,
			 const struct linked_event *event)
{
	if (!(event->site.flags & VKR_SITE_VALUES) ||
	    event->site.operation == VKR_SITE_ATOMIC_STORE)
		return false;
	for (uint32_t at = 0; at < program->command_count; at++)
		for (uint32_t i = 0; i < program->commands[at].agent_count; i++)
			for (uint32_t k = 0; k < program->commands[at].agents[i].count; k++) {
				const struct linked_event *writer =
					&program->commands[at].agents[i].events[k];
				const bool far =
					program->families[program->commands[at].queue] !=
					program->families[program->commands[command].queue];
				if (writer->line == event->read)
					return !(writer->site.flags & VKR_SITE_VALUES) ||
					       writer->site.variable != event->site.variable ||
					       (far && (writer->site.scope != VKR_SCOPE_DEVICE ||
							event->site.scope != VKR_SCOPE_DEVICE));
			}
	return false;
}

static bool any_reads_others(const struct linked_program *program)
{
	for (uint32_t at = 0; at < program->command_count; at++)
		for (uint32_t i = 0; i < program->commands[at].agent_count; i++)
			for (uint32_t k = 0; k < program->commands[at].agents[i].count; k++)
				if (reads_others(program, at,
						 &program->commands[at].agents[i].events[k]))
					return true;
	return false;
}

unsigned linked_ask_oracle(struct linked_program *program, unsigned *open)
{
	struct vkr_litmus litmus;
	struct vkr_oracle_races races = {0};
	struct vkr_error error;
	unsigned words = 0;
	*open = 0;
	assert_int_equal(
		vkr_litmus_read(&litmus, "random", program->text, program->text_length, &error),
		VKR_OK);
	assert_int_equal(
		vkr_oracle_judge(&litmus, &(struct vkr_memory_rules){0}, 0, &races, &error),
		VKR_OK);
	for (size_t at = 0; at < races.count; at++) {
		const struct vkr_litmus_race *race = &races.items[at];
		if (is_overwritten(&litmus, &races, race)) {
			*open |= 1u << race->offset / 4;
			continue;
		}
		if (program->wanted_length < sizeof program->wanted)
			program->wanted_length +=
				(size_t)snprintf(program->wanted + program->wanted_length,
						 sizeof program->wanted - program->wanted_length,
						 "  %s %s", litmus.events[race->first].label,
						 litmus.events[race->second].label);
		words |= 1u << race->offset / 4;
	}
	*open |= any_reads_others(program) ? (1u << LINKED_WORDS) - 1 : mixed_words(&litmus);
	vkr_oracle_races_finish(&races);
	vkr_litmus_finish(&litmus);
	return words;
}

bool linked_agree(struct linked_program *program, const char *name, unsigned *wanted)
{
	unsigned open = 0;
	bool agree = true;
	*wanted = linked_ask_oracle(program, &open);
	for (int put_off = 0; put_off < 2; put_off++) {
		bool coverage = false;
		const unsigned found = linked_ask_model(program, put_off, &coverage);
		if ((found | open) == (*wanted | open) && !coverage)
			continue;
		agree = false;
		fprintf(stderr, "%s%s: words %x, the oracle's %x%s\n%s%.*s\n%.*s\n", name,
			put_off ? ", put off" : "", found, *wanted,
			coverage ? ", not observed" : "", program->text, (int)sizeof program->found,
			program->found, (int)sizeof program->wanted, program->wanted);
	}
	return agree;
}
