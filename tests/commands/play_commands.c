// SPDX-License-Identifier: Apache-2.0
// Plays programs of commands that are written as text (play.h): the objects of each are its own,
// and their names begin with its number; each command stands in a label `pPROGRAM.lLINE`. Between
// two programs everything is waited for.
//
// play_commands FILE
#include "play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gpu_test_kernel kernels[] = {{NULL, NULL, 0, VK_NULL_HANDLE}};

static void refuse(const struct play *play, const struct play_line *line, const char *why)
{
	fprintf(stderr, "program %" PRIu64 ", line %u, %s: %s\n", play->program, line->number,
		line->op, why);
	exit(EXIT_FAILURE);
}

uint64_t play_value(const struct play_line *line, const char *key)
{
	for (uint32_t at = 0; at < line->count; at++)
		if (strcmp(line->words[at].key, key) == 0)
			return line->words[at].value;
	return 0;
}

bool play_is(const struct play_line *line, const char *op)
{
	return strcmp(line->op, op) == 0;
}

static void parse(struct play_line *line, char *text)
{
	char *rest = NULL;
	char *word = strtok_r(text, " \n", &rest);
	snprintf(line->op, sizeof line->op, "%s", word ? word : "");
	line->count = 0;
	while ((word = strtok_r(NULL, " \n", &rest)) != NULL) {
		char *value = strchr(word, '=');
		if (!value || line->count == sizeof line->words / sizeof *line->words) {
			fprintf(stderr, "%s: not a word, or one too many\n", word);
			exit(EXIT_FAILURE);
		}
		*value = '\0';
		struct play_word *to = &line->words[line->count++];
		snprintf(to->key, sizeof to->key, "%s", word);
		to->value = strtoull(value + 1, NULL, 0);
	}
}

// Commands are told apart by their labels.
static void label(struct play *play, const struct play_line *line)
{
	char text[48];
	// In letters: labels that differ in numbers alone are one place to a change.
	const VkDebugUtilsLabelEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
		.pLabelName = text,
	};
	snprintf(text, sizeof text, "p%" PRIu64 ".l%u", play->program, line->number);
	for (char *at = text; *at; at++)
		*at = *at >= '0' && *at <= '9' ? (char)(*at - '0' + 'A') : *at;
	if (play->begin_label)
		play->begin_label(play->commands, &info);
}

// Where only secondary command buffers are executed no label is begun or ended: that of what began
// it stays.
static void play_one(struct play *play, const struct play_line *line)
{
	const bool labels = play->commands && !play_is(line, "end");
	if (labels && !play->executes)
		label(play, line);
	if (!play_object(play, line) && !play_transfer(play, line) && !play_barrier(play, line) &&
	    !play_shader(play, line) && !play_pass(play, line) && !play_submission(play, line))
		refuse(play, line, "not known");
	if (labels && !play->executes && play->end_label)
		play->end_label(play->commands);
}

static void play_all(struct play *play, const struct play_line *lines, uint32_t count)
{
	for (uint32_t at = 0; at < count; at += 1 + lines[at].part_count)
		play_one(play, &lines[at]);
	gpu_test_expect(vkDeviceWaitIdle(play->test->device), "vkDeviceWaitIdle");
	play_finish_objects(play);
}

// The lines of one program, up to the next one's.
struct text {
	struct play_line *lines;
	uint32_t count, capacity;
};

static struct play_line *add(struct text *text)
{
	if (text->count == text->capacity) {
		text->capacity = text->capacity ? 2 * text->capacity : 64;
		text->lines = realloc(text->lines, text->capacity * sizeof *text->lines);
		if (!text->lines)
			exit(EXIT_FAILURE);
	}
	return &text->lines[text->count++];
}

static void tie(struct text *text)
{
	struct play_line *owner = NULL;
	uint32_t number = 0;
	for (uint32_t at = 0; at < text->count; at++) {
		struct play_line *line = &text->lines[at];
		line->number = number;
		line->parts = line + 1;
		line->part_count = 0;
		if (line->op[0] == '+' && owner) {
			memmove(line->op, line->op + 1, sizeof line->op - 1);
			owner->part_count++;
			continue;
		}
		owner = line;
		line->number = ++number;
	}
}

static void play_file(struct play *play, FILE *file)
{
	struct text text = {0};
	char *line = NULL;
	size_t size = 0;
	bool more = true;
	while (more) {
		struct play_line read = {0};
		more = getline(&line, &size, file) > 0;
		if (more)
			parse(&read, line);
		if (!more || play_is(&read, "program")) {
			tie(&text);
			if (text.count > 0)
				play_all(play, text.lines, text.count);
			text.count = 0;
			play->program = play_value(&read, "number");
		} else if (read.op[0] != '\0') {
			*add(&text) = read;
		}
	}
	free(line);
	free(text.lines);
}

static void use_queues(struct play *play)
{
	struct gpu_test *test = play->test;
	static const enum gpu_test_lane lanes[PLAY_QUEUES] = {GPU_LANE_MAIN, GPU_LANE_MAIN,
							      GPU_LANE_COMPUTE, GPU_LANE_TRANSFER};
	for (uint32_t at = 0; at < PLAY_QUEUES; at++) {
		const bool exists = test->families[lanes[at]] != VK_QUEUE_FAMILY_IGNORED;
		const enum gpu_test_lane lane = exists ? lanes[at] : GPU_LANE_MAIN;
		play->families[at] = test->families[lane];
		play->queues[at] = at == 1 ? gpu_test_other_queue(test) : test->queues[lane];
		const VkCommandPoolCreateInfo pool = {
			.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
			.queueFamilyIndex = play->families[at],
		};
		gpu_test_expect(vkCreateCommandPool(test->device, &pool, NULL, &play->pools[at]),
				"vkCreateCommandPool");
	}
}

// What programs need and the driver lacks, a word a line.
static int tell_lacks(void)
{
	struct gpu_test test;
	gpu_test_init(&test, kernels, false);
	if (!test.has_load_none)
		puts("load_none");
	if (!test.has_multiview)
		puts("multiview");
	gpu_test_finish(&test);
	return 0;
}

int main(int count, char **arguments)
{
	struct gpu_test test;
	if (count != 2)
		return 2;
	if (strcmp(arguments[1], "--lacks") == 0)
		return tell_lacks();
	FILE *file = fopen(arguments[1], "r");
	if (!file) {
		fprintf(stderr, "%s: cannot be read\n", arguments[1]);
		return 2;
	}
	gpu_test_init(&test, kernels, false);
	if (!test.has_synchronization2 || !test.has_timeline || !test.has_dynamic_rendering)
		gpu_test_skip("no synchronization2, timeline semaphores or dynamic rendering");
	struct play play = {
		.test = &test,
		.begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)(void (*)(
			void))vkGetInstanceProcAddr(test.instance, "vkCmdBeginDebugUtilsLabelEXT"),
		.end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)(void (*)(void))vkGetInstanceProcAddr(
			test.instance, "vkCmdEndDebugUtilsLabelEXT"),
	};
	if (test.has_conditional) {
		play.begin_conditional = (PFN_vkCmdBeginConditionalRenderingEXT)(void (*)(
			void))vkGetDeviceProcAddr(test.device, "vkCmdBeginConditionalRenderingEXT");
		play.end_conditional = (PFN_vkCmdEndConditionalRenderingEXT)(void (*)(
			void))vkGetDeviceProcAddr(test.device, "vkCmdEndConditionalRenderingEXT");
	}
	use_queues(&play);
	play_make_layouts(&play);
	play_file(&play, file);
	fclose(file);
	play_finish_layouts(&play);
	free(play.kept);
	for (uint32_t at = 0; at < PLAY_QUEUES; at++)
		vkDestroyCommandPool(test.device, play.pools[at], NULL);
	gpu_test_finish(&test);
	return 0;
}
