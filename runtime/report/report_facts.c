// SPDX-License-Identifier: Apache-2.0
// Knows how the facts of a report are worded; not how any form marks them up.
#include "report_facts.h"

#include "report_causes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text, *meaning;
} classes[] = {[VKR_RACE_NONE] = {"none", "location-ordered"},
#define CLASS(name, text, meaning) [VKR_RACE_##name] = {text, meaning},
	       VKR_RACE_CLASSES(CLASS)
#undef CLASS
};

static const char *const labels[VKR_FACT_COUNT] = {
#define FACT(name, label) [VKR_FACT_##name] = label,
	VKR_FACTS(FACT)
#undef FACT
};

const char *vkr_report_count(struct vkr_arena *arena, uint64_t count, const char *one)
{
	return vkr_arena_print(arena, "%" PRIu64 " %s%s", count, one, count == 1 ? "" : "s");
}

const char *vkr_report_class(enum vkr_race_class race_class)
{
	return classes[race_class].text;
}

const char *vkr_report_class_meaning(enum vkr_race_class race_class)
{
	return classes[race_class].meaning;
}

const char *vkr_report_verdict(enum vkr_verdict verdict)
{
	switch (verdict) {
	case VKR_VERDICT_NONE:
		return "none";
	case VKR_VERDICT_RACES:
		return "races";
	case VKR_VERDICT_INCOMPLETE:
		return "incomplete";
	}
	return "";
}

enum vkr_verdict vkr_report_verdict_of(const char *text)
{
	static const enum vkr_verdict verdicts[] = {VKR_VERDICT_NONE, VKR_VERDICT_RACES,
						    VKR_VERDICT_INCOMPLETE};
	for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
		if (strcmp(text, vkr_report_verdict(verdicts[i])) == 0)
			return verdicts[i];
	}
	return (enum vkr_verdict)0;
}

static const char *kind_of_access(const struct vkr_access_report *access)
{
	if (access->read && access->write)
		return access->atomic ? "atomic read and write" : "read and write";
	if (access->write)
		return access->atomic ? "atomic write" : "write";
	if (access->read)
		return access->atomic ? "atomic read" : "read";
	return "use";
}

const char *vkr_report_action(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const char *bytes = vkr_report_count(arena, access->bytes, "byte");
	if (!bytes || !*access->operation)
		return bytes ? vkr_arena_print(arena, "%s of %s", kind_of_access(access), bytes)
			     : NULL;
	return vkr_arena_print(arena, "%s of %s (%s)", kind_of_access(access), bytes,
			       access->operation);
}

static const char *name_of(const struct vkr_access_report *access)
{
	return *access->object ? access->object : "unnamed memory";
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

// A call is "function() path:line" or one of its parts, or a module and an offset.
const char *vkr_report_call(const char *stack, struct vkr_arena *arena,
			    struct vkr_report_call *call)
{
	const char *end = strchrnul(stack, '\n'), *place = stack, *digits = end;
	for (const char *at = stack; (at = memmem(at, (size_t)(end - at), ") ", 2)); at += 2)
		place = at + 2;
	while (digits > place && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	const bool known = digits < end && digits > place + 1 && digits[-1] == ':';
	const char *function = known && place == stack ? stack : place;
	*call = (struct vkr_report_call){
		.function = vkr_arena_string(arena, stack,
					     function > stack ? (size_t)(function - stack - 1) : 0),
		.file = known ? vkr_arena_string(arena, place, (size_t)(digits - 1 - place)) : "",
		.line = known ? (uint32_t)strtoul(digits, NULL, 10) : 0};
	if (!call->function || !call->file)
		return NULL;
	return *end ? end + 1 : end;
}

const char *vkr_report_below(const char *root, const char *path)
{
	const size_t length = root ? strlen(root) : 0;
	if (!length || *path != '/')
		return length ? path : NULL;
	if (strncmp(path, root, length) != 0)
		return NULL;
	if (root[length - 1] == '/')
		return path + length;
	return path[length] == '/' ? path + length + 1 : NULL;
}

const char *vkr_report_stack(const char *stack, struct vkr_arena *arena)
{
	const char *text = "";
	while (stack && text && *stack) {
		struct vkr_report_call call;
		const char *next = vkr_report_call(stack, arena, &call);
		const size_t length = strcspn(stack, "\n");
		if (next && call.line)
			text = vkr_arena_print(arena, "%s%s%s%s%s:%" PRIu32, text,
					       *text ? "\n" : "", call.function,
					       *call.function ? " " : "", base_name(call.file),
					       call.line);
		else if (next)
			text = vkr_arena_print(arena, "%s%s%.*s", text, *text ? "\n" : "",
					       (int)length, stack);
		stack = next;
	}
	return stack ? text : NULL;
}

// The innermost call's "file:line", else "host".
static const char *host_site(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	struct vkr_report_call call;
	if (!vkr_report_call(access->stack, arena, &call))
		return NULL;
	return call.line ? vkr_arena_print(arena, "%s:%" PRIu32, base_name(call.file), call.line)
			 : "host";
}

const char *vkr_report_site(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const struct vkr_source_place *source = &access->source;
	if (access->agent == VKR_AGENT_INVOCATION && *source->file && source->line)
		return vkr_arena_print(arena, "%s:%" PRIu32, base_name(source->file), source->line);
	if (access->agent == VKR_AGENT_INVOCATION)
		return vkr_arena_print(arena, "%s word %" PRIu32, source->shader,
				       source->spirv_word);
	return access->command.command ? access->command.name : host_site(access, arena);
}

// "16 KiB", "12 bytes".
static const char *size_of(uint64_t bytes, struct vkr_arena *arena)
{
	static const char *const units[] = {"", "KiB", "MiB", "GiB"};
	unsigned unit = 0;
	while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	return unit ? vkr_arena_print(arena, "%" PRIu64 " %s", bytes, units[unit])
		    : vkr_report_count(arena, bytes, "byte");
}

// "all 16 KiB of velocities", "4 bytes of sum at offset 0", "2 KiB of velocities between offsets 0
// and 8192".
static const char *object_of(const struct vkr_race_report *race, struct vkr_arena *arena)
{
	const struct vkr_access_report *first = &race->first, *second = &race->second;
	const struct vkr_race_extent *extent = &race->extent;
	const char *name = name_of(first);
	const char *bytes = size_of(extent->bytes ? extent->bytes : first->bytes, arena);
	const char *text = NULL;
	if (!bytes)
		return NULL;
	if (!extent->bytes)
		text = vkr_arena_print(arena, "%s of %s at offset %" PRIu64, bytes, name,
				       first->offset);
	else if (extent->bytes == extent->object_bytes)
		text = vkr_arena_print(arena, "all %s of %s", bytes, name);
	else if (extent->bytes == extent->end - extent->first)
		text = vkr_arena_print(arena, "%s of %s at offset %" PRIu64, bytes, name,
				       extent->first);
	else
		text = vkr_arena_print(arena, "%s of %s between offsets %" PRIu64 " and %" PRIu64,
				       bytes, name, extent->first, extent->end);
	if (!text || strcmp(first->object, second->object) == 0)
		return text;
	return vkr_arena_print(arena, "%s, also %s at offset %" PRIu64, text, name_of(second),
			       second->offset);
}

const char *vkr_report_hazard(const struct vkr_race_report *race)
{
	if (race->race_class == VKR_RACE_FREE || !(race->first.write || race->second.write))
		return "";
	if (!race->first.write)
		return "WRITE_AFTER_READ";
	return race->second.write ? "WRITE_AFTER_WRITE" : "READ_AFTER_WRITE";
}

const char *vkr_report_headline(const struct vkr_race_report *race, struct vkr_arena *arena)
{
	const char *object = object_of(race, arena);
	const char *first = vkr_report_site(&race->first, arena),
		   *second = vkr_report_site(&race->second, arena);
	if (!object || !first || !second)
		return NULL;
	const char *hazard = vkr_report_hazard(race);
	return vkr_arena_print(arena, "%s race%s%s%s on %s: %s at %s, %s at %s",
			       vkr_report_class(race->race_class), *hazard ? " (" : "", hazard,
			       *hazard ? ")" : "", object, kind_of_access(&race->first), first,
			       kind_of_access(&race->second), second);
}

static char *source_fact(const struct vkr_source_place *source, struct vkr_arena *arena)
{
	const char *file = source->file;
	if (!*file || !source->line)
		return vkr_arena_print(arena, "%s%sinstruction at SPIR-V word %" PRIu32 "%s%s",
				       file, *file ? ", " : "", source->spirv_word,
				       *source->instruction ? "\n" : "", source->instruction);
	if (!source->column)
		return vkr_arena_print(arena, "%s:%" PRIu32, file, source->line);
	return vkr_arena_print(arena, "%s:%" PRIu32 ":%" PRIu32, file, source->line,
			       source->column);
}

// "pipeline forces", but not "pipeline pipeline 3".
static const char *kind_before(const char *kind, const char *name)
{
	return *name && strncmp(name, kind, strlen(kind)) != 0 ? kind : "";
}

static char *shader_fact(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const struct vkr_source_place *source = &access->source;
	const char *pipeline = access->command.pipeline;
	return vkr_arena_print(arena, "%s (%s, entry point %s, hash %016" PRIx64 ")%s%s%s",
			       source->shader, source->stage, source->entry_point,
			       source->shader_hash, *pipeline ? ", " : "",
			       kind_before("pipeline ", pipeline), pipeline);
}

static char *invocation_fact(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const uint32_t *local = access->local, *group = access->workgroup;
	char subgroup[40] = "";
	if (*access->invocation)
		return vkr_arena_print(arena, "%s", access->invocation);
	if (access->subgroup >= 0)
		snprintf(subgroup, sizeof subgroup, ", subgroup %" PRId64, access->subgroup);
	return vkr_arena_print(arena,
			       "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") of workgroup (%" PRIu32
			       ",%" PRIu32 ",%" PRIu32 "), local index %" PRIu32
			       ", workgroup index %" PRIu32 "%s",
			       local[0], local[1], local[2], group[0], group[1], group[2],
			       access->local_linear, access->workgroup_linear, subgroup);
}

static char *submitted_fact(const struct vkr_command_place *command, struct vkr_arena *arena)
{
	char frame[24] = "";
	if (!command->submission) // an acquisition
		return command->frame ? vkr_arena_print(arena, "frame %" PRIu32, command->frame)
				      : vkr_arena_print(arena, "%s", "");
	if (command->frame)
		snprintf(frame, sizeof frame, " (frame %" PRIu32 ")", command->frame);
	return vkr_arena_print(
		arena, "submission %" PRIu32 "%s%s%s%s%s%s", command->submission, frame,
		*command->queue ? " to " : "", command->queue, *command->command_buffer ? ", " : "",
		kind_before("command buffer ", command->command_buffer), command->command_buffer);
}

static char *object_fact(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	uint64_t last = access->bytes ? access->offset + access->bytes - 1 : access->offset;
	if (*access->texels)
		return vkr_arena_print(arena, "%s, %s, bytes %" PRIu64 " to %" PRIu64,
				       name_of(access), access->texels, access->offset, last);
	if (access->bytes < 2)
		return vkr_arena_print(arena, "%s, byte %" PRIu64, name_of(access), access->offset);
	return vkr_arena_print(arena, "%s, bytes %" PRIu64 " to %" PRIu64, name_of(access),
			       access->offset, last);
}

static char *texel_fact(const struct vkr_image_place *image, struct vkr_arena *arena)
{
	return vkr_arena_print(arena,
			       "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") of mip level %" PRIu32
			       ", layer %" PRIu32 ", sample %" PRIu32 ", %s of %s%s%s",
			       image->texel[0], image->texel[1], image->texel[2], image->mip,
			       image->layer, image->sample, image->aspect, image->format,
			       *image->view ? ", " : "", image->view);
}

static char *binding_fact(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const char *both = *access->binding && *access->storage_class ? ", " : "";
	return vkr_arena_print(arena, "%s%s%s", access->binding, both, access->storage_class);
}

static char *atomic_fact(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const char *semantics = *access->semantics ? access->semantics : "Relaxed";
	return vkr_arena_print(arena, "scope %s, semantics %s", access->scope, semantics);
}

struct list {
	struct vkr_fact *facts;
	int count; // -1 after a failure
};

static void add_fact(struct list *list, enum vkr_fact_kind kind, const char *value)
{
	if (list->count < 0)
		return;
	if (!value)
		list->count = -1;
	else if (*value)
		list->facts[list->count++] = (struct vkr_fact){kind, labels[kind], value};
}

int vkr_report_facts(const struct vkr_access_report *access, struct vkr_arena *arena,
		     struct vkr_fact facts[VKR_FACT_COUNT])
{
	struct list list = {facts, 0};
	const struct vkr_command_place *command = &access->command;
	if (access->agent == VKR_AGENT_INVOCATION) {
		add_fact(&list, VKR_FACT_SOURCE, source_fact(&access->source, arena));
		add_fact(&list, VKR_FACT_EXPRESSION, access->source.expression);
		add_fact(&list, VKR_FACT_SHADER, shader_fact(access, arena));
		add_fact(&list, VKR_FACT_INVOCATION, invocation_fact(access, arena));
	}
	if (access->agent == VKR_AGENT_HOST) {
		add_fact(&list, VKR_FACT_THREAD, access->thread);
		add_fact(&list, VKR_FACT_STACK, vkr_report_stack(access->stack, arena));
	}
	if (command->command) {
		// Presentations and acquisitions are in no command buffer.
		add_fact(&list, VKR_FACT_COMMAND,
			 *command->command_buffer ? vkr_arena_print(arena, "%" PRIu32 ", %s",
								    command->command, command->name)
						  : command->name);
		add_fact(&list, VKR_FACT_LABELS, command->labels);
		add_fact(&list, VKR_FACT_RECORDED, vkr_report_stack(command->recorded, arena));
		add_fact(&list, VKR_FACT_SUBMITTED, submitted_fact(command, arena));
	}
	add_fact(&list, VKR_FACT_OBJECT, object_fact(access, arena));
	if (*access->image.format)
		add_fact(&list, VKR_FACT_TEXEL, texel_fact(&access->image, arena));
	add_fact(&list, VKR_FACT_BINDING, binding_fact(access, arena));
	if (*access->memory)
		add_fact(&list, VKR_FACT_MEMORY,
			 vkr_arena_print(arena, "%s, offset %" PRIu64, access->memory,
					 access->memory_offset));
	if (access->atomic)
		add_fact(&list, VKR_FACT_ATOMIC, atomic_fact(access, arena));
	add_fact(&list, VKR_FACT_STAGE, access->stage_access);
	return list.count;
}

static void print_count(FILE *out, uint64_t count, const char *one)
{
	fprintf(out, "%" PRIu64 " %s%s", count, one, count == 1 ? "" : "s");
}

static void print_classes(const struct vkr_report *report, FILE *out)
{
	const char *before = " (";
	for (size_t c = 1; c < sizeof classes / sizeof *classes; c++) {
		uint32_t count = 0;
		for (uint32_t i = 0; i < report->race_count; i++)
			count += report->races[i].race_class == c;
		if (count) {
			fprintf(out, "%s%" PRIu32 " %s", before, count, classes[c].text);
			before = ", ";
		}
	}
	fputs(")", out);
}

static void print_causes(const struct vkr_report *report, FILE *out)
{
	struct vkr_report_causes causes;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	if (vkr_report_causes_make(report, &arena, &causes) && causes.count < report->race_count) {
		fputs(" of ", out);
		print_count(out, causes.count, "cause");
	}
	vkr_arena_finish(&arena);
}

static void print_extent(const struct vkr_report *report, FILE *out)
{
	fputs(" in ", out);
	print_count(out, report->executions, "command buffer");
	if (report->dispatches)
		fprintf(out, " with %" PRIu64 " dispatch%s", report->dispatches,
			report->dispatches == 1 ? "" : "es");
}

static void print_lack(const struct vkr_report *report, FILE *out)
{
	print_count(out, report->coverage_count, "thing");
	fputs(report->coverage_count == 1 ? " was not observed" : " were not observed", out);
}

void vkr_report_summary(const struct vkr_report *report, FILE *out)
{
	fputs("vkrace: ", out);
	switch (report->verdict) {
	case VKR_VERDICT_RACES:
		print_count(out, report->race_count, "race");
		print_causes(report, out);
		print_classes(report, out);
		print_extent(report, out);
		fputs("; ", out);
		if (report->coverage_count)
			print_lack(report, out);
		else
			fputs("everything was observed", out);
		break;
	case VKR_VERDICT_NONE:
		fputs("no race found", out);
		print_extent(report, out);
		fputs("; everything was observed", out);
		break;
	case VKR_VERDICT_INCOMPLETE:
		fputs("no race found, incomplete: ", out);
		print_lack(report, out);
		print_extent(report, out);
		break;
	}
	if (report->run_count) {
		fputs(", in ", out);
		print_count(out, report->run_count, "run");
	}
	if (report->suppressed_count) {
		fputs("; ", out);
		print_count(out, report->suppressed_count, "race");
		fputs(" suppressed", out);
	}
	if (report->letter_count) {
		fputs("; ", out);
		print_count(out, report->letter_count, "race");
		fputs(" left out that no known implementation shows", out);
	}
	if (strcmp(report->model, "vulkan") != 0)
		fprintf(out, "; judged under %s", report->model);
	if (report->known_count) {
		fputs("; ", out);
		print_count(out, report->known_count, "race");
		fputs(" known from the baseline", out);
	}
}
