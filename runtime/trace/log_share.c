// SPDX-License-Identifier: Apache-2.0
#include "log_share.h"

#include "array.h"
#include "descriptor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

// One descriptor as a packet of one byte.
union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static bool send_descriptor(int socket, int descriptor)
{
	union control control = {.header = {.cmsg_len = CMSG_LEN(sizeof descriptor),
					    .cmsg_level = SOL_SOCKET,
					    .cmsg_type = SCM_RIGHTS}};
	char byte = 0;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof control.bytes};
	memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
	return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

// -1 if none has come. A program that ends before it has read everything from the judge resets the
// connection: the kernel reports that once, and what the program had sent can still be read.
static int receive_descriptor(int socket)
{
	union control control;
	char byte;
	int descriptor = -1;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof control.bytes};
	ssize_t received;
	do {
		received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (received < 0 && (errno == ECONNRESET || errno == EINTR));
	if (received != 1)
		return -1;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
		memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
	return descriptor;
}

bool vkr_log_share_create(struct vkr_log_share *share, uint32_t id, uint64_t bytes, int socket)
{
	const size_t page = page_bytes();
	*share = (struct vkr_log_share){.id = id, .bytes = bytes};
	int memory = vkr_descriptor_of_memory("vkrace-log", MFD_CLOEXEC, bytes + page);
	void *map = MAP_FAILED;
	if (memory >= 0)
		map = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			   memory, 0);
	const bool sent = map != MAP_FAILED && send_descriptor(socket, memory);
	if (memory >= 0)
		close(memory);
	if (!sent) {
		if (map != MAP_FAILED)
			munmap(map, bytes + page);
		return false;
	}
	share->memory = map;
	share->end = (void *)(share->memory + bytes);
	return true;
}

uint64_t vkr_log_share_mapped(const struct vkr_log_share *share)
{
	return share->bytes + page_bytes();
}

bool vkr_log_share_move(struct vkr_log_share *share, void *place)
{
	const size_t bytes = vkr_log_share_mapped(share);
	void *map = mremap(share->memory, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	if (map == MAP_FAILED)
		return false;
	share->memory = map;
	share->end = (void *)(share->memory + share->bytes);
	return true;
}

void vkr_log_share_finish(struct vkr_log_share *share)
{
	munmap(share->memory, vkr_log_share_mapped(share));
	*share = (struct vkr_log_share){0};
}

bool vkr_log_share_is_back(struct vkr_log_share *share)
{
	return atomic_load_explicit(&share->end->returned, memory_order_acquire) ==
	       atomic_load_explicit(&share->lent, memory_order_relaxed);
}

struct vkr_lent_share {
	struct vkr_ring *ring;
	unsigned char *memory; // NULL: could not be mapped, or no longer is
	uint64_t bytes;
	struct vkr_log_share_end *end;
	uint64_t out; // words that are lent
	bool ended;
};

static void log_share_unmap(struct vkr_lent_share *share)
{
	if (share->memory)
		munmap(share->memory, share->bytes + page_bytes());
	share->memory = NULL;
}

static void give_back(const struct vkr_lent_words *lent)
{
	struct vkr_lent_share *share = lent->lender;
	const size_t bytes = vkr_lent_words_of_column(lent) * sizeof *lent->words;
	share->out -= lent->count;
	if (share->ended && share->out == 0)
		log_share_unmap(share); // nobody logs here again
	for (size_t column = 0; share->memory && column < lent->columns; column++)
		memset(lent->words + column * lent->pitch, 0, bytes);
	if (share->memory)
		atomic_fetch_add_explicit(&share->end->returned, lent->count, memory_order_release);
	vkr_ring_return(share->ring, lent->count);
}

void vkr_log_shares_init(struct vkr_log_shares *shares, struct vkr_ring *ring, int socket)
{
	*shares = (struct vkr_log_shares){.ring = ring, .socket = socket};
}

void vkr_log_shares_finish(struct vkr_log_shares *shares)
{
	for (size_t at = 0; at < shares->shares.count; at++) {
		log_share_unmap(shares->shares.items[at]);
		free(shares->shares.items[at]);
	}
	free(shares->shares.items);
	shares->shares.items = NULL;
	shares->shares.count = 0;
}

// Maps the share whose descriptor comes next.
static bool log_share_receive(struct vkr_log_shares *shares)
{
	const size_t page = page_bytes();
	struct stat status;
	const int memory = shares->socket >= 0 ? receive_descriptor(shares->socket) : -1;
	if (memory < 0)
		return false;
	struct vkr_lent_share *share = calloc(1, sizeof *share);
	if (!share || !VKR_ARRAY_RESERVE(&shares->shares, 1)) {
		free(share);
		close(memory);
		return false;
	}
	share->ring = shares->ring;
	shares->shares.items[shares->shares.count++] = share;
	if (fstat(memory, &status) == 0 && status.st_size > (off_t)page) {
		share->bytes = (uint64_t)status.st_size - page;
		void *map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_NORESERVE, memory, 0);
		share->memory = map != MAP_FAILED ? map : NULL;
	}
	if (share->memory)
		share->end = (void *)(share->memory + share->bytes);
	close(memory);
	return true;
}

static struct vkr_lent_share *find_share(struct vkr_log_shares *shares, uint32_t id)
{
	while (id > shares->shares.count)
		if (!log_share_receive(shares))
			return NULL;
	return id > 0 ? shares->shares.items[id - 1] : NULL;
}

// Whether the columns lie in the share, beside one another.
static bool is_within(const struct vkr_lent_share *share, uint64_t first_byte,
		      const struct vkr_lent_words *lent)
{
	const uint64_t of_column = vkr_lent_words_of_column(lent);
	if (first_byte % sizeof(uint32_t) != 0 || first_byte > share->bytes)
		return false;
	const uint64_t room = (share->bytes - first_byte) / sizeof(uint32_t);
	return of_column <= room && lent->pitch >= of_column &&
	       (lent->columns == 1 || lent->pitch <= (room - of_column) / (lent->columns - 1));
}

bool vkr_log_shares_lend(struct vkr_log_shares *shares, const struct vkr_ring_log *event,
			 struct vkr_lent_words *lent)
{
	struct vkr_lent_share *share = find_share(shares, event->share);
	const bool column_log = event->type == VKR_TRACE_GPU_COLUMN_LOG;
	*lent = (struct vkr_lent_words){
		.count = column_log ? event->column_log.word_count : event->log.word_count,
		.columns = column_log ? event->column_log.columns : 1,
		.pitch = column_log ? event->pitch : event->log.word_count,
		.give_back = give_back,
		.lender = share,
	};
	if (!share || !share->memory || share->ended ||
	    !is_within(share, event->first_byte, lent)) {
		vkr_ring_return(shares->ring, lent->count);
		*lent = (struct vkr_lent_words){0};
		return false;
	}
	share->out += lent->count;
	lent->words = (void *)(share->memory + event->first_byte);
	return true;
}

void vkr_log_shares_end(struct vkr_log_shares *shares, uint32_t id)
{
	struct vkr_lent_share *share = find_share(shares, id);
	if (!share)
		return;
	share->ended = true;
	if (share->out == 0)
		log_share_unmap(share);
}
