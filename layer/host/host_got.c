// SPDX-License-Identifier: Apache-2.0
#include "host_got.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

struct replacing {
	const struct vkr_got_entry *entries;
	size_t count;
};

// What of a loaded object leads to its slots.
struct tables {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * plain, *calls;
	size_t plain_bytes, call_bytes;
	uintptr_t relro, relro_bytes;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		if (segment->p_type == PT_LOAD &&
		    address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return true;
	}
	return false;
}

static void read_dynamic(const ElfW(Dyn) * at, struct tables *tables)
{
	for (; at->d_tag != DT_NULL; at++) {
		switch (at->d_tag) {
		case DT_SYMTAB:
			tables->symbols = (const ElfW(Sym) *)at->d_un.d_ptr;
			break;
		case DT_STRTAB:
			tables->strings = (const char *)at->d_un.d_ptr;
			break;
		case DT_JMPREL:
			tables->calls = (const ElfW(Rela) *)at->d_un.d_ptr;
			break;
		case DT_PLTRELSZ:
			tables->call_bytes = at->d_un.d_val;
			break;
		case DT_RELA:
			tables->plain = (const ElfW(Rela) *)at->d_un.d_ptr;
			break;
		case DT_RELASZ:
			tables->plain_bytes = at->d_un.d_val;
			break;
		default:
			break;
		}
	}
}

static bool find_tables(const struct dl_phdr_info *info, struct tables *tables)
{
	*tables = (struct tables){0};
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uintptr_t address = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_DYNAMIC)
			read_dynamic((const ElfW(Dyn) *)address, tables);
		if (segment->p_type == PT_GNU_RELRO) {
			tables->relro = address;
			tables->relro_bytes = segment->p_memsz;
		}
	}
	return tables->symbols && tables->strings;
}

// A slot that was made read-only is so again afterwards.
static void write_slot(const struct tables *tables, void **slot, void *value)
{
	const uintptr_t page = (uintptr_t)slot & ~(uintptr_t)4095;
	const bool closed = (uintptr_t)slot - tables->relro < tables->relro_bytes;
	if (*slot == value || (closed && mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) != 0))
		return;
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (closed)
		mprotect((void *)page, 4096, PROT_READ);
}

static void replace_in(const struct dl_phdr_info *info, const struct tables *tables,
		       const ElfW(Rela) * relocations, size_t bytes,
		       const struct replacing *replacing)
{
	for (size_t i = 0; relocations && i < bytes / sizeof *relocations; i++) {
		const unsigned long type = ELF64_R_TYPE(relocations[i].r_info);
		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(relocations[i].r_info)];
		const char *name = tables->strings + symbol->st_name;
		for (size_t j = 0; j < replacing->count; j++)
			if (strcmp(name, replacing->entries[j].name) == 0)
				write_slot(tables,
					   (void **)(info->dlpi_addr + relocations[i].r_offset),
					   replacing->entries[j].replacement);
	}
}

static int visit(struct dl_phdr_info *info, size_t bytes, void *user)
{
	struct tables tables;
	(void)bytes;
	if (strstr(info->dlpi_name, "/libc.so") || strstr(info->dlpi_name, "/ld-linux") ||
	    strstr(info->dlpi_name, "linux-vdso") || holds(info, (uintptr_t)vkr_got_replace) ||
	    !find_tables(info, &tables))
		return 0;
	replace_in(info, &tables, tables.plain, tables.plain_bytes, user);
	replace_in(info, &tables, tables.calls, tables.call_bytes, user);
	return 0;
}

void vkr_got_replace(const struct vkr_got_entry *entries, size_t count)
{
	struct replacing replacing = {entries, count};
	dl_iterate_phdr(visit, &replacing);
}

void *vkr_got_original(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}
