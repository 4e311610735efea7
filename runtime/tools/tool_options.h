// SPDX-License-Identifier: Apache-2.0
// Options of the commands: the same name means the same everywhere. Knows how options look, and not
// what commands do with them.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// X(NAME, member, "--name", takes a value)
#define VKR_TOOL_OPTIONS(X)                                                                        \
	X(TRACE, trace, "--trace", true)                                                           \
	X(JSON_FILE, json, "--json", true)                                                         \
	X(SARIF_FILE, sarif, "--sarif", true)                                                      \
	X(JUNIT_FILE, junit, "--junit", true)                                                      \
	X(HTML_FILE, html, "--html", true)                                                         \
	X(FAIL_ON, fail_on, "--fail-on", true)                                                     \
	X(SUPPRESSIONS, suppressions, "--suppressions", true)                                      \
	X(WRITE_SUPPRESSIONS, write_suppressions, "--write-suppressions", true)                    \
	X(ONLY, only, "--only", true)                                                              \
	X(ONLY_PRACTICAL, only_practical, "--only-practical", false)                               \
	X(BASELINE, baseline, "--baseline", true)                                                  \
	X(CHECK, check, "--check", false)                                                          \
	X(APPLY, apply, "--apply", true)                                                           \
	X(DOT, dot, "--dot", true)                                                                 \
	X(PERFETTO, perfetto, "--perfetto", false)                                                 \
	X(SUBMISSION, submission, "--submission", true)                                            \
	X(NARROW, narrow, "--narrow", false)                                                       \
	X(TYPE, type, "--type", true)                                                              \
	X(BRIEF, brief, "--brief", false)                                                          \
	X(ALL_RACES, all_races, "--all-races", false)                                              \
	X(MAX_REPORTS, max_reports, "--max-reports", true)                                         \
	X(MODEL, model, "--model", true)                                                           \
	X(READING, reading, "--reading", true)                                                     \
	X(COMPARE, compare, "--compare", true)                                                     \
	X(SHARD, shard, "--shard", true)                                                           \
	X(JOBS, jobs, "--jobs", true)                                                              \
	X(THREADS, threads, "--threads", true)                                                     \
	X(QUIET, quiet, "--quiet", false)                                                          \
	X(CUT, cut, "--cut", true)                                                                 \
	X(KEEP, keep, "--keep", true)                                                              \
	X(EVERY, every, "--every", true)                                                           \
	X(EXIT_CODE, exit_code, "--exit-code", true)                                               \
	X(NO_JUDGE, no_judge, "--no-judge", false)                                                 \
	X(COMPRESS, compress, "--compress", false)                                                 \
	X(NO_COMPRESS, no_compress, "--no-compress", false)                                        \
	X(OUTPUT, output, "-o", true)                                                              \
	X(JSON, as_json, "--json", false)                                                          \
	X(SARIF, as_sarif, "--sarif", false)                                                       \
	X(JUNIT, as_junit, "--junit", false)                                                       \
	X(GITHUB, as_github, "--github", false)                                                    \
	X(SOURCE_ROOT, source_root, "--source-root", true)                                         \
	X(HTML, as_html, "--html", false)                                                          \
	X(RING, ring, "--ring", true)                                                              \
	X(SOCKET, socket, "--socket", true)                                                        \
	X(LIVE, live, "--live", false)                                                             \
	X(ON_RACE, on_race, "--on-race", true)                                                     \
	X(PROCESS, process, "--process", true)                                                     \
	X(PROCESS_DESCRIPTOR, process_descriptor, "--process-descriptor", true)                    \
	X(HOST, host, "--host", true)                                                              \
	X(NONCOHERENT, noncoherent, "--noncoherent", false)                                        \
	X(HOST_SYNC, host_sync, "--host-sync", false)                                              \
	X(COST, cost, "--cost", false)                                                             \
	X(NO_REPEATS, no_repeats, "--no-repeats", false)                                           \
	X(WITH_SOURCES, with_sources, "--with-sources", false)                                     \
	X(ANY_IMAGE, any_image, "--any-image", false)                                              \
	X(STRICT, strict, "--strict", false)                                                       \
	X(FRAMES, frames, "--frames", true)                                                        \
	X(SAMPLE, sample, "--sample", true)                                                        \
	X(SHADER, shader, "--shader", true)                                                        \
	X(NOT_SHADER, not_shader, "--not-shader", true)                                            \
	X(LABEL, label, "--label", true)                                                           \
	X(STOP_AFTER, stop_after, "--stop-after", true)                                            \
	X(BUDGET, budget, "--budget", true)                                                        \
	X(PAUSED, paused, "--paused", false)                                                       \
	X(TOGGLE_SIGNAL, toggle_signal, "--toggle-signal", true)

enum {
#define VKR_TOOL_OPTION_INDEX(name, member, text, value) VKR_OPTION_INDEX_##name,
	VKR_TOOL_OPTIONS(VKR_TOOL_OPTION_INDEX) VKR_OPTION_COUNT
#undef VKR_TOOL_OPTION_INDEX
};

// Which options a command takes: VKR_OPTION_SET(VKR_OPTION(TRACE), VKR_OPTION(QUIET)).
struct vkr_tool_option_set {
	bool has[VKR_OPTION_COUNT];
};
#define VKR_OPTION(name)    [VKR_OPTION_INDEX_##name] = true
#define VKR_OPTION_SET(...) ((struct vkr_tool_option_set){{__VA_ARGS__}})

// The value of each option: NULL where it is not given, "" where it takes none.
struct vkr_tool_options {
#define VKR_TOOL_OPTION_MEMBER(name, member, text, value) const char *member;
	VKR_TOOL_OPTIONS(VKR_TOOL_OPTION_MEMBER)
#undef VKR_TOOL_OPTION_MEMBER
	int operands; // index in argv of the first operand
};

// Parses argv[1] and on: the `accepted` options, "--name VALUE" or "--name=VALUE", up to the first
// operand or "--"; where `mixed`, options may follow operands, which are moved to the end.
// --only-practical is "practical" in the list of --only. Says what is wrong on stderr.
bool vkr_tool_options_parse(int argc, char **argv, const struct vkr_tool_option_set *accepted,
			    bool mixed, struct vkr_tool_options *options);

// A number of 0 to `most`; says what is wrong on stderr.
bool vkr_tool_option_number(const char *command, const char *name, const char *text, long most,
			    int *number);
