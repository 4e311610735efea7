// SPDX-License-Identifier: Apache-2.0
#include "shared_memory.h"

#include "record.h"

#include <linux/magic.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>

struct vkr_payload {
	struct vkr_payload *next;
	struct vkr_payload_file file;
	uint64_t bytes;
	uint32_t memory; // id
	uint32_t property_flags;
	uint32_t references;
};

// Of all devices. Innermost lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vkr_payload *payloads;

// Files in memory and buffers that drivers share have an inode each; others, such as those of a
// character device, may all have the same.
struct vkr_payload_file vkr_payload_file(int descriptor)
{
	struct stat about;
	struct statfs system;
	if (fstatfs(descriptor, &system) || fstat(descriptor, &about))
		return (struct vkr_payload_file){0};
	switch ((uint32_t)system.f_type) {
	case TMPFS_MAGIC:
	case HUGETLBFS_MAGIC:
	case DMA_BUF_MAGIC:
		return (struct vkr_payload_file){about.st_dev, about.st_ino};
	default:
		return (struct vkr_payload_file){0};
	}
}

static struct vkr_payload *find_payload(struct vkr_payload_file file)
{
	struct vkr_payload *at = file.inode ? payloads : NULL;
	while (at && (at->file.device != file.device || at->file.inode != file.inode))
		at = at->next;
	return at;
}

void vkr_payload_exported(struct vkr_layer_memory *kept, struct vkr_payload_file file)
{
	struct vkr_payload *made = file.inode ? calloc(1, sizeof *made) : NULL;
	if (!made && file.inode)
		vkr_record_no_memory("exported memory");
	pthread_mutex_lock(&lock);
	if (made && !kept->payload && !find_payload(file)) {
		*made = (struct vkr_payload){.next = payloads,
					     .file = file,
					     .bytes = kept->bytes,
					     .memory = kept->id,
					     .property_flags = kept->property_flags,
					     .references = 1};
		payloads = kept->payload = made;
		made = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(made);
}

// A part of it, or memory of another kind, is not the same memory to the host.
bool vkr_payload_imported(struct vkr_layer_memory *kept, struct vkr_payload_file file)
{
	pthread_mutex_lock(&lock);
	struct vkr_payload *found = find_payload(file);
	if (found && (found->bytes != kept->bytes || found->property_flags != kept->property_flags))
		found = NULL;
	if (found) {
		found->references++;
		kept->id = found->memory;
		kept->payload = found;
	}
	pthread_mutex_unlock(&lock);
	return found != NULL;
}

// The last one to free it comes after the others, and after all that they came after.
static void record_order(const struct vkr_payload *payload, bool last)
{
	const struct vkr_trace_host_release release = {.object = (uintptr_t)payload,
						       .kind = VKR_HOST_SYNC_ANNOTATION};
	const struct vkr_trace_host_acquire acquire = {.object = (uintptr_t)payload,
						       .kind = VKR_HOST_SYNC_ANNOTATION};
	if (last)
		vkr_record_event(VKR_TRACE_HOST_ACQUIRE, &acquire, sizeof acquire, NULL, 0);
	else
		vkr_record_event(VKR_TRACE_HOST_RELEASE, &release, sizeof release, NULL, 0);
}

bool vkr_payload_left(struct vkr_layer_memory *kept)
{
	struct vkr_payload *of = kept->payload;
	if (!of)
		return true;
	kept->payload = NULL;
	record_order(of, false);
	pthread_mutex_lock(&lock);
	const bool last = --of->references == 0;
	struct vkr_payload **at = &payloads;
	while (last && *at != of)
		at = &(*at)->next;
	if (last)
		*at = of->next;
	pthread_mutex_unlock(&lock);
	if (!last)
		return false;
	record_order(of, true);
	free(of);
	return true;
}
