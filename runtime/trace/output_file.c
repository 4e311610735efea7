// SPDX-License-Identifier: Apache-2.0
#include "output_file.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Enough for a process id and a dot.
#define NUMBER_CHARACTERS 16

// The path with %p and %% replaced; `has_process`: whether it has a %p.
static char *output_file_expand(const char *path, uint32_t process, bool *has_process)
{
	size_t places = 0;
	for (const char *from = path; *from; from++)
		places += *from == '%';
	size_t room = strlen(path) + (places + 1) * NUMBER_CHARACTERS;
	char *expanded = malloc(room);
	if (!expanded)
		return NULL;
	char *to = expanded;
	*has_process = false;
	for (const char *from = path; *from; from++) {
		if (from[0] == '%' && from[1] == 'p') {
			to += snprintf(to, NUMBER_CHARACTERS, "%" PRIu32, process);
			*has_process = true;
			from++;
		} else {
			*to++ = *from;
			from += from[0] == '%' && from[1] == '%';
		}
	}
	*to = 0;
	return expanded;
}

enum opening {
	OPENED,
	TAKEN, // by another process
	FAILED,
};

static enum opening open_locked(const char *path, bool keep, int *descriptor)
{
	struct stat status;
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 && errno == EACCES)
		file = open(path, O_WRONLY | O_CLOEXEC); // a device, a pipe
	if (file < 0)
		return FAILED;
	if (fstat(file, &status) != 0)
		goto fail;
	if (S_ISREG(status.st_mode)) {
		bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
		if (locked ? keep && status.st_size > 0 : errno == EWOULDBLOCK) {
			close(file);
			return TAKEN;
		}
		if (ftruncate(file, 0) != 0)
			goto fail;
	}
	*descriptor = file;
	return OPENED;
fail:;
	int reason = errno;
	close(file);
	errno = reason;
	return FAILED;
}

enum vkr_result vkr_output_file_open(struct vkr_output_file *file, const char *path,
				     uint32_t process, bool keep, struct vkr_error *error)
{
	bool has_process;
	*file = (struct vkr_output_file){.descriptor = -1};
	file->path = output_file_expand(path, process, &has_process);
	if (!file->path)
		return vkr_error_memory(error, "a file name");
	enum opening opening = open_locked(file->path, keep && !has_process, &file->descriptor);
	// A process that replaced itself by exec may take its own id's name a second time.
	for (unsigned try = 1; opening == TAKEN; try++) {
		size_t length = strlen(file->path);
		char *longer = realloc(file->path, length + NUMBER_CHARACTERS);
		if (!longer) {
			vkr_output_file_close(file);
			return vkr_error_memory(error, "a file name");
		}
		snprintf(longer + length, NUMBER_CHARACTERS, ".%" PRIu32, try == 1 ? process : try);
		file->path = longer;
		file->renamed = true;
		opening = open_locked(file->path, keep, &file->descriptor);
	}
	if (opening == FAILED) {
		enum vkr_result result = vkr_error_set(error, VKR_ERROR_IO, "%s: cannot write: %s",
						       file->path, strerror(errno));
		vkr_output_file_close(file);
		return result;
	}
	return VKR_OK;
}

static bool write_all(int descriptor, const void *data, size_t bytes)
{
	for (const char *from = data; bytes > 0;) {
		const ssize_t written = write(descriptor, from, bytes);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		from += written;
		bytes -= (size_t)written;
	}
	return true;
}

// Whether the name is the opened file's own, and that a regular one: no link to it.
static bool names_file(const struct vkr_output_file *file, struct stat *opened)
{
	struct stat named;
	return fstat(file->descriptor, opened) == 0 && S_ISREG(opened->st_mode) &&
	       lstat(file->path, &named) == 0 && named.st_dev == opened->st_dev &&
	       named.st_ino == opened->st_ino;
}

// A new file beside the other, with its permissions; below 0 where none can be made. *path is to be
// freed.
static int open_beside(const struct vkr_output_file *file, mode_t mode, char **path)
{
	static const char suffix[] = ".part";
	if (asprintf(path, "%s.XXXXXX%s", file->path, suffix) < 0) {
		*path = NULL;
		return -1;
	}
	const int descriptor = mkostemps(*path, (int)sizeof suffix - 1, O_CLOEXEC);
	if (descriptor >= 0)
		(void)fchmod(descriptor, mode & 07777);
	return descriptor;
}

// 0, or why not (errno).
static int output_file_replace(const struct vkr_output_file *file, int descriptor, const char *path,
			       const void *data, size_t bytes)
{
	int reason = write_all(descriptor, data, bytes) ? 0 : errno;
	if (close(descriptor) != 0 && reason == 0)
		reason = errno;
	if (reason == 0 && rename(path, file->path) != 0)
		reason = errno;
	if (reason != 0)
		unlink(path);
	return reason;
}

enum vkr_result vkr_output_file_write(const struct vkr_output_file *file, const void *data,
				      size_t bytes, struct vkr_error *error)
{
	struct stat opened;
	char *path = NULL;
	int reason = 0;
	const bool named = names_file(file, &opened);
	const int beside = named ? open_beside(file, opened.st_mode, &path) : -1;
	if (beside >= 0) {
		reason = output_file_replace(file, beside, path, data, bytes);
	} else if (!write_all(file->descriptor, data, bytes)) {
		reason = errno;
		(void)!ftruncate(file->descriptor, 0);
	}
	free(path);
	return reason == 0 ? VKR_OK
			   : vkr_error_set(error, VKR_ERROR_IO, "%s: cannot write: %s", file->path,
					   strerror(reason));
}

void vkr_output_file_discard(const struct vkr_output_file *file)
{
	struct stat opened;
	if (names_file(file, &opened) && opened.st_size == 0)
		unlink(file->path);
}

void vkr_output_file_close(struct vkr_output_file *file)
{
	if (file->descriptor >= 0)
		close(file->descriptor);
	free(file->path);
	*file = (struct vkr_output_file){.descriptor = -1};
}
