// SPDX-License-Identifier: Apache-2.0
// What instructions of extensions access that is not logged, and what modules cannot be rewritten
// for. Knows opcodes that headers of older releases do not have; not what the others do.
#pragma once

#include "analysis.h"

// Names what the instruction accesses that is not logged; NULL: nothing.
const char *vkr_unlogged_access(const struct vkr_analysis *analysis,
				const struct vkr_instruction *in);

// Names what would be taken for unordered, or not be found, were the module rewritten; NULL:
// nothing.
const char *vkr_refusal(const struct vkr_module *module,
			const struct vkr_instrument_options *options);
