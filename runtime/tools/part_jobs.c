// SPDX-License-Identifier: Apache-2.0
#include "part_jobs.h"

#include "error.h"
#include "part_files.h"
#include "report_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <signal.h>

// A process that judges a part, and what it has to say.
struct job {
	pid_t process; // 0: none
	FILE *report;  // of no name
	struct vkr_report_copy copy;
	bool read;
};

struct jobs {
	struct job *items;
	uint32_t count;
	const char *path;
	const struct vkr_judging_options *options;
};

// Judges a part, and writes its report.
static enum vkr_result judge_part(const struct jobs *jobs, struct vkr_judging *judging,
				  uint32_t index, FILE *out, struct vkr_error *error)
{
	struct vkr_shard shard = {.index = index, .count = jobs->count};
	struct vkr_part_words words;
	judging->shard = &shard;
	enum vkr_result result = vkr_judging_run_file(judging, jobs->path, error);
	if (result != VKR_OK)
		return result;
	result = vkr_part_words_make(&words, &shard, jobs->path, jobs->options, error);
	if (result == VKR_OK) {
		struct vkr_report report = *vkr_session_report(judging->session);
		report.part = &words.part;
		result = vkr_report_json(&report, out, error);
	}
	vkr_part_words_finish(&words);
	vkr_shard_finish(&shard);
	return result;
}

static enum vkr_result part_jobs_start(const struct jobs *jobs, struct vkr_judging *judging,
				       uint32_t index, struct vkr_error *error)
{
	struct job *job = &jobs->items[index];
	job->report = tmpfile();
	if (!job->report)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot make a file for a part: %s",
				     strerror(errno));
	const pid_t parent = getpid();
	fflush(NULL);
	job->process = fork();
	if (job->process < 0) {
		job->process = 0;
		return vkr_error_set(error, VKR_ERROR_IO, "cannot start a process: %s",
				     strerror(errno));
	}
	if (job->process > 0)
		return VKR_OK;
	// The part is no longer needed when the process that asked for it is gone.
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
	struct vkr_error reason;
	const enum vkr_result result = judge_part(jobs, judging, index, job->report, &reason);
	if (result != VKR_OK)
		fprintf(stderr, "vkrace: part %" PRIu32 " of %" PRIu32 ": %s\n", index + 1,
			jobs->count, reason.message);
	fflush(stderr);
	_exit(result == VKR_OK && fflush(job->report) == 0 ? 0 : 1);
}

static enum vkr_result read_report(struct job *job, struct vkr_error *error)
{
	const long bytes = fseek(job->report, 0, SEEK_END) == 0 ? ftell(job->report) : -1;
	void *text = bytes > 0 ? mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE,
				      fileno(job->report), 0)
			       : MAP_FAILED;
	if (text == MAP_FAILED)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot read a part's report: %s",
				     strerror(errno));
	const enum vkr_result result =
		vkr_report_read_json(&job->copy, "a part's report", text, (size_t)bytes, error);
	job->read = result == VKR_OK;
	munmap(text, (size_t)bytes);
	return result;
}

// Waits for a process; what went wrong in it is an error.
static enum vkr_result part_jobs_await(struct jobs *jobs, uint32_t index, struct vkr_error *error)
{
	struct job *job = &jobs->items[index];
	int status = 0;
	while (waitpid(job->process, &status, 0) < 0 && errno == EINTR)
		continue;
	job->process = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return read_report(job, error);
	return vkr_error_set(error, VKR_ERROR_IO, "part %" PRIu32 " of %" PRIu32 " %s", index + 1,
			     jobs->count,
			     WIFSIGNALED(status) ? "was killed" : "could not be judged");
}

static void part_jobs_finish(struct jobs *jobs)
{
	for (uint32_t index = 1; index < jobs->count; index++) {
		struct job *job = &jobs->items[index];
		if (job->process > 0) {
			kill(job->process, SIGKILL);
			waitpid(job->process, NULL, 0);
		}
		if (job->report)
			fclose(job->report);
		if (job->read)
			vkr_report_copy_finish(&job->copy);
	}
	free(jobs->items);
}

// The parts as one: this process's report is the whole one, or what conflicts is judged again.
static enum vkr_result put_together(struct jobs *jobs, struct vkr_judging *judging,
				    struct vkr_shard *shard, struct vkr_error *error)
{
	struct vkr_part_words words;
	struct vkr_report own = *vkr_session_report(judging->session);
	struct vkr_part_set set = {.reports = calloc(jobs->count, sizeof *set.reports),
				   .count = jobs->count,
				   .name = jobs->path};
	if (!set.reports)
		return vkr_error_memory(error, "parts of a trace");
	enum vkr_result result =
		vkr_part_words_make(&words, shard, jobs->path, jobs->options, error);
	own.part = &words.part;
	set.reports[0] = &own;
	for (uint32_t index = 1; index < jobs->count; index++)
		set.reports[index] = &jobs->items[index].copy.report;
	if (result == VKR_OK && vkr_parts_need_union(set.reports, set.count)) {
		struct vkr_shard all;
		vkr_session_destroy(judging->session);
		judging->session = NULL;
		judging->submitted = judging->begun = 0;
		result = vkr_part_set_judge(&set, judging, &all, error);
		vkr_shard_finish(&all);
	} else if (result == VKR_OK) {
		vkr_session_add_accesses(judging->session,
					 vkr_parts_accesses(set.reports, set.count) -
						 own.accesses_judged);
	}
	vkr_part_words_finish(&words);
	free(set.reports);
	return result;
}

enum vkr_result vkr_part_jobs_judge(struct vkr_judging *judging, const char *path,
				    const struct vkr_judging_options *options, uint32_t count,
				    struct vkr_error *error)
{
	struct jobs jobs = {.items = calloc(count, sizeof *jobs.items),
			    .count = count,
			    .path = path,
			    .options = options};
	struct vkr_shard shard = {.index = 0, .count = count};
	enum vkr_result result = jobs.items ? VKR_OK : vkr_error_memory(error, "parts of a trace");
	if (result != VKR_OK)
		return result;
	for (uint32_t index = 1; index < count && result == VKR_OK; index++)
		result = part_jobs_start(&jobs, judging, index, error);
	judging->shard = &shard;
	if (result == VKR_OK)
		result = vkr_judging_run_file(judging, path, error);
	for (uint32_t index = 1; index < count && result == VKR_OK; index++)
		result = part_jobs_await(&jobs, index, error);
	if (result == VKR_OK)
		result = put_together(&jobs, judging, &shard, error);
	judging->shard = NULL;
	vkr_shard_finish(&shard);
	part_jobs_finish(&jobs);
	return result;
}
