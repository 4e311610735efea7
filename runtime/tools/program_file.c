// SPDX-License-Identifier: Apache-2.0
#include "program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

// The descriptor of the file that execvp() would run; -1 where there is none that can be read.
static int open_program(const char *program)
{
	const char *folders = getenv("PATH");
	if (strchr(program, '/'))
		return open(program, O_RDONLY | O_CLOEXEC);
	while (folders && *folders) {
		size_t length = strcspn(folders, ":");
		char *path;
		if (asprintf(&path, "%.*s/%s", (int)length, folders, program) < 0)
			return -1;
		int file = access(path, X_OK) == 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		free(path);
		if (file >= 0)
			return file;
		folders += length + (folders[length] == ':');
	}
	return -1;
}

// Programs that no dynamic linker begins cannot load the libraries of layers and drivers.
static bool is_static(int file, const Elf64_Ehdr *header)
{
	if (header->e_phentsize != sizeof(Elf64_Phdr))
		return false;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr part;
		off_t at = (off_t)(header->e_phoff + i * sizeof part);
		if (pread(file, &part, sizeof part, at) != (ssize_t)sizeof part ||
		    part.p_type == PT_INTERP)
			return false;
	}
	return true;
}

// Whether execve(2) would set AT_SECURE.
static bool lends_rights(int file, const struct stat *status)
{
	return ((status->st_mode & S_ISUID) && status->st_uid != getuid()) ||
	       ((status->st_mode & S_ISGID) && status->st_gid != getgid()) ||
	       (getuid() != 0 && fgetxattr(file, "security.capability", NULL, 0) > 0);
}

static const char *program_file_obstacle(int file)
{
	struct stat status;
	Elf64_Ehdr header;
	if (fstat(file, &status) != 0 ||
	    pread(file, &header, sizeof header, 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	if (header.e_ident[EI_CLASS] == ELFCLASS32 && sizeof(void *) == 8)
		return "is a 32-bit program, into which no 64-bit layer can be loaded";
	if (lends_rights(file, &status))
		return "runs with rights that you do not have (set-user-id, set-group-id, "
		       "capabilities): the environment gives such programs no layer, and "
		       "vkrace does nothing in them";
	if (header.e_ident[EI_CLASS] == ELFCLASS64 && is_static(file, &header))
		return "is statically linked: no layer can be loaded into it";
	return NULL;
}

const char *vkr_program_file_obstacle(const char *program)
{
	int file = open_program(program);
	if (file < 0)
		return NULL;
	const char *why = program_file_obstacle(file);
	close(file);
	return why;
}
