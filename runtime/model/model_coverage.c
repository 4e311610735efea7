// SPDX-License-Identifier: Apache-2.0
// Says what could not be judged. Knows nothing of why.
#include "error.h"
#include "memory_names.h"
#include "model.h"
#include "model_state.h"

#include <stdio.h>
#include <stdlib.h>

enum vkr_result vkr_model_missed(struct vkr_model *model, struct vkr_error *error,
				 enum vkr_trace_coverage_kind kind, uint64_t amount,
				 const char *format, ...)
{
	va_list arguments;
	char *text = NULL;
	va_start(arguments, format);
	const int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return vkr_error_memory(error, "coverage");
	if (vkr_engine_deals(model->engine))
		vkr_engine_part_differs(model->engine);
	const bool added = vkr_coverage_add(&model->coverage, kind, amount, text, (size_t)length);
	free(text);
	return added ? VKR_OK : vkr_error_memory(error, "coverage");
}

enum vkr_result vkr_model_pass_over(struct vkr_model *model, const char *what,
				    struct vkr_error *error)
{
	return vkr_model_missed(model, error, VKR_COVERAGE_SYNC, 0,
				"%s no counterpart in the memory model %s", what,
				vkr_memory_model_name(model->options.rules.model));
}

enum vkr_result vkr_model_coverage(struct vkr_model *model, enum vkr_trace_coverage_kind kind,
				   uint64_t amount, const char *text, struct vkr_error *error)
{
	return vkr_model_missed(model, error, kind, amount, "%s", text);
}
