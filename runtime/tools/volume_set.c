// SPDX-License-Identifier: Apache-2.0
#include "volume_set.h"

#include "array.h"
#include "error.h"
#include "reader.h"
#include "sort.h"
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ENDING ".vkrace"

bool vkr_path_is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool vkr_volume_set_is_meant(char *const *operands, size_t count)
{
	return count > 1 || (count == 1 && vkr_path_is_folder(operands[0]));
}

static enum vkr_result add_volume(struct vkr_volume_set *set, const char *path,
				  struct vkr_error *error)
{
	struct vkr_reader *reader = NULL;
	const struct vkr_trace_event *event = NULL;
	enum vkr_result result = vkr_reader_open(&reader, path, error);
	if (result != VKR_OK)
		return result;
	result = vkr_reader_next(reader, &event, error);
	if (result == VKR_OK && (!event || event->type != VKR_TRACE_VOLUME))
		result =
			vkr_error_set(error, VKR_ERROR_FORMAT,
				      "%s: it is no volume of a run (vkrace run --cut): of several "
				      "runs vkrace report makes one report",
				      path);
	if (result == VKR_OK) {
		const struct vkr_trace_volume *volume = (const void *)(event + 1);
		char *copy = strdup(path);
		if (copy && VKR_ARRAY_RESERVE(set, 1)) {
			set->items[set->count++] =
				(struct vkr_volume){copy, volume->number, volume->run};
		} else {
			free(copy);
			result = vkr_error_memory(error, "volumes");
		}
	}
	vkr_reader_close(reader);
	return result;
}

static enum vkr_result add_folder(struct vkr_volume_set *set, const char *path,
				  struct vkr_error *error)
{
	DIR *folder = opendir(path);
	if (!folder)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot read: %s", path,
				     strerror(errno));
	enum vkr_result result = VKR_OK;
	const struct dirent *entry;
	while (result == VKR_OK && (entry = readdir(folder))) {
		const size_t length = strlen(entry->d_name), ending = strlen(ENDING);
		char *name = NULL;
		if (length <= ending || strcmp(entry->d_name + length - ending, ENDING) != 0)
			continue;
		if (asprintf(&name, "%s/%s", path, entry->d_name) < 0)
			result = vkr_error_memory(error, "a file name");
		else
			result = add_volume(set, name, error);
		free(name);
	}
	closedir(folder);
	return result;
}

static int compare_volumes(const void *a, const void *b)
{
	const struct vkr_volume *x = a, *y = b;
	return x->number < y->number ? -1 : x->number > y->number;
}

static enum vkr_result check_set(const struct vkr_volume_set *set, struct vkr_error *error)
{
	for (size_t i = 1; i < set->count; i++) {
		const struct vkr_volume *before = &set->items[i - 1], *volume = &set->items[i];
		if (volume->run != before->run)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "%s and %s are volumes of different runs",
					     before->path, volume->path);
		if (volume->number == before->number)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "%s and %s are the same volume", before->path,
					     volume->path);
	}
	return VKR_OK;
}

enum vkr_result vkr_volume_set_read(struct vkr_volume_set *set, char *const *operands, size_t count,
				    struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	*set = (struct vkr_volume_set){0};
	for (size_t i = 0; i < count && result == VKR_OK; i++)
		result = vkr_path_is_folder(operands[i]) ? add_folder(set, operands[i], error)
							 : add_volume(set, operands[i], error);
	if (result == VKR_OK && set->count == 0)
		result = vkr_error_set(error, VKR_ERROR_IO, "%s: there is no *" ENDING " in it",
				       operands[0]);
	if (result != VKR_OK)
		return result;
	vkr_sort(set->items, set->count, sizeof *set->items, compare_volumes);
	result = check_set(set, error);
	set->paths = calloc(set->count, sizeof *set->paths);
	if (!set->paths)
		return vkr_error_memory(error, "volumes");
	for (size_t i = 0; i < set->count; i++)
		set->paths[i] = set->items[i].path;
	return result;
}

enum vkr_result vkr_volume_set_read_folder(struct vkr_volume_set *set, const char *path,
					   struct vkr_error *error)
{
	char *operand = strdup(path);
	if (!operand) {
		*set = (struct vkr_volume_set){0};
		return vkr_error_memory(error, "a file name");
	}
	const enum vkr_result result = vkr_volume_set_read(set, &operand, 1, error);
	free(operand);
	if (result != VKR_OK)
		return result;
	const size_t series = vkr_volume_set_series(set, 0);
	return series == set->count
		       ? VKR_OK
		       : vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				       "%s: volume %u of the run is missing: only volumes that "
				       "follow each other are one trace",
				       path, set->items[series - 1].number + 1);
}

enum vkr_result vkr_trace_open(struct vkr_source **source, const char *path,
			       struct vkr_error *error)
{
	struct vkr_volume_set set;
	if (strcmp(path, "-") == 0 || !vkr_path_is_folder(path))
		return vkr_source_open_file(source, path, error);
	enum vkr_result result = vkr_volume_set_read_folder(&set, path, error);
	if (result == VKR_OK)
		result = vkr_source_open_volumes(source, set.paths, set.count, error);
	vkr_volume_set_finish(&set);
	return result;
}

void vkr_volume_set_finish(struct vkr_volume_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->items[i].path);
	free(set->items);
	free(set->paths);
	*set = (struct vkr_volume_set){0};
}

size_t vkr_volume_set_series(const struct vkr_volume_set *set, size_t first)
{
	size_t count = 1;
	while (first + count < set->count &&
	       set->items[first + count].number == set->items[first].number + count)
		count++;
	return count;
}
