// SPDX-License-Identifier: Apache-2.0
#include "missing_page.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

// Any process may have one that waits for accesses out of the kernel alone.
static int open_faults(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	const int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (faults < 0)
		return -1;
	if (ioctl(faults, UFFDIO_API, &api) == 0)
		return faults;
	close(faults);
	return -1;
}

bool vkr_missing_page_init(struct vkr_missing_page *page)
{
	*page = (struct vkr_missing_page){.faults = open_faults()};
	if (page->faults < 0)
		return false;
	void *memory = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	page->memory = memory == MAP_FAILED ? NULL : memory;
	struct uffdio_register all = {.range = {(uintptr_t)page->memory, page_bytes()},
				      .mode = UFFDIO_REGISTER_MODE_MISSING};
	// A child process has nobody who would make it present.
	if (page->memory && madvise(page->memory, page_bytes(), MADV_DONTFORK) == 0 &&
	    ioctl(page->faults, UFFDIO_REGISTER, &all) == 0)
		return true;
	vkr_missing_page_finish(page);
	return false;
}

void vkr_missing_page_finish(struct vkr_missing_page *page)
{
	if (page->faults >= 0)
		close(page->faults);
	if (page->memory)
		munmap(page->memory, page_bytes());
	*page = (struct vkr_missing_page){.faults = -1};
}

void vkr_missing_page_take(struct vkr_missing_page *page)
{
	if (page->memory && page->present)
		page->present = madvise(page->memory, page_bytes(), MADV_DONTNEED) != 0;
}

void vkr_missing_page_give(struct vkr_missing_page *page)
{
	struct uffdio_zeropage zero = {.range = {(uintptr_t)page->memory, page_bytes()}};
	if (!page->memory || page->present)
		return;
	page->present = true;
	// Without the descriptor, accesses no longer wait for it.
	if (ioctl(page->faults, UFFDIO_ZEROPAGE, &zero) != 0) {
		close(page->faults);
		page->faults = -1;
	}
}
