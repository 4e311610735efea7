// SPDX-License-Identifier: Apache-2.0
#include "got_patch.h"

#include "array.h"
#include "mapped_pages.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT  R_X86_64_GLOB_DAT
#define ABSOLUTE  R_X86_64_64
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT  R_AARCH64_GLOB_DAT
#define ABSOLUTE  R_AARCH64_ABS64
#endif

// Files have tens of thousands of slots, and few names that begin as a patch's does.
#define BEGINNINGS (UINT32_C(1) << 16)

struct patch_list {
	const struct vkr_got_patch *patches;
	size_t count;
	const char *const *spared;
	uint8_t begins[BEGINNINGS / 8]; // bits: the first two bytes of the patches' names
};

// Files are patched anew with each list, and again when others were loaded: a slot that holds what
// it should is left alone.
static struct {
	pthread_mutex_t lock;
	struct {
		struct patch_list *items;
		size_t count, capacity;
	} lists;
	unsigned long long loaded; // the loader's count when it was last looked at
	bool unfinished;           // some of these files were still being loaded then
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The parts of a file that say what it calls, and the pages that became read-only once it was
// relocated.
struct dynamic {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * tables[2];
	size_t bytes[2];
	size_t relative; // entries of the second table that name no symbol, which come first
	uintptr_t closed, closed_end;
};

// glibc writes addresses into the dynamic section, others leave offsets.
static const void *got_patch_at(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(uintptr_t)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

static void read_entries(const struct dl_phdr_info *info, const ElfW(Dyn) * entry,
			 struct dynamic *dynamic)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			dynamic->symbols = got_patch_at(info, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			dynamic->strings = got_patch_at(info, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_JMPREL)
			dynamic->tables[0] = got_patch_at(info, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_PLTRELSZ)
			dynamic->bytes[0] = entry->d_un.d_val;
		else if (entry->d_tag == DT_RELA)
			dynamic->tables[1] = got_patch_at(info, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_RELASZ)
			dynamic->bytes[1] = entry->d_un.d_val;
		else if (entry->d_tag == DT_RELACOUNT)
			dynamic->relative = entry->d_un.d_val;
	}
}

static bool read_dynamic(const struct dl_phdr_info *info, struct dynamic *dynamic)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	*dynamic = (struct dynamic){0};
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uintptr_t address = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_DYNAMIC)
			read_entries(info, (const ElfW(Dyn) *)address, dynamic);
		if (segment->p_type == PT_GNU_RELRO) {
			dynamic->closed = address & ~(page - 1);
			dynamic->closed_end = (address + segment->p_memsz) & ~(page - 1);
		}
	}
	return dynamic->symbols && dynamic->strings;
}

// A slot that was made read-only is so again afterwards.
static void write_slot(const struct dynamic *dynamic, void **slot, void *value)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t address = (uintptr_t)slot;
	void *start = (void *)(address & ~(page - 1));
	const bool closed = address >= dynamic->closed && address < dynamic->closed_end;
	if (__atomic_load_n(slot, __ATOMIC_ACQUIRE) == value ||
	    (closed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0))
		return;
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (closed)
		mprotect(start, page, PROT_READ);
}

// The first two bytes of a name, of which the second ends one of a single byte.
static uint32_t beginning_of(const char *name)
{
	return name[0] == 0 ? 0 : (uint32_t)(uint8_t)name[0] << 8 | (uint8_t)name[1];
}

static const struct vkr_got_patch *find_patch(const struct patch_list *list, const char *name)
{
	const uint32_t beginning = beginning_of(name);
	if ((list->begins[beginning / 8] >> beginning % 8 & 1) == 0)
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		if (*list->patches[i].next && strcmp(list->patches[i].name, name) == 0)
			return &list->patches[i];
	return NULL;
}

// Whether the loader has done with the file: another thread may be about to load it, and writes its
// slots until it closes these pages. Where nobody says what is closed (pages: NULL), all is.
static bool is_relocated(const struct dynamic *dynamic, const struct vkr_mapped_pages *pages)
{
	return dynamic->closed >= dynamic->closed_end || !pages ||
	       vkr_mapped_pages_closed(pages, dynamic->closed);
}

static void patch_file(const struct dl_phdr_info *info, const struct patch_list *list,
		       const struct vkr_mapped_pages *pages)
{
#ifdef JUMP_SLOT
	struct dynamic dynamic;
	if (!read_dynamic(info, &dynamic))
		return;
	if (!is_relocated(&dynamic, pages)) {
		all.unfinished = true;
		return;
	}
	uint64_t last = 0; // the symbol of the slot before: many may be of one
	const struct vkr_got_patch *patch = NULL;
	for (int t = 0; t < 2; t++) {
		const size_t count =
			dynamic.tables[t] ? dynamic.bytes[t] / sizeof *dynamic.tables[t] : 0;
		for (size_t i = t == 0 ? 0 : dynamic.relative; i < count; i++) {
			const ElfW(Rela) *entry = &dynamic.tables[t][i];
			const uint64_t type = ELF64_R_TYPE(entry->r_info);
			const uint64_t symbol = ELF64_R_SYM(entry->r_info);
			if ((type != JUMP_SLOT && type != GLOB_DAT && type != ABSOLUTE) ||
			    symbol == 0 || entry->r_addend != 0)
				continue;
			if (symbol != last)
				patch = find_patch(list, dynamic.strings +
								 dynamic.symbols[symbol].st_name);
			last = symbol;
			if (patch)
				write_slot(&dynamic,
					   (void **)(uintptr_t)(info->dlpi_addr + entry->r_offset),
					   (void *)(uintptr_t)patch->function);
		}
	}
#else
	(void)info;
	(void)list;
	(void)pages;
#endif
}

static bool object_holds(const struct dl_phdr_info *info, uintptr_t address)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		if (segment->p_type == PT_LOAD &&
		    address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return true;
	}
	return false;
}

// By a file's last path component: "libc.so.6" is libc, "libcurl.so.4" is not.
static bool is_own(const struct dl_phdr_info *info)
{
	static const char *const own[] = {"libc.so",  "libpthread.so", "libdl.so",
					  "ld-linux", "ld-musl",       "linux-vdso"};
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strncmp(name, own[i], strlen(own[i])) == 0)
			return true;
	return object_holds(info, (uintptr_t)vkr_got_patch_add);
}

static bool is_spared(const struct patch_list *list, const char *path)
{
	for (const char *const *text = list->spared; text && *text; text++)
		if (strstr(path, *text))
			return true;
	return false;
}

struct visit {
	const struct patch_list *only; // NULL: all
	struct vkr_mapped_pages pages;
	bool asked, known; // for the pages: while files are gone through, the loader adds none
};

static int visit_file(struct dl_phdr_info *info, size_t size, void *to)
{
	struct visit *visit = to;
	(void)size;
	all.loaded = info->dlpi_adds;
	if (!visit->asked)
		visit->known = vkr_mapped_pages_read(&visit->pages);
	visit->asked = true;
	if (is_own(info))
		return 0;
	for (size_t i = 0; i < all.lists.count; i++) {
		const struct patch_list *list = &all.lists.items[i];
		if ((!visit->only || visit->only == list) && !is_spared(list, info->dlpi_name))
			patch_file(info, list, visit->known ? &visit->pages : NULL);
	}
	return 0;
}

static void patch_files(const struct patch_list *only)
{
	struct visit visit = {.only = only};
	dl_iterate_phdr(visit_file, &visit);
	vkr_mapped_pages_finish(&visit.pages);
}

bool vkr_got_patch_add(const struct vkr_got_patch *patches, size_t count, const char *const *spared)
{
	for (size_t i = 0; i < count; i++) {
		void *found = dlsym(RTLD_DEFAULT, patches[i].name);
		memcpy(patches[i].next, &found, sizeof found);
	}
	pthread_mutex_lock(&all.lock);
	const bool room = VKR_ARRAY_RESERVE(&all.lists, 1);
	if (room) {
		struct patch_list *list = &all.lists.items[all.lists.count++];
		*list = (struct patch_list){patches, count, spared, {0}};
		for (size_t i = 0; i < count; i++) {
			const uint32_t beginning = beginning_of(patches[i].name);
			list->begins[beginning / 8] |= (uint8_t)(1u << beginning % 8);
		}
		patch_files(list);
	}
	pthread_mutex_unlock(&all.lock);
	return room;
}

static int read_loaded(struct dl_phdr_info *info, size_t size, void *to)
{
	unsigned long long *loaded = to;
	(void)size;
	*loaded = info->dlpi_adds;
	return 1;
}

void vkr_got_patch_update(void)
{
	unsigned long long loaded = 0;
	pthread_mutex_lock(&all.lock);
	if (all.lists.count > 0)
		dl_iterate_phdr(read_loaded, &loaded);
	if ((loaded != all.loaded || all.unfinished) && all.lists.count > 0) {
		all.unfinished = false;
		patch_files(NULL);
	}
	pthread_mutex_unlock(&all.lock);
}
