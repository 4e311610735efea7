// SPDX-License-Identifier: Apache-2.0
#include "choice.h"

#include "error.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE         (UINT64_C(1) << 32)
#define LABEL_BETWEEN " / "
#define OF_COMMANDS   ":commands"
#define THREADS_MOST  1024u

// From 1; 0: there is none.
static uint64_t read_number(const char **text)
{
	char *end;
	errno = 0;
	const unsigned long long number =
		isdigit((unsigned char)**text) ? strtoull(*text, &end, 10) : 0;
	if (number == 0 || errno != 0)
		return 0;
	*text = end;
	return number;
}

enum vkr_result vkr_choice_frames(struct vkr_choice *choice, const char *text,
				  struct vkr_error *error)
{
	const char *at = text;
	choice->first_frame = choice->last_frame = read_number(&at);
	if (*at == '-') {
		at++;
		choice->last_frame = *at ? read_number(&at) : UINT64_MAX;
	}
	return *at == 0 && choice->first_frame != 0 && choice->first_frame <= choice->last_frame
		       ? VKR_OK
		       : vkr_error_set(error, VKR_ERROR_FORMAT,
				       "'%s' are no frames: 10-20, 10- or 10, counted from 1",
				       text);
}

enum vkr_result vkr_choice_sample(struct vkr_choice *choice, const char *text,
				  struct vkr_error *error)
{
	char *end;
	double share = strtod(text, &end);
	if (*end == '%') {
		share /= 100;
		end++;
	}
	const bool commands = strcmp(end, OF_COMMANDS) == 0;
	if (end == text || (*end != 0 && !commands) || !(share > 0 && share <= 1))
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "'%s' is no share: 10%% or 0.1, more than 0 and at most 1, or "
				     "10%%:commands",
				     text);
	*(commands ? &choice->command_share : &choice->share) =
		1 + (uint64_t)(share * (double)(WHOLE - 1));
	return VKR_OK;
}

bool vkr_choice_samples_commands(const char *text)
{
	const char *behind = text ? strchr(text, *OF_COMMANDS) : NULL;
	return behind && strcmp(behind, OF_COMMANDS) == 0;
}

enum vkr_result vkr_choice_races(const char *text, uint64_t *races, struct vkr_error *error)
{
	const char *at = text;
	*races = read_number(&at);
	return *races && *at == 0 ? VKR_OK
				  : vkr_error_set(error, VKR_ERROR_FORMAT,
						  "'%s' is no number of races, from 1", text);
}

enum vkr_result vkr_choice_threads(const char *text, unsigned *threads, struct vkr_error *error)
{
	const char *at = text;
	const uint64_t number = read_number(&at);
	*threads = (unsigned)number;
	return number > 0 && number <= THREADS_MOST && *at == 0
		       ? VKR_OK
		       : vkr_error_set(error, VKR_ERROR_FORMAT,
				       "'%s' is no number of threads, from 1 to %u", text,
				       THREADS_MOST);
}

enum vkr_result vkr_choice_budget(const char *text, double *budget, struct vkr_error *error)
{
	char *end;
	*budget = strtod(text, &end);
	if (end != text && *end == 'x')
		end++;
	return end != text && *end == 0 && *budget > 1 && *budget <= 1e6
		       ? VKR_OK
		       : vkr_error_set(error, VKR_ERROR_FORMAT,
				       "'%s' is no budget: 2x or 2.5, more than 1", text);
}

enum vkr_result vkr_choice_signal(const char *text, int *number, struct vkr_error *error)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"WINCH", SIGWINCH}};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (strcmp(text, signals[i].name) == 0) {
			*number = signals[i].number;
			return VKR_OK;
		}
	return vkr_error_set(error, VKR_ERROR_FORMAT, "'%s' is none of USR1, USR2, HUP and WINCH",
			     text);
}

// Whether the sample has what is counted so.
static bool is_within(uint64_t number, uint64_t share)
{
	uint64_t mixed = number * UINT64_C(0x9e3779b97f4a7c15);
	mixed ^= mixed >> 32;
	return mixed % WHOLE < share;
}

enum vkr_trace_left_out vkr_choice_submission(const struct vkr_choice *choice,
					      const struct vkr_choice_place *place)
{
	const uint64_t frame = place->presents + 1;
	if (choice->first_frame && (frame < choice->first_frame || frame > choice->last_frame))
		return VKR_LEFT_OUT_FRAME;
	if (!choice->share)
		return VKR_LEFT_OUT_NOT;
	const uint64_t two = (place->presents ? place->presents : place->submissions) / 2;
	return is_within(two, choice->share) ? VKR_LEFT_OUT_NOT : VKR_LEFT_OUT_SAMPLE;
}

bool vkr_choice_takes_command(const struct vkr_choice *choice, uint32_t submission,
			      uint32_t command)
{
	return !choice->command_share ||
	       is_within((uint64_t)submission << 32 | command, choice->command_share);
}

// Whether a pattern of the list matches the first `length` characters of a name.
static bool choice_matches(const char *list, const char *name, size_t length)
{
	char *copy = name ? strndup(name, length) : NULL;
	char *patterns = copy ? strdup(list) : NULL;
	bool found = false;
	char *rest = NULL;
	for (char *at = patterns ? strtok_r(patterns, ",", &rest) : NULL; at && !found;
	     at = strtok_r(NULL, ",", &rest))
		found = fnmatch(at, copy, 0) == 0;
	free(copy);
	free(patterns);
	return found;
}

static bool matches_any(const char *list, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (names[i] && choice_matches(list, names[i], strlen(names[i])))
			return true;
	return false;
}

bool vkr_choice_takes_shader(const struct vkr_choice *choice,
			     const struct vkr_choice_shader *shader)
{
	char hash[17];
	const char *const names[] = {shader->name, shader->entry_point, shader->source_file, hash};
	const unsigned count = sizeof names / sizeof *names;
	snprintf(hash, sizeof hash, "%016" PRIx64, shader->hash);
	return (!choice->shaders || matches_any(choice->shaders, names, count)) &&
	       !(choice->not_shaders && matches_any(choice->not_shaders, names, count));
}

bool vkr_choice_takes_labels(const struct vkr_choice *choice, const char *labels)
{
	const size_t between = strlen(LABEL_BETWEEN);
	if (!choice->labels)
		return true;
	while (*labels) {
		const char *end = strstr(labels, LABEL_BETWEEN);
		const size_t length = end ? (size_t)(end - labels) : strlen(labels);
		if (choice_matches(choice->labels, labels, length))
			return true;
		labels += length + (end ? between : 0);
	}
	return false;
}
