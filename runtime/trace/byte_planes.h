// SPDX-License-Identifier: Apache-2.0
// The order of a chunk's bytes in which they compress best. Knows bytes only.
//
// What invocations log differs little from one to the next in the words at the same place of a pair
// of words: first bytes of all pairs stand together, then all second ones, to the eighth.
#pragma once

#include <stddef.h>

// `bytes`: a multiple of 8. `to` is other memory than `from`.
void vkr_planes_split(const unsigned char *from, unsigned char *to, size_t bytes);
void vkr_planes_join(const unsigned char *from, unsigned char *to, size_t bytes);
