// SPDX-License-Identifier: Apache-2.0
// Shaders as files, for those who want to look: the setting DUMP_SHADERS names a folder.
// Knows what files are called; not how shaders are rewritten.
#pragma once

#include "shader_cache.h"

struct vkr_instrument_options;
struct vkr_instrumented;

// Writes the program's module (HASH.STAGE.spv), the arguments with which `vkrace instrument`
// rewrites it the same way (HASH.STAGE.KEY.args, one a line) and, if something is logged, the
// rewritten module (HASH.STAGE.KEY.logged.spv). `made` is NULL if rewriting failed. HASH is the one
// that reports name; KEY distinguishes entry points, specializations and pipeline layouts. Does
// nothing if the setting is not set.
void vkr_shader_dump(const struct vkr_shader_use *use, uint64_t key,
		     const struct vkr_instrument_options *options,
		     const struct vkr_instrumented *made);
