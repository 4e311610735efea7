// SPDX-License-Identifier: Apache-2.0
#include "report_cost.h"

#include "sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int compare_costs(const void *a, const void *b)
{
	const struct vkr_cost_report *const *first = a, *const *second = b;
	return ((*first)->nanoseconds < (*second)->nanoseconds) -
	       ((*first)->nanoseconds > (*second)->nanoseconds);
}

static double report_cost_share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void print_row(const struct vkr_cost_report *cost, double seconds, FILE *out)
{
	const double accesses = (double)cost->accesses;
	fprintf(out,
		"  %7.3f %5.1f %% %14" PRIu64 " %14" PRIu64 " %10.1f %8.1f %% %8" PRIu64
		" %8" PRIu64 "  %s, %s\n",
		(double)cost->nanoseconds / 1e9,
		100 * report_cost_share((double)cost->nanoseconds / 1e9, seconds), cost->accesses,
		cost->log_bytes, report_cost_share((double)cost->log_bytes, accesses),
		100 * report_cost_share((double)cost->unlogged, accesses), cost->times,
		cost->repeated, cost->command, cost->shader);
}

void vkr_report_cost(const struct vkr_report *report, double seconds, uint64_t mebibytes, FILE *out)
{
	const struct vkr_cost_report **sorted =
		calloc(report->cost_count + (size_t)1, sizeof *sorted);
	struct vkr_cost_report rest = {.command = "everything else",
				       .shader = "host, fixed function and reading",
				       .accesses = report->accesses_judged};
	uint64_t spent = 0;
	fprintf(out,
		"\nvkrace: judging took %.3f s of processor time and %" PRIu64
		" MiB of memory at most\n",
		seconds, mebibytes);
	if (sorted == NULL)
		return;
	for (uint32_t at = 0; at < report->cost_count; at++) {
		sorted[at] = &report->costs[at];
		spent += sorted[at]->nanoseconds;
		rest.accesses -= sorted[at]->accesses <= rest.accesses ? sorted[at]->accesses : 0;
	}
	rest.nanoseconds = (uint64_t)(seconds * 1e9);
	rest.nanoseconds -= spent < rest.nanoseconds ? spent : rest.nanoseconds;
	rest.unlogged = rest.accesses;
	vkr_sort(sorted, report->cost_count, sizeof *sorted, compare_costs);
	fprintf(out, "  seconds   share       accesses   bytes of log  an access   no log    times "
		     "repeated\n");
	for (uint32_t at = 0; at < report->cost_count; at++)
		print_row(sorted[at], seconds, out);
	print_row(&rest, seconds, out);
	free(sorted);
}
