// SPDX-License-Identifier: Apache-2.0
#include "report_file.h"

#include "array.h"
#include "error.h"
#include "user_file.h"

#include "vkrace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	char *items;
	size_t count, capacity;
};

static enum vkr_result read_file(const char *path, struct bytes *text, struct vkr_error *error)
{
	const size_t step = 65536;
	const char *reason;
	FILE *file = vkr_user_file_open(path, &reason);
	if (!file)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot open: %s", path, reason);
	enum vkr_result result = VKR_OK;
	while (result == VKR_OK && !feof(file)) {
		if (!VKR_ARRAY_RESERVE(text, step)) {
			result = vkr_error_memory(error, "a report");
			break;
		}
		text->count += fread(text->items + text->count, 1, step, file);
		if (ferror(file))
			result = vkr_error_set(error, VKR_ERROR_IO, "%s: cannot read: %s", path,
					       strerror(errno));
	}
	fclose(file);
	return result;
}

enum vkr_result vkr_report_file_is_trace(const char *path, bool *trace, struct vkr_error *error)
{
	char magic[sizeof VKR_TRACE_MAGIC] = "";
	const char *reason;
	FILE *file = vkr_user_file_open(path, &reason);
	if (!file)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot read: %s", path, reason);
	const size_t got = fread(magic, 1, sizeof magic, file);
	const bool failed = ferror(file);
	const int failure = errno;
	fclose(file);
	if (failed)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot read: %s", path,
				     strerror(failure));
	*trace = got == sizeof magic && memcmp(magic, VKR_TRACE_MAGIC, sizeof magic) == 0;
	return VKR_OK;
}

typedef enum vkr_result read_json(struct vkr_report_copy *, const char *, const char *, size_t,
				  struct vkr_error *);

static enum vkr_result read_copy(struct vkr_report_copy *copy, const char *path, read_json *read,
				 struct vkr_error *error)
{
	struct bytes text = {0};
	enum vkr_result result = read_file(path, &text, error);
	*copy = (struct vkr_report_copy){0};
	if (result == VKR_OK)
		result = read(copy, path, text.items, text.count, error);
	free(text.items);
	return result;
}

enum vkr_result vkr_report_file_read(struct vkr_report_copy *copy, const char *path,
				     struct vkr_error *error)
{
	return read_copy(copy, path, vkr_report_read_json, error);
}

enum vkr_result vkr_report_file_read_changes(struct vkr_report_copy *copy, const char *path,
					     struct vkr_error *error)
{
	return read_copy(copy, path, vkr_report_read_changes, error);
}
