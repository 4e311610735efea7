// SPDX-License-Identifier: Apache-2.0
// Reads one event statement of a .vlit file: operation, operands, words and keys. Knows which key
// belongs to which operation, and no rule of the memory model.
#include "array.h"
#include "error.h"
#include "litmus_parse.h"

#include <stdlib.h>
#include <string.h>

// Sets of operations a word may stand on.
enum {
	ON_LOAD = 1u << VKR_LITMUS_LOAD,
	ON_STORE = 1u << VKR_LITMUS_STORE,
	ON_RMW = 1u << VKR_LITMUS_RMW,
	ON_FENCE = 1u << VKR_LITMUS_FENCE,
	ON_BARRIER = 1u << VKR_LITMUS_BARRIER,
	ON_ACCESS = ON_LOAD | ON_STORE | ON_RMW,
	ON_SYNC = ON_ACCESS | ON_FENCE | ON_BARRIER,
};

// The parts of one statement, before they are checked against each other.
struct statement {
	struct vkr_litmus_parser *parser;
	struct vkr_litmus_event *event;
	const char *operand; // of an access, for messages
	bool classed, execution, ordered;
};

static bool scope_of(const struct vkr_litmus *execution, const char *word,
		     enum vkr_litmus_scope *scope)
{
	static const struct {
		const char *name;
		enum vkr_litmus_scope scope;
	} scopes[] = {
		{"subgroup", VKR_LITMUS_SUBGROUP},        {"workgroup", VKR_LITMUS_WORKGROUP_SCOPE},
		{"queuefamily", VKR_LITMUS_QUEUE_FAMILY}, {"device", VKR_LITMUS_DEVICE},
		{"crossdevice", VKR_LITMUS_CROSS_DEVICE}, {"invocation", VKR_LITMUS_INVOCATION},
	};
	for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
		if (strcmp(word, scopes[i].name) == 0) {
			*scope = scopes[i].scope;
			return *scope != VKR_LITMUS_INVOCATION || execution->version >= 2;
		}
	}
	return false;
}

static bool order_of(const struct vkr_litmus *execution, const char *word,
		     enum vkr_litmus_order *order)
{
	static const char *const names[] = {"relaxed", "acquire", "release", "acqrel"};
	for (unsigned i = 0; i < 4; i++) {
		if (strcmp(word, names[i]) == 0) {
			*order = (enum vkr_litmus_order)i;
			return true;
		}
	}
	*order = VKR_LITMUS_SEQ_CST;
	return execution->version >= 2 && strcmp(word, "seqcst") == 0;
}

static bool spaces_of(const char *word, unsigned *spaces)
{
	static const struct {
		const char *name;
		unsigned spaces;
	} known[] = {
		{"global", VKR_LITMUS_GLOBAL},
		{"local", VKR_LITMUS_LOCAL},
		{"global,local", VKR_LITMUS_GLOBAL | VKR_LITMUS_LOCAL},
		{"local,global", VKR_LITMUS_GLOBAL | VKR_LITMUS_LOCAL},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(word, known[i].name) == 0) {
			*spaces = known[i].spaces;
			return true;
		}
	}
	return false;
}

static bool class_of(const char *word, size_t length, unsigned *bit)
{
	static const char *const names[] = {"uniform", "workgroup", "image", "output"};
	for (unsigned i = 0; i < 4; i++) {
		if (strlen(names[i]) == length && strncmp(word, names[i], length) == 0) {
			*bit = 1u << i;
			return true;
		}
	}
	return false;
}

static bool classes_of(const char *list, unsigned *bits)
{
	*bits = 0;
	for (;;) {
		size_t length = strcspn(list, ",");
		unsigned bit = 0;
		if (!class_of(list, length, &bit))
			return false;
		*bits |= bit;
		if (list[length] == 0)
			return true;
		list += length + 1;
	}
}

static enum vkr_result read_bytes(struct statement *statement, const char *value)
{
	struct vkr_litmus_event *event = statement->event;
	const char *colon = strchr(value, ':');
	char offset_text[16];
	uint32_t offset = 0, length = 0;
	size_t digits = colon ? (size_t)(colon - value) : 0;
	if (!colon || digits >= sizeof offset_text)
		return vkr_litmus_fail(statement->parser, "bytes= is not OFFSET:LENGTH");
	memcpy(offset_text, value, digits);
	offset_text[digits] = 0;
	if (!vkr_litmus_number(offset_text, &offset) || !vkr_litmus_number(colon + 1, &length))
		return vkr_litmus_fail(statement->parser, "bytes= is not OFFSET:LENGTH");
	if (length == 0 || offset > event->size || length > event->size - offset)
		return vkr_litmus_fail(statement->parser, "bytes=%s is not within %s of %u bytes",
				       value, statement->operand, event->size);
	event->offset += offset;
	event->size = length;
	return VKR_OK;
}

static enum vkr_result litmus_event_pend(struct statement *statement,
					 struct vkr_litmus_pending **items, size_t *count,
					 size_t *capacity, const char *label)
{
	struct vkr_litmus_parser *parser = statement->parser;
	if (!vkr_array_reserve((void **)items, capacity, *count + 1, sizeof **items))
		return vkr_error_memory(parser->error, "litmus labels");
	char *copy = strdup(label);
	if (!copy)
		return vkr_error_memory(parser->error, "litmus labels");
	(*items)[(*count)++] = (struct vkr_litmus_pending){
		.event = (uint32_t)parser->execution->event_count,
		.line = parser->line,
		.label = copy,
	};
	return VKR_OK;
}

static enum vkr_result read_instance(struct statement *statement, const char *value)
{
	struct vkr_litmus_parser *parser = statement->parser;
	uint32_t index = vkr_litmus_find(&parser->instances, value);
	if (index == VKR_LITMUS_NONE) {
		index = (uint32_t)parser->instances.count;
		enum vkr_result result =
			vkr_litmus_declare(parser, &parser->instances, "barrier", value, NULL);
		if (result != VKR_OK)
			return result;
	}
	statement->event->instance = index;
	return VKR_OK;
}

static enum vkr_result bad_value(struct statement *statement, const char *key, const char *value)
{
	return vkr_litmus_fail(statement->parser, "unknown value %s%s", key, value);
}

enum key {
	KEY_CLASS,
	KEY_SCOPE,
	KEY_ORDER,
	KEY_SEMANTICS,
	KEY_AVAILABLE,
	KEY_VISIBLE,
	KEY_FROM,
	KEY_AFTER,
	KEY_BYTES,
	KEY_INSTANCE,
	KEY_EXECUTION,
	KEY_SPACES,
};

static enum vkr_result read_key(struct statement *statement, enum key key, const char *name,
				const char *value)
{
	struct vkr_litmus_parser *parser = statement->parser;
	const struct vkr_litmus *execution = parser->execution;
	struct vkr_litmus_event *event = statement->event;
	bool good = true;
	switch (key) {
	case KEY_CLASS:
		statement->classed = true;
		good = class_of(value, strlen(value), &event->storage_class);
		break;
	case KEY_SCOPE:
		good = scope_of(execution, value, &event->scope);
		break;
	case KEY_ORDER:
		statement->ordered = true;
		good = order_of(execution, value, &event->order);
		break;
	case KEY_SEMANTICS:
		good = classes_of(value, &event->semantics);
		break;
	case KEY_AVAILABLE:
		good = scope_of(execution, value, &event->available);
		break;
	case KEY_VISIBLE:
		good = scope_of(execution, value, &event->visible);
		break;
	case KEY_EXECUTION:
		statement->execution = true;
		good = scope_of(execution, value, &event->execution);
		break;
	case KEY_SPACES:
		good = spaces_of(value, &event->spaces);
		break;
	case KEY_FROM:
		return litmus_event_pend(statement, &parser->from, &parser->from_count,
					 &parser->from_capacity, value);
	case KEY_AFTER:
		return litmus_event_pend(statement, &parser->after, &parser->after_count,
					 &parser->after_capacity, value);
	case KEY_BYTES:
		return read_bytes(statement, value);
	case KEY_INSTANCE:
		return read_instance(statement, value);
	}
	return good ? VKR_OK : bad_value(statement, name, value);
}

static enum vkr_result read_word(struct statement *statement, const char *word)
{
	static const struct {
		const char *name; // ends in '=' where a value follows
		unsigned operations;
		enum key key;
	} keys[] = {
		{"class=", ON_ACCESS, KEY_CLASS},
		{"scope=", ON_SYNC, KEY_SCOPE},
		{"order=", ON_SYNC, KEY_ORDER},
		{"sem=", ON_SYNC, KEY_SEMANTICS},
		{"available=", ON_STORE | ON_RMW, KEY_AVAILABLE},
		{"visible=", ON_LOAD | ON_RMW, KEY_VISIBLE},
		{"from=", ON_LOAD | ON_RMW, KEY_FROM},
		{"after=", ON_STORE | ON_RMW, KEY_AFTER},
		{"bytes=", ON_ACCESS, KEY_BYTES},
		{"id=", ON_BARRIER, KEY_INSTANCE},
		{"execution=", ON_BARRIER, KEY_EXECUTION},
		{"spaces=", ON_FENCE | ON_BARRIER, KEY_SPACES}, // version 2
	};
	const uint32_t version = statement->parser->execution->version;
	struct vkr_litmus_event *event = statement->event;
	unsigned operation = 1u << event->operation;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t length = strlen(keys[i].name);
		if (strncmp(word, keys[i].name, length) != 0 ||
		    (keys[i].key == KEY_SPACES && version < 2))
			continue;
		if (!(keys[i].operations & operation))
			return vkr_litmus_fail(statement->parser, "%s does not belong here", word);
		return read_key(statement, keys[i].key, keys[i].name, word + length);
	}
	bool *flag = NULL;
	unsigned allowed = ON_SYNC;
	if (strcmp(word, "atomic") == 0) {
		flag = &event->atomic;
		allowed = ON_ACCESS;
	} else if (strcmp(word, "nonprivate") == 0) {
		flag = &event->nonprivate;
		allowed = ON_ACCESS;
	} else if (strcmp(word, "makeavailable") == 0) {
		flag = &event->make_available;
	} else if (strcmp(word, "makevisible") == 0) {
		flag = &event->make_visible;
	}
	if (!flag)
		return vkr_litmus_fail(statement->parser, "unknown word %s", word);
	if (!(allowed & operation))
		return vkr_litmus_fail(statement->parser, "%s does not belong here", word);
	*flag = true;
	return VKR_OK;
}

// What the format says that one word implies of others, and which words need another.
static enum vkr_result litmus_event_complete(struct statement *statement)
{
	struct vkr_litmus_event *event = statement->event;
	bool host = statement->parser->execution->agents[event->agent].host;
	bool access = (ON_ACCESS >> event->operation) & 1u;
	bool synchronizes = !access || event->atomic;
	if (!synchronizes &&
	    (event->scope != VKR_LITMUS_SCOPE_NONE || statement->ordered || event->semantics != 0 ||
	     event->make_available || event->make_visible))
		return vkr_litmus_fail(statement->parser,
				       "scope, order, sem, makeavailable and makevisible belong to "
				       "atomics, fences and barriers");
	if (host) {
		event->storage_class = 0;
		event->semantics = 0;
		event->make_available = event->make_visible = false;
		if (synchronizes)
			event->scope = VKR_LITMUS_CROSS_DEVICE;
	} else if (access && !statement->classed) {
		event->storage_class = VKR_LITMUS_UNIFORM;
	}
	if (event->spaces == 0 && ((ON_FENCE | ON_BARRIER) >> event->operation & 1u))
		event->spaces = VKR_LITMUS_GLOBAL | VKR_LITMUS_LOCAL;
	if (event->operation == VKR_LITMUS_BARRIER && !statement->execution)
		event->execution = VKR_LITMUS_WORKGROUP_SCOPE;
	event->fence = event->operation == VKR_LITMUS_FENCE ||
		       (event->operation == VKR_LITMUS_BARRIER && statement->ordered);
	if (event->atomic) {
		if (event->operation != VKR_LITMUS_LOAD && event->scope > event->available)
			event->available = event->scope;
		if (event->operation != VKR_LITMUS_STORE && event->scope > event->visible)
			event->visible = event->scope;
	}
	if (event->atomic || event->available || event->visible)
		event->nonprivate = true;
	return VKR_OK;
}

static enum vkr_result read_access(struct statement *statement, enum vkr_litmus_operation operation)
{
	struct vkr_litmus_parser *parser = statement->parser;
	struct vkr_litmus_event *event = statement->event;
	if (parser->word_count < 4)
		return vkr_litmus_fail(parser, "%s needs a reference", parser->words[2]);
	statement->operand = parser->words[3];
	uint32_t index = vkr_litmus_find(&parser->references, statement->operand);
	if (index == VKR_LITMUS_NONE)
		return vkr_litmus_fail(parser, "unknown reference %s", statement->operand);
	const struct vkr_litmus_reference *reference = &parser->execution->references[index];
	event->reference = index;
	event->offset = reference->offset;
	event->size = reference->size;
	event->atomic = operation == VKR_LITMUS_RMW;
	return VKR_OK;
}

static enum vkr_result read_ranges(struct statement *statement)
{
	struct vkr_litmus_parser *parser = statement->parser;
	struct vkr_litmus_event *event = statement->event;
	if (parser->word_count < 4)
		return vkr_litmus_fail(parser, "%s needs a reference", parser->words[2]);
	event->references = calloc(parser->word_count - 3, sizeof *event->references);
	if (!event->references)
		return vkr_error_memory(parser->error, "litmus references");
	for (size_t i = 3; i < parser->word_count; i++) {
		uint32_t index = vkr_litmus_find(&parser->references, parser->words[i]);
		if (index == VKR_LITMUS_NONE)
			return vkr_litmus_fail(parser, "unknown reference %s", parser->words[i]);
		event->references[event->reference_count++] = index;
	}
	return VKR_OK;
}

// The operation and its operands; *next is the first word after them.
static enum vkr_result read_operation(struct statement *statement, size_t *next)
{
	static const struct {
		const char *name;
		enum vkr_litmus_operation operation;
	} operations[] = {
		{"load", VKR_LITMUS_LOAD},       {"store", VKR_LITMUS_STORE},
		{"rmw", VKR_LITMUS_RMW},         {"fence", VKR_LITMUS_FENCE},
		{"barrier", VKR_LITMUS_BARRIER}, {"available", VKR_LITMUS_AVAILABLE},
		{"visible", VKR_LITMUS_VISIBLE}, {"domain", VKR_LITMUS_DOMAIN_HOST_DEVICE},
		{"flush", VKR_LITMUS_FLUSH},     {"invalidate", VKR_LITMUS_INVALIDATE},
	};
	struct vkr_litmus_parser *parser = statement->parser;
	struct vkr_litmus_event *event = statement->event;
	size_t known = 0;
	while (known < sizeof operations / sizeof *operations &&
	       strcmp(parser->words[2], operations[known].name) != 0)
		known++;
	if (known == sizeof operations / sizeof *operations)
		return vkr_litmus_fail(parser, "unknown operation %s", parser->words[2]);
	event->operation = operations[known].operation;
	*next = 3;
	switch (event->operation) {
	case VKR_LITMUS_LOAD:
	case VKR_LITMUS_STORE:
	case VKR_LITMUS_RMW:
		*next = 4;
		return read_access(statement, event->operation);
	case VKR_LITMUS_DOMAIN_HOST_DEVICE:
	case VKR_LITMUS_DOMAIN_DEVICE_HOST:
		*next = 5;
		if (parser->word_count >= 5 && strcmp(parser->words[3], "host") == 0 &&
		    strcmp(parser->words[4], "device") == 0)
			return VKR_OK;
		event->operation = VKR_LITMUS_DOMAIN_DEVICE_HOST;
		if (parser->word_count >= 5 && strcmp(parser->words[3], "device") == 0 &&
		    strcmp(parser->words[4], "host") == 0)
			return VKR_OK;
		return vkr_litmus_fail(parser,
				       "a domain operation is `host device` or `device host`");
	case VKR_LITMUS_FLUSH:
	case VKR_LITMUS_INVALIDATE:
		*next = parser->word_count;
		return read_ranges(statement);
	case VKR_LITMUS_FENCE:
	case VKR_LITMUS_BARRIER:
	case VKR_LITMUS_AVAILABLE:
	case VKR_LITMUS_VISIBLE:
		return VKR_OK;
	}
	return VKR_OK;
}

enum vkr_result vkr_litmus_read_event(struct vkr_litmus_parser *parser)
{
	struct vkr_litmus *execution = parser->execution;
	if (parser->word_count < 3)
		return vkr_litmus_fail(parser, "an event needs a label, an agent and an operation");
	uint32_t agent = vkr_litmus_find(&parser->agents, parser->words[1]);
	if (agent == VKR_LITMUS_NONE)
		return vkr_litmus_fail(parser, "unknown agent %s", parser->words[1]);
	if (!vkr_array_reserve((void **)&execution->events, &parser->event_capacity,
			       execution->event_count + 1, sizeof *execution->events))
		return vkr_error_memory(parser->error, "litmus events");
	struct vkr_litmus_event *event = &execution->events[execution->event_count];
	*event = (struct vkr_litmus_event){
		.line = parser->line,
		.agent = agent,
		.reference = VKR_LITMUS_NONE,
		.from = VKR_LITMUS_NONE,
		.after = VKR_LITMUS_NONE,
		.instance = VKR_LITMUS_NONE,
	};
	enum vkr_result result = vkr_litmus_declare(parser, &parser->labels, "label",
						    parser->words[0], &event->label);
	if (result != VKR_OK)
		return result;
	struct statement statement = {.parser = parser, .event = event};
	size_t next = 0;
	result = read_operation(&statement, &next);
	for (size_t i = next; result == VKR_OK && i < parser->word_count; i++)
		result = read_word(&statement, parser->words[i]);
	if (result == VKR_OK)
		result = litmus_event_complete(&statement);
	// Counted also when it failed, so that what it owns is released with the rest.
	execution->event_count++;
	return result;
}
