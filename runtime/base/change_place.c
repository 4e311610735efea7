// SPDX-License-Identifier: Apache-2.0
#include "change_place.h"

#include <string.h>

bool vkr_change_labels_match(const char *text, size_t length, const char *other)
{
	const char digits[] = "0123456789";
	for (size_t at = 0; at < length || *other;) {
		const size_t number = at < length ? strspn(text + at, digits) : 0;
		const size_t wanted = strspn(other, digits);
		if (!number != !wanted || (!number && (at == length || text[at] != *other)))
			return false;
		at += number ? number < length - at ? number : length - at : 1;
		other += wanted ? wanted : 1;
	}
	return true;
}

bool vkr_change_has_signal(enum vkr_change_kind kind)
{
	return kind == VKR_CHANGE_SEMAPHORE || kind == VKR_CHANGE_HOST_WAIT;
}

bool vkr_change_is_there(const struct vkr_change *change, const struct vkr_change *other)
{
	return change->kind == other->kind && vkr_change_is_place(&change->place, &other->place) &&
	       vkr_change_is_place(&change->from, &other->from) &&
	       change->subpasses.source == other->subpasses.source &&
	       change->subpasses.destination == other->subpasses.destination;
}

bool vkr_change_is_place(const struct vkr_change_place *place, const struct vkr_change_place *other)
{
	if (*place->call || *other->call)
		return strcmp(place->call, other->call) == 0 &&
		       vkr_change_labels_match(place->labels, strlen(place->labels), other->labels);
	return place->command == other->command &&
	       strcmp(place->command_buffer, other->command_buffer) == 0;
}
