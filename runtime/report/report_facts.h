// SPDX-License-Identifier: Apache-2.0
// The words of a report that all its forms share: headlines, labelled facts of an access, the
// summary. Knows how a report is worded; not how any form marks it up.
#pragma once

#include "arena.h"
#include "vkrace/report.h"

#define VKR_POSSIBLE_MEANING                                                                       \
	"whether it is a race hangs on which of several equal values atomics have read"

#include <stddef.h>
#include <stdio.h>

// The labels, in the order of printing.
#define VKR_FACTS(X)                                                                               \
	X(SOURCE, "source")                                                                        \
	X(EXPRESSION, "expression")                                                                \
	X(SHADER, "shader")                                                                        \
	X(INVOCATION, "invocation")                                                                \
	X(THREAD, "thread")                                                                        \
	X(STACK, "stack")                                                                          \
	X(COMMAND, "command")                                                                      \
	X(LABELS, "labels")                                                                        \
	X(RECORDED, "recorded")                                                                    \
	X(SUBMITTED, "submitted")                                                                  \
	X(OBJECT, "object")                                                                        \
	X(TEXEL, "texel")                                                                          \
	X(BINDING, "storage")                                                                      \
	X(MEMORY, "memory")                                                                        \
	X(ATOMIC, "atomic")                                                                        \
	X(STAGE, "stage")

enum vkr_fact_kind {
#define VKR_FACT(name, label) VKR_FACT_##name,
	VKR_FACTS(VKR_FACT)
#undef VKR_FACT
		VKR_FACT_COUNT
};

struct vkr_fact {
	enum vkr_fact_kind kind;
	const char *label;
	const char *value; // one line, but for stacks and disassembly; unescaped
};

// What is known of an access, at most one fact a kind; the count, or -1 for lack of memory.
int vkr_report_facts(const struct vkr_access_report *access, struct vkr_arena *arena,
		     struct vkr_fact facts[VKR_FACT_COUNT]);

// "write of 16 bytes (OpStore)"; NULL for lack of memory.
const char *vkr_report_action(const struct vkr_access_report *access, struct vkr_arena *arena);

// "READ_AFTER_WRITE" and its like, by the order in which the two were judged; "" of frees.
const char *vkr_report_hazard(const struct vkr_race_report *race);

// "unordered race on 16 bytes of bodies at offset 128: write at a.comp:4, read at b.comp:7"; NULL
// for lack of memory.
const char *vkr_report_headline(const struct vkr_race_report *race, struct vkr_arena *arena);

// Where the access is, in a word or two: "forces.comp:35", "shader 2 word 785" of a shader without
// lines, "vkCmdCopyBuffer", "host". NULL for lack of memory.
const char *vkr_report_site(const struct vkr_access_report *access, struct vkr_arena *arena);

// One call of a stack: "step() src/nbody.c:81". What is not known is "" or 0.
struct vkr_report_call {
	const char *function, *file;
	uint32_t line;
};

// The innermost call of a stack of one call a line, and where the next begins (at the end: the
// NUL). NULL for lack of memory.
const char *vkr_report_call(const char *stack, struct vkr_arena *arena,
			    struct vkr_report_call *call);

// A stack, a line a call, with names of files in place of paths; NULL for lack of memory.
const char *vkr_report_stack(const char *stack, struct vkr_arena *arena);

// The path relative to the folder `root`: what it is already where it is not absolute. NULL where
// it is elsewhere, or `root` is NULL or "".
const char *vkr_report_below(const char *root, const char *path);

// "unordered", and what it means.
const char *vkr_report_class(enum vkr_race_class race_class);
const char *vkr_report_class_meaning(enum vkr_race_class race_class);

// "races", "none", "incomplete"; and back, 0 where the text is none.
const char *vkr_report_verdict(enum vkr_verdict verdict);
enum vkr_verdict vkr_report_verdict_of(const char *text);

// The last line of a run, without its newline: verdict, classes, coverage.
void vkr_report_summary(const struct vkr_report *report, FILE *out);

// "4096 bytes", "1 byte"; NULL for lack of memory.
const char *vkr_report_count(struct vkr_arena *arena, uint64_t count, const char *one);
