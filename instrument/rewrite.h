// SPDX-License-Identifier: Apache-2.0
// The new module: the old one's instructions with the log's code between them.
// Knows where code goes, not what the log looks like.
#pragma once

#include "analysis.h"

// Words to be freed with free(); `reads_pushed` as in struct vkr_instrumented. Errors:
// VKR_ERROR_UNSUPPORTED, VKR_ERROR_MEMORY.
enum vkr_result vkr_rewrite(const struct vkr_analysis *analysis, uint32_t **words,
			    size_t *word_count, bool *reads_pushed,
			    struct vkr_error *error) VKR_MUST_USE;
