// SPDX-License-Identifier: Apache-2.0
#include "call_stack.h"

#include "array.h"
#include "record.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

// The layer's own place in memory, as the linker names it.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

struct known_module {
	uint64_t first, end, bias;
	uint64_t path_hash;
};

// Locked before the recorder's locks.
static struct {
	pthread_rwlock_t lock;
	struct {
		struct known_module *items;
		size_t count, capacity;
	} modules;
	unsigned long long added, removed; // the loader's counts when it was last looked at
} known = {.lock = PTHREAD_RWLOCK_INITIALIZER};

struct loaded_module {
	struct vkr_trace_module event;
	char path[PATH_MAX];
	char build_id[2 * 64 + 1];
};

struct load_list {
	struct loaded_module *items;
	size_t count, capacity;
};

struct load_counts {
	unsigned long long added, removed;
};

static int read_counts(struct dl_phdr_info *info, size_t size, void *to)
{
	struct load_counts *counts = to;
	(void)size;
	counts->added = info->dlpi_adds;
	counts->removed = info->dlpi_subs;
	return 1;
}

static void read_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * header,
			  struct loaded_module *module)
{
	const char *at = (const char *)(uintptr_t)(info->dlpi_addr + header->p_vaddr);
	const char *end = at + header->p_memsz;
	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		const char *name = at + sizeof *note;
		const unsigned char *id = (const void *)(name + ((note->n_namesz + 3u) & ~3u));
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0) {
			for (uint32_t i = 0; i < note->n_descsz && i < 64; i++)
				snprintf(module->build_id + (size_t)2 * i, 3, "%02x", id[i]);
			return;
		}
		at = (const char *)id + ((note->n_descsz + 3u) & ~3u);
	}
}

static void read_path(const struct dl_phdr_info *info, struct loaded_module *module)
{
	const char *name = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	if (!realpath(name, module->path))
		snprintf(module->path, sizeof module->path, "%s", name);
}

static int add_loaded(struct dl_phdr_info *info, size_t size, void *to)
{
	struct load_list *list = to;
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
			continue;
		if (!VKR_ARRAY_RESERVE(list, 1))
			return 1;
		struct loaded_module *module = &list->items[list->count++];
		memset(module, 0, sizeof *module);
		module->event.first = info->dlpi_addr + header->p_vaddr;
		module->event.end = module->event.first + header->p_memsz;
		module->event.bias = info->dlpi_addr;
		read_path(info, module);
		for (size_t n = 0; n < info->dlpi_phnum; n++)
			if (info->dlpi_phdr[n].p_type == PT_NOTE && !*module->build_id)
				read_build_id(info, &info->dlpi_phdr[n], module);
	}
	return 0;
}

static uint64_t hash_path(const char *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
	return hash;
}

static bool is_known(const struct known_module *module)
{
	for (size_t i = known.modules.count; i > 0; i--) {
		const struct known_module *at = &known.modules.items[i - 1];
		if (at->first < module->end && module->first < at->end)
			return memcmp(at, module, sizeof *at) == 0;
	}
	return false;
}

static void record_module(struct loaded_module *module)
{
	const struct known_module made = {module->event.first, module->event.end,
					  module->event.bias, hash_path(module->path)};
	if (is_known(&made) || !VKR_ARRAY_RESERVE(&known.modules, 1))
		return;
	known.modules.items[known.modules.count++] = made;
	module->event.path_bytes = (uint32_t)strlen(module->path);
	module->event.build_id_bytes = (uint32_t)strlen(module->build_id);
	const struct vkr_bytes pieces[] = {{module->path, module->event.path_bytes},
					   {module->build_id, module->event.build_id_bytes}};
	vkr_record_layer(VKR_TRACE_MODULE, &module->event, sizeof module->event, pieces, 2);
}

void vkr_call_stack_modules(void)
{
	struct load_counts now = {0, 0};
	struct load_list list = {NULL, 0, 0};
	dl_iterate_phdr(read_counts, &now);
	pthread_rwlock_wrlock(&known.lock);
	const bool changed = now.added != known.added || now.removed != known.removed;
	if (changed)
		dl_iterate_phdr(add_loaded, &list);
	for (size_t i = 0; i < list.count; i++)
		record_module(&list.items[i]);
	known.added = now.added;
	known.removed = now.removed;
	pthread_rwlock_unlock(&known.lock);
	free(list.items);
}

static bool all_known(const uint64_t *frames, uint32_t count)
{
	bool all = true;
	pthread_rwlock_rdlock(&known.lock);
	for (uint32_t f = 0; f < count && all; f++) {
		all = false;
		for (size_t i = 0; i < known.modules.count && !all; i++)
			all = frames[f] >= known.modules.items[i].first &&
			      frames[f] < known.modules.items[i].end;
	}
	pthread_rwlock_unlock(&known.lock);
	return all;
}

struct walk {
	uint64_t *frames;
	uint32_t count;
	bool outside; // of the layer
};

static _Unwind_Reason_Code step_frame(struct _Unwind_Context *context, void *to)
{
	struct walk *walk = to;
	int before = 0;
	const uintptr_t at = _Unwind_GetIPInfo(context, &before);
	if (at == 0)
		return _URC_END_OF_STACK;
	if (!walk->outside && at >= (uintptr_t)__ehdr_start && at < (uintptr_t)_end)
		return _URC_NO_REASON;
	walk->outside = true;
	walk->frames[walk->count++] = before ? at : at - 1;
	return walk->count < VKR_STACK_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *to)
{
	(void)context;
	(void)to;
	return _URC_END_OF_STACK;
}

// Some unwinders open files when they are first used, and keep them: these are not to take the
// numbers of standard streams that the program has closed.
static void start_unwinder(void)
{
	int held[STDERR_FILENO + 1], count = 0, file;
	while ((file = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && file <= STDERR_FILENO)
		held[count++] = file;
	if (file >= 0)
		close(file);
	_Unwind_Backtrace(see_frame, NULL);
	while (count > 0)
		close(held[--count]);
}

uint32_t vkr_call_stack_capture(uint64_t frames[VKR_STACK_FRAMES])
{
	static pthread_once_t started = PTHREAD_ONCE_INIT;
	struct walk walk = {.frames = frames};
	pthread_once(&started, start_unwinder);
	_Unwind_Backtrace(step_frame, &walk);
	if (!all_known(frames, walk.count))
		vkr_call_stack_modules();
	return walk.count;
}

void vkr_call_stack_record(void)
{
	uint64_t frames[VKR_STACK_FRAMES];
	const uint32_t count = vkr_call_stack_capture(frames);
	const struct vkr_trace_call_stack payload = {.frame_count = count};
	vkr_record_event(VKR_TRACE_CALL_STACK, &payload, sizeof payload, frames,
			 count * sizeof *frames);
}
