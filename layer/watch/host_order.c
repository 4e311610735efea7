// SPDX-License-Identifier: Apache-2.0
#include "host_order.h"

#include "record.h"

#include <errno.h>
#include <stdint.h>

void vkr_host_sync_release(const volatile void *object, enum vkr_trace_host_sync kind, bool alone)
{
	const struct vkr_trace_host_release payload = {
		.object = (uintptr_t)object,
		.kind = kind,
		.flags = alone ? VKR_HOST_RELEASE_ALONE : 0u,
	};
	const int before = errno;
	if (!vkr_record_busy())
		vkr_record_event(VKR_TRACE_HOST_RELEASE, &payload, sizeof payload, NULL, 0);
	errno = before;
}

void vkr_host_sync_acquire(const volatile void *object, enum vkr_trace_host_sync kind)
{
	const struct vkr_trace_host_acquire payload = {.object = (uintptr_t)object, .kind = kind};
	const int before = errno;
	if (!vkr_record_busy())
		vkr_record_event(VKR_TRACE_HOST_ACQUIRE, &payload, sizeof payload, NULL, 0);
	errno = before;
}
