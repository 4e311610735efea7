// SPDX-License-Identifier: Apache-2.0
// The forms of a report, as the commands' options name them. Knows the forms' names; not what a
// race is.
#pragma once

#include "report_text.h"

#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdio.h>

enum vkr_form {
	VKR_FORM_TEXT,
	VKR_FORM_JSON,
	VKR_FORM_SARIF,
	VKR_FORM_JUNIT,
	VKR_FORM_HTML,
	VKR_FORM_GITHUB,
	VKR_FORM_SUPPRESSIONS,
};

struct vkr_report_forms {
	enum vkr_form form;
	const char *source_root; // of SARIF and GITHUB; NULL: none
	const struct vkr_report_text_options *text;
};

// Writes the report in the form that `forms`, a struct vkr_report_forms, says; as vkr_report_form
// (judging.h).
enum vkr_result vkr_report_form_write(const struct vkr_report *report, FILE *out, const void *forms,
				      struct vkr_error *error) VKR_MUST_USE;

// Writes it to a file, whole or not at all; to none where `path` is NULL.
enum vkr_result vkr_report_form_save(const struct vkr_report *report, const char *path,
				     const struct vkr_report_forms *forms,
				     struct vkr_error *error) VKR_MUST_USE;
