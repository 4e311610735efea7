// SPDX-License-Identifier: Apache-2.0
// Which pages of the process can be read and not written. Knows the kernel's list of mappings.
#include "mapped_pages.h"

#include "array.h"
#include "search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
	char *items;
	size_t count, capacity;
};

// The whole list, ended by 0.
static bool read_text(struct text *text)
{
	const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : 1;
	while (got > 0) {
		if (!VKR_ARRAY_RESERVE(text, 4096)) {
			got = -1;
			break;
		}
		got = read(file, text->items + text->count, text->capacity - text->count - 1);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			text->count += (size_t)got;
	}
	if (file >= 0)
		close(file);
	if (got == 0)
		text->items[text->count] = 0;
	return got == 0;
}

// A line: "BEGIN-END PERMISSIONS ...", in hexadecimal numbers.
static bool read_line(struct vkr_mapped_pages *pages, const char *line)
{
	char *end;
	struct vkr_closed_pages part = {.begin = strtoul(line, &end, 16)};
	if (*end != '-')
		return true;
	part.end = strtoul(end + 1, &end, 16);
	if (strncmp(end, " r-", 3) != 0)
		return true;
	if (!VKR_ARRAY_RESERVE(pages, 1))
		return false;
	pages->items[pages->count++] = part;
	return true;
}

bool vkr_mapped_pages_read(struct vkr_mapped_pages *pages)
{
	struct text text = {0};
	*pages = (struct vkr_mapped_pages){0};
	bool whole = read_text(&text);
	for (const char *line = text.items; whole && line; line = strchr(line, '\n')) {
		line += *line == '\n';
		whole = read_line(pages, line);
	}
	free(text.items);
	return whole;
}

void vkr_mapped_pages_finish(struct vkr_mapped_pages *pages)
{
	free(pages->items);
}

bool vkr_mapped_pages_closed(const struct vkr_mapped_pages *pages, uintptr_t address)
{
	size_t low = 0;
	VKR_SEARCH(low, pages->count, at, pages->items[at].end <= address);
	return low < pages->count && pages->items[low].begin <= address;
}
