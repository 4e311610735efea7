// SPDX-License-Identifier: Apache-2.0
// Threads that take jobs off another one's hands. Knows when jobs run; not what they do.
//
// One thread, the owner, starts jobs and waits for them. A job that nobody has begun when its owner
// waits for it runs on the owner's thread: so jobs are also done without a crew, and in the same
// way. Whoever starts jobs bounds how many there are.
#pragma once

#include "vkrace/result.h"

#include <stdint.h>

struct vkr_crew;

// Filled in by the owner: `run` and `user`; zeroed otherwise. It may be started again once it has
// been waited for.
struct vkr_job {
	void (*run)(void *user);
	void *user;
	struct vkr_job *next; // that waits
	enum vkr_job_state { VKR_JOB_DONE, VKR_JOB_WAITS, VKR_JOB_RUNS } state;
};

// A crew of `threads` threads in all, of which the owner's is one; *crew is NULL for one. Where the
// system has fewer threads to give, the crew is smaller. The threads take no signals. `least`: how
// many words of a log are worth a job.
enum vkr_result vkr_crew_create(unsigned threads, uint32_t least, struct vkr_crew **crew,
				struct vkr_error *error) VKR_MUST_USE;

// No job is waiting or running. NULL is allowed, here and below.
void vkr_crew_destroy(struct vkr_crew *crew);

// How many threads there are, the owner's among them: 1 for NULL.
unsigned vkr_crew_threads(const struct vkr_crew *crew);

// How many words of a log are worth a job: as many as take much longer to read than to hand over.
#define VKR_CREW_LEAST 16384u
uint32_t vkr_crew_least(const struct vkr_crew *crew);

// Has the job run at some time up to the end of vkr_crew_wait. What it reads was written before.
void vkr_crew_start(struct vkr_crew *crew, struct vkr_job *job);

// Until the job is done: what it has written can be read. Meanwhile others are run here that nobody
// has begun.
void vkr_crew_wait(struct vkr_crew *crew, struct vkr_job *job);

// As many threads as there are by default: half of the processors that the process may use,
// at least two of them.
unsigned vkr_crew_default(void);
