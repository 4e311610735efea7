// SPDX-License-Identifier: Apache-2.0
// Knows reports that between them use every field; nothing of how they are written.
#include "sample_report.h"

#include <stdlib.h>
#include <string.h>

// Members that an access does not have.
#define NO_SOURCE .source = {"", "", "", "", 0, 0, 0, 0, "", ""}
#define NO_COMMAND                                                                                 \
	.command = {.name = "",                                                                    \
		    .labels = "",                                                                  \
		    .queue = "",                                                                   \
		    .command_buffer = "",                                                          \
		    .pipeline = "",                                                                \
		    .recorded = ""}
#define NO_ATOMIC .scope = "", .semantics = ""
#define NO_HOST   .invocation = "", .thread = "", .stack = ""
#define NO_IMAGE  .image = {"", "", "", {0, 0, 0}, 0, 0, 0}

#define FORCES_STORE                                                                               \
	{                                                                                          \
		.agent = VKR_AGENT_INVOCATION, .write = true, .operation = "OpStore",              \
		.object = "velocities", .offset = 128, .bytes = 12, .memory = "device memory 1",   \
		.texels = "", .memory_offset = 4224, .binding = "set 0 binding 1",                 \
		.storage_class = "StorageBuffer", NO_ATOMIC,                                       \
		.stage_access = "VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT / "                        \
				"VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT",                            \
		.source = {"forces",                                                               \
			   "compute",                                                              \
			   "main",                                                                 \
			   "report_quoted.comp",                                                   \
			   7,                                                                      \
			   9,                                                                      \
			   311,                                                                    \
			   UINT64_C(0xfedcba9876543210),                                           \
			   "bodies[].velocity",                                                    \
			   ""},                                                                    \
		.command = {.command = 4,                                                          \
			    .name = "vkCmdDispatch",                                               \
			    .labels = "step 1 / forces",                                           \
			    .queue = "queue 1",                                                    \
			    .command_buffer = "simulation",                                        \
			    .submission = 2,                                                       \
			    .pipeline = "forces",                                                  \
			    .recorded = "step() simulation.c:212 in simulation"},                  \
		.workgroup = {2, 0, 1}, .local = {8, 1, 0}, .workgroup_linear = 18,                \
		.local_linear = 40, .subgroup = 5, NO_HOST, NO_IMAGE                               \
	}

#define INTEGRATE_LOAD                                                                             \
	{                                                                                          \
		.agent = VKR_AGENT_INVOCATION, .read = true, .operation = "OpLoad",                \
		.object = "velocities", .offset = 128, .bytes = 12, .memory = "device memory 1",   \
		.texels = "", .memory_offset = 4224, .binding = "set 0 binding 1",                 \
		.storage_class = "StorageBuffer", NO_ATOMIC,                                       \
		.stage_access = "VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT / "                        \
				"VK_ACCESS_2_SHADER_STORAGE_READ_BIT",                             \
		.source = {"shader 2",                                                             \
			   "compute",                                                              \
			   "main",                                                                 \
			   "",                                                                     \
			   0,                                                                      \
			   0,                                                                      \
			   95,                                                                     \
			   7,                                                                      \
			   "",                                                                     \
			   "%at = OpAccessChain %_ptr_v4float %velocities %i\n"                    \
			   "%now = OpLoad %v4float %at"},                                          \
		.command = {.command = 6,                                                          \
			    .name = "vkCmdDispatch",                                               \
			    .labels = "",                                                          \
			    .queue = "queue 1",                                                    \
			    .command_buffer = "command buffer 1",                                  \
			    .submission = 2,                                                       \
			    .pipeline = "",                                                        \
			    .recorded = ""},                                                       \
		.workgroup = {0, 0, 0}, .local = {8, 0, 0}, .workgroup_linear = 0,                 \
		.local_linear = 8, .subgroup = -1, NO_HOST, NO_IMAGE                               \
	}

#define TILE(is_write, op)                                                                         \
	{                                                                                          \
		.agent = VKR_AGENT_INVOCATION, .write = is_write, .read = !(is_write),             \
		.operation = op, .object = "shared memory tile", .offset = 16, .bytes = 16,        \
		.memory = "", .texels = "", .memory_offset = 0, .binding = "",                     \
		.storage_class = "Workgroup", NO_ATOMIC,                                           \
		.stage_access = "", .source = {"forces", "compute", "main", "forces.comp", 32,     \
					       0,        200,       1,      "tile[]",      ""},    \
		.command = {.command = 4,                                                          \
			    .name = "vkCmdDispatch",                                               \
			    .labels = "forces",                                                    \
			    .queue = "queue 1",                                                    \
			    .command_buffer = "simulation",                                        \
			    .submission = 2,                                                       \
			    .pipeline = "forces",                                                  \
			    .recorded = ""},                                                       \
		.workgroup = {2, 0, 0}, .local = {1, 0, 0}, .workgroup_linear = 2,                 \
		.local_linear = 1, .subgroup = 0, NO_HOST, NO_IMAGE                                \
	}

#define COUNTER(with_scope, with_semantics)                                                        \
	{                                                                                          \
		.agent = VKR_AGENT_INVOCATION, .write = true, .read = true, .atomic = true,        \
		.operation = "OpAtomicIAdd", .object = "counter", .offset = 0, .bytes = 4,         \
		.memory = "pool", .texels = "", .memory_offset = 0, .binding = "device address",   \
		.storage_class = "PhysicalStorageBuffer", .scope = with_scope,                     \
		.semantics = with_semantics,                                                       \
		.stage_access = "VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT / "                        \
				"VK_ACCESS_2_SHADER_STORAGE_READ_BIT | "                           \
				"VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT",                            \
		.source = {"count", "compute", "main", "count.comp", 4, 2, 60, 2, "", ""},         \
		.command = {.command = 1,                                                          \
			    .name = "vkCmdDispatchIndirect",                                       \
			    .labels = "",                                                          \
			    .queue = "transfer queue",                                             \
			    .command_buffer = "count",                                             \
			    .submission = 1,                                                       \
			    .pipeline = "count",                                                   \
			    .recorded = ""},                                                       \
		.workgroup = {0, 0, 0}, .local = {0, 0, 0}, .subgroup = 0, NO_HOST, NO_IMAGE       \
	}

#define FIXED_FUNCTION(is_write, command_name, op, stage)                                          \
	{                                                                                          \
		.agent = VKR_AGENT_FIXED_FUNCTION, .write = is_write, .read = !(is_write),         \
		.operation = op, .object = "buffer 3", .offset = 0, .bytes = 4096,                 \
		.memory = "device memory 2", .texels = "", .memory_offset = UINT64_C(1) << 40,     \
		.binding = "", .storage_class = "", NO_ATOMIC, .stage_access = stage, NO_SOURCE,   \
		.command = {.command = 9,                                                          \
			    .name = command_name,                                                  \
			    .labels = "upload",                                                    \
			    .queue = "queue 1",                                                    \
			    .command_buffer = "command buffer 4",                                  \
			    .submission = 3,                                                       \
			    .pipeline = "",                                                        \
			    .recorded = ""},                                                       \
		.subgroup = -1, NO_HOST, NO_IMAGE                                                  \
	}

#define HOST(is_write, op, with_bytes)                                                             \
	{                                                                                          \
		.agent = VKR_AGENT_HOST, .write = is_write, .read = !(is_write), .operation = op,  \
		.object = "buffer 3", .offset = 64, .bytes = with_bytes,                           \
		.memory = "device memory 2", .texels = "", .memory_offset = 64, .binding = "",     \
		.storage_class = "", NO_ATOMIC,                                                    \
		.stage_access = "VK_PIPELINE_STAGE_2_HOST_BIT / VK_ACCESS_2_HOST_WRITE_BIT",       \
		NO_SOURCE, NO_COMMAND, .invocation = "", .subgroup = -1,                           \
		.thread = "main (thread 1)", .stack = "upload at scene.c:120\nmain at main.c:14",  \
		NO_IMAGE                                                                           \
	}

#define FREE                                                                                       \
	{                                                                                          \
		.agent = VKR_AGENT_HOST, .operation = "vkFreeMemory", .object = "", .offset = 0,   \
		.bytes = 65536, .memory = "device memory 2", .texels = "", .memory_offset = 0,     \
		.binding = "", .storage_class = "", NO_ATOMIC, .stage_access = "", NO_SOURCE,      \
		NO_COMMAND, .invocation = "", .subgroup = -1, .thread = "thread 2", .stack = "",   \
		NO_IMAGE                                                                           \
	}

#define INTEGRATE_BARRIER                                                                          \
	{                                                                                          \
		.kind = VKR_CHANGE_BARRIER_BEFORE,                                                 \
		.place = {"simulation+0x1f20",                                                     \
			  "step 1 / integrate",                                                    \
			  "simulation",                                                            \
			  6,                                                                       \
			  "vkCmdDispatch",                                                         \
			  "step() /src/simulation.c:219\nmain() /src/simulation.c:12"},            \
		.from = VKR_CHANGE_NOWHERE,                                                        \
		.masks = {.source_stages = 0x800,                                                  \
			  .source_access = UINT64_C(1) << 34,                                      \
			  .destination_stages = 0x800,                                             \
			  .destination_access = UINT64_C(1) << 33},                                \
		.legacy = {.source_stages = 0x800,                                                 \
			   .source_access = 0x40,                                                  \
			   .destination_stages = 0x800,                                            \
			   .destination_access = 0x20},                                            \
	}

static const struct vkr_change integrate_barrier = INTEGRATE_BARRIER;

#define WIDER_MASKS                                                                                \
	{                                                                                          \
		.kind = VKR_CHANGE_MASKS,                                                          \
		.place = {"", "", "command buffer 1", 8, "vkCmdPipelineBarrier", ""},              \
		.from = VKR_CHANGE_NOWHERE, .masks = {.source_access = 0x1000},                    \
		.legacy = {.source_access = 0x1000},                                               \
	}

static const struct vkr_change wider_masks = WIDER_MASKS;

static const struct vkr_race_report full_races[] = {
	{VKR_RACE_UNORDERED,
	 "0123456789abcdef",
	 4096,
	 FORCES_STORE,
	 INTEGRATE_LOAD,
	 false,
	 "no dependency from command 4 to command 6 on queue 1",
	 "put a barrier between commands 4 and 6: COMPUTE_SHADER / SHADER_STORAGE_WRITE to "
	 "VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT / VK_ACCESS_2_SHADER_STORAGE_READ_BIT",
	 &integrate_barrier,
	 NULL,
	 0,
	 "",
	 false,
	 {0, 16384, 16384, 16384, 4}},
	{VKR_RACE_UNAVAILABLE,
	 "0123456789abcdef-2",
	 1,
	 FIXED_FUNCTION(true, "vkCmdCopyBuffer", "copy destination",
			"VK_PIPELINE_STAGE_2_COPY_BIT / VK_ACCESS_2_TRANSFER_WRITE_BIT"),
	 FIXED_FUNCTION(false, "vkCmdCopyBuffer", "copy source",
			"VK_PIPELINE_STAGE_2_COPY_BIT / VK_ACCESS_2_TRANSFER_READ_BIT"),
	 false,
	 "vkCmdPipelineBarrier in command 8: srcAccessMask lacks TRANSFER_WRITE",
	 "add TRANSFER_WRITE to srcAccessMask",
	 &wider_masks,
	 NULL,
	 0,
	 "",
	 false,
	 {0, 4096, 4096, 4096, 1}},
	{VKR_RACE_INVISIBLE,
	 "3333333333333333",
	 2,
	 FORCES_STORE,
	 FIXED_FUNCTION(
		 false, "vkCmdDispatchIndirect", "indirect arguments",
		 "VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT / VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT"),
	 false,
	 "vkCmdPipelineBarrier in command 5: dstAccessMask lacks INDIRECT_COMMAND_READ",
	 "add INDIRECT_COMMAND_READ to dstAccessMask",
	 NULL,
	 NULL,
	 0,
	 "",
	 false,
	 {16, 8192, 4096, 16384, 2}},
	{VKR_RACE_DOMAIN,
	 "4444444444444444",
	 3,
	 HOST(true, "host write", 1),
	 INTEGRATE_LOAD,
	 false,
	 "the write was not flushed before vkQueueSubmit",
	 "call vkFlushMappedMemoryRanges",
	 NULL,
	 NULL,
	 0,
	 "",
	 false,
	 {64, 65, 1, 0, 1}},
	{VKR_RACE_SCOPE,
	 "5555555555555555",
	 7,
	 COUNTER("Workgroup", "AcquireRelease | UniformMemory"),
	 COUNTER("Device", ""),
	 false,
	 "the first atomic's scope is Workgroup",
	 "use Device",
	 NULL,
	 NULL,
	 0,
	 "",
	 false,
	 {0}},
	{VKR_RACE_REFERENCE,
	 "6666666666666666",
	 1,
	 FORCES_STORE,
	 COUNTER("Device", "Relaxed"),
	 false,
	 "two references to one memory",
	 "",
	 NULL,
	 NULL,
	 0,
	 "each descriptor is a reference of its own",
	 true,
	 {0}},
	{VKR_RACE_PRIVATE,
	 "7777777777777777",
	 64,
	 TILE(true, "OpStore"),
	 TILE(true, "OpStore"),
	 true,
	 "",
	 "",
	 NULL,
	 NULL,
	 0,
	 "",
	 false,
	 {0, 512, 512, 512, 3}},
	{VKR_RACE_FREE,
	 "8888888888888888",
	 1,
	 INTEGRATE_LOAD,
	 FREE,
	 false,
	 "nothing waits for submission 2",
	 "wait for its fence\nor for the queue",
	 NULL,
	 NULL,
	 0,
	 "",
	 false,
	 {0}},
};

static const char *const full_ids[] = {"0123456789abcdef", "0123456789abcdef-2",
				       "3333333333333333"};

static const struct vkr_change_report full_changes[] = {
	{.change = INTEGRATE_BARRIER,
	 .where = "between step() simulation.c:212 and step() simulation.c:219",
	 .code = "vkCmdPipelineBarrier(commandBuffer,\n    ...);\n",
	 .races = full_ids,
	 .race_count = 2,
	 .checked = true,
	 .places = 4,
	 .gone = full_ids,
	 .gone_count = 3,
	 .added = full_ids + 2,
	 .added_count = 1},
	{.change = WIDER_MASKS,
	 .where = "",
	 .code = "srcAccessMask |= VK_ACCESS_TRANSFER_WRITE_BIT;\n",
	 .races = full_ids + 2,
	 .race_count = 1},
};

static const struct vkr_coverage_report full_coverage[] = {
	{"shader", "fluid: OpFunctionPointerCall is not modelled", 3, 0},
	{"log", "records lost", 1, 12000},
	{"very long kind", "text", 1, 0},
};

static const struct vkr_report full = {
	.model = "vulkan",
	.program = "./fluid --size 12",
	.verdict = VKR_VERDICT_RACES,
	.races = full_races,
	.race_count = sizeof full_races / sizeof *full_races,
	.changes = full_changes,
	.change_count = 2,
	.coverage = full_coverage,
	.coverage_count = 3,
	.race_total = 4175,
	.accesses_judged = UINT64_MAX,
	.log_bytes = 4700000,
	.executions = 20,
	.dispatches = 15,
	.suppressed_count = 2,
	.suppressed_total = 40,
	.known_count = 1,
	.known_total = 5,
};

// UTF-8 of one to four bytes, a terminal's escape, C1, markup, JSON's own characters, bytes that
// are no UTF-8, a printf directive, a path that a URI must encode.
#define ODD_MARKUP "<b>&amp;\"it's\"</b>]]>"
#define ODD_BYTES  "\x1b[31m\x07\t\x7f \xc2\x85 \xff\xfe \xc0\x80 \xed\xa0\x80 \xf5"
#define ODD_UTF8   "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\x89 \xef\xbf\xbf"
#define ODD_JSON   "\\ / \" \\u0000 %s %n"

#define ODD_CHANGE                                                                                 \
	{                                                                                          \
		.kind = VKR_CHANGE_BARRIER_AFTER,                                                  \
		.place = {ODD_BYTES, ODD_MARKUP, ODD_JSON, UINT32_MAX, ODD_UTF8, ODD_MARKUP},      \
		.from = VKR_CHANGE_NOWHERE,                                                        \
		.masks = {.source_stages = UINT64_C(1) << 18,                                      \
			  .destination_stages = UINT64_C(1) << 63,                                 \
			  .destination_access = UINT64_MAX},                                       \
		.legacy = {.source_stages = UINT64_C(1) << 18,                                     \
			   .destination_stages = UINT64_C(1) << 63,                                \
			   .destination_access = UINT64_MAX},                                      \
	}

static const struct vkr_change odd_change = ODD_CHANGE;

static const struct vkr_race_report odd_races[] = {
	{VKR_RACE_UNORDERED,
	 "9999999999999999",
	 1,
	 {.agent = VKR_AGENT_INVOCATION,
	  .write = true,
	  .operation = ODD_JSON,
	  .object = ODD_MARKUP,
	  .offset = UINT64_MAX - 1,
	  .bytes = 1,
	  .memory = ODD_UTF8,
	  .texels = "",
	  .memory_offset = UINT64_MAX,
	  .binding = ODD_JSON,
	  .storage_class = ODD_BYTES,
	  NO_ATOMIC,
	  .stage_access = ODD_MARKUP,
	  .source = {ODD_UTF8, ODD_JSON, ODD_MARKUP, "/home/a b/\xc3\xa9?#%.comp", UINT32_MAX,
		     UINT32_MAX, UINT32_MAX, UINT64_MAX, ODD_MARKUP, ""},
	  .command = {.command = UINT32_MAX,
		      .name = ODD_MARKUP,
		      .labels = ODD_UTF8,
		      .queue = ODD_BYTES,
		      .command_buffer = ODD_JSON,
		      .submission = UINT32_MAX,
		      .pipeline = ODD_BYTES,
		      .recorded = ODD_MARKUP},
	  .workgroup = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
	  .local = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
	  .workgroup_linear = UINT32_MAX,
	  .local_linear = UINT32_MAX,
	  .subgroup = INT64_MAX,
	  NO_HOST,
	  .image = {ODD_MARKUP,
		    ODD_JSON,
		    ODD_UTF8,
		    {UINT32_MAX, UINT32_MAX, UINT32_MAX},
		    UINT32_MAX,
		    UINT32_MAX,
		    UINT32_MAX}},
	 {.agent = VKR_AGENT_HOST,
	  .read = true,
	  .operation = ODD_BYTES,
	  .object = ODD_BYTES,
	  .bytes = 1,
	  .memory = "",
	  .texels = "",
	  .binding = "",
	  .storage_class = "",
	  NO_ATOMIC,
	  .stage_access = "",
	  NO_SOURCE,
	  NO_COMMAND,
	  .invocation = "",
	  .subgroup = -1,
	  .thread = ODD_MARKUP,
	  .stack = ODD_MARKUP "\n" ODD_BYTES "\n\n" ODD_UTF8 "\n",
	  NO_IMAGE},
	 false,
	 ODD_MARKUP "\n" ODD_BYTES,
	 ODD_JSON "\n" ODD_UTF8,
	 &odd_change,
	 NULL,
	 0,
	 "",
	 false,
	 {0}},
};

static const struct vkr_change_report odd_changes[] = {
	{.change = ODD_CHANGE,
	 .where = ODD_BYTES,
	 .code = ODD_MARKUP,
	 .checked = true,
	 .places = UINT64_MAX},
};

static const struct vkr_coverage_report odd_coverage[] = {
	{ODD_MARKUP, ODD_BYTES, 1, 0},
	{"", ODD_MARKUP, 2, UINT64_MAX},
};

static const struct vkr_report odd = {
	.barriers2 = true,
	.changes = odd_changes,
	.change_count = 1,
	.model = "vulkan",
	.program = ODD_MARKUP " " ODD_BYTES,
	.verdict = VKR_VERDICT_RACES,
	.races = odd_races,
	.race_count = 1,
	.coverage = odd_coverage,
	.coverage_count = 2,
	.race_total = 1,
	.executions = 1,
};

static const struct vkr_report none = {
	.model = "vulkan",
	.program = "",
	.verdict = VKR_VERDICT_NONE,
	.accesses_judged = 1000000,
	.log_bytes = 8000000,
	.executions = 1,
	.dispatches = 1,
};

static const struct vkr_coverage_report one_lack[] = {
	{"extension", "VK_NV_cooperative_matrix is not modelled", 1, 0},
};

static const struct vkr_race_report possible_races[] = {
	{VKR_RACE_UNORDERED,
	 "bbbbbbbbbbbbbbbb",
	 3,
	 TILE(true, "OpStore"),
	 TILE(false, "OpLoad"),
	 false,
	 "no barrier between them",
	 "call barrier() between them",
	 NULL,
	 NULL,
	 0,
	 "",
	 false,
	 {0}},
};

static const struct vkr_report incomplete = {
	.model = "vulkan",
	.program = "vkcube",
	.verdict = VKR_VERDICT_INCOMPLETE,
	.possible = possible_races,
	.possible_count = 1,
	.coverage = one_lack,
	.coverage_count = 1,
	.executions = 3,
	.suppressed_count = 1,
	.suppressed_total = 1,
};

static const uint32_t huge_finders[] = {0, 2};

static const struct vkr_run_report huge_runs[] = {
	{"a.json", "nbody", "llvmpipe, driver 22.3.6, Vulkan 1.3.230", VKR_VERDICT_RACES, 1, 0, 10,
	 20},
	{"b.json", "fluid", NULL, VKR_VERDICT_INCOMPLETE, 0, 3, 1, 0},
	{"c.json", "nbody", "SwiftShader Device, driver 5.0.0, Vulkan 1.3.0", VKR_VERDICT_RACES, 1,
	 0, 999989, 999980},
};

static const struct vkr_race_report huge_races[] = {
	{VKR_RACE_UNORDERED,
	 "aaaaaaaaaaaaaaaa",
	 1000000000,
	 TILE(true, "OpStore"),
	 TILE(false, "OpLoad"),
	 false,
	 "no barrier between them",
	 "call barrier() between them",
	 NULL,
	 huge_finders,
	 2,
	 "",
	 false,
	 {0}},
};

static const struct vkr_report huge = {
	.runs = huge_runs,
	.run_count = 3,
	.model = "vulkan",
	.program = "nbody",
	.verdict = VKR_VERDICT_RACES,
	.races = huge_races,
	.race_count = 1,
	.race_total = 1000000000,
	.accesses_judged = 100000000000,
	.log_bytes = UINT64_MAX,
	.executions = 1000000,
	.dispatches = 1000000,
};

const struct vkr_report_sample vkr_samples[] = {
	{"full", &full}, {"odd", &odd}, {"none", &none}, {"incomplete", &incomplete},
	{"huge", &huge}, {NULL, NULL},
};

const struct vkr_report *vkr_sample_report(const char *name)
{
	for (const struct vkr_report_sample *sample = vkr_samples; sample->name; sample++) {
		if (strcmp(sample->name, name) == 0)
			return sample->report;
	}
	abort();
}
