// SPDX-License-Identifier: Apache-2.0
// Any bytes as a layer settings file. The settings are read once in a process, so that the reader
// of lines is called as it stands in its source.
#include "settings.c" // NOLINT(bugprone-suspicious-include)

#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	const int file = memfd_create("settings", MFD_CLOEXEC);
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	setenv("VK_LAYER_SETTINGS_PATH", path, 1);
	// What is wrong is said of each line: many million times to nobody.
	if (!freopen("/dev/null", "w", stderr))
		abort();
	read_file();
	for (size_t i = 0; i < VKR_SETTING_COUNT; i++)
		forget(i);
	close(file);
	return 0;
}
