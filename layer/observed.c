// SPDX-License-Identifier: Apache-2.0
#include "observed.h"

#include "choice.h"
#include "error.h"
#include "settings.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

// Times of periods, for the budget: frames, or submissions while nothing was presented. Until some
// were not observed, what the program takes by itself is not known.
struct times {
	uint64_t began, period_began; // nanoseconds
	uint64_t plain, plain_count;  // of periods that were not observed
	uint64_t count;               // of all
	bool observes;                // in this period
};

#define PLAIN_PERIODS 3u // before the budget is known

static struct {
	pthread_mutex_t lock;
	struct vkr_choice choice;
	struct vkr_choice_place place;
	double budget; // 0: none
	struct times times;
} observed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic bool paused;

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void observed_toggle(int number)
{
	(void)number;
	atomic_store(&paused, !atomic_load(&paused));
}

static void observed_listen(int number)
{
	struct sigaction action = {.sa_handler = observed_toggle, .sa_flags = SA_RESTART};
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

// Says what is wrong with a setting, and that it is left alone.
static void observed_check(enum vkr_result result, enum vkr_setting setting, atomic_flag *told,
			   const struct vkr_error *error)
{
	if (result != VKR_OK)
		vkr_setting_wrong(told, setting, error->message);
}

static void read_settings(void)
{
	static atomic_flag told[4] = {ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT,
				      ATOMIC_FLAG_INIT};
	const char *frames = vkr_setting_text(VKR_SETTING_FRAMES);
	const char *sample = vkr_setting_text(VKR_SETTING_SAMPLE);
	const char *budget = vkr_setting_text(VKR_SETTING_BUDGET);
	const char *name = vkr_setting_text(VKR_SETTING_TOGGLE_SIGNAL);
	struct vkr_choice choice = {.shaders = vkr_setting_text(VKR_SETTING_SHADER),
				    .not_shaders = vkr_setting_text(VKR_SETTING_NOT_SHADER)};
	struct vkr_choice frames_chosen = {0}, sampled = {0};
	struct vkr_error error;
	double times = 0;
	int number = 0;
	enum vkr_result result =
		frames ? vkr_choice_frames(&frames_chosen, frames, &error) : VKR_OK;
	observed_check(result, VKR_SETTING_FRAMES, &told[0], &error);
	if (result == VKR_OK) {
		choice.first_frame = frames_chosen.first_frame;
		choice.last_frame = frames_chosen.last_frame;
	}
	result = sample ? vkr_choice_sample(&sampled, sample, &error) : VKR_OK;
	observed_check(result, VKR_SETTING_SAMPLE, &told[1], &error);
	choice.share = result == VKR_OK ? sampled.share : 0;
	result = budget ? vkr_choice_budget(budget, &times, &error) : VKR_OK;
	observed_check(result, VKR_SETTING_BUDGET, &told[2], &error);
	observed.budget = result == VKR_OK ? times : 0;
	result = name ? vkr_choice_signal(name, &number, &error) : VKR_OK;
	observed_check(result, VKR_SETTING_TOGGLE_SIGNAL, &told[3], &error);
	if (name && result == VKR_OK)
		observed_listen(number);
	observed.choice = choice;
	atomic_store(&paused, vkr_setting_flag(VKR_SETTING_PAUSED, false));
}

void vkr_observed_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_settings);
}

// A period ends, and the next one is observed where there is time for it, so far, and the judge has
// kept up. The first is, and then some are not.
static void next_period(bool behind)
{
	struct times *times = &observed.times;
	const uint64_t now = now_ns();
	if (!times->began) {
		times->began = times->period_began = now;
		times->observes = true;
		return;
	}
	if (!times->observes) {
		times->plain += now - times->period_began;
		times->plain_count++;
	}
	times->count++;
	times->period_began = now;
	const double plain =
		times->plain_count ? (double)times->plain / (double)times->plain_count : 0;
	times->observes =
		times->plain_count >= PLAIN_PERIODS && !behind &&
		(double)(now - times->began) < observed.budget * plain * (double)times->count;
}

enum vkr_trace_left_out vkr_observed_submission(const struct vkr_observed_judge *judge)
{
	vkr_observed_start();
	pthread_mutex_lock(&observed.lock);
	enum vkr_trace_left_out reason = vkr_choice_submission(&observed.choice, &observed.place);
	observed.place.submissions++;
	if (observed.budget > 0 && (!observed.place.presents || !observed.times.began))
		next_period(judge->behind);
	if (reason == VKR_LEFT_OUT_NOT && observed.budget > 0 && !observed.times.observes)
		reason = VKR_LEFT_OUT_BUDGET;
	pthread_mutex_unlock(&observed.lock);
	if (atomic_load(&paused))
		return VKR_LEFT_OUT_PAUSE;
	return reason == VKR_LEFT_OUT_NOT && judge->enough ? VKR_LEFT_OUT_ENOUGH : reason;
}

void vkr_observed_present(const struct vkr_observed_judge *judge)
{
	pthread_mutex_lock(&observed.lock);
	observed.place.presents++;
	if (observed.budget > 0)
		next_period(judge->behind);
	pthread_mutex_unlock(&observed.lock);
}

void vkr_observed_switch(bool on)
{
	vkr_observed_start();
	atomic_store(&paused, !on);
}

bool vkr_observed_shader(const struct vkr_choice_shader *shader)
{
	vkr_observed_start();
	return vkr_choice_takes_shader(&observed.choice, shader);
}
