// SPDX-License-Identifier: Apache-2.0
#include "layer_environment.h"

#include "array.h"
#include "error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAYER    "VK_LAYER_VKRACE_race"
#define MANIFEST "VkLayer_vkrace.json"

struct text {
	char *items; // NUL-terminated unless empty
	size_t count, capacity;
};

// Appends `text`, with a colon in front where something stands there already.
static bool append_text(struct text *list, const char *text)
{
	size_t length = strlen(text);
	if (!VKR_ARRAY_RESERVE(list, length + 2))
		return false;
	if (list->count)
		list->items[list->count++] = ':';
	memcpy(list->items + list->count, text, length + 1);
	list->count += length;
	return true;
}

// Appends "FOLDER/vulkan/explicit_layer.d" for each folder of a list separated by colons.
static bool append_layer_folders(struct text *list, const char *folders, const char *below)
{
	while (*folders) {
		size_t length = strcspn(folders, ":");
		char *folder = NULL;
		if (length && asprintf(&folder, "%.*s%s/vulkan/explicit_layer.d", (int)length,
				       folders, below) < 0)
			return false;
		bool appended = !folder || append_text(list, folder);
		free(folder);
		if (!appended)
			return false;
		folders += length + (folders[length] == ':');
	}
	return true;
}

static const char *value_or(const char *variable, const char *otherwise)
{
	const char *value = getenv(variable);
	return value && *value ? value : otherwise;
}

// The loader's own search path (LoaderLayerInterface.md, "Linux Explicit Layer Search"): setting
// VK_LAYER_PATH replaces it.
static bool append_system_folders(struct text *list)
{
	const char *home = value_or("HOME", "");
	const char *added = getenv("VK_ADD_LAYER_PATH");
	const char *config = getenv("XDG_CONFIG_HOME"), *data = getenv("XDG_DATA_HOME");
	return (!added || !*added || append_text(list, added)) &&
	       append_layer_folders(list, config && *config ? config : home,
				    config && *config ? "" : "/.config") &&
	       append_layer_folders(list, value_or("XDG_CONFIG_DIRS", "/etc/xdg"), "") &&
	       append_layer_folders(list, "/usr/local/etc:/etc", "") &&
	       append_layer_folders(list, data && *data ? data : home,
				    data && *data ? "" : "/.local/share") &&
	       append_layer_folders(list, value_or("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
				    "");
}

// The folder of the manifest, from where the executable lies: a build tree, or an installation.
static char *find_manifest_folder(const char *executable, struct vkr_error *error)
{
	static const char *const places[] = {"../lib", "../share/vulkan/explicit_layer.d",
					     "../etc/vulkan/explicit_layer.d"};
	int folder_length = (int)(strrchr(executable, '/') - executable);
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		char *manifest = NULL;
		if (asprintf(&manifest, "%.*s/%s/" MANIFEST, folder_length, executable, places[i]) <
		    0) {
			vkr_error_memory(error, "a path");
			return NULL;
		}
		if (access(manifest, R_OK) == 0) {
			*strrchr(manifest, '/') = 0;
			return manifest;
		}
		free(manifest);
	}
	vkr_error_set(error, VKR_ERROR_IO,
		      "the layer's manifest " MANIFEST
		      " is neither in ../lib nor in ../share/vulkan/explicit_layer.d of %.*s",
		      folder_length, executable);
	return NULL;
}

static enum vkr_result set_variables(const char *executable, const char *folder,
				     struct vkr_error *error)
{
	struct text path = {0}, layers = {0};
	const char *old_path = getenv("VK_LAYER_PATH"), *old_layers = getenv("VK_INSTANCE_LAYERS");
	bool done = append_text(&path, folder) &&
		    (old_path && *old_path ? append_text(&path, old_path)
					   : append_system_folders(&path)) &&
		    (!old_layers || !*old_layers || append_text(&layers, old_layers));
	if (done && (!old_layers || !strstr(old_layers, LAYER)))
		done = append_text(&layers, LAYER);
	done = done && setenv("VK_LAYER_PATH", path.items, 1) == 0 &&
	       setenv("VK_INSTANCE_LAYERS", layers.items, 1) == 0 &&
	       setenv("VKRACE_COMMAND", executable, 1) == 0;
	free(path.items);
	free(layers.items);
	return done ? VKR_OK : vkr_error_memory(error, "the environment");
}

enum vkr_result vkr_layer_environment_set(struct vkr_error *error)
{
	char *executable = realpath("/proc/self/exe", NULL);
	if (!executable)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot find this executable: %s",
				     strerror(errno));
	char *folder = find_manifest_folder(executable, error);
	enum vkr_result result = folder ? set_variables(executable, folder, error) : VKR_ERROR_IO;
	free(folder);
	free(executable);
	return result;
}
