// SPDX-License-Identifier: Apache-2.0
#include "stack_places.h"

#include "array.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file that was asked for; without a module nothing is known about it.
struct place_file {
	char *path, *build_id;
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias; // libdwfl's address minus the file's
};

struct vkr_stack_places {
	struct {
		struct place_file *items;
		size_t count, capacity;
	} files;
};

// Frames of vkrace/annotate.h stand between the program and the layer, and say nothing.
#define OWN_PREFIX "vkrace_"

static char *debug_folders; // libdwfl's defaults
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_folders,
};

struct vkr_stack_places *vkr_stack_places_create(void)
{
	return calloc(1, sizeof(struct vkr_stack_places));
}

void vkr_stack_places_destroy(struct vkr_stack_places *places)
{
	if (!places)
		return;
	for (size_t i = 0; i < places->files.count; i++) {
		struct place_file *file = &places->files.items[i];
		if (file->dwfl)
			dwfl_end(file->dwfl);
		free(file->path);
		free(file->build_id);
	}
	free(places->files.items);
	free(places);
}

static bool is_same_file(Dwfl_Module *module, const char *build_id)
{
	const unsigned char *bits = NULL;
	GElf_Addr address = 0;
	const int bytes = dwfl_module_build_id(module, &bits, &address);
	if (bytes <= 0)
		return *build_id == '\0';
	if (strlen(build_id) != (size_t)bytes * 2)
		return false;
	for (int i = 0; i < bytes; i++) {
		char digits[3];
		snprintf(digits, sizeof digits, "%02x", bits[i]);
		if (memcmp(digits, build_id + (size_t)i * 2, 2) != 0)
			return false;
	}
	return true;
}

// ---- Without memory -----------------------------------------------------------------------------

static _Thread_local sigjmp_buf out_of_memory;
static _Thread_local volatile sig_atomic_t in_library;

// For lack of memory libdw ends the process, unless this does not return.
static void __attribute__((noreturn)) give_up(void)
{
	siglongjmp(out_of_memory, 1);
}

// Not of every allocation does it ask whether it was made.
static void take_signal(int number)
{
	if (in_library)
		siglongjmp(out_of_memory, 1);
	signal(number, SIG_DFL);
	raise(number);
}

static const int signals[] = {SIGABRT, SIGSEGV};

struct guard {
	struct sigaction before[sizeof signals / sizeof *signals];
};

static void guard_begin(struct guard *guard)
{
	struct sigaction action = {.sa_handler = take_signal};
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, &guard->before[i]);
	in_library = 1;
}

static void guard_end(const struct guard *guard)
{
	in_library = 0;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &guard->before[i], NULL);
}

// ---- Files --------------------------------------------------------------------------------------

static void open_module(struct place_file *file)
{
	Dwarf_Addr bias;
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		return;
	dwfl_report_begin(file->dwfl);
	Dwfl_Module *module = dwfl_report_offline(file->dwfl, "", file->path, -1);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (module && is_same_file(module, file->build_id) &&
	    dwfl_module_getelf(module, &file->bias))
		file->module = module;
	Dwarf *debug = file->module ? dwfl_module_getdwarf(file->module, &bias) : NULL;
	if (debug)
		dwarf_new_oom_handler(debug, give_up);
}

// Nothing is known of the file any more, and what the library has of it is in no state to be freed.
static void forget_file(struct place_file *file)
{
	file->dwfl = NULL;
	file->module = NULL;
}

static void open_file(struct place_file *file)
{
	struct guard guard;
	guard_begin(&guard);
	if (sigsetjmp(out_of_memory, 1) == 0)
		open_module(file);
	else
		forget_file(file);
	guard_end(&guard);
}

static struct place_file *find_file(struct vkr_stack_places *places, const char *path,
				    const char *build_id)
{
	for (size_t i = 0; i < places->files.count; i++) {
		struct place_file *file = &places->files.items[i];
		if (strcmp(file->path, path) == 0 && strcmp(file->build_id, build_id) == 0)
			return file;
	}
	struct place_file made = {.path = strdup(path), .build_id = strdup(build_id)};
	if (!made.path || !made.build_id || !VKR_ARRAY_RESERVE(&places->files, 1)) {
		free(made.path);
		free(made.build_id);
		return NULL;
	}
	open_file(&made);
	places->files.items[places->files.count] = made;
	return &places->files.items[places->files.count++];
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path;
}

// The path of a source file that was compiled in `folder`, which may be NULL.
static void print_path(FILE *out, const char *folder, const char *file)
{
	size_t length = folder && *file != '/' ? strlen(folder) : 0;
	for (; length; file += 3) {
		if (strncmp(file, "../", 3) != 0)
			break;
		while (length && folder[length - 1] == '/')
			length--;
		while (length && folder[length - 1] != '/')
			length--;
	}
	while (length && folder[length - 1] == '/')
		length--;
	if (length)
		fprintf(out, "%.*s/", (int)length, folder);
	fputs(file, out);
}

// "function() path:line", a line each; what is not known is left out.
static void print_place(FILE *out, const char *function, const char *folder, const char *file,
			int line, const char *module)
{
	if (function && strncmp(function, OWN_PREFIX, strlen(OWN_PREFIX)) == 0)
		return;
	if (ftell(out) > 0)
		fputc('\n', out);
	if (function)
		fprintf(out, "%s() ", function);
	if (!file || line <= 0) {
		fprintf(out, "in %s", base_name(module));
		return;
	}
	print_path(out, folder, file);
	fprintf(out, ":%d", line);
}

// The file of an attribute that numbers it, as DW_AT_call_file does.
static const char *call_file(Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;
	Dwarf_Files *files = NULL;
	size_t count = 0;
	if (dwarf_getsrcfiles(unit, &files, &count) != 0 ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) != 0 ||
	    number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static int call_line(Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word line = 0;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0)
		return 0;
	return (int)line;
}

// The function that the address is in, and those that it was inlined into. False where the file
// has no debug information for it.
static bool print_functions(FILE *out, const struct place_file *file, GElf_Addr at,
			    const char *folder, const char *source, int line)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(file->module, at, &bias);
	Dwarf_Die *innermost = NULL, *scopes = NULL;
	bool any = false;
	// By address, what is around an inlined function is where it is defined; by the innermost
	// itself, where it is called.
	int count = unit ? dwarf_getscopes(unit, at - bias, &innermost) : 0;
	if (count > 0)
		count = dwarf_getscopes_die(&innermost[0], &scopes);
	for (int i = 0; i < count; i++) {
		const int tag = dwarf_tag(&scopes[i]);
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		print_place(out, dwarf_diename(&scopes[i]), folder, source, line, file->path);
		any = true;
		if (tag == DW_TAG_subprogram)
			break;
		source = call_file(unit, &scopes[i]);
		line = call_line(&scopes[i]);
	}
	free(innermost);
	free(scopes);
	return any;
}

// False where nothing is known of the address.
static bool print_address(FILE *out, const struct place_file *file, GElf_Addr at)
{
	int line = 0;
	Dwfl_Line *row = dwfl_module_getsrc(file->module, at);
	const char *source = row ? dwfl_lineinfo(row, NULL, &line, NULL, NULL, NULL) : NULL;
	const char *folder = row ? dwfl_line_comp_dir(row) : NULL;
	const char *symbol = dwfl_module_addrname(file->module, at);
	if (print_functions(out, file, at, folder, source, line))
		return true;
	if (symbol || source)
		print_place(out, symbol, folder, source, line, file->path);
	return symbol || source;
}

// Without memory nothing is known either.
static bool try_address(FILE *out, struct place_file *file, GElf_Addr at)
{
	struct guard guard;
	volatile bool any = false;
	guard_begin(&guard);
	if (sigsetjmp(out_of_memory, 1) == 0)
		any = print_address(out, file, at);
	else
		forget_file(file);
	guard_end(&guard);
	return any;
}

char *vkr_stack_places_words(void *places, const char *path, const char *build_id, uint64_t address)
{
	struct place_file *file = find_file(places, path, build_id);
	char *text = NULL;
	size_t bytes = 0;
	if (!file || !file->module)
		return NULL;
	FILE *out = open_memstream(&text, &bytes);
	if (!out)
		return NULL;
	const bool any = try_address(out, file, address + file->bias);
	fclose(out);
	if (any)
		return text;
	free(text);
	return NULL;
}
