// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a program has left in the ring, cursor and all: the judge refuses them or
// judges them, and ends. The first 8 bytes are the cursor.
#include "ring.h"
#include "session.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vkr_ring producer, consumer;
	struct vkr_source *source;
	struct vkr_session *session;
	const struct vkr_trace_event *event;
	struct vkr_error error;
	uint64_t head = 0;
	if (size < sizeof head)
		return 0;
	memcpy(&head, data, sizeof head);
	data += sizeof head;
	size -= sizeof head;
	if (vkr_ring_create(&producer, 65536, NULL, NULL, &error) != VKR_OK ||
	    vkr_ring_attach(&consumer, producer.memory, &error) != VKR_OK ||
	    vkr_source_open_ring(&source, &consumer, NULL, &error) != VKR_OK ||
	    vkr_session_create(NULL, &session, &error) != VKR_OK)
		abort();
	memcpy(producer.bytes, data, size < producer.capacity ? size : (size_t)producer.capacity);
	atomic_store(&producer.shared->head, head % 2 ? head : size);
	atomic_store(&producer.shared->ended, 1);
	while (vkr_source_next(source, &event, &error) == VKR_OK && event)
		if (vkr_session_event(session, event, &error) == VKR_ERROR_MEMORY)
			break;
	if (vkr_session_end(session, &error) == VKR_OK && !vkr_session_report(session))
		abort();
	vkr_session_destroy(session);
	vkr_source_close(source);
	vkr_ring_finish(&consumer);
	vkr_ring_finish(&producer);
	return 0;
}
