// SPDX-License-Identifier: Apache-2.0
// How what orders host threads is recorded: releases before the call, acquires after it (trace.h).
// Knows events; not which calls order what.
#pragma once

#include "vkrace/trace.h"

#include <stdbool.h>

// Record, unless the thread is recording something already; errno stays.
void vkr_host_sync_release(const volatile void *object, enum vkr_trace_host_sync kind, bool alone);
void vkr_host_sync_acquire(const volatile void *object, enum vkr_trace_host_sync kind);
