// SPDX-License-Identifier: Apache-2.0
// Any bytes as a settings file of the layer: each line is taken, or something is said of it.
#include "settings.c" // which reads settings once in the life of a process

#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	const int file = memfd_create("settings", MFD_CLOEXEC);
	if (file < 0 || fchmod(file, 0600) != 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	setenv("VK_LAYER_SETTINGS_PATH", path, 1);
	read_file();
	for (size_t at = 0; at < VKR_SETTING_COUNT; at++)
		settings_forget(at);
	close(file);
	return 0;
}
