// SPDX-License-Identifier: Apache-2.0
// Shaders as files, for those who want to look: the setting DUMP_SHADERS names a folder.
// Knows what files are called; not how shaders are rewritten.
#pragma once

#include "shader_cache.h"

struct vkr_instrument_options;
struct vkr_instrumented;

// Writes what the program gave (HASH.STAGE.spv), the arguments with which `vkrace instrument` makes
// the same of it (HASH.STAGE.KEY.args, one a line) and, where something was logged, the rewritten
// module (HASH.STAGE.KEY.logged.spv). `made` is NULL where rewriting failed. HASH is the one that
// reports name; KEY tells entry points, specializations and pipeline layouts apart. Nothing where
// the setting is not set.
void vkr_shader_dump(const struct vkr_shader_use *use, uint64_t key,
		     const struct vkr_instrument_options *options,
		     const struct vkr_instrumented *made);
