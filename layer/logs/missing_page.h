// SPDX-License-Identifier: Apache-2.0
// A page that the kernel can keep missing (userfaultfd(2)): a thread that accesses it then sleeps.
// Knows the kernel; not who accesses the page.
#pragma once

#include <stdbool.h>

struct vkr_missing_page {
	void *memory; // a page of its own; NULL: there is none
	int faults;   // the userfaultfd
	bool present;
};

// A page that is missing. False where the kernel has none for this process: *page is empty then.
bool vkr_missing_page_init(struct vkr_missing_page *page);
void vkr_missing_page_finish(struct vkr_missing_page *page);

// Makes it missing again. Nobody waits for it.
void vkr_missing_page_take(struct vkr_missing_page *page);

// Makes it present: all who wait for it go on.
void vkr_missing_page_give(struct vkr_missing_page *page);
