// SPDX-License-Identifier: Apache-2.0
// For programs that can be rebuilt: tells vkrace which mapped memory host threads access, and what
// orders them. One header, C and C++; nothing to link. Without the layer each call costs a load and
// a branch; with VKRACE_NO_ANNOTATIONS defined it costs nothing.
//
//     vkCreateDevice(physical, &info, NULL, &device);
//     VKRACE_ATTACH(device, vkGetDeviceProcAddr);
//     ...
//     vkrace_write(mapped + offset, bytes);
//     memcpy(mapped + offset, data, bytes);
//
// Pointers are the program's own pointers into memory that vkMapMemory has mapped; parts of a range
// outside mapped memory are ignored. A range may span several mappings. Any thread may call these
// functions at any time; before VKRACE_ATTACH they do nothing. With VKRACE_HOST=annotated these
// calls are the only host accesses that the layer knows.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VKRACE_ANNOTATIONS_VERSION 1u
// The name by which vkGetDeviceProcAddr returns vkrace_get_annotations if the layer is loaded.
#define VKRACE_ANNOTATIONS_NAME "vkraceGetAnnotations"

// The layer's side. Later versions add members at the end.
struct vkrace_annotations {
	uint32_t version;
	uint32_t bytes; // of this structure
	void (*read)(const volatile void *pointer, size_t bytes);
	void (*write)(const volatile void *pointer, size_t bytes);
	void (*happens_before)(const volatile void *address);
	void (*happens_after)(const volatile void *address);
	void (*ignore_begin)(void);
	void (*ignore_end)(void);
	void (*observe)(int on);
};

typedef const struct vkrace_annotations *vkrace_get_annotations(void);

#ifndef VKRACE_NO_ANNOTATIONS

// One for the whole program, whoever includes this.
#if defined(_MSC_VER)
__declspec(selectany) const struct vkrace_annotations *vkrace_attached;
#else
__attribute__((weak)) const struct vkrace_annotations *vkrace_attached;
#endif

static inline void vkrace_attach(void (*found)(void))
{
	vkrace_get_annotations *get = (vkrace_get_annotations *)found;
	const struct vkrace_annotations *annotations = get ? get() : NULL;
	if (annotations && annotations->version == VKRACE_ANNOTATIONS_VERSION)
		vkrace_attached = annotations;
}

// Finds the layer: `get` is the program's pointer to vkGetDeviceProcAddr.
#define VKRACE_ATTACH(device, get)                                                                 \
	vkrace_attach((void (*)(void))(get)((device), VKRACE_ANNOTATIONS_NAME))

// The calling thread reads, or writes, these bytes here.
static inline void vkrace_read(const volatile void *pointer, size_t bytes)
{
	if (vkrace_attached)
		vkrace_attached->read(pointer, bytes);
}

static inline void vkrace_write(const volatile void *pointer, size_t bytes)
{
	if (vkrace_attached)
		vkrace_attached->write(pointer, bytes);
}

// What the thread did before this call happens-before what another thread does after a later call
// of vkrace_happens_after with the same address. It is for synchronization that VKRACE_HOST_SYNC=1
// cannot see, such as atomics. The address is only a name; nothing is read or written there.
static inline void vkrace_happens_before(const volatile void *address)
{
	if (vkrace_attached)
		vkrace_attached->happens_before(address);
}

static inline void vkrace_happens_after(const volatile void *address)
{
	if (vkrace_attached)
		vkrace_attached->happens_after(address);
}

// The thread's accesses between the two calls are ignored. Regions nest.
static inline void vkrace_ignore_begin(void)
{
	if (vkrace_attached)
		vkrace_attached->ignore_begin();
}

static inline void vkrace_ignore_end(void)
{
	if (vkrace_attached)
		vkrace_attached->ignore_end();
}

// What the shaders of later submissions access is observed, or not: commands and host threads are
// in any case. With VKRACE_PAUSED=1 a run begins without.
static inline void vkrace_observe(int on)
{
	if (vkrace_attached && vkrace_attached->bytes >= sizeof *vkrace_attached)
		vkrace_attached->observe(on);
}

#else

#define VKRACE_ATTACH(device, get)     ((void)0)
#define vkrace_read(pointer, bytes)    ((void)(pointer), (void)(bytes))
#define vkrace_write(pointer, bytes)   ((void)(pointer), (void)(bytes))
#define vkrace_happens_before(address) ((void)(address))
#define vkrace_happens_after(address)  ((void)(address))
#define vkrace_ignore_begin()          ((void)0)
#define vkrace_ignore_end()            ((void)0)
#define vkrace_observe(on)             ((void)(on))

#endif
