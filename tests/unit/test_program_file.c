// SPDX-License-Identifier: Apache-2.0
// The files of programs into which no layer can be loaded are known from their headers. Knows the
// headers of ELF files; runs none of them.
#include "program_file.h"
#include "temporary_file.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct program {
	Elf64_Ehdr header;
	Elf64_Phdr parts[2];
};

static struct program dynamic(void)
{
	struct program program = {
		.header = {.e_phoff = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2},
		.parts = {{.p_type = PT_LOAD}, {.p_type = PT_INTERP}},
	};
	memcpy(program.header.e_ident, ELFMAG, SELFMAG);
	program.header.e_ident[EI_CLASS] = ELFCLASS64;
	return program;
}

static void expect(const void *contents, size_t size, mode_t mode, const char *words)
{
	char *path = temporary_file_make(contents, size);
	assert_int_equal(chmod(path, mode), 0);
	const char *why = vkr_program_file_obstacle(path);
	temporary_file_remove(path);
	if (words) {
		assert_non_null(why);
		assert_non_null(strstr(why, words));
	} else {
		assert_null(why);
	}
}

static void test_loadable(void **state)
{
	(void)state;
	struct program program = dynamic();
	expect(&program, sizeof program, 0700, NULL);
	expect("#!/bin/sh\n", 10, 0700, NULL);
	// One's own: the loader asks whether user and group differ.
	expect(&program, sizeof program, S_ISUID | S_ISGID | 0700, NULL);
	assert_null(vkr_program_file_obstacle("/nonexistent/program"));
	assert_null(vkr_program_file_obstacle("no such program"));
}

static void test_static(void **state)
{
	(void)state;
	struct program program = dynamic();
	program.parts[1].p_type = PT_DYNAMIC;
	expect(&program, sizeof program, 0700, "statically linked");
	// Cut before its second part: what is not there is not taken for missing.
	expect(&program, sizeof program - 1, 0700, NULL);
}

static void test_32_bit(void **state)
{
	(void)state;
	struct program program = dynamic();
	program.header.e_ident[EI_CLASS] = ELFCLASS32;
	expect(&program, sizeof program, 0700, sizeof(void *) == 8 ? "32-bit" : NULL);
}

static void test_on_path(void **state)
{
	(void)state;
	// As execvp() finds it: folders without it are passed by.
	assert_int_equal(setenv("PATH", "/nonexistent:/usr/sbin:/sbin", 1), 0);
	if (access("/sbin/ldconfig", X_OK) != 0)
		skip();
	const char *why = vkr_program_file_obstacle("ldconfig");
	assert_ptr_equal(why, vkr_program_file_obstacle("/sbin/ldconfig"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loadable),
		cmocka_unit_test(test_static),
		cmocka_unit_test(test_32_bit),
		cmocka_unit_test(test_on_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
