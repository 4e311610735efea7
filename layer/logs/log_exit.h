// SPDX-License-Identifier: Apache-2.0
// What the end of the process waits for. Knows queues; not what they do.
#pragma once

// How long the end of a process waits for logs of work that is not known to be over.
#define VKR_EXIT_PATIENCE_MS 1000

// From now on the end of the process waits a while for what devices are doing.
void vkr_log_wait_at_exit(void);
