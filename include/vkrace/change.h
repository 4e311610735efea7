// SPDX-License-Identifier: Apache-2.0
// A change to a program's synchronization, as data: what a report proposes for a race, what a user
// writes down, and what a trace is edited by before it is judged again. Knows masks and places; not
// what they order.
#pragma once

#include <stdint.h>

// X(NAME, "name")
#define VKR_CHANGE_KINDS(X)                                                                        \
	X(BARRIER_BEFORE, "barrier before") /* a new vkCmdPipelineBarrier before the command */    \
	X(BARRIER_AFTER, "barrier after")   /* after it */                                         \
	X(BARRIER_INSIDE, "barrier inside") /* before it, within its render pass */                \
	X(MASKS, "masks")                   /* more bits in those of the command: a barrier */     \
	X(REMOVE, "remove") /* the command, a barrier, but for its transitions and transfers */    \
	X(NARROW, "narrow") /* its masks, a barrier's, are limited to these bits */                \
	X(REMOVE_DEPENDENCY, "remove dependency") /* of the render pass that it begins */          \
	X(REMOVE_SEMAPHORE, "remove semaphore")   /* that its submission waits for */              \
	X(DEPENDENCY, "subpass dependency")       /* of the render pass that the command begins */ \
	X(SPLIT, "split pass")     /* its render pass ends before the command, and begins again */ \
	X(WAIT, "wait stages")     /* where the command's submission waits for semaphores */       \
	X(SIGNAL, "signal stages") /* after which its submission signals semaphores */             \
	X(SEMAPHORE, "semaphore")  /* its submission waits for that of the command `from` */       \
	X(HOST_WAIT, "host wait")  /* the host waits for that submission before its access */      \
	X(FLUSH, "flush")          /* the host flushes what it has written */                      \
	X(INVALIDATE, "invalidate")         /* the host invalidates what it is about to access */  \
	X(SHADER_BARRIER, "shader barrier") /* a control barrier before the instruction */         \
	X(SHADER_BARRIER_AFTER, "shader barrier after") /* after it */                             \
	X(SHADER_ORDER, "shader order") /* scope and semantics of its atomics and barriers */      \
	X(SHADER_COHERENT, "shader coherent") /* the declaration of what it accesses */            \
	X(SHADER_ATOMIC, "shader atomic")     /* the access, of a scope */

enum vkr_change_kind {
#define VKR_CHANGE_KIND(name, text) VKR_CHANGE_##name,
	VKR_CHANGE_KINDS(VKR_CHANGE_KIND)
#undef VKR_CHANGE_KIND
};

// Of changes of shaders, an instruction is meant: `call` is the XXH3 of the original SPIR-V and the
// instruction's offset in words, "5ce60794af2f9fa0+797"; what has the same line of source is meant,
// too. Of changes of the host, what accesses memory is meant: every access at one call stack, whose
// first calls, innermost first, are `call`: "libc.so.6+0x1a0, nbody+0x1f20". Otherwise a command is
// meant: every one that the program records at one call under the same labels, whatever numbers
// these hold ("frame 12"). Where calls are not known, it is meant by its number in command buffers
// of one name.
struct vkr_change_place {
	// Module and offset, "nbody+0x1f20"; "": not known. Of what the host does: and those of the
	// calls around it, after ", "; of a flush: of each instruction that writes.
	const char *call;
	const char *labels;         // debug labels around it, outermost first, joined with " / "
	const char *command_buffer; // its name
	uint32_t command;           // from 1
	const char *name;           // "vkCmdDispatch", for people
	const char *recorded;       // a line a call, innermost first, for people
};

// Stands between the calls of several instructions.
#define VKR_CHANGE_OTHER_CALL "; "

#define VKR_CHANGE_NOWHERE                                                                         \
	{                                                                                          \
		.call = "", .labels = "", .command_buffer = "", .name = "", .recorded = ""         \
	}

// VkPipelineStageFlags2, VkAccessFlags2.
struct vkr_change_masks {
	uint64_t source_stages, source_access, destination_stages, destination_access;
};

// VK_SUBPASS_EXTERNAL; this header knows no Vulkan.
#define VKR_CHANGE_EXTERNAL UINT32_MAX

// The subpasses that a dependency is between; of BARRIER_INSIDE both the same.
struct vkr_change_subpasses {
	uint32_t source, destination;
	uint32_t flags;      // VkDependencyFlags: of BARRIER_INSIDE; that a DEPENDENCY loses
	uint32_t dependency; // 1 + the index of the one that is made wider, for people
};

// Of changes of shaders.
struct vkr_change_shader {
	// SPIR-V's Scope: of a barrier's memory, of an atomic; of SHADER_ORDER where it is wider.
	uint32_t scope;
	uint32_t semantics; // SPIR-V's Memory Semantics; those that SHADER_ORDER adds
	// Of barriers: 1: what the instructions at `place` and `from` access is declared as by
	// SHADER_COHERENT.
	uint32_t coherent;
};

// All texts are borrowed and never NULL. A barrier is a VkMemoryBarrier2 with these masks;
// BARRIER_BEFORE and BARRIER_AFTER stand before the render pass begins or after it ends where their
// place is within one. BARRIER_INSIDE also gives the subpass the dependency on itself that permits
// it. A DEPENDENCY is made wider where the pass has one between these subpasses, else it is new.
// SPLIT stores all attachments where the pass ends, and loads them where it begins again. Barriers
// of shaders are for the workgroup. What SHADER_COHERENT accesses is declared `coherent`, or, under
// Vulkan's memory model, non-private.
struct vkr_change {
	enum vkr_change_kind kind;
	struct vkr_change_place place;
	// Of BARRIER_INSIDE and SPLIT: the command that begins the render pass; of SEMAPHORE: the
	// one whose submission signals it, of REMOVE_SEMAPHORE, too; of HOST_WAIT: the one whose
	// submission is waited for, after which a barrier with the masks stands, if they are not
	// empty; of shaders the instruction of the other access.
	struct vkr_change_place from;
	struct vkr_change_subpasses subpasses; // of both DEPENDENCY kinds and BARRIER_INSIDE
	struct vkr_change_shader shader;
	struct vkr_change_masks masks;
	struct vkr_change_masks legacy; // the narrowest that a program of Vulkan 1.0 can write
};
