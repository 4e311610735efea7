// SPDX-License-Identifier: Apache-2.0
#include "shard.h"

#include "array.h"
#include "search.h"
#include "sort.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool vkr_shard_pages_add(struct vkr_shard_pages *pages, uint64_t place, uint64_t page)
{
	struct vkr_shard_run *last = pages->count ? &pages->items[pages->count - 1] : NULL;
	if (last && last->place == place && page - last->first <= last->count) {
		if (page - last->first == last->count)
			last->count++;
		return true;
	}
	if (!VKR_ARRAY_RESERVE(pages, 1))
		return false;
	pages->items[pages->count++] = (struct vkr_shard_run){place, page, 1};
	return true;
}

bool vkr_shard_pages_join(struct vkr_shard_pages *pages, const struct vkr_shard_pages *more)
{
	if (!more->count)
		return true;
	if (!VKR_ARRAY_RESERVE(pages, more->count))
		return false;
	memcpy(pages->items + pages->count, more->items, more->count * sizeof *more->items);
	pages->count += more->count;
	return true;
}

static int shard_compare(const void *a, const void *b)
{
	const struct vkr_shard_run *x = a, *y = b;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

void vkr_shard_pages_sort(struct vkr_shard_pages *pages)
{
	size_t kept = 0;
	vkr_sort(pages->items, pages->count, sizeof *pages->items, shard_compare);
	for (size_t at = 0; at < pages->count; at++) {
		const struct vkr_shard_run run = pages->items[at];
		struct vkr_shard_run *last = kept ? &pages->items[kept - 1] : NULL;
		if (!last || last->place != run.place || run.first - last->first > last->count)
			pages->items[kept++] = run;
		else if (run.first - last->first + run.count > last->count)
			last->count = run.first - last->first + run.count;
	}
	pages->count = kept;
}

size_t vkr_shard_pages_find(const struct vkr_shard_pages *pages, uint64_t place)
{
	size_t least = 0;
	VKR_SEARCH(least, pages->count, at, pages->items[at].place < place);
	return least;
}

static bool begins_until(const struct vkr_shard_run *run, uint64_t place, uint64_t page)
{
	return run->place < place || (run->place == place && run->first <= page);
}

bool vkr_shard_pages_have(const struct vkr_shard_pages *pages, uint64_t place, uint64_t page)
{
	size_t least = 0;
	VKR_SEARCH(least, pages->count, at, begins_until(&pages->items[at], place, page));
	const struct vkr_shard_run *run = least ? &pages->items[least - 1] : NULL;
	return run && run->place == place && page - run->first < run->count;
}

char *vkr_shard_pages_text(const struct vkr_shard_pages *pages)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	if (!out)
		return NULL;
	for (size_t at = 0; at < pages->count; at++) {
		const struct vkr_shard_run *run = &pages->items[at];
		fprintf(out, "%s%s%" PRIu64 ":%" PRIu64 "+%" PRIu64, at ? " " : "",
			run->place & VKR_SHARD_DISPATCH ? "d" : "",
			run->place & ~VKR_SHARD_DISPATCH, run->first, run->count);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static bool parse_part(const char **text, char end, uint64_t *number)
{
	char *rest;
	errno = 0;
	if (!isdigit((unsigned char)**text))
		return false;
	*number = strtoull(*text, &rest, 10);
	if (errno || (end ? *rest != end : *rest && *rest != ' '))
		return false;
	*text = *rest ? rest + 1 : rest;
	return true;
}

bool vkr_shard_pages_parse(struct vkr_shard_pages *pages, const char *text)
{
	while (*text) {
		struct vkr_shard_run run;
		const bool dispatch = *text == 'd';
		text += dispatch;
		if (!parse_part(&text, ':', &run.place) || !parse_part(&text, '+', &run.first) ||
		    !parse_part(&text, '\0', &run.count) || run.place & VKR_SHARD_DISPATCH ||
		    run.count == 0 || run.count > UINT64_MAX - run.first ||
		    !VKR_ARRAY_RESERVE(pages, 1))
			return false;
		run.place |= dispatch ? VKR_SHARD_DISPATCH : 0;
		pages->items[pages->count++] = run;
	}
	return true;
}

void vkr_shard_pages_finish(struct vkr_shard_pages *pages)
{
	free(pages->items);
	*pages = (struct vkr_shard_pages){0};
}

void vkr_shard_finish(struct vkr_shard *shard)
{
	vkr_shard_pages_finish(&shard->also);
	vkr_shard_pages_finish(&shard->conflicts);
	vkr_shard_pages_finish(&shard->wanted);
}

static bool parse_number(const char *text, char end, const char **behind, uint32_t *number)
{
	char *rest;
	errno = 0;
	if (!isdigit((unsigned char)*text))
		return false;
	const unsigned long long value = strtoull(text, &rest, 10);
	if (errno || value == 0 || value > UINT32_MAX || *rest != end)
		return false;
	*behind = rest + 1;
	*number = (uint32_t)value;
	return true;
}

bool vkr_shard_parse(const char *text, uint32_t *index, uint32_t *count)
{
	if (!parse_number(text, '/', &text, index) || !parse_number(text, '\0', &text, count) ||
	    *index > *count)
		return false;
	--*index;
	return true;
}
