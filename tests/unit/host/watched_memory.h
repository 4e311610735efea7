// SPDX-License-Identifier: Apache-2.0
// Memory whose every access is noted, and checks of what was. Knows the engine of faults; not which
// instructions are tried.
#pragma once

#include "host_regions.h"
#include "host_threads.h"

#include "vkrace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define WATCHED_BYTES (UINT64_C(1) << 16)

// The program's mapping, and the other one.
extern unsigned char *watched, *behind;

// Whether a race is known of each place from now on.
extern bool places_race;

int watched_setup(void **state);
int watched_teardown(void **state);

// cmocka takes SIGSEGV for itself before each test.
void watched_begin(void **state);

// Ends the test unless exactly these accesses were made since the last call.
void expect_none(const char *what);
void expect_one(const char *what, uint64_t offset, uint64_t bytes, uint32_t operation);
void expect_two(const char *what, uint64_t offset, uint64_t bytes, uint32_t operation,
		uint64_t offset2, uint64_t bytes2, uint32_t operation2);

// The number of accesses since the last call, and the whole of their bytes.
unsigned taken(uint64_t *bytes);

// Exactly one access of each of these offsets, `bytes` each.
void expect_each(const char *what, const uint64_t *offsets, unsigned count, uint64_t bytes,
		 uint32_t operation);

extern const struct CMUnitTest vector_tests[];
extern const size_t vector_test_count;
