// SPDX-License-Identifier: Apache-2.0
// Knows the keys of a report's members; nothing of JSON's syntax.
#include "report_fields.h"

#include <string.h>

#define FIELD(type, member, kind)                                                                  \
	{                                                                                          \
#member, VKR_REPORT_FIELD_##kind, offsetof(struct type, member), false             \
	}
// Reports of earlier versions lack it; absent where it is 0 or "".
#define LATER(type, member, kind)                                                                  \
	{                                                                                          \
#member, VKR_REPORT_FIELD_##kind, offsetof(struct type, member), true              \
	}
#define NAMED(type, key, member, kind)                                                             \
	{                                                                                          \
		key, VKR_REPORT_FIELD_##kind, offsetof(struct type, member), false                 \
	}
#define LIST(name)                                                                                 \
	const struct vkr_report_field_list vkr_##name = {name, sizeof(name) / sizeof *(name)}

static const struct vkr_report_field report_fields[] = {
	FIELD(vkr_report, model, TEXT),     FIELD(vkr_report, program, TEXT),
	FIELD(vkr_report, race_total, U64), FIELD(vkr_report, executions, U64),
	FIELD(vkr_report, dispatches, U64), FIELD(vkr_report, accesses_judged, U64),
	FIELD(vkr_report, log_bytes, U64),
};
LIST(report_fields);

static const struct vkr_report_field suppressed_fields[] = {
	NAMED(vkr_report, "races", suppressed_count, U64),
	NAMED(vkr_report, "race_total", suppressed_total, U64),
};
LIST(suppressed_fields);

static const struct vkr_report_field rule_fields[] = {
	FIELD(vkr_rule_report, file, TEXT),      FIELD(vkr_rule_report, line, U32),
	FIELD(vkr_rule_report, reason, TEXT),    FIELD(vkr_rule_report, races, U32),
	FIELD(vkr_rule_report, race_total, U64),
};
LIST(rule_fields);

static const struct vkr_report_field source_report_fields[] = {
	FIELD(vkr_source_report, file, TEXT),
	FIELD(vkr_source_report, shader_hash, HASH),
	FIELD(vkr_source_report, first_line, U32),
	FIELD(vkr_source_report, text, TEXT),
};
LIST(source_report_fields);

static const struct vkr_report_field known_fields[] = {
	NAMED(vkr_report, "races", known_count, U64),
	NAMED(vkr_report, "race_total", known_total, U64),
};
LIST(known_fields);

static const struct vkr_report_field letter_fields[] = {
	NAMED(vkr_report, "races", letter_count, U64),
	NAMED(vkr_report, "race_total", letter_total, U64),
};
LIST(letter_fields);

static const struct vkr_report_field cost_fields[] = {
	FIELD(vkr_cost_report, shader, TEXT),       FIELD(vkr_cost_report, command, TEXT),
	FIELD(vkr_cost_report, shader_number, U32), FIELD(vkr_cost_report, times, U64),
	FIELD(vkr_cost_report, repeated, U64),      FIELD(vkr_cost_report, accesses, U64),
	FIELD(vkr_cost_report, log_bytes, U64),     FIELD(vkr_cost_report, unlogged, U64),
	FIELD(vkr_cost_report, nanoseconds, U64),
};
LIST(cost_fields);

static const struct vkr_report_field race_fields[] = {
	NAMED(vkr_race_report, "class", race_class, CLASS),
	FIELD(vkr_race_report, id, TEXT),
	FIELD(vkr_race_report, count, U64),
	FIELD(vkr_race_report, same_instruction, BOOL),
	FIELD(vkr_race_report, missing, TEXT),
	FIELD(vkr_race_report, change, TEXT),
	LATER(vkr_race_report, note, TEXT),
	LATER(vkr_race_report, letter_only, BOOL),
};
LIST(race_fields);

static const struct vkr_report_field extent_fields[] = {
	FIELD(vkr_race_extent, first, U64),    FIELD(vkr_race_extent, end, U64),
	FIELD(vkr_race_extent, bytes, U64),    FIELD(vkr_race_extent, object_bytes, U64),
	FIELD(vkr_race_extent, commands, U64),
};
LIST(extent_fields);

static const struct vkr_report_field access_fields[] = {
	FIELD(vkr_access_report, agent, AGENT),        FIELD(vkr_access_report, operation, TEXT),
	FIELD(vkr_access_report, read, BOOL),          FIELD(vkr_access_report, write, BOOL),
	FIELD(vkr_access_report, atomic, BOOL),        FIELD(vkr_access_report, object, TEXT),
	FIELD(vkr_access_report, offset, U64),         FIELD(vkr_access_report, bytes, U64),
	FIELD(vkr_access_report, memory, TEXT),        FIELD(vkr_access_report, memory_offset, U64),
	FIELD(vkr_access_report, texels, TEXT),        FIELD(vkr_access_report, binding, TEXT),
	FIELD(vkr_access_report, storage_class, TEXT), FIELD(vkr_access_report, scope, TEXT),
	FIELD(vkr_access_report, semantics, TEXT),     FIELD(vkr_access_report, stage_access, TEXT),
};
LIST(access_fields);

static const struct vkr_report_field invocation_fields[] = {
	FIELD(vkr_access_report, invocation, TEXT),
	FIELD(vkr_access_report, workgroup, TRIPLE),
	FIELD(vkr_access_report, workgroup_linear, U32),
	FIELD(vkr_access_report, local, TRIPLE),
	FIELD(vkr_access_report, local_linear, U32),
	FIELD(vkr_access_report, subgroup, INDEX),
};
LIST(invocation_fields);

static const struct vkr_report_field host_fields[] = {
	FIELD(vkr_access_report, thread, TEXT),
	FIELD(vkr_access_report, stack, TEXT),
};
LIST(host_fields);

static const struct vkr_report_field source_fields[] = {
	FIELD(vkr_source_place, shader, TEXT),      FIELD(vkr_source_place, stage, TEXT),
	FIELD(vkr_source_place, entry_point, TEXT), FIELD(vkr_source_place, file, TEXT),
	FIELD(vkr_source_place, line, U32),         FIELD(vkr_source_place, column, U32),
	FIELD(vkr_source_place, expression, TEXT),  FIELD(vkr_source_place, spirv_word, U32),
	FIELD(vkr_source_place, shader_hash, HASH), LATER(vkr_source_place, instruction, TEXT),
};
LIST(source_fields);

static const struct vkr_report_field command_fields[] = {
	FIELD(vkr_command_place, command, U32),         FIELD(vkr_command_place, name, TEXT),
	FIELD(vkr_command_place, labels, TEXT),         FIELD(vkr_command_place, queue, TEXT),
	FIELD(vkr_command_place, command_buffer, TEXT), FIELD(vkr_command_place, submission, U32),
	FIELD(vkr_command_place, pipeline, TEXT),       FIELD(vkr_command_place, recorded, TEXT),
	LATER(vkr_command_place, frame, U32),
};
LIST(command_fields);

static const struct vkr_report_field image_fields[] = {
	FIELD(vkr_image_place, format, TEXT), FIELD(vkr_image_place, aspect, TEXT),
	FIELD(vkr_image_place, view, TEXT),   FIELD(vkr_image_place, texel, TRIPLE),
	FIELD(vkr_image_place, layer, U32),   FIELD(vkr_image_place, mip, U32),
	FIELD(vkr_image_place, sample, U32),
};
LIST(image_fields);

static const struct vkr_report_field run_fields[] = {
	FIELD(vkr_run_report, name, TEXT),
	FIELD(vkr_run_report, program, TEXT),
	FIELD(vkr_run_report, verdict, VERDICT),
	NAMED(vkr_run_report, "races", race_count, U32),
	NAMED(vkr_run_report, "not_observed", lack_count, U32),
	FIELD(vkr_run_report, executions, U64),
	FIELD(vkr_run_report, dispatches, U64),
};
LIST(run_fields);

static const struct vkr_report_field part_fields[] = {
	FIELD(vkr_part_report, index, U32),       FIELD(vkr_part_report, count, U32),
	FIELD(vkr_part_report, trace, TEXT),      FIELD(vkr_part_report, trace_bytes, U64),
	FIELD(vkr_part_report, trace_hash, HASH), FIELD(vkr_part_report, model, TEXT),
	FIELD(vkr_part_report, reading, TEXT),    FIELD(vkr_part_report, any_image, BOOL),
	FIELD(vkr_part_report, frames, TEXT),     FIELD(vkr_part_report, sample, TEXT),
	FIELD(vkr_part_report, shaders, TEXT),    FIELD(vkr_part_report, not_shaders, TEXT),
	FIELD(vkr_part_report, labels, TEXT),     FIELD(vkr_part_report, together, BOOL),
	FIELD(vkr_part_report, accesses, U64),    FIELD(vkr_part_report, conflicts, TEXT),
};
LIST(part_fields);

static const struct vkr_report_field change_place_fields[] = {
	FIELD(vkr_change_place, call, TEXT),           FIELD(vkr_change_place, labels, TEXT),
	FIELD(vkr_change_place, command_buffer, TEXT), FIELD(vkr_change_place, command, U32),
	FIELD(vkr_change_place, name, TEXT),           FIELD(vkr_change_place, recorded, TEXT),
};
LIST(change_place_fields);

static const struct vkr_report_field change_mask_fields[] = {
	FIELD(vkr_change_masks, source_stages, STAGES),
	FIELD(vkr_change_masks, source_access, ACCESSES),
	FIELD(vkr_change_masks, destination_stages, STAGES),
	FIELD(vkr_change_masks, destination_access, ACCESSES),
};
LIST(change_mask_fields);

static const struct vkr_report_field change_subpass_fields[] = {
	FIELD(vkr_change_subpasses, source, U32),
	FIELD(vkr_change_subpasses, destination, U32),
	FIELD(vkr_change_subpasses, flags, U32),
	FIELD(vkr_change_subpasses, dependency, U32),
};
LIST(change_subpass_fields);

static const struct vkr_report_field change_shader_fields[] = {
	FIELD(vkr_change_shader, scope, U32),
	FIELD(vkr_change_shader, semantics, U32),
	FIELD(vkr_change_shader, coherent, U32),
};
LIST(change_shader_fields);

static const struct vkr_report_field coverage_fields[] = {
	FIELD(vkr_coverage_report, kind, TEXT),
	FIELD(vkr_coverage_report, text, TEXT),
	FIELD(vkr_coverage_report, count, U64),
	FIELD(vkr_coverage_report, amount, U64),
};
LIST(coverage_fields);

static const char *const agents[] = {
	[VKR_AGENT_INVOCATION] = "invocation",
	[VKR_AGENT_FIXED_FUNCTION] = "fixed function",
	[VKR_AGENT_HOST] = "host",
};

const char *vkr_report_field_agent_text(enum vkr_agent_kind agent)
{
	return agents[agent];
}

enum vkr_agent_kind vkr_report_field_agent(const char *text)
{
	for (size_t i = VKR_AGENT_INVOCATION; i < sizeof agents / sizeof *agents; i++) {
		if (strcmp(agents[i], text) == 0)
			return (enum vkr_agent_kind)i;
	}
	return (enum vkr_agent_kind)0;
}
