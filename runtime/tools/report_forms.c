// SPDX-License-Identifier: Apache-2.0
#include "report_forms.h"

#include "judging.h"
#include "report_github.h"
#include "report_html.h"
#include "report_json.h"
#include "report_junit.h"
#include "report_sarif.h"
#include "report_suppressions.h"

#include <unistd.h>

enum vkr_result vkr_report_form_write(const struct vkr_report *report, FILE *out, const void *of,
				      struct vkr_error *error)
{
	const struct vkr_report_forms *forms = of;
	switch (forms->form) {
	case VKR_FORM_JSON:
		return vkr_report_json(report, out, error);
	case VKR_FORM_SARIF:
		return vkr_report_sarif(report, forms->source_root, out, error);
	case VKR_FORM_JUNIT:
		return vkr_report_junit(report, out, error);
	case VKR_FORM_HTML:
		return vkr_report_html(report, out, error);
	case VKR_FORM_GITHUB:
		return vkr_report_github(report, forms->source_root, out, error);
	case VKR_FORM_SUPPRESSIONS:
		return vkr_report_suppressions(report, out, error);
	case VKR_FORM_TEXT:
		break;
	}
	return vkr_judging_print(report, out, forms->text, error);
}

enum vkr_result vkr_report_form_save(const struct vkr_report *report, const char *path,
				     const struct vkr_report_forms *forms, struct vkr_error *error)
{
	struct vkr_output_file file;
	if (!path)
		return VKR_OK;
	enum vkr_result result =
		vkr_output_file_open(&file, path, (uint32_t)getpid(), false, error);
	if (result != VKR_OK)
		return result;
	result = vkr_judging_write(report, vkr_report_form_write, forms, &file, error);
	vkr_output_file_close(&file);
	return result;
}
