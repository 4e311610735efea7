// SPDX-License-Identifier: Apache-2.0
#include "crew.h"

#include "error.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct vkr_crew {
	pthread_mutex_t lock;
	pthread_cond_t waits; // a job does, or the crew ends
	pthread_cond_t done;  // a job is
	struct vkr_job *first, *last;
	bool ends;
	uint32_t least;
	unsigned count;
	pthread_t threads[];
};

// Runs a job that was taken from the queue.
static void crew_run(struct vkr_crew *crew, struct vkr_job *job)
{
	job->state = VKR_JOB_RUNS;
	pthread_mutex_unlock(&crew->lock);
	job->run(job->user);
	pthread_mutex_lock(&crew->lock);
	job->state = VKR_JOB_DONE;
	pthread_cond_signal(&crew->done);
}

static void *crew_help(void *user)
{
	struct vkr_crew *crew = user;
	pthread_mutex_lock(&crew->lock);
	while (!crew->ends) {
		struct vkr_job *job = crew->first;
		if (job == NULL) {
			pthread_cond_wait(&crew->waits, &crew->lock);
			continue;
		}
		crew->first = job->next;
		crew_run(crew, job);
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

enum vkr_result vkr_crew_create(unsigned threads, uint32_t least, struct vkr_crew **crew,
				struct vkr_error *error)
{
	*crew = NULL;
	if (threads <= 1)
		return VKR_OK;
	struct vkr_crew *made = calloc(1, sizeof *made + (threads - 1) * sizeof *made->threads);
	if (made == NULL)
		return vkr_error_memory(error, "threads");
	made->least = least;
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->waits, NULL);
	pthread_cond_init(&made->done, NULL);
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (made->count < threads - 1 &&
	       pthread_create(&made->threads[made->count], NULL, crew_help, made) == 0)
		made->count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	*crew = made;
	return VKR_OK;
}

void vkr_crew_destroy(struct vkr_crew *crew)
{
	if (crew == NULL)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->ends = true;
	pthread_cond_broadcast(&crew->waits);
	pthread_mutex_unlock(&crew->lock);
	for (unsigned at = 0; at < crew->count; at++)
		pthread_join(crew->threads[at], NULL);
	pthread_cond_destroy(&crew->done);
	pthread_cond_destroy(&crew->waits);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}

unsigned vkr_crew_threads(const struct vkr_crew *crew)
{
	return crew != NULL ? crew->count + 1 : 1;
}

uint32_t vkr_crew_least(const struct vkr_crew *crew)
{
	return crew != NULL ? crew->least : UINT32_MAX;
}

void vkr_crew_start(struct vkr_crew *crew, struct vkr_job *job)
{
	job->next = NULL;
	if (crew == NULL) {
		job->state = VKR_JOB_WAITS;
		return;
	}
	pthread_mutex_lock(&crew->lock);
	job->state = VKR_JOB_WAITS;
	if (crew->first == NULL)
		crew->first = job;
	else
		crew->last->next = job;
	crew->last = job;
	pthread_cond_signal(&crew->waits);
	pthread_mutex_unlock(&crew->lock);
}

static void take_out(struct vkr_crew *crew, const struct vkr_job *job)
{
	struct vkr_job *before = NULL, *at = crew->first;
	for (; at != job; at = at->next)
		before = at;
	if (before == NULL)
		crew->first = job->next;
	else
		before->next = job->next;
	if (crew->last == job)
		crew->last = before;
}

void vkr_crew_wait(struct vkr_crew *crew, struct vkr_job *job)
{
	if (crew == NULL) {
		if (job->state == VKR_JOB_WAITS)
			job->run(job->user);
		job->state = VKR_JOB_DONE;
		return;
	}
	pthread_mutex_lock(&crew->lock);
	if (job->state == VKR_JOB_WAITS) {
		take_out(crew, job);
		crew_run(crew, job);
	}
	while (job->state != VKR_JOB_DONE) {
		struct vkr_job *other = crew->first;
		if (other == NULL) {
			pthread_cond_wait(&crew->done, &crew->lock);
			continue;
		}
		crew->first = other->next;
		crew_run(crew, other);
	}
	pthread_mutex_unlock(&crew->lock);
}

unsigned vkr_crew_default(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 1;
	const int count = CPU_COUNT(&set);
	return count >= 4 ? (unsigned)count / 2 : count >= 2 ? 2 : 1;
}
