// SPDX-License-Identifier: Apache-2.0
// Calls of loaded files are led elsewhere, and files that another thread is still loading are left
// to it. Knows ELF's segments; loads one file: test_got_patch FILE.
#include "got_patch.h"
#include "mapped_pages.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define ELSEWHERE ((pid_t)-7)

static const char *path;
static pid_t (*next)(void);

static pid_t elsewhere(void)
{
	return ELSEWHERE;
}

struct pages {
	uintptr_t begin, end;
};

// The pages that the loader has closed behind its work on the file.
static int find_closed(struct dl_phdr_info *info, size_t size, void *to)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct pages *closed = to;
	(void)size;
	for (size_t i = 0; strcmp(info->dlpi_name, path) == 0 && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uintptr_t address = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_GNU_RELRO)
			*closed = (struct pages){address & ~(page - 1),
						 (address + segment->p_memsz) & ~(page - 1)};
	}
	return 0;
}

static void protect(const struct pages *pages, int protection)
{
	assert_int_equal(mprotect((void *)pages->begin, pages->end - pages->begin, protection), 0);
}

static bool is_closed(const struct pages *pages)
{
	struct vkr_mapped_pages mapped;
	assert_true(vkr_mapped_pages_read(&mapped));
	const bool closed = vkr_mapped_pages_closed(&mapped, pages->begin);
	assert_false(vkr_mapped_pages_closed(&mapped, (uintptr_t)&mapped)); // the stack
	assert_false(vkr_mapped_pages_closed(&mapped, 0));
	vkr_mapped_pages_finish(&mapped);
	return closed;
}

static void find(void *file, const char *name, pid_t (**function)(void))
{
	void *found = dlsym(file, name);
	assert_non_null(found);
	memcpy(function, &found, sizeof *function);
}

static void test_loading(void **state)
{
	static const struct vkr_got_patch patches[] = {
		{"getppid", (void (*)(void))elsewhere, (void (**)(void)) & next}};
	struct pages closed = {0, 0};
	pid_t (*call)(void), (*call_pointer)(void);
	(void)state;
	void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(file);
	find(file, "got_file_call", &call);
	find(file, "got_file_call_pointer", &call_pointer);
	dl_iterate_phdr(find_closed, &closed);
	assert_true(closed.begin < closed.end);
	assert_true(is_closed(&closed));

	// As the loader has it while it writes the file's slots: they stay open, and its own.
	protect(&closed, PROT_READ | PROT_WRITE);
	assert_true(vkr_got_patch_add(patches, 1, NULL));
	assert_false(is_closed(&closed));
	assert_int_equal(call(), next());
	vkr_got_patch_update();
	assert_false(is_closed(&closed));
	assert_int_equal(call(), next());

	// Once it has done, the file's calls are led elsewhere, though no other one was loaded.
	protect(&closed, PROT_READ);
	vkr_got_patch_update();
	assert_true(is_closed(&closed));
	assert_int_equal(call(), ELSEWHERE);
	assert_int_equal(call_pointer(), ELSEWHERE);
	dlclose(file);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_loading)};
	if (argc != 2)
		return 2;
	path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
