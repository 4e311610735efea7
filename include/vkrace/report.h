// SPDX-License-Identifier: Apache-2.0
// What a run's judgement says: races in groups, and what was not observed. Made by the model and
// the engine, shown by the report. All texts are UTF-8, borrowed from the maker, never NULL ("" for
// unknown).
#pragma once

#include "vkrace/change.h"
#include "vkrace/race_class.h"

#include <stdbool.h>
#include <stdint.h>

enum vkr_agent_kind {
	VKR_AGENT_INVOCATION = 1, // of a shader
	VKR_AGENT_FIXED_FUNCTION, // a command's own work: transfer, indirect read, attachment
	VKR_AGENT_HOST,
};

// Where a shader's access stands in its source.
struct vkr_source_place {
	const char *shader; // name of the shader or its pipeline, as the program named it, or
			    // "shader 3"
	const char *stage;  // "compute"
	const char *entry_point;
	const char *file;
	uint32_t line, column; // 0 unknown
	uint32_t spirv_word;   // offset of the instruction in the program's own module, in words
	uint64_t shader_hash;
	const char *expression; // "bodies[].velocity"
	// Where there is no line: the instruction, disassembled, after those whose results are its
	// operands, a line each; "" where it is not known.
	const char *instruction;
};

// The command that made an access; command 0 where there is none (host).
struct vkr_command_place {
	uint32_t command;   // 1 + index in the recording; 0: none
	const char *name;   // "vkCmdDispatch"
	const char *labels; // debug labels around it, outermost first, joined with " / "
	const char *queue;  // name, or "queue 1"
	const char *command_buffer;
	uint32_t submission; // from 1, in order of vkQueueSubmit calls
	const char *pipeline;
	// Where the program called it, as a line of a call stack; "": not known.
	const char *recorded;
	uint32_t frame; // counted by presentations, from 1; 0: nothing is presented
	// Ids of the trace, for messages while the program runs, 0 for none; no part of a report's
	// forms.
	uint32_t queue_id, command_buffer_id, pipeline_id;
};

// Where in an image an access lies. Of a multisampled image: the sample as well.
struct vkr_image_place {
	const char *format; // "VK_FORMAT_R32_UINT"; "": the access is to no image
	const char *aspect; // "COLOR", "DEPTH", "STENCIL", "PLANE_1"
	const char *view;   // name of the view, "" where there is none
	uint32_t texel[3];  // first racing texel, z: of a volume
	uint32_t layer, mip, sample;
};

// One of the two accesses of a race.
struct vkr_access_report {
	enum vkr_agent_kind agent;
	bool write, read, atomic;
	const char *operation; // "OpStore", "OpAtomicIAdd", "copy destination", "host write"
	const char
		*object; // debug name of the buffer or image, or "buffer 3", "shared memory tile"
	uint64_t offset, bytes; // in the object: of the racing bytes of this access
	const char *texels;     // of an image: "mip 1 layer 0 (0, 4) to (63, 4)", "" for others
	const char *memory;     // name of the device memory, "" for Workgroup memory
	uint64_t memory_offset;
	const char *binding; // "set 0 binding 2", "set 0 binding 2 element 5", "device address", ""
	const char *storage_class; // "StorageBuffer", "Uniform", "Workgroup", "" for fixed function
	const char *scope;         // of an atomic, "" else
	const char *semantics;     // of an atomic, "" else
	const char *stage_access;  // "COMPUTE_SHADER / SHADER_STORAGE_WRITE"
	struct vkr_source_place source; // of an invocation
	struct vkr_command_place command;
	struct vkr_image_place image;
	const char *invocation; // of a stage without workgroups: "fragment (12, 7)"; else ""
	uint32_t workgroup[3], local[3], workgroup_linear, local_linear; // of other stages
	int64_t subgroup;   // index in the workgroup, -1 where not known
	const char *thread; // of a host access
	const char *stack;  // of a host access: one frame a line
	// What `object` names: of which kind (enum vkr_trace_object), and its id of the trace; 0
	// for none. No part of a report's forms.
	uint32_t object_kind, object_id;
};

// All bytes that raced, of the object of a race's first example.
struct vkr_race_extent {
	uint64_t first, end;   // offsets in the object
	uint64_t bytes;        // between these that raced; 0: not known
	uint64_t object_bytes; // of the whole object
	uint64_t commands;     // that made the second access
};

// All races of one pair of sites.
struct vkr_race_report {
	enum vkr_race_class race_class;
	// Does not change from run to run: 16 hexadecimal digits, and "-2", "-3" for further races
	// of the run with the same digits.
	const char *id;
	uint64_t count;
	struct vkr_access_report first,
		second;        // of the first example; `first` is the earlier judged
	bool same_instruction; // one instruction races with itself
	const char *missing;   // the missing edge in words, with the nearest synchronization found
	const char *change;    // the smallest change that would order the two
	const struct vkr_change *edit; // it as data; NULL where it is more than masks and places
	// In a report that unites several runs: the indices of the runs that found this race.
	const uint32_t *runs;
	uint32_t run_count;
	// Why it is one where its author may think that it is none, "" else; and whether it is one
	// by the specification's letter only, which no known implementation shows.
	const char *note;
	bool letter_only;
	struct vkr_race_extent extent; // at the end of a run; before, nothing is known
};

// One change for all races that it would order, and what judging the run again with it has shown.
struct vkr_change_report {
	struct vkr_change change;
	const char *where;        // "between step() main.c:81 and step() main.c:85"; "": not known
	const char *code;         // in C, or the shader's language; "": none
	const char *const *races; // ids of the races that it is proposed for
	uint32_t race_count;
	bool checked;             // judged again with it; what follows is 0 where it was not
	uint64_t places;          // of recordings that it was made at
	const char *const *gone;  // ids of races that are found no more
	const char *const *added; // ids of races that are found only with it
	uint32_t gone_count, added_count;
	const char *missed; // what is not observed only with it, the first; NULL: nothing
};

// Something that was not observed.
struct vkr_coverage_report {
	const char *kind; // "shader", "command", "extension", "log", ...
	const char *text;
	uint64_t count; // how often, where one text came several times
	uint64_t amount;
};

// What judging one shader's accesses in commands of one kind cost, where that was asked for.
struct vkr_cost_report {
	const char *shader, *command;
	uint32_t shader_number;
	uint64_t times;       // that a log, or a summary, was judged
	uint64_t repeated;    // of them, those that an earlier dispatch had done before
	uint64_t accesses;    // as in accesses_judged
	uint64_t log_bytes;   // as the shader wrote them
	uint64_t unlogged;    // accesses that followed without a log
	uint64_t nanoseconds; // of the judge's processor time
};

enum vkr_verdict {
	VKR_VERDICT_NONE = 1, // everything was observed, no race found
	VKR_VERDICT_RACES,
	VKR_VERDICT_INCOMPLETE, // no race found, but not everything was observed
};

// One of the runs that a report unites.
struct vkr_run_report {
	const char *name;    // of the file that its report came from
	const char *program; // command line
	const char *device;  // as in struct vkr_report
	enum vkr_verdict verdict;
	uint32_t race_count, lack_count; // races; things that were not observed
	uint64_t executions, dispatches;
};

// Of a report of one part of a trace's memory (vkrace replay --shard): what is needed to put it
// together with those of the other parts.
struct vkr_part_report {
	uint32_t index, count; // part `index` of `count`, from 1
	const char *trace;     // the trace's path
	uint64_t trace_bytes, trace_hash;
	// The options' values, "" where they were not given.
	const char *model, *reading, *frames, *sample, *shaders, *not_shaders, *labels;
	bool any_image;
	bool together;         // what was found has to be judged with what the other parts found
	uint64_t accesses;     // of accesses_judged, those that no other part has counted
	const char *conflicts; // where accesses conflicted: runs of pages in words
};

// Lines of a source file as they were when the program ran.
struct vkr_source_report {
	const char *file;
	uint64_t shader_hash; // of the shader that is made of it; 0: the program's
	uint32_t first_line;  // from 1
	const char *text;
};

// What a rule of a suppression file has left out.
struct vkr_rule_report {
	const char *file; // as the user named it
	uint32_t line;
	const char *reason; // the comment beside or above it; ""
	uint32_t races;     // groups that it matches, another rule perhaps too; 0: it is not needed
	uint64_t race_total;
};

struct vkr_report {
	const char *program; // command line
	const char *model;   // the memory model that it was judged under
	enum vkr_verdict verdict;
	const struct vkr_race_report *races; // in order of first occurrence
	uint32_t race_count;
	// Races that hang on evidence that is ambiguous: atomics have read a value that several
	// writes have written. No part of the verdict, nor of the sums; coverage says the doubt.
	const struct vkr_race_report *possible;
	uint32_t possible_count;
	const struct vkr_change_report *changes;
	uint32_t change_count;
	const struct vkr_coverage_report *coverage;
	uint32_t coverage_count;
	const struct vkr_cost_report *costs; // none: not asked for
	uint32_t cost_count;
	// The devices that it ran on, with their drivers; "" or NULL: not known, or several runs.
	const char *device;
	const struct vkr_run_report *runs; // of a report of several runs
	uint32_t run_count;
	const struct vkr_source_report *sources; // where they were recorded
	uint32_t source_count;
	const struct vkr_part_report *part; // NULL: of a whole trace
	bool barriers2;                     // the program records vkCmdPipelineBarrier2
	uint64_t race_total;                // sum of the groups' counts
	uint64_t accesses_judged;           // bytes-of-range accesses, shader and fixed function
	uint64_t log_bytes;                 // of GPU access logs, as the shaders wrote them
	uint64_t executions, dispatches; // command buffers that were executed, dispatches in them
	// Races that a filter has left out of `races`: groups, and the sum of their counts.
	uint64_t suppressed_count, suppressed_total;
	const struct vkr_rule_report *rules; // of the suppressions, in their order
	uint32_t rule_count;
	// Races that a filter has left out since no known implementation shows them: groups, sum of
	// their counts.
	uint64_t letter_count, letter_total;
	// Races that a filter has left out since its baseline has them: groups, sum of their
	// counts.
	uint64_t known_count, known_total;
};
