// SPDX-License-Identifier: Apache-2.0
// Judges a command's reads of a range that were noted place by place, the first of each site: as
// lists of elements, as members of structs or as runs, whichever they are. Knows who reads what;
// not why they were put down.
#pragma once

#include "access_filters.h"

// The filter's reads in its pages of `entries`, each by the open dispatch's invocation 1 +
// (workgroup << local_bits | local). They meet the dispatch's accesses before any barrier, and have
// been counted. *singly: how many of them were judged one by one.
enum vkr_result vkr_read_feed(struct vkr_engine *engine, const struct vkr_access_filter *filter,
			      uint32_t *entries, uint64_t *singly,
			      struct vkr_error *error) VKR_MUST_USE;
