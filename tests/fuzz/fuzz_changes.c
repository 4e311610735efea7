// SPDX-License-Identifier: Apache-2.0
// Any bytes as a list of changes: refused, or put in words, written, and read again.
#include "report_changes.h"
#include "report_json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vkr_report_copy copy, again;
	struct vkr_error error;
	char *text = NULL;
	size_t bytes = 0;
	if (vkr_report_read_changes(&copy, "input", (const char *)data, size, &error) != VKR_OK) {
		vkr_report_copy_finish(&copy);
		return 0;
	}
	for (uint32_t i = 0; i < copy.report.change_count; i++)
		if (!vkr_report_change_words(&copy.report.changes[i], &copy.arena) ||
		    !vkr_report_change_proof(&copy.report.changes[i], 1, &copy.arena))
			abort();
	FILE *memory = open_memstream(&text, &bytes);
	if (!memory || vkr_report_changes_json(&copy.report, memory, &error) != VKR_OK ||
	    fclose(memory) != 0 ||
	    vkr_report_read_changes(&again, "again", text, bytes, &error) != VKR_OK ||
	    again.report.change_count != copy.report.change_count)
		abort();
	vkr_report_copy_finish(&again);
	vkr_report_copy_finish(&copy);
	free(text);
	return 0;
}
