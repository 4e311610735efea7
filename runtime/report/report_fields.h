// SPDX-License-Identifier: Apache-2.0
// Which members of a report's structures stand under which key in JSON: one table for writing and
// reading. Knows names and places; nothing of JSON's syntax.
#pragma once

#include "vkrace/report.h"

#include <stddef.h>

enum vkr_report_field_kind {
	VKR_REPORT_FIELD_TEXT,
	VKR_REPORT_FIELD_BOOL,
	VKR_REPORT_FIELD_U32,
	VKR_REPORT_FIELD_U64,
	VKR_REPORT_FIELD_HASH,   // uint64_t as 16 hexadecimal digits
	VKR_REPORT_FIELD_TRIPLE, // uint32_t[3]
	VKR_REPORT_FIELD_INDEX,  // int64_t, null where below 0
	VKR_REPORT_FIELD_AGENT,
	VKR_REPORT_FIELD_CLASS,
	VKR_REPORT_FIELD_VERDICT,
	VKR_REPORT_FIELD_STAGES,   // uint64_t as a list of names, or of hexadecimal numbers
	VKR_REPORT_FIELD_ACCESSES, // uint64_t as a list of names, or of hexadecimal numbers
};

struct vkr_report_field {
	const char *key;
	enum vkr_report_field_kind kind;
	size_t offset;
	bool optional; // a text, a truth value or a 32-bit number that is absent where it is "",
		       // false, 0
};

struct vkr_report_field_list {
	const struct vkr_report_field *fields;
	size_t count;
};

extern const struct vkr_report_field_list vkr_report_fields, vkr_race_fields, vkr_access_fields,
	vkr_extent_fields, vkr_invocation_fields, vkr_host_fields, vkr_image_fields,
	vkr_source_fields, vkr_command_fields, vkr_coverage_fields, vkr_suppressed_fields,
	vkr_known_fields, vkr_letter_fields, vkr_run_fields, vkr_cost_fields, vkr_rule_fields,
	vkr_part_fields, vkr_source_report_fields, vkr_change_place_fields, vkr_change_mask_fields,
	vkr_change_subpass_fields, vkr_change_shader_fields;

// "invocation", "fixed function", "host"; and back, 0 where the text is none.
const char *vkr_report_field_agent_text(enum vkr_agent_kind agent);
enum vkr_agent_kind vkr_report_field_agent(const char *text);
