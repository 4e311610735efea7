// SPDX-License-Identifier: Apache-2.0
// Draining column logs: which of an execution's column logs were written, how far, and recording
// that. Knows column logs (vkrace/gpu_log.h); not chunks, nor what records mean.
#include "column_logs.h"

#include "log_copy.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

// Words of one GPU_COLUMN_LOG event, unless a single workgroup has more.
#define EVENT_WORDS (UINT64_C(1) << 16)

// Pairs of a column that are looked at together: a page, so that a page that nobody has written to
// is not even read.
#define BAND_PAIRS 512u

// A column log in a region. Few invocations may have logged much more than all others, so that most
// words of later columns are zero. Its workgroups are taken in bands of neighbours, each as far as
// its own records go.
struct filled {
	uint32_t execution, command;
	const struct vkr_column_log *column_log;
	struct vkr_log_region *region;
	uint64_t first; // word of its header
	uint64_t pitch, columns;
	uint32_t groups[3]; // of the whole dispatch
	uint64_t band;      // pairs of a band in a column, but for the last one's
	uint32_t band_count;
	uint32_t *written; // by band: the columns that its records may reach into
	uint64_t words;    // that were recorded
};

static uint64_t column_word(const struct filled *filled, uint64_t column)
{
	return filled->first + 2 * (VKR_COLUMN_LOG_HEADER_PAIRS + column * filled->pitch);
}

static bool is_zero(const uint32_t *words, uint64_t count)
{
	for (; count >= 16; words += 16, count -= 16) {
		uint32_t any = 0;
		for (unsigned i = 0; i < 16; i++)
			any |= words[i];
		if (any)
			return false;
	}
	while (count > 0)
		if (words[--count])
			return false;
	return true;
}

// Pairs of one band in a column.
static uint64_t band_pairs(const struct filled *filled, uint32_t band)
{
	const uint64_t left = filled->pitch - band * filled->band;
	return left < filled->band ? left : filled->band;
}

static bool band_is_zero(const struct filled *filled, uint64_t column, uint32_t band)
{
	return is_zero(filled->region->words + column_word(filled, column) +
			       2 * (band * filled->band),
		       2 * band_pairs(filled, band));
}

// Finds the columns that records of the bands in `open` may reach into, if these are more than are
// known. Invocations write into one after the other, but all words of a record after its first may
// be 0.
static void find_written(const struct filled *filled, uint32_t *open, uint32_t count)
{
	const uint64_t record = filled->column_log->record;
	for (uint64_t at = 0; at < filled->columns && count > 0; at++) {
		const uint64_t end = at + record < filled->columns ? at + record : filled->columns;
		uint32_t kept = 0;
		vkr_log_region_need(filled->region, column_word(filled, at),
				    column_word(filled, at + 1));
		for (uint32_t i = 0; i < count; i++) {
			uint32_t *written = &filled->written[open[i]];
			if (*written < end && !band_is_zero(filled, at, open[i]))
				*written = (uint32_t)end;
			if (at < *written)
				open[kept++] = open[i];
		}
		count = kept;
	}
}

// As find_written, of streams: the first word of each says it, unless the invocation was cut off.
// Words counted beyond the columns are lost.
static void find_streamed(const struct filled *filled, uint32_t *open, uint64_t *lost)
{
	vkr_log_region_need(filled->region, column_word(filled, 0), column_word(filled, 1));
	const uint32_t *first = filled->region->words + column_word(filled, 0);
	uint32_t cut = 0;
	for (uint32_t band = 0; band < filled->band_count; band++) {
		const uint64_t from = band * filled->band, end = from + band_pairs(filled, band);
		uint64_t most = 0;
		bool ended = true;
		for (uint64_t at = from; at < end; at++) {
			const uint64_t words = first[2 * at];
			ended &= words > 0;
			if (words > 2 * filled->columns)
				*lost += words - 2 * filled->columns;
			most = words > most ? words : most;
		}
		const uint64_t told = (most + 1) / 2;
		filled->written[band] = (uint32_t)(told < filled->columns ? told : filled->columns);
		if (!ended)
			open[cut++] = band;
	}
	find_written(filled, open, cut);
}

// Finds `written`, and returns the most of it. Where bands differ by no more than what a record may
// have of zeros, they are taken to have written as much; and each one something, if any has, or if
// all are `whole`.
static uint32_t find_bands(const struct filled *filled, uint32_t *open, uint64_t *lost)
{
	const struct vkr_column_log *column_log = filled->column_log;
	uint32_t most = column_log->whole ? 1 : 0;
	for (uint32_t band = 0; band < filled->band_count; band++)
		open[band] = band;
	if (column_log->streams)
		find_streamed(filled, open, lost);
	else
		find_written(filled, open, filled->band_count);
	for (uint32_t band = 0; band < filled->band_count; band++)
		most = filled->written[band] > most ? filled->written[band] : most;
	for (uint32_t band = 0; band < filled->band_count && most > 0; band++) {
		uint32_t *written = &filled->written[band];
		if (*written + (uint64_t)column_log->record >= most)
			*written = most;
		else if (*written == 0)
			*written = 1;
	}
	return most;
}

// Reads the size of an indirect dispatch. False if it did not run, or wrote an impossible size.
static bool read_size(struct filled *filled)
{
	const struct vkr_column_log *column_log = filled->column_log;
	const uint32_t *header = filled->region->words + filled->first;
	const uint64_t pairs = column_log->pairs - VKR_COLUMN_LOG_HEADER_PAIRS;
	const uint64_t plane = (uint64_t)header[0] * header[1], depth = header[2] ? header[2] : 1;
	if (plane == 0 || plane > pairs || plane * depth > pairs / column_log->local_size)
		return false;
	filled->pitch = plane * depth * column_log->local_size;
	filled->groups[0] = header[0];
	filled->groups[1] = header[1];
	filled->groups[2] = (uint32_t)depth;
	filled->columns = pairs / filled->pitch;
	return true;
}

// Records what stands in the region from this word on, and makes it zero.
static void record_part(const struct filled *filled, uint64_t word, struct vkr_bytes *columns,
			const struct vkr_trace_gpu_column_log *payload)
{
	const size_t of_column = 2 * (size_t)payload->group_count * payload->local_size;
	for (uint32_t at = 0; at < payload->columns; at++)
		columns[at] = (struct vkr_bytes){filled->region->words + word +
							 (size_t)2 * at * filled->pitch,
						 of_column * sizeof *filled->region->words};
	vkr_record_layer(VKR_TRACE_GPU_COLUMN_LOG, payload, sizeof *payload, columns,
			 payload->columns);
	for (uint32_t at = 0; at < payload->columns; at++) {
		const uint64_t from = word + (uint64_t)2 * at * filled->pitch;
		vkr_log_region_wipe(filled->region, from, from + of_column);
	}
}

// Records columns of the workgroups [first, end) of the log.
static void record_groups(const struct filled *filled, uint64_t first, uint64_t end,
			  uint32_t written, struct vkr_bytes *columns)
{
	const struct vkr_column_log *column_log = filled->column_log;
	const uint64_t of_group = UINT64_C(2) * written * column_log->local_size;
	const uint64_t step = of_group < EVENT_WORDS ? EVENT_WORDS / of_group : 1;
	for (uint64_t group = first; group < end; group += step) {
		const uint64_t count = end - group < step ? end - group : step;
		const struct vkr_trace_gpu_column_log payload = {
			.execution = filled->execution,
			.word_count = (uint32_t)(of_group * count),
			.command = filled->command,
			.first_group = column_log->first_group + (uint32_t)group,
			.group_count = (uint32_t)count,
			.local_size = column_log->local_size,
			.columns = written,
			.groups = {filled->groups[0], filled->groups[1], filled->groups[2]},
		};
		const uint64_t word = column_word(filled, 0) + 2 * group * column_log->local_size;
		record_part(filled, word, columns, &payload);
	}
}

// Records the written columns, of which there are at most so many. False for lack of memory.
static bool record_columns(const struct filled *filled, uint32_t most)
{
	const uint64_t groups = filled->pitch / filled->column_log->local_size;
	const uint64_t of_band = filled->band / filled->column_log->local_size;
	struct vkr_bytes *columns = calloc(most, sizeof *columns);
	if (!columns)
		return false;
	for (uint32_t band = 0, next; band < filled->band_count; band = next) {
		const uint32_t written = filled->written[band];
		for (next = band + 1; next < filled->band_count; next++)
			if (filled->written[next] != written)
				break;
		const uint64_t end = next * of_band;
		record_groups(filled, band * of_band, end < groups ? end : groups, written,
			      columns);
	}
	free(columns);
	return true;
}

// Words in the last columns, which only those reach that may have lacked room.
static uint64_t tail_words(const struct filled *filled)
{
	uint64_t tail = filled->column_log->tail, words = 0;
	if (tail > filled->columns)
		tail = filled->columns;
	for (uint32_t band = 0; band < filled->band_count && tail > 0; band++) {
		const uint64_t from = band * filled->band, end = from + band_pairs(filled, band);
		for (uint64_t at = filled->columns - tail; at < filled->written[band]; at++)
			for (uint64_t pair = from; pair < end; pair++)
				words +=
					filled->region->words[column_word(filled, at) + 2 * pair] !=
					0;
	}
	return words;
}

static void note_learned(const struct vkr_column_log *column_log, uint32_t written)
{
	uint32_t learned = atomic_load(column_log->learned);
	while (learned < written &&
	       !atomic_compare_exchange_weak(column_log->learned, &learned, written))
		;
}

static uint64_t count_words(const struct filled *filled)
{
	uint64_t words = 0;
	for (uint32_t band = 0; band < filled->band_count; band++)
		words += 2 * filled->written[band] * band_pairs(filled, band);
	return words;
}

// Finds out what was written, and records it. False for lack of memory.
static bool drain_bands(struct filled *filled, uint32_t *open, uint64_t *lost)
{
	struct vkr_log_region *region = filled->region;
	const uint32_t most = find_bands(filled, open, lost);
	if (!filled->column_log->streams)
		*lost = tail_words(filled);
	note_learned(filled->column_log, most);
	filled->words = count_words(filled);
	vkr_log_region_need(region, filled->first, column_word(filled, most));
	return !most || record_columns(filled, most);
}

static uint64_t drain_column_log(struct filled *filled)
{
	const struct vkr_column_log *column_log = filled->column_log;
	struct vkr_log_region *region = filled->region;
	filled->pitch = column_log->pitch;
	filled->columns = column_log->columns;
	// No column at all: each invocation lacked room.
	if (!column_log->pitch && !read_size(filled))
		return is_zero(region->words + filled->first,
			       (uint64_t)2 * VKR_COLUMN_LOG_HEADER_PAIRS)
			       ? 0
			       : 1;
	if (filled->columns < column_log->least)
		return filled->pitch;
	// An indirect dispatch may have more columns than its invocations can fill.
	if (column_log->columns && filled->columns > column_log->columns)
		filled->columns = column_log->columns;
	const uint64_t local_size = column_log->local_size;
	filled->band = (BAND_PAIRS + local_size - 1) / local_size * local_size;
	filled->band_count = (uint32_t)((filled->pitch + filled->band - 1) / filled->band);
	filled->written = calloc(filled->band_count, 2 * sizeof *filled->written);
	uint64_t lost = 0;
	if (!filled->written || !drain_bands(filled, filled->written + filled->band_count, &lost)) {
		lost += 2 * filled->columns * filled->pitch;
		filled->words = 0;
		vkr_log_region_need(region, filled->first, column_word(filled, filled->columns));
		vkr_log_region_wipe(region, column_word(filled, 0),
				    column_word(filled, filled->columns));
	}
	free(filled->written);
	return lost;
}

// Words of column logs from which on it is worth telling that all of their commands' are there.
#define TOLD_WORDS (UINT64_C(1) << 18)

// Where draining one stretch of an execution stands.
struct draining {
	uint32_t execution;
	struct vkr_log_region *region;
	bool ask; // the region's mirror is asked for the column logs, and no more
	bool tell;
	uint32_t command; // whose column log was drained last
	uint64_t words;   // recorded since it was last reported
	uint64_t lost;
};

// The command is next: those before it have logged all that they will.
static void tell_commands(struct draining *draining, uint32_t command)
{
	const struct vkr_trace_commands_logged payload = {.execution = draining->execution,
							  .command = command};
	if (!draining->tell || command <= draining->command || draining->words < TOLD_WORDS)
		return;
	vkr_record_layer(VKR_TRACE_COMMANDS_LOGGED, &payload, sizeof payload, NULL, 0);
	draining->words = 0;
}

// Where a track's commands and column logs begin in the execution's.
struct start {
	uint32_t command;
	uint64_t column_logs;
};

// Columns that were not written at the last execution either are left for when they are needed, and
// marks of reads only become zero.
static void ask_for(struct vkr_log_region *region, const struct vkr_column_log *column_log,
		    struct start from)
{
	const uint64_t first = VKR_LOG_HEADER_WORDS + 2 * (column_log->first + from.column_logs);
	const uint64_t marks = VKR_LOG_HEADER_WORDS + 2 * (column_log->marks + from.column_logs);
	const uint64_t columns = atomic_load(column_log->learned) + column_log->record;
	vkr_log_mirror_ask(region->mirror, first,
			   first + 2 * (VKR_COLUMN_LOG_HEADER_PAIRS + columns * column_log->pitch),
			   first + 2 * column_log->pairs);
	if (column_log->mark_words)
		vkr_log_mirror_wipe(region->mirror, marks, marks + column_log->mark_words);
}

static void drain_one(struct draining *draining, const struct vkr_column_log *column_log,
		      struct start from)
{
	struct filled filled = {
		.execution = draining->execution,
		.command = column_log->command + from.command,
		.column_log = column_log,
		.groups = {column_log->groups[0], column_log->groups[1], column_log->groups[2]},
		.region = draining->region,
		.first = VKR_LOG_HEADER_WORDS + 2 * (column_log->first + from.column_logs),
	};
	if (draining->ask) {
		ask_for(draining->region, column_log, from);
		return;
	}
	tell_commands(draining, filled.command);
	draining->lost += drain_column_log(&filled);
	draining->words += filled.words;
	draining->command = filled.command;
	const uint64_t marks = VKR_LOG_HEADER_WORDS + 2 * (column_log->marks + from.column_logs);
	if (column_log->mark_words)
		vkr_log_region_wipe(draining->region, marks, marks + column_log->mark_words);
	vkr_log_region_wipe(draining->region, filled.first,
			    filled.first + (size_t)2 * VKR_COLUMN_LOG_HEADER_PAIRS);
}

// The column logs of one stretch of the track from column log `*next` on, of commands before
// `command`.
static void drain_before(struct draining *draining, const struct vkr_track *track, size_t stretch,
			 struct start from, size_t *next, uint32_t command)
{
	for (; *next < track->column_logs.count; ++*next) {
		const struct vkr_column_log *column_log = &track->column_logs.items[*next];
		if (column_log->stretch > stretch || column_log->command >= command)
			return;
		if (column_log->stretch == stretch)
			drain_one(draining, column_log, from);
	}
}

// One stretch of the track, in the order of commands: secondary command buffers have one stretch.
static void drain_track(struct draining *draining, const struct vkr_track *track, size_t stretch,
			struct start from)
{
	size_t next = 0;
	for (size_t i = 0; i < track->count; i++) {
		const struct vkr_call *call = &track->items[i];
		if (call->is_nested || call->stretch != stretch)
			continue;
		drain_before(draining, track, stretch, from, &next, call->command_base);
		drain_track(draining, call->track, 0,
			    (struct start){from.command + call->command_base,
					   from.column_logs + call->column_logs});
	}
	drain_before(draining, track, stretch, from, &next, UINT32_MAX);
}

void vkr_column_logs_ask(const struct vkr_track *track, size_t stretch,
			 struct vkr_log_region *region)
{
	struct draining draining = {.region = region, .ask = true};
	drain_track(&draining, track, stretch, (struct start){0});
}

uint64_t vkr_column_logs_drain(uint32_t execution, const struct vkr_track *track, size_t stretch,
			       struct vkr_log_region *region)
{
	struct draining draining = {
		.execution = execution,
		.region = region,
		.tell = region->words[VKR_LOG_HEAD] <= region->first,
	};
	drain_track(&draining, track, stretch, (struct start){0});
	return draining.lost;
}
