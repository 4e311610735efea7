// SPDX-License-Identifier: Apache-2.0
// Which submissions' shaders are observed: what the user chose of the run. Knows the settings, the
// run's frames and its time; not how shaders are left unobserved.
#pragma once

#include "choice.h"
#include "vkrace/trace.h"

#include <stdbool.h>

// Reads the settings, once. Other functions may be called before.
void vkr_observed_start(void);

// How far the judge is.
struct vkr_observed_judge {
	bool behind; // with what was recorded
	bool enough; // it has found as many races as it was to find
};

// Why the next submission's shaders are not observed.
enum vkr_trace_left_out vkr_observed_submission(const struct vkr_observed_judge *judge);

// A frame ends.
void vkr_observed_present(const struct vkr_observed_judge *judge);

// Observing is switched off or on, by the program.
void vkr_observed_switch(bool on);

// Whether a shader is observed.
bool vkr_observed_shader(const struct vkr_choice_shader *shader);
