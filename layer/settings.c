// SPDX-License-Identifier: Apache-2.0
// Reading settings from the environment and the layer settings file. Knows what values each
// accepts; not what they do.
#include "settings.h"

#include "layer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX          "vkrace."
#define LONG_PREFIX     "vkrace_race." // as Vulkan Configurator makes it of the layer's name
#define VARIABLE_PREFIX "VKRACE_"
#define FILE_NAME       "vk_layer_settings.txt"

struct setting {
	const char *name;
	enum { TEXT, FLAG, NUMBER } kind;
	bool from_file;
	uint64_t least, most; // of a number
};

static const struct setting settings[] = {
#define TEXT(name, from_file)     {#name, TEXT, from_file, 0, 0},
#define FLAG(name)                {#name, FLAG, true, 0, 0},
#define NUMBER(name, least, most) {#name, NUMBER, true, least, most},
#include "settings.def"
#undef TEXT
#undef FLAG
#undef NUMBER
};

// Names in the environment that are no settings: what `vkrace run` hands on, and the project's
// tests.
static const char *const others[] = {"RUN", "TEST_"};

// The values found, checked, or NULL. Read once.
static struct {
	char *texts[VKR_SETTING_COUNT];
	bool flags[VKR_SETTING_COUNT];
	uint64_t numbers[VKR_SETTING_COUNT];
} found;

static const struct setting *find_setting(const char *name)
{
	for (size_t i = 0; i < VKR_SETTING_COUNT; i++) {
		if (strcasecmp(settings[i].name, name) == 0)
			return &settings[i];
	}
	return NULL;
}

// Letters to insert, leave out or change that make one name of the other.
static size_t name_distance(const char *first, const char *second)
{
	size_t row[64];
	const size_t length = strlen(second);
	if (length >= sizeof row / sizeof *row)
		return SIZE_MAX;
	for (size_t i = 0; i <= length; i++)
		row[i] = i;
	for (size_t at = 0; first[at]; at++) {
		size_t before = row[0];
		row[0] = at + 1;
		for (size_t i = 1; i <= length; i++) {
			const size_t changed = before + (toupper((unsigned char)first[at]) !=
							 toupper((unsigned char)second[i - 1]));
			const size_t longer = (row[i] < row[i - 1] ? row[i] : row[i - 1]) + 1;
			before = row[i];
			row[i] = changed < longer ? changed : longer;
		}
	}
	return row[length];
}

// `where`: "VKRACE_" or the file's name and "vkrace.".
static void say_unknown(const char *where, const char *name)
{
	const char *nearest = NULL;
	size_t least = 4;
	for (size_t i = 0; i < VKR_SETTING_COUNT; i++) {
		const size_t far = name_distance(name, settings[i].name);
		if (far < least) {
			least = far;
			nearest = settings[i].name;
		}
	}
	fprintf(stderr, "vkrace: %s%s is no setting", where, name);
	if (nearest)
		fprintf(stderr, " (" VARIABLE_PREFIX "%s?)", nearest);
	fputc('\n', stderr);
}

static bool read_flag(const char *text, bool *flag)
{
	static const char *const words[][2] = {
		{"0", "1"}, {"off", "on"}, {"false", "true"}, {"no", "yes"}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		for (int value = 0; value < 2; value++) {
			if (strcasecmp(text, words[i][value]) == 0) {
				*flag = value;
				return true;
			}
		}
	}
	return false;
}

static bool read_number(const struct setting *setting, const char *text, uint64_t *number)
{
	char *end;
	errno = 0;
	*number = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno && *number >= setting->least &&
	       *number <= setting->most;
}

static void settings_forget(size_t index)
{
	free(found.texts[index]);
	found.texts[index] = NULL;
}

// Takes a valid value; otherwise reports what is wrong with it, and the default stays.
static void settings_take(const struct setting *setting, const char *where, const char *text)
{
	const size_t index = (size_t)(setting - settings);
	switch (setting->kind) {
	case TEXT:
		break;
	case FLAG:
		if (read_flag(text, &found.flags[index]))
			break;
		fprintf(stderr, "vkrace: %s%s=%s is neither 0 nor 1: the default is used\n", where,
			setting->name, text);
		return;
	case NUMBER:
		if (read_number(setting, text, &found.numbers[index]))
			break;
		fprintf(stderr,
			"vkrace: %s%s=%s is no number from %" PRIu64 " to %" PRIu64
			": the default is used\n",
			where, setting->name, text, setting->least, setting->most);
		return;
	}
	settings_forget(index);
	found.texts[index] = strdup(text);
}

// ---- The settings file --------------------------------------------------------------------------

static char *settings_trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

// A file that others can write holds no settings of the user's.
static bool is_ours(int descriptor, const char *path)
{
	struct stat status;
	if (fstat(descriptor, &status) != 0)
		return false;
	if (!S_ISREG(status.st_mode)) {
		// Nothing to say of the folder that VK_LAYER_SETTINGS_PATH may name.
		if (!S_ISDIR(status.st_mode))
			fprintf(stderr, "vkrace: %s is no file: its settings are not read\n", path);
		return false;
	}
	const bool owned = status.st_uid == geteuid() || status.st_uid == 0;
	if (owned && !(status.st_mode & S_IWOTH))
		return true;
	fprintf(stderr, "vkrace: %s %s: its settings are not read\n", path,
		owned ? "can be written by anyone" : "is another user's");
	return false;
}

static FILE *open_settings(const char *path)
{
	// Without waiting, should it be a pipe.
	const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (descriptor < 0)
		return NULL;
	FILE *stream = is_ours(descriptor, path) ? fdopen(descriptor, "r") : NULL;
	if (!stream)
		close(descriptor);
	return stream;
}

static FILE *find_file(char **path)
{
	// The path names the file or the folder it is in, as for the Khronos layers.
	const char *given = secure_getenv("VK_LAYER_SETTINGS_PATH");
	FILE *stream = NULL;
	*path = NULL;
	if (!given || !*given) {
		*path = strdup(FILE_NAME);
		return *path ? open_settings(*path) : NULL;
	}
	if (asprintf(path, "%s/" FILE_NAME, given) < 0)
		*path = NULL;
	if (*path)
		stream = open_settings(*path);
	if (stream)
		return stream;
	free(*path);
	*path = strdup(given);
	return *path ? open_settings(*path) : NULL;
}

static void take_line(const char *path, char *line)
{
	char where[PATH_MAX + 32];
	char *name = settings_trim(line), *equals = strchr(name, '=');
	const size_t prefix = strncmp(name, PREFIX, strlen(PREFIX)) == 0 ? strlen(PREFIX)
			      : strncmp(name, LONG_PREFIX, strlen(LONG_PREFIX)) == 0
				      ? strlen(LONG_PREFIX)
				      : 0;
	if (*name == '#' || !equals || !prefix)
		return;
	*equals = '\0';
	const char *value = settings_trim(equals + 1);
	name = settings_trim(name + prefix);
	snprintf(where, sizeof where, "%s: " PREFIX, path);
	const struct setting *setting = find_setting(name);
	if (!setting)
		say_unknown(where, name);
	else if (!setting->from_file)
		fprintf(stderr,
			"vkrace: %s%s is taken from the environment only: a settings file "
			"chooses no programs\n",
			where, name);
	else if (*value)
		settings_take(setting, where, value);
}

static void read_file(void)
{
	char *path, *line = NULL;
	size_t capacity = 0;
	FILE *stream = find_file(&path);
	while (stream && getline(&line, &capacity, stream) >= 0)
		take_line(path, line);
	free(line);
	free(path);
	if (stream)
		fclose(stream);
}

// ---- The environment ----------------------------------------------------------------------------

static bool is_other(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const size_t wanted = strlen(others[i]);
		const bool prefix = others[i][wanted - 1] == '_';
		if ((prefix ? length > wanted : length == wanted) &&
		    strncmp(name, others[i], wanted) == 0)
			return true;
	}
	return false;
}

static void check_environment(void)
{
	for (char **entry = environ; entry && *entry; entry++) {
		char name[64];
		const size_t length = strcspn(*entry, "=");
		const size_t prefix = strlen(VARIABLE_PREFIX);
		if (strncmp(*entry, VARIABLE_PREFIX, prefix) != 0 || length <= prefix ||
		    length - prefix >= sizeof name || is_other(*entry + prefix, length - prefix))
			continue;
		snprintf(name, sizeof name, "%.*s", (int)(length - prefix), *entry + prefix);
		const struct setting *setting = find_setting(name);
		if (!setting || strcmp(setting->name, name) != 0)
			say_unknown(VARIABLE_PREFIX, name);
	}
}

static void read_all(void)
{
	read_file();
	for (size_t i = 0; i < VKR_SETTING_COUNT; i++) {
		char variable[64];
		snprintf(variable, sizeof variable, VARIABLE_PREFIX "%s", settings[i].name);
		const char *text = secure_getenv(variable);
		if (!text)
			continue;
		// An empty variable in the environment means that the setting is not set, whatever
		// a file says.
		if (*text)
			settings_take(&settings[i], VARIABLE_PREFIX, text);
		else
			settings_forget(i);
	}
	if (!getauxval(AT_SECURE))
		check_environment();
}

static void read_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_all);
}

// ---- The application ----------------------------------------------------------------------------

// VK_EXT_layer_settings, which the oldest headers that are supported lack.
#ifndef VK_EXT_layer_settings
#define VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT ((VkStructureType)1000496000)
typedef enum VkLayerSettingTypeEXT {
	VK_LAYER_SETTING_TYPE_BOOL32_EXT,
	VK_LAYER_SETTING_TYPE_INT32_EXT,
	VK_LAYER_SETTING_TYPE_INT64_EXT,
	VK_LAYER_SETTING_TYPE_UINT32_EXT,
	VK_LAYER_SETTING_TYPE_UINT64_EXT,
	VK_LAYER_SETTING_TYPE_FLOAT32_EXT,
	VK_LAYER_SETTING_TYPE_FLOAT64_EXT,
	VK_LAYER_SETTING_TYPE_STRING_EXT,
} VkLayerSettingTypeEXT;

typedef struct VkLayerSettingEXT {
	const char *pLayerName;
	const char *pSettingName;
	VkLayerSettingTypeEXT type;
	uint32_t valueCount;
	const void *pValues;
} VkLayerSettingEXT;

typedef struct VkLayerSettingsCreateInfoEXT {
	VkStructureType sType;
	const void *pNext;
	uint32_t settingCount;
	const VkLayerSettingEXT *pSettings;
} VkLayerSettingsCreateInfoEXT;
#endif

static void put_value(FILE *out, const VkLayerSettingEXT *given, uint32_t index)
{
	const void *values = given->pValues;
	switch (given->type) {
	case VK_LAYER_SETTING_TYPE_BOOL32_EXT:
		fputs(((const VkBool32 *)values)[index] ? "1" : "0", out);
		break;
	case VK_LAYER_SETTING_TYPE_INT32_EXT:
		fprintf(out, "%" PRId32, ((const int32_t *)values)[index]);
		break;
	case VK_LAYER_SETTING_TYPE_INT64_EXT:
		fprintf(out, "%" PRId64, ((const int64_t *)values)[index]);
		break;
	case VK_LAYER_SETTING_TYPE_UINT32_EXT:
		fprintf(out, "%" PRIu32, ((const uint32_t *)values)[index]);
		break;
	case VK_LAYER_SETTING_TYPE_UINT64_EXT:
		fprintf(out, "%" PRIu64, ((const uint64_t *)values)[index]);
		break;
	case VK_LAYER_SETTING_TYPE_FLOAT32_EXT:
		fprintf(out, "%g", (double)((const float *)values)[index]);
		break;
	case VK_LAYER_SETTING_TYPE_FLOAT64_EXT:
		fprintf(out, "%g", ((const double *)values)[index]);
		break;
	case VK_LAYER_SETTING_TYPE_STRING_EXT:
		fputs(((const char *const *)values)[index], out);
		break;
	default:
		break;
	}
}

// The values as a settings file has them, separated by commas; to be released with free().
static char *values_text(const VkLayerSettingEXT *given)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	for (uint32_t i = 0; out && i < given->valueCount; i++) {
		fputs(i ? "," : "", out);
		put_value(out, given, i);
	}
	if (out && fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static void take_given(const VkLayerSettingEXT *given)
{
	static const char where[] = "vkCreateInstance: " PREFIX;
	const size_t length = strlen(PREFIX);
	const char *name = given->pSettingName;
	if (strncasecmp(name, PREFIX, length) == 0)
		name += length;
	const struct setting *setting = find_setting(name);
	if (!setting) {
		say_unknown(where, name);
		return;
	}
	if (found.texts[setting - settings] || !setting->from_file)
		return;
	char *text = values_text(given);
	if (text && *text)
		settings_take(setting, where, text);
	free(text);
}

void vkr_settings_of_application(const VkInstanceCreateInfo *info)
{
	static atomic_flag later = ATOMIC_FLAG_INIT;
	if (atomic_flag_test_and_set(&later))
		return;
	read_once();
	for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext) {
		const VkLayerSettingsCreateInfoEXT *all = (const void *)at;
		if (at->sType != VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT)
			continue;
		for (uint32_t i = 0; i < all->settingCount; i++) {
			if (strcmp(all->pSettings[i].pLayerName, VKR_LAYER_NAME) == 0)
				take_given(&all->pSettings[i]);
		}
	}
}

const char *vkr_setting_text(enum vkr_setting setting)
{
	read_once();
	return found.texts[setting];
}

uint64_t vkr_setting_number(enum vkr_setting setting, uint64_t otherwise)
{
	read_once();
	return found.texts[setting] ? found.numbers[setting] : otherwise;
}

bool vkr_setting_flag(enum vkr_setting setting, bool otherwise)
{
	read_once();
	if (!found.texts[setting])
		return otherwise;
	if (settings[setting].kind == FLAG)
		return found.flags[setting];
	bool flag = true; // a text that is none of the words is a choice, and so no "off"
	read_flag(found.texts[setting], &flag);
	return flag;
}

void vkr_setting_wrong(atomic_flag *told, enum vkr_setting setting, const char *what)
{
	const char *text = vkr_setting_text(setting);
	if (!atomic_flag_test_and_set(told))
		fprintf(stderr, "vkrace: " VARIABLE_PREFIX "%s=%s: %s\n", settings[setting].name,
			text ? text : "", what);
}
