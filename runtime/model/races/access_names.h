// SPDX-License-Identifier: Apache-2.0
// What the numbers that the engine knows accesses by stand for: sites, references, commands. Knows
// names and objects; nothing of order.
#pragma once

#include "call_stacks.h"
#include "map.h"
#include "model_objects.h"
#include "pass_objects.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_engine;

// The kinds of accesses that one command makes itself.
enum vkr_command_site {
	VKR_COMMAND_READ,
	VKR_COMMAND_WRITE,
	VKR_COMMAND_ARGUMENTS, // of an indirect one
	VKR_COMMAND_COUNT,     // how many draws there are
	VKR_COMMAND_INDICES,
	VKR_COMMAND_VERTICES,
	VKR_COMMAND_TRANSITION, // of an image's layout
	VKR_COMMAND_LOAD,       // of an attachment: the read
	VKR_COMMAND_CLEAR,      // and the write
	VKR_COMMAND_CLEAR_LATE, // the same by late fragment tests
	VKR_COMMAND_RESOLVE_SOURCE,
	VKR_COMMAND_RESOLVE,
	VKR_COMMAND_STORE,
	VKR_COMMAND_TRANSFORMS, // of geometries
	VKR_COMMAND_BOXES,
	VKR_COMMAND_INSTANCES,
	VKR_COMMAND_SCRATCH,
	VKR_COMMAND_BOTTOM,      // bottom-level structures that instances refer to
	VKR_COMMAND_TABLE,       // shader binding tables
	VKR_COMMAND_DESCRIPTORS, // in a descriptor buffer
	VKR_COMMAND_MAY_READ,    // or not
	VKR_COMMAND_MAY_WRITE,
	VKR_COMMAND_RECONSTRUCTED_PICTURE,
	VKR_COMMAND_SITES,
};

// A command as a report names it: equal for equal commands of equal recordings, so that a program
// which records every frame anew does not grow this.
struct vkr_command_info {
	uint32_t index; // in the recording, from 0
	const char *name, *labels, *command_buffer;
	uint64_t caller;                     // where the program called it; 0 not known
	const struct vkr_pipeline *pipeline; // of dispatches
	const void *source, *destination;    // buffers or images: what distinguishes it from others
	bool indirect;                       // the groups are not known
	uint32_t groups[3], base[3];
	// Engine sites of its own accesses, 0 until made, and the objects that they access: more of
	// them are in `command_sites`.
	uint32_t sites[VKR_COMMAND_SITES];
	const void *site_objects[VKR_COMMAND_SITES];
};

// A command that was executed: the engine's command tags are indices of these.
struct vkr_executed {
	const struct vkr_command_info *info; // NULL: a host command
	const char *thread;                  // of a host command
	uint32_t queue, command_buffer;      // ids
	uint32_t recording;                  // that holds it, 0: none
	uint32_t submission;
	uint64_t subpass; // another number for each subpass that was begun
	// Of the render pass instance that it is in: the command that began it, NULL: in none; the
	// instance's number; the pass, NULL: dynamic rendering; the index of the subpass.
	const struct vkr_command_info *pass_begin;
	uint64_t pass_instance;
	const struct vkr_render_pass *render_pass;
	uint32_t subpass_index;
	// Of a subpass dependency, or a layout transition by some: the subpasses that it is between
	// (VK_SUBPASS_EXTERNAL), and 1 + the index of the dependency, 0: not one of the program's.
	bool between_subpasses;
	uint32_t source_subpass, destination_subpass, dependency;
	// Of a dependency: the masks of its barriers together, as the program wrote them.
	struct vkr_change_masks masks;
	uint32_t barriers;    // without those of execution only
	bool set_elsewhere;   // a wait for an event that another recording, or the host, has set
	bool implicit;        // a subpass dependency that the program did not write
	bool by_fragment;     // dependencies by region do not distinguish samples in its subpass
	bool links_forgotten; // what its atomics said for others (command_links.h)
	bool kept;            // while those that nobody holds are looked for
};

enum vkr_site_kind {
	VKR_SITE_OF_SHADER = 1,
	VKR_SITE_OF_COMMAND,
	VKR_SITE_OF_HOST,
};

// Which layers of an image are layers of the framebuffer, or views, from the first one on.
struct vkr_site_layers {
	enum {
		VKR_LAYERS_NOT, // it is no attachment
		VKR_LAYERS_OF_FRAMEBUFFER,
		VKR_LAYERS_OF_VIEWS,
	} told;
	uint32_t first; // of a 3D image: slice
};

// The engine's site tags are indices of these.
struct vkr_access_site {
	enum vkr_site_kind kind;
	const struct vkr_shader *shader;
	uint32_t site;                       // index in the shader's table
	const struct vkr_command_info *info; // of a command
	const char *operation;               // of a command or the host: "copy source"
	const struct vkr_buffer *buffer;     // that a command accesses
	const struct vkr_image *image;       // that a command accesses
	const struct vkr_call_stack *stack;  // of the host
	bool read, write;
	bool possible;     // it may or may not be made
	const char *doubt; // why that is not known, and what would make it sure; NULL: not said
	bool any_time;     // at any time while its pass runs
	bool store;        // by a store operation
	bool unshaded;     // by tests that the shading of their fragments is after
	struct vkr_site_layers layers;
	bool binding;           // of memory to the object, to whose uses alone it is something
	uint64_t stage, access; // one bit each, 0 for the host
};

// The engine's reference numbers are 1 + indices of these.
struct vkr_reference {
	const struct vkr_buffer *buffer; // or
	const struct vkr_image_view *view;
	bool address;   // a device address: the last three are 0
	bool heap;      // in the resource heap: `element` is the byte, `set` and `binding` are 0
	bool structure; // the buffer is an acceleration structure's locations
	uint32_t set, binding, element;
};

struct vkr_access_names {
	struct vkr_texts *texts; // borrowed
	struct vkr_arena arena;
	struct {
		struct vkr_access_site *items;
		size_t count, capacity;
	} sites;
	struct {
		struct vkr_reference *items;
		size_t count, capacity;
	} references;
	struct {
		struct vkr_executed *items;
		size_t count, capacity;
	} executed;
	struct {
		uint64_t *items;
		size_t count, capacity;
	} spare;                         // tags that nobody holds, for new ones
	size_t collect_at;               // executed
	struct vkr_map reference_places; // kept key text -> 1 + index
	struct vkr_map infos;            // kept key text -> info
	struct vkr_map host_sites;       // kept key text -> 1 + engine site
	struct vkr_map command_sites;    // kept key text -> uint32_t: engine site
	bool lost; // a reference got no number: what is judged with 0 in its place is not to be
		   // told
};

void vkr_access_names_init(struct vkr_access_names *names, struct vkr_texts *texts);
void vkr_access_names_finish(struct vkr_access_names *names);

// The kept info equal to this one, whose sites are 0; NULL for lack of memory.
struct vkr_command_info *vkr_access_names_info(struct vkr_access_names *names,
					       const struct vkr_command_info *info);

// Where the engine site of a command's accesses of one kind to one part of an object, mostly 0, is
// kept: 0 until made.
// NULL for lack of memory.
uint32_t *vkr_access_names_command_site(struct vkr_access_names *names,
					struct vkr_command_info *info, enum vkr_command_site site,
					const void *object, uint32_t part);

// The number of a reference, 0 for lack of memory.
uint32_t vkr_access_names_reference(struct vkr_access_names *names,
				    const struct vkr_reference *reference);

// A new tag in *tag. False for lack of memory.
bool vkr_access_names_site(struct vkr_access_names *names, const struct vkr_access_site *site,
			   uint64_t *tag);
bool vkr_access_names_executed(struct vkr_access_names *names, const struct vkr_executed *executed,
			       uint64_t *tag);

// Where there are many tags, those that the engine does not hold any more become new ones. Between
// commands.
void vkr_access_names_collect(struct vkr_access_names *names, const struct vkr_engine *engine);
