// SPDX-License-Identifier: Apache-2.0
#include "read_sheets.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

// Of all sheets together: 16 MiB of entries.
#define PAGES_MOST 4096u

void vkr_read_sheets_finish(struct vkr_read_sheets *sheets)
{
	for (size_t at = 0; at < sheets->made; at++)
		free(sheets->items[at].pages.items);
	free(sheets->items);
	free(sheets->first.items);
	free(sheets->entries);
	*sheets = (struct vkr_read_sheets){0};
}

bool vkr_read_sheets_begin(struct vkr_read_sheets *sheets, size_t access_count)
{
	sheets->count = 0;
	sheets->page_count = 0;
	sheets->first.count = 0;
	if (sheets->entries == NULL)
		sheets->entries =
			malloc((size_t)PAGES_MOST * VKR_SHEET_PAGE * sizeof *sheets->entries);
	if (sheets->entries == NULL || !VKR_ARRAY_RESERVE(&sheets->first, access_count))
		return false;
	sheets->first.count = access_count;
	if (access_count > 0)
		memset(sheets->first.items, 0, access_count * sizeof *sheets->first.items);
	return true;
}

uint32_t vkr_read_sheet(struct vkr_read_sheets *sheets, size_t access,
			const struct vkr_engine_run *like, uint32_t bytes, unsigned shift)
{
	uint32_t *first = &sheets->first.items[access];
	for (uint32_t at = *first; at != 0; at = sheets->items[at - 1].next)
		if (sheets->items[at - 1].target == like->target &&
		    sheets->items[at - 1].site == like->site)
			return at - 1;
	if (!VKR_ARRAY_RESERVE(sheets, 1))
		return UINT32_MAX;
	struct vkr_read_sheet *made = &sheets->items[sheets->count];
	if (sheets->count == sheets->made) {
		*made = (struct vkr_read_sheet){0};
		sheets->made++;
	}
	made->site = like->site;
	made->bytes = bytes;
	made->shift = shift;
	made->target = like->target;
	made->pitch = 0;
	made->pages.count = 0;
	made->next = *first;
	*first = (uint32_t)++sheets->count;
	return *first - 1;
}

enum vkr_sheet_note vkr_read_sheet_page(struct vkr_read_sheets *sheets,
					struct vkr_read_sheet *sheet, uint64_t page)
{
	if (page >= sheet->pages.count) {
		const size_t more = (size_t)page + 1 - sheet->pages.count;
		if (!VKR_ARRAY_RESERVE(&sheet->pages, more))
			return VKR_SHEET_NO_MEMORY;
		memset(sheet->pages.items + sheet->pages.count, 0,
		       more * sizeof *sheet->pages.items);
		sheet->pages.count += more;
	}
	if (sheets->page_count == PAGES_MOST)
		return VKR_SHEET_FULL;
	memset(sheets->entries + sheets->page_count * VKR_SHEET_PAGE, 0,
	       VKR_SHEET_PAGE * sizeof *sheets->entries);
	sheet->pages.items[page] = (uint32_t)++sheets->page_count;
	return VKR_SHEET_NOTED;
}

enum vkr_sheet_note vkr_read_sheet_note_row(struct vkr_read_sheets *sheets,
					    struct vkr_read_sheet *sheet, uint64_t offset,
					    int64_t stride, uint32_t count, uint32_t invocation)
{
	const bool is_dense = stride == INT64_C(1) << sheet->shift;
	for (uint32_t at = 0; at < count;) {
		const uint64_t place = offset + (uint64_t)(stride * (int64_t)at);
		const uint32_t entry = (uint32_t)((place >> sheet->shift) % VKR_SHEET_PAGE);
		const enum vkr_sheet_note noted =
			vkr_read_sheet_note(sheets, sheet, place, invocation + at);
		if (noted > VKR_SHEET_KNOWN)
			return noted;
		at++;
		if (!is_dense || at == count)
			continue;
		// Those behind it on the same page.
		const uint64_t page = (place >> sheet->shift) / VKR_SHEET_PAGE;
		uint32_t *entries = sheets->entries +
				    (size_t)(sheet->pages.items[page] - 1) * VKR_SHEET_PAGE +
				    entry + 1;
		const uint32_t room = VKR_SHEET_PAGE - entry - 1;
		const uint32_t more = count - at < room ? count - at : room;
		const uint32_t first = invocation + at + 1;
		for (uint32_t i = 0; i < more; i++)
			entries[i] = entries[i] != 0 ? entries[i] : first + i;
		at += more;
	}
	return VKR_SHEET_NOTED;
}

void vkr_read_sheets_clear(struct vkr_read_sheets *sheets)
{
	for (size_t at = 0; at < sheets->count; at++)
		sheets->items[at].pages.count = 0;
	sheets->page_count = 0;
}

bool vkr_read_sheets_fill(const struct vkr_read_sheets *sheets)
{
	return sheets->page_count > PAGES_MOST / 2;
}

// ---- Judging ------------------------------------------------------------------------------------

// What is being judged.
struct judging {
	struct vkr_read_sheets *sheets;
	struct vkr_engine *engine;
	struct vkr_sheet_reader (*reader)(const void *user, uint32_t invocation);
	const void *user;
	bool *raced;
	struct vkr_error *error;
};

// The entry of a place of a sheet; NULL where nobody has read.
static uint32_t *entry_at(const struct judging *of, const struct vkr_read_sheet *sheet, uint64_t at)
{
	const uint64_t page = at / VKR_SHEET_PAGE;
	if (page >= sheet->pages.count || sheet->pages.items[page] == 0)
		return NULL;
	uint32_t *entry = of->sheets->entries +
			  (size_t)(sheet->pages.items[page] - 1) * VKR_SHEET_PAGE +
			  at % VKR_SHEET_PAGE;
	return *entry != 0 ? entry : NULL;
}

// Readers that are neighbours, `by` invocations from one to the next (1 or -1), of places that are
// `step` from one to the next. Takes them out.
static uint32_t take_run(const struct judging *of, const struct vkr_read_sheet *sheet, uint64_t at,
			 uint64_t step, uint32_t by, struct vkr_sheet_reader reader)
{
	uint32_t count = 1;
	for (at += step;; at += step, count++) {
		uint32_t *entry = entry_at(of, sheet, at);
		if (entry == NULL)
			break;
		const struct vkr_sheet_reader next = of->reader(of->user, *entry - 1);
		if (next.workgroup != reader.workgroup || next.local != reader.local + by * count)
			break;
		*entry = 0;
	}
	return count;
}

// The run that begins at a place that somebody has read: along the row, with invocations that go up
// or down, or else from row to row.
static struct vkr_engine_run run_at(const struct judging *of, const struct vkr_read_sheet *sheet,
				    uint64_t at, struct vkr_sheet_reader reader)
{
	struct vkr_engine_run run = {.site = sheet->site,
				     .local = reader.local,
				     .stride = sheet->bytes,
				     .offset = at << sheet->shift,
				     .target = sheet->target};
	const uint64_t step = sheet->bytes >> sheet->shift;
	run.count = take_run(of, sheet, at, step, 1, reader);
	if (run.count == 1 && reader.local > 0) {
		run.count = take_run(of, sheet, at, step, UINT32_MAX, reader);
		run.local -= run.count - 1;
		run.offset += (run.count - 1) * (uint64_t)sheet->bytes;
		run.stride = -(int64_t)sheet->bytes;
	}
	if (run.count == 1 && sheet->pitch > 0) {
		run.count = take_run(of, sheet, at, sheet->pitch >> sheet->shift, 1, reader);
		run.stride = (int64_t)sheet->pitch;
	}
	return run;
}

static bool has_raced(const struct judging *of)
{
	return of->raced != NULL && *of->raced;
}

static enum vkr_result judge_page(const struct judging *of, const struct vkr_read_sheet *sheet,
				  size_t page)
{
	uint32_t *entries =
		of->sheets->entries + (size_t)(sheet->pages.items[page] - 1) * VKR_SHEET_PAGE;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < VKR_SHEET_PAGE && result == VKR_OK && !has_raced(of); at++) {
		if (entries[at] == 0)
			continue;
		const struct vkr_sheet_reader reader = of->reader(of->user, entries[at] - 1);
		entries[at] = 0;
		const struct vkr_engine_run run =
			run_at(of, sheet, (uint64_t)page * VKR_SHEET_PAGE + at, reader);
		result = vkr_engine_workgroup(of->engine, reader.workgroup, of->error);
		if (result == VKR_OK && of->raced == NULL)
			result = vkr_engine_runs(of->engine, &run, 1, of->error);
		else if (result == VKR_OK)
			result = vkr_engine_try_runs(of->engine, &run, 1, of->raced, of->error);
	}
	return result;
}

enum vkr_result vkr_read_sheets_judge(struct vkr_read_sheets *sheets, struct vkr_engine *engine,
				      struct vkr_sheet_reader (*reader)(const void *user,
									uint32_t invocation),
				      const void *user, bool *raced, struct vkr_error *error)
{
	const struct judging of = {sheets, engine, reader, user, raced, error};
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < sheets->count; at++) {
		const struct vkr_read_sheet *sheet = &sheets->items[at];
		for (size_t page = 0;
		     page < sheet->pages.count && result == VKR_OK && !has_raced(&of); page++)
			if (sheet->pages.items[page] != 0)
				result = judge_page(&of, sheet, page);
	}
	vkr_read_sheets_clear(sheets);
	return result;
}
