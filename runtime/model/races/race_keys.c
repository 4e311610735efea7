// SPDX-License-Identifier: Apache-2.0
#include "race_keys.h"

#include "site_table.h"

#include <stdio.h>
#include <string.h>

const char *vkr_race_stack_text(struct vkr_model *model, const struct vkr_access_site *site)
{
	return site->stack != NULL
		       ? vkr_call_stack_text(&model->stacks, &model->texts, site->stack,
					     model->options.place_words, model->options.place_user)
		       : "";
}

// A name that the program gave, else NULL.
static const char *given_name(const char *name, const char *kind, uint32_t id)
{
	char own[32];
	snprintf(own, sizeof own, "%s %u", kind, id);
	return strcmp(name, own) != 0 ? name : NULL;
}

// Objects without names are distinguished by what they are for: programs make new ones of a
// kind all the time.
static const char *object_key(struct vkr_model *model, const struct vkr_access_site *site)
{
	const char *name = NULL;
	if (site->buffer != NULL)
		name = given_name(site->buffer->name, "buffer", site->buffer->id);
	if (name != NULL)
		name = given_name(name, "acceleration structure", site->buffer->id);
	else if (site->image != NULL)
		name = given_name(site->image->name, "image", site->image->id);
	if (name != NULL || site->image == NULL)
		return name != NULL ? name : "";
	return vkr_texts_format(&model->texts, "image format %u usage %u", site->image->format,
				site->image->usage);
}

// A command is what one call in the program records, however often, under the same labels.
static const char *command_key(struct vkr_model *model, const struct vkr_access_site *site)
{
	const struct vkr_command_info *info = site->info;
	const char *object = object_key(model, site);
	if (info->caller == 0 && info->command_buffer[0] != '\0')
		return vkr_texts_format(&model->texts, "command site %p %d %p", (const void *)info,
					site->write, (const void *)site->image);
	return object != NULL
		       ? vkr_texts_format(&model->texts,
					  "command site %llx %s %s %s %d stage %llx access %llx %s",
					  (unsigned long long)info->caller, info->name,
					  info->labels, site->operation, site->write,
					  (unsigned long long)site->stage,
					  (unsigned long long)site->access, object)
		       : NULL;
}

// One line of source does with one variable what several instructions do: the columns of a matrix.
// Where there are no lines, and what is missing stands between two commands, a reader can tell the
// instructions apart as little as the barrier could.
static const char *shader_key(struct vkr_model *model, const struct vkr_access_site *site,
			      bool across)
{
	const struct vkr_site *of = &vkr_site_table_sites(site->shader->sites)[site->site];
	const unsigned long long hash = site->shader->content_hash;
	const char *name = site->shader->name;
	if (of->line == 0 && !across)
		return vkr_texts_format(&model->texts, "shader site %llx %s %u", hash, name,
					site->site);
	return vkr_texts_format(&model->texts, "shader site %llx %s %u:%u variable %u operation %u",
				hash, name, of->file, of->line, of->variable, of->operation);
}

// An object is copied by many instructions of one function. Where neither its name nor a line is
// known, the calls that led there distinguish it from others.
static const char *host_key(struct vkr_model *model, const struct vkr_access_site *site)
{
	const char *stack = vkr_race_stack_text(model, site);
	if (stack == NULL)
		return NULL;
	const char *calls = strchr(stack, '\n'), *offset = strstr(stack, "+0x");
	if (calls == NULL || offset == NULL || offset > calls)
		calls = offset = stack;
	return vkr_texts_format(&model->texts, "host site %s %.*s%s", site->operation,
				(int)(offset - stack), stack, calls);
}

const char *vkr_race_site_key(struct vkr_model *model, const struct vkr_access_site *site,
			      bool across)
{
	switch (site->kind) {
	case VKR_SITE_OF_SHADER:
		return shader_key(model, site, across);
	case VKR_SITE_OF_COMMAND:
		return command_key(model, site);
	case VKR_SITE_OF_HOST:
		break;
	}
	return host_key(model, site);
}
