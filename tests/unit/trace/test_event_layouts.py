#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What event_layouts.py makes of headers, and which headers it refuses: test_event_layouts.py FOLDER."""
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))
import event_layouts  # noqa: E402

HEADER = """
#define VKR_TRACE_EVENTS(X)                                                                        \\
	X(CMD_COUNT, 7, vkr_trace_cmd_count, 48)

enum vkr_trace_count_kind {
	VKR_COUNT_UP =
		1, // counts up
	VKR_COUNT_DOWN_NV,
	VKR_COUNT_TWICE, // "two at a time": both
	VKR_COUNT_KINDS,
};

// A pair.
struct vkr_trace_pair {
	uint32_t first, second[2];
};

// Counts. Tail: pair_count x
// struct vkr_trace_pair, then name_bytes bytes of text "title". Device: images; reads kind at pair.first,
// 12 bytes; transfers to pair.first at address, least bytes unless kind is VKR_COUNT_UP; runs compute
// if kind has VKR_COUNT_TWICE; nothing.
struct vkr_trace_cmd_count {
	uint32_t command;
	uint32_t kind; // what is done:
		       // enum vkr_trace_count_kind
	// VkPipelineStageFlags2
	uint64_t stages;
	uint64_t address;
	uint32_t least, // UINT32_MAX: none
		 pair_count, name_bytes;
	struct vkr_trace_pair pair;
	float factor;
	uint32_t reserved;
};
"""


class EventLayoutsTest(unittest.TestCase):
    def test_members(self):
        made = event_layouts.layouts([("trace.h", HEADER)])
        for line in (
                '{VKR_COUNT_UP, "up"},', '{VKR_COUNT_DOWN_NV, "down NV"},',
                '{VKR_COUNT_TWICE, "two at a time"},',
                '{"command", offsetof(struct vkr_trace_cmd_count, command), 4, 1, '
                'VKR_EVENT_FIELD_NUMBER, NULL},',
                '4, 1, VKR_EVENT_FIELD_NAMED, count_kind_names},',
                'stages), 8, 1, VKR_EVENT_FIELD_FLAGS, NULL},',
                'address), 8, 1, VKR_EVENT_FIELD_HEX, NULL},',
                'least), 4, 1, VKR_EVENT_FIELD_OPTIONAL, NULL},',
                'name_bytes), 4, 1, VKR_EVENT_FIELD_COUNT, NULL},',
                '{"pair.second", offsetof(struct vkr_trace_cmd_count, pair.second), 4, 2,',
                'factor), 4, 1, VKR_EVENT_FIELD_REAL, NULL},',
                'reserved), 4, 1, VKR_EVENT_FIELD_RESERVED, NULL},',
                '"CMD_COUNT", {cmd_count_fields,',
                '{VKR_TAIL_ITEMS, "pair", offsetof(struct vkr_trace_cmd_count, pair_count), '
                '&pair_item},',
                '{VKR_TAIL_TEXT, "title", offsetof(struct vkr_trace_cmd_count, name_bytes), NULL},'):
            self.assertIn(line, made)
        self.assertNotIn("KINDS", made)

    def test_names_of_vulkan(self):
        vulkan = """
typedef enum VkImageLayout {
    VK_IMAGE_LAYOUT_UNDEFINED = 0,
    VK_IMAGE_LAYOUT_GENERAL = 1,
    VK_IMAGE_LAYOUT_OLD = VK_IMAGE_LAYOUT_GENERAL,
    VK_IMAGE_LAYOUT_MAX_ENUM = 0x7FFFFFFF
} VkImageLayout;
static const VkPipelineStageFlagBits2 VK_PIPELINE_STAGE_2_NONE = 0ULL;
static const VkPipelineStageFlagBits2 VK_PIPELINE_STAGE_2_COPY_BIT = 0x100000000ULL;
static const VkPipelineStageFlagBits2 VK_PIPELINE_STAGE_2_COPY_BIT_KHR = 0x100000000ULL;
"""
        header = HEADER.replace("uint64_t address;", "uint64_t address;\n\tuint32_t layout; // VkImageLayout")
        made = event_layouts.layouts([("trace.h", header)], vulkan)
        for line in ('{UINT64_C(1), "GENERAL"},', '{UINT64_C(4294967296), "COPY"},',
                     'stages), 8, 1, VKR_EVENT_FIELD_FLAGS, VkPipelineStageFlags2_names},',
                     'layout), 4, 1, VKR_EVENT_FIELD_VALUE, VkImageLayout_names},'):
            self.assertIn(line, made)
        for word in ("OLD", "MAX_ENUM", "NONE\"", "KHR"):
            self.assertNotIn(word, made)

    def test_accesses(self):
        made = event_layouts.layouts([("trace.h", HEADER)])
        where = "{offsetof(struct vkr_trace_"
        for line in (
                'NULL, 0, NULL}}, cmd_count_accesses};',
                '{.kind = VKR_ACCESS_IMAGES, .writer = VKR_WRITER_NONE},',
                f'{{.kind = VKR_ACCESS_BUFFER, .buffer = {where}cmd_count, kind), 4, 0}}, '
                f'.offset = {where}pair, first), 4, 1}}, .bytes = 12, .writer = VKR_WRITER_NONE}},',
                f'.count = {where}cmd_count, least), 4, 0}}, .writer = VKR_WRITER_TRANSFER, '
                f'.condition = {where}cmd_count, kind), 4, 0}}, .mask = UINT32_MAX, '
                '.value = VKR_COUNT_UP, .equals = false},',
                '.mask = VKR_COUNT_TWICE, .value = 0, .equals = false},\n\t{.kind = VKR_ACCESS_END}};'):
            self.assertIn(line, made)

    def refuse(self, old, new, reason):
        self.assertIn(old, HEADER)
        with self.assertRaisesRegex(event_layouts.Wrong, reason):
            event_layouts.layouts([("trace.h", HEADER.replace(old, new))])

    def test_refused(self):
        self.refuse("pair_count, name_bytes;", "name_bytes;", "cmd_count: has no member pair_count")
        self.refuse("x\n// struct vkr_trace_pair", "x struct vkr_trace_gone", "no struct .*_gone")
        self.refuse("X(CMD_COUNT, 7, vkr_trace_cmd_count", "X(GONE, 7, vkr_trace_gone", "no struct")
        self.refuse("float factor;", "double factor;", "'double factor;' is no member")
        self.refuse("pair_count x\n// struct vkr_trace_pair, then name_bytes bytes of text \"title\".",
                    "pairs.", "its tail is not understood")
        self.refuse("Device:", "Accessed:", "does not say what the device accesses")
        self.refuse("images;", "pictures;", "'pictures' is no access")
        self.refuse("at pair.first", "at pears.first", "has no items pears")
        self.refuse("at pair.first", "at pair.gone", "has no member pair.gone")


if __name__ == "__main__":
    unittest.main()
