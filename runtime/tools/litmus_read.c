// SPDX-License-Identifier: Apache-2.0
// Reads a .vlit file: the header statements, and what can only be resolved after the last line.
// Knows the format, and no rule of the memory model.
#include "array.h"
#include "error.h"
#include "litmus_parse.h"
#include "memory_names.h"

#include <stdlib.h>
#include <string.h>

static enum vkr_result expect_words(struct vkr_litmus_parser *parser, bool right, const char *usage)
{
	return right ? VKR_OK : vkr_litmus_fail(parser, "expected: %s", usage);
}

static enum vkr_result read_version(struct vkr_litmus_parser *parser)
{
	if (parser->word_count != 2 || strcmp(parser->words[0], "vlit") != 0)
		return vkr_litmus_fail(parser, "the first statement is not `vlit 1` or `vlit 2`");
	bool second = strcmp(parser->words[1], "2") == 0;
	if (!second && strcmp(parser->words[1], "1") != 0)
		return vkr_error_set(
			parser->error, VKR_ERROR_VERSION,
			"%s:%u: vlit version %s is not known; this build reads versions 1 and 2",
			parser->path, parser->line, parser->words[1]);
	parser->execution->version = second ? 2 : 1;
	parser->versioned = true;
	return VKR_OK;
}

static enum vkr_result read_name(struct vkr_litmus_parser *parser)
{
	if (!*parser->rest)
		return vkr_litmus_fail(parser, "expected: name TEXT");
	free(parser->execution->name);
	parser->execution->name = strdup(parser->rest);
	return parser->execution->name ? VKR_OK : vkr_error_memory(parser->error, "litmus name");
}

static enum vkr_result read_expect(struct vkr_litmus_parser *parser)
{
	size_t count = parser->word_count;
	bool named = count == 3 && parser->execution->version >= 2;
	const char *verdict = count > 1 ? parser->words[count - 1] : "";
	bool race = strcmp(verdict, "race") == 0;
	enum vkr_memory_model model = VKR_MEMORY_VULKAN;
	if ((count != 2 && !named) || (!race && strcmp(verdict, "norace") != 0))
		return expect_words(parser, false,
				    parser->execution->version >= 2 ? "expect [MODEL] race|norace"
								    : "expect race|norace");
	if (named && !vkr_memory_model_find(parser->words[1], strlen(parser->words[1]), &model))
		return vkr_litmus_fail(parser, "there is no memory model %s", parser->words[1]);
	parser->execution->expect[model] =
		race ? VKR_LITMUS_EXPECT_RACE : VKR_LITMUS_EXPECT_NO_RACE;
	return VKR_OK;
}

static enum vkr_result read_candidate(struct vkr_litmus_parser *parser)
{
	const size_t count = parser->word_count;
	const char *verdict = count > 1 ? parser->words[count - 1] : "";
	const bool yes = strcmp(verdict, "yes") == 0;
	enum vkr_memory_model model = VKR_MEMORY_VULKAN;
	if ((count != 2 && count != 3) || (!yes && strcmp(verdict, "no") != 0))
		return expect_words(parser, false, "candidate [MODEL] yes|no");
	if (count == 3 &&
	    !vkr_memory_model_find(parser->words[1], strlen(parser->words[1]), &model))
		return vkr_litmus_fail(parser, "there is no memory model %s", parser->words[1]);
	parser->execution->candidate[model] =
		yes ? VKR_LITMUS_CANDIDATE_YES : VKR_LITMUS_CANDIDATE_NO;
	return VKR_OK;
}

static enum vkr_result read_chains(struct vkr_litmus_parser *parser)
{
	bool on = parser->word_count == 2 && strcmp(parser->words[1], "on") == 0;
	bool off = parser->word_count == 2 && strcmp(parser->words[1], "off") == 0;
	parser->execution->chains = on;
	return expect_words(parser, on || off, "chains on|off");
}

// The groups nest: agents of one subgroup are of one workgroup, and so on.
static enum vkr_result check_groups(struct vkr_litmus_parser *parser,
				    const struct vkr_litmus_agent *agent)
{
	for (size_t i = 0; i < parser->execution->agent_count; i++) {
		const struct vkr_litmus_agent *other = &parser->execution->agents[i];
		const char *group = NULL;
		if (other->host || other == agent)
			continue;
		if (other->subgroup == agent->subgroup && other->workgroup != agent->workgroup)
			group = "subgroup";
		else if (other->workgroup == agent->workgroup &&
			 other->queue_family != agent->queue_family)
			group = "workgroup";
		else if (other->queue_family == agent->queue_family &&
			 other->device != agent->device)
			group = "queuefamily";
		if (group)
			return vkr_litmus_fail(
				parser, "agent %s shares its %s with %s, but not what holds it",
				agent->name, group, other->name);
	}
	return VKR_OK;
}

static enum vkr_result read_agent(struct vkr_litmus_parser *parser)
{
	static const char usage[] = "agent NAME host, or agent NAME invocation device=N "
				    "queuefamily=N workgroup=N subgroup=N";
	static const char *const keys[] = {"device=", "queuefamily=", "workgroup=", "subgroup="};
	struct vkr_litmus *execution = parser->execution;
	char **words = parser->words;
	struct vkr_litmus_agent agent = {0};
	uint32_t *const groups[] = {&agent.device, &agent.queue_family, &agent.workgroup,
				    &agent.subgroup};
	unsigned seen = 0;
	agent.host = parser->word_count == 3 && strcmp(words[2], "host") == 0;
	bool right = agent.host || (parser->word_count == 7 && strcmp(words[2], "invocation") == 0);
	for (size_t i = 3; right && i < parser->word_count; i++) {
		bool known = false;
		for (unsigned k = 0; k < 4; k++) {
			size_t length = strlen(keys[k]);
			if (strncmp(words[i], keys[k], length) != 0)
				continue;
			known = vkr_litmus_number(words[i] + length, groups[k]);
			seen |= 1u << k;
		}
		right = known;
	}
	if (!right || (!agent.host && seen != 0xf))
		return expect_words(parser, false, usage);
	if (!vkr_array_reserve((void **)&execution->agents, &parser->agent_capacity,
			       execution->agent_count + 1, sizeof *execution->agents))
		return vkr_error_memory(parser->error, "litmus agents");
	enum vkr_result result =
		vkr_litmus_declare(parser, &parser->agents, "agent", words[1], &agent.name);
	execution->agents[execution->agent_count] = agent;
	if (agent.name)
		execution->agent_count++;
	if (result == VKR_OK && !agent.host)
		result = check_groups(parser, &execution->agents[execution->agent_count - 1]);
	return result;
}

static enum vkr_result add_reference(struct vkr_litmus_parser *parser, uint32_t location,
				     uint32_t offset, uint32_t size)
{
	struct vkr_litmus *execution = parser->execution;
	struct vkr_litmus_reference reference = {
		.location = location, .offset = offset, .size = size};
	if (!vkr_array_reserve((void **)&execution->references, &parser->reference_capacity,
			       execution->reference_count + 1, sizeof *execution->references))
		return vkr_error_memory(parser->error, "litmus references");
	enum vkr_result result = vkr_litmus_declare(parser, &parser->references, "reference",
						    parser->words[1], &reference.name);
	execution->references[execution->reference_count] = reference;
	if (reference.name)
		execution->reference_count++;
	return result;
}

static bool read_location_key(const char *word, struct vkr_litmus_location *location)
{
	static const char *const allocs[] = {"alloc=atomic", "alloc=fine", "alloc=coarse"};
	for (unsigned i = 0; i < 3; i++) {
		if (strcmp(word, allocs[i]) == 0) {
			location->alloc = (enum vkr_litmus_alloc)i;
			return true;
		}
	}
	location->local = strcmp(word, "space=local") == 0;
	return location->local || strcmp(word, "space=global") == 0;
}

static enum vkr_result read_location(struct vkr_litmus_parser *parser)
{
	struct vkr_litmus *execution = parser->execution;
	struct vkr_litmus_location location = {0};
	bool right = parser->word_count == 3 || (parser->word_count > 3 && execution->version >= 2);
	right = right && vkr_litmus_number(parser->words[2], &location.size) && location.size > 0;
	for (size_t i = 3; right && i < parser->word_count; i++)
		right = read_location_key(parser->words[i], &location);
	if (!right)
		return expect_words(parser, false,
				    execution->version >= 2
					    ? "location NAME BYTES [space=global|local] "
					      "[alloc=coarse|fine|atomic]"
					    : "location NAME BYTES");
	if (!vkr_array_reserve((void **)&execution->locations, &parser->location_capacity,
			       execution->location_count + 1, sizeof *execution->locations))
		return vkr_error_memory(parser->error, "litmus locations");
	enum vkr_result result = vkr_litmus_declare(parser, &parser->locations, "location",
						    parser->words[1], &location.name);
	execution->locations[execution->location_count] = location;
	if (location.name)
		execution->location_count++;
	if (result == VKR_OK)
		result = add_reference(parser, (uint32_t)execution->location_count - 1, 0,
				       location.size);
	return result;
}

static enum vkr_result read_reference(struct vkr_litmus_parser *parser)
{
	uint32_t offset = 0, size = 0;
	bool part = parser->word_count == 5 && vkr_litmus_number(parser->words[3], &offset) &&
		    vkr_litmus_number(parser->words[4], &size);
	if (parser->word_count != 3 && !part)
		return expect_words(parser, false, "reference NAME LOCATION [OFFSET BYTES]");
	uint32_t location = vkr_litmus_find(&parser->locations, parser->words[2]);
	if (location == VKR_LITMUS_NONE)
		return vkr_litmus_fail(parser, "unknown location %s", parser->words[2]);
	uint32_t whole = parser->execution->locations[location].size;
	if (!part)
		size = whole;
	if (size == 0 || offset > whole || size > whole - offset)
		return vkr_litmus_fail(parser, "reference %s is not within %s of %u bytes",
				       parser->words[1], parser->words[2], whole);
	return add_reference(parser, location, offset, size);
}

static enum vkr_result read_agent_edge(struct vkr_litmus_parser *parser)
{
	struct vkr_litmus *execution = parser->execution;
	if (parser->word_count != 3)
		return expect_words(parser, false, "ssw AGENT AGENT");
	struct vkr_litmus_edge edge = {
		.first = vkr_litmus_find(&parser->agents, parser->words[1]),
		.second = vkr_litmus_find(&parser->agents, parser->words[2]),
	};
	if (edge.first == VKR_LITMUS_NONE || edge.second == VKR_LITMUS_NONE)
		return vkr_litmus_fail(parser, "unknown agent %s",
				       parser->words[edge.first == VKR_LITMUS_NONE ? 1 : 2]);
	if (edge.first == edge.second)
		return vkr_litmus_fail(parser, "agent %s cannot synchronize with itself",
				       parser->words[1]);
	if (!vkr_array_reserve((void **)&execution->agent_edges, &parser->agent_edge_capacity,
			       execution->agent_edge_count + 1, sizeof *execution->agent_edges))
		return vkr_error_memory(parser->error, "litmus edges");
	execution->agent_edges[execution->agent_edge_count++] = edge;
	return VKR_OK;
}

static enum vkr_result read_event_edge(struct vkr_litmus_parser *parser)
{
	if (parser->word_count != 3)
		return expect_words(parser, false, "LABEL ssw LABEL");
	if (!vkr_array_reserve((void **)&parser->edge_labels, &parser->edge_capacity,
			       parser->edge_count + 2, sizeof *parser->edge_labels))
		return vkr_error_memory(parser->error, "litmus edges");
	for (size_t i = 0; i < 2; i++) {
		char *label = strdup(parser->words[i * 2]);
		if (!label)
			return vkr_error_memory(parser->error, "litmus edges");
		parser->edge_labels[parser->edge_count++] =
			(struct vkr_litmus_pending){.line = parser->line, .label = label};
	}
	return VKR_OK;
}

static enum vkr_result read_statement(struct vkr_litmus_parser *parser)
{
	static const struct {
		const char *word;
		enum vkr_result (*read)(struct vkr_litmus_parser *parser);
	} headers[] = {
		{"name", read_name},         {"expect", read_expect},
		{"chains", read_chains},     {"agent", read_agent},
		{"location", read_location}, {"reference", read_reference},
		{"ssw", read_agent_edge},
	};
	if (!parser->versioned)
		return read_version(parser);
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		if (strcmp(parser->words[0], headers[i].word) == 0)
			return headers[i].read(parser);
	}
	if (parser->execution->version >= 2 && strcmp(parser->words[0], "candidate") == 0)
		return read_candidate(parser);
	if (parser->word_count >= 2 && strcmp(parser->words[1], "ssw") == 0)
		return read_event_edge(parser);
	return vkr_litmus_read_event(parser);
}

static bool litmus_read_blank(char letter)
{
	return letter == ' ' || letter == '\t' || letter == '\r';
}

// Cuts the line, which it may write to, into words. A `#` starts a comment; in a name only after
// a blank, since names of tests hold it.
static bool cut_line(struct vkr_litmus_parser *parser, char *line)
{
	while (litmus_read_blank(*line))
		line++;
	bool named = strncmp(line, "name", 4) == 0 && litmus_read_blank(line[4]);
	parser->word_count = 0;
	parser->rest = "";
	for (char *at = line; *at; at++) {
		if (*at == '#' && (!named || litmus_read_blank(at[-1]))) {
			*at = 0;
			break;
		}
	}
	char *end = line + strlen(line);
	while (end > line && litmus_read_blank(end[-1]))
		*--end = 0;
	if (named) {
		parser->rest = line + 4;
		while (litmus_read_blank(*parser->rest))
			parser->rest++;
		line[4] = 0;
	}
	for (char *at = line;;) {
		while (litmus_read_blank(*at))
			at++;
		if (!*at)
			return true;
		if (!vkr_array_reserve((void **)&parser->words, &parser->word_capacity,
				       parser->word_count + 1, sizeof *parser->words))
			return false;
		parser->words[parser->word_count++] = at;
		while (*at && !litmus_read_blank(*at))
			at++;
		if (*at)
			*at++ = 0;
	}
}

static enum vkr_result read_lines(struct vkr_litmus_parser *parser, char *text, size_t length)
{
	enum vkr_result result = VKR_OK;
	for (char *line = text, *end = text + length; result == VKR_OK && line < end;) {
		char *next = memchr(line, '\n', (size_t)(end - line));
		char *stop = next ? next : end;
		parser->line++;
		*stop = 0;
		if (strlen(line) != (size_t)(stop - line))
			return vkr_litmus_fail(parser, "a NUL byte");
		if (!cut_line(parser, line))
			return vkr_error_memory(parser->error, "litmus words");
		if (parser->word_count)
			result = read_statement(parser);
		line = stop + 1;
	}
	if (result == VKR_OK && !parser->versioned) {
		parser->line = 1;
		result = vkr_litmus_fail(parser, "the first statement is not `vlit 1` or `vlit 2`");
	}
	return result;
}

// Moves the references that locations declare to the front.
static enum vkr_result sort_references(struct vkr_litmus_parser *parser)
{
	struct vkr_litmus *execution = parser->execution;
	size_t count = execution->reference_count;
	struct vkr_litmus_reference *sorted = calloc(count + 1, sizeof *sorted);
	uint32_t *moved = calloc(count + 1, sizeof *moved);
	if (!sorted || !moved) {
		free(sorted);
		free(moved);
		return vkr_error_memory(parser->error, "litmus references");
	}
	uint32_t location = 0, other = (uint32_t)execution->location_count;
	for (size_t i = 0; i < count; i++) {
		const char *name = execution->references[i].name;
		bool own = vkr_litmus_find(&parser->locations, name) != VKR_LITMUS_NONE;
		moved[i] = own ? location++ : other++;
		sorted[moved[i]] = execution->references[i];
	}
	free(execution->references);
	execution->references = sorted;
	for (size_t i = 0; i < execution->event_count; i++) {
		struct vkr_litmus_event *event = &execution->events[i];
		if (event->reference != VKR_LITMUS_NONE)
			event->reference = moved[event->reference];
		for (size_t k = 0; k < event->reference_count; k++)
			event->references[k] = moved[event->references[k]];
	}
	free(moved);
	return VKR_OK;
}

static bool events_overlap(const struct vkr_litmus *execution, const struct vkr_litmus_event *one,
			   const struct vkr_litmus_event *other)
{
	return execution->references[one->reference].location ==
		       execution->references[other->reference].location &&
	       one->offset < other->offset + other->size && other->offset < one->offset + one->size;
}

static bool event_writes(const struct vkr_litmus_event *event)
{
	return event->operation == VKR_LITMUS_STORE || event->operation == VKR_LITMUS_RMW;
}

// A read without from= takes the last write to any of its bytes that stands before it.
static void resolve_reads(struct vkr_litmus *execution)
{
	for (size_t i = 0; i < execution->event_count; i++) {
		struct vkr_litmus_event *event = &execution->events[i];
		if (event->operation != VKR_LITMUS_LOAD && event->operation != VKR_LITMUS_RMW)
			continue;
		for (size_t k = i; k-- > 0 && event->from == VKR_LITMUS_NONE;) {
			const struct vkr_litmus_event *write = &execution->events[k];
			if (event_writes(write) && events_overlap(execution, event, write))
				event->from = (uint32_t)k;
		}
	}
}

static enum vkr_result find_label(struct vkr_litmus_parser *parser,
				  const struct vkr_litmus_pending *pending, uint32_t *index)
{
	parser->line = pending->line;
	*index = vkr_litmus_find(&parser->labels, pending->label);
	return *index == VKR_LITMUS_NONE
		       ? vkr_litmus_fail(parser, "unknown label %s", pending->label)
		       : VKR_OK;
}

static enum vkr_result resolve_from(struct vkr_litmus_parser *parser)
{
	struct vkr_litmus *execution = parser->execution;
	resolve_reads(execution);
	for (size_t i = 0; i < parser->from_count; i++) {
		struct vkr_litmus_event *event = &execution->events[parser->from[i].event];
		event->from = VKR_LITMUS_NONE;
		if (strcmp(parser->from[i].label, "init") == 0)
			continue;
		enum vkr_result result = find_label(parser, &parser->from[i], &event->from);
		if (result != VKR_OK)
			return result;
		const struct vkr_litmus_event *write = &execution->events[event->from];
		if (write == event || !event_writes(write) ||
		    !events_overlap(execution, event, write))
			return vkr_litmus_fail(parser, "%s cannot read from %s", event->label,
					       write->label);
	}
	return VKR_OK;
}

static enum vkr_result resolve_after(struct vkr_litmus_parser *parser)
{
	struct vkr_litmus *execution = parser->execution;
	for (size_t i = 0; i < parser->after_count; i++) {
		struct vkr_litmus_event *event = &execution->events[parser->after[i].event];
		enum vkr_result result = find_label(parser, &parser->after[i], &event->after);
		if (result != VKR_OK)
			return result;
		const struct vkr_litmus_event *write = &execution->events[event->after];
		if (write == event || !event->atomic || !write->atomic || !event_writes(write) ||
		    !events_overlap(execution, event, write) || event->offset != write->offset ||
		    event->size != write->size)
			return vkr_litmus_fail(parser, "%s is no atomic write to the bytes of %s",
					       write->label, event->label);
	}
	return VKR_OK;
}

static enum vkr_result resolve_edges(struct vkr_litmus_parser *parser)
{
	struct vkr_litmus *execution = parser->execution;
	if (!vkr_array_reserve((void **)&execution->event_edges, &parser->event_edge_capacity,
			       parser->edge_count / 2, sizeof *execution->event_edges))
		return vkr_error_memory(parser->error, "litmus edges");
	for (size_t i = 0; i + 1 < parser->edge_count; i += 2) {
		struct vkr_litmus_edge edge = {0};
		enum vkr_result result = find_label(parser, &parser->edge_labels[i], &edge.first);
		if (result == VKR_OK)
			result = find_label(parser, &parser->edge_labels[i + 1], &edge.second);
		if (result == VKR_OK && edge.first == edge.second)
			result = vkr_litmus_fail(parser, "event %s cannot synchronize with itself",
						 parser->edge_labels[i].label);
		if (result != VKR_OK)
			return result;
		execution->event_edges[execution->event_edge_count++] = edge;
	}
	return VKR_OK;
}

static void finish_names(struct vkr_litmus_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	vkr_map_finish(&names->indices);
}

static void finish_pending(struct vkr_litmus_pending *pending, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(pending[i].label);
	free(pending);
}

enum vkr_result vkr_litmus_read(struct vkr_litmus *execution, const char *path, const char *text,
				size_t length, struct vkr_error *error)
{
	struct vkr_litmus_parser parser = {.execution = execution, .path = path, .error = error};
	enum vkr_result result = VKR_OK;
	*execution = (struct vkr_litmus){.chains = true};
	char *copy = malloc(length + 1);
	if (!copy) {
		result = vkr_error_memory(error, "litmus text");
		goto done;
	}
	if (length)
		memcpy(copy, text, length);
	result = read_lines(&parser, copy, length);
	if (result == VKR_OK)
		result = sort_references(&parser);
	if (result == VKR_OK)
		result = resolve_from(&parser);
	if (result == VKR_OK)
		result = resolve_after(&parser);
	if (result == VKR_OK)
		result = resolve_edges(&parser);
done:
	free(copy);
	free(parser.words);
	finish_names(&parser.agents);
	finish_names(&parser.locations);
	finish_names(&parser.references);
	finish_names(&parser.labels);
	finish_names(&parser.instances);
	finish_pending(parser.from, parser.from_count);
	finish_pending(parser.after, parser.after_count);
	finish_pending(parser.edge_labels, parser.edge_count);
	if (result != VKR_OK)
		vkr_litmus_finish(execution);
	return result;
}

void vkr_litmus_finish(struct vkr_litmus *execution)
{
	for (size_t i = 0; i < execution->agent_count; i++)
		free(execution->agents[i].name);
	for (size_t i = 0; i < execution->location_count; i++)
		free(execution->locations[i].name);
	for (size_t i = 0; i < execution->reference_count; i++)
		free(execution->references[i].name);
	for (size_t i = 0; i < execution->event_count; i++) {
		free(execution->events[i].label);
		free(execution->events[i].references);
	}
	free(execution->name);
	free(execution->agents);
	free(execution->locations);
	free(execution->references);
	free(execution->events);
	free(execution->event_edges);
	free(execution->agent_edges);
	*execution = (struct vkr_litmus){0};
}
