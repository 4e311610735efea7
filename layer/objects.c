// SPDX-License-Identifier: Apache-2.0
// Keeping objects under their handles.
// Knows no hook.
#include "objects.h"

#include "record.h"

#include <stdlib.h>

void vkr_object_keep(struct vkr_handles *handles, uint64_t handle, void *object, const char *what)
{
	if (vkr_handles_put(handles, handle, object))
		return;
	free(object);
	vkr_record_no_memory(what);
}
