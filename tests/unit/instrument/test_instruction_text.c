// SPDX-License-Identifier: Apache-2.0
// Instructions as text: those of one function only, with what they take.
#include "instruction_text.h"

#include "spirv_stream.h"

#include <setjmp.h> // cmocka.h needs these first
#include <stdarg.h>

#include <cmocka.h>
#define kDefaultMaxIdBound kTestMaxIdBound // the header defines it in each file
#include <spirv-tools/libspirv.h>
#include <stdlib.h>
#include <string.h>

// The functions use the same constant and variable, and %value is a prefix of %values.
static const char assembly[] = "OpCapability Shader\n"
			       "OpMemoryModel Logical GLSL450\n"
			       "OpEntryPoint GLCompute %main \"main\"\n"
			       "OpExecutionMode %main LocalSize 1 1 1\n"
			       "OpName %values \"values\"\n"
			       "OpName %value \"value\"\n"
			       "OpName %at \"at\"\n"
			       "OpName %other \"other\"\n"
			       "%void = OpTypeVoid\n"
			       "%function = OpTypeFunction %void\n"
			       "%uint = OpTypeInt 32 0\n"
			       "%pointer = OpTypePointer Workgroup %uint\n"
			       "%array_length = OpConstant %uint 4\n"
			       "%array = OpTypeArray %uint %array_length\n"
			       "%pointer_array = OpTypePointer Workgroup %array\n"
			       "%values = OpVariable %pointer_array Workgroup\n"
			       "%helper = OpFunction %void None %function\n"
			       "%before = OpLabel\n"
			       "%other = OpAccessChain %pointer %values %array_length\n"
			       "OpStore %other %array_length\n"
			       "OpReturn\n"
			       "OpFunctionEnd\n"
			       "%main = OpFunction %void None %function\n"
			       "%entry = OpLabel\n"
			       "%at = OpAccessChain %pointer %values %array_length\n"
			       "%value = OpLoad %uint %at\n"
			       "%unused = OpIAdd %uint %value %value\n"
			       "OpStore %at %value\n"
			       "OpReturn\n"
			       "OpFunctionEnd\n";

static spv_binary assemble(void)
{
	spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_3);
	spv_binary binary = NULL;
	assert_int_equal(spvTextToBinary(context, assembly, sizeof assembly - 1, &binary, NULL), 0);
	spvContextDestroy(context);
	return binary;
}

// Where the store number `index` begins, in words.
static uint32_t find_store(const spv_binary binary, unsigned index)
{
	struct vkr_spirv_stream at = vkr_spirv_stream_of(binary->code, binary->wordCount);
	while (vkr_spirv_stream_next(&at))
		if (at.opcode == SpvOpStore && index-- == 0)
			return (uint32_t)(at.next - at.length);
	fail();
	return 0;
}

static void shows_operands(void **state)
{
	(void)state;
	spv_binary binary = assemble();
	char *text =
		vkr_instruction_text(NULL, binary->code, binary->wordCount, find_store(binary, 1));
	assert_non_null(text);
	assert_string_equal(text, "%at = OpAccessChain %_ptr_Workgroup_uint %values %uint_4\n"
				  "%value = OpLoad %uint %at\n"
				  "OpStore %at %value");
	free(text);
	text = vkr_instruction_text(NULL, binary->code, binary->wordCount, find_store(binary, 0));
	assert_non_null(text);
	assert_string_equal(text, "%other = OpAccessChain %_ptr_Workgroup_uint %values %uint_4\n"
				  "OpStore %other %uint_4");
	free(text);
	spvBinaryDestroy(binary);
}

// Sources and file names may be replaced by OpNops.
static void takes_broken_modules(void **state)
{
	(void)state;
	spv_binary binary = assemble();
	const uint32_t store = find_store(binary, 1);
	assert_null(vkr_instruction_text(NULL, binary->code, binary->wordCount, store + 1));
	assert_null(vkr_instruction_text(NULL, binary->code, binary->wordCount, UINT32_MAX));
	assert_null(vkr_instruction_text(NULL, binary->code, 0, 0));
	assert_null(vkr_instruction_text(NULL, binary->code, store + 1, store));
	struct vkr_spirv_stream at = vkr_spirv_stream_of(binary->code, binary->wordCount);
	while (vkr_spirv_stream_next(&at))
		for (size_t i = at.next - at.length; at.opcode == SpvOpName && i < at.next; i++)
			binary->code[i] = SpvOpNop | 1u << SpvWordCountShift;
	char *text = vkr_instruction_text(NULL, binary->code, binary->wordCount, store);
	assert_non_null(text);
	assert_non_null(strstr(text, "OpStore"));
	free(text);
	spvBinaryDestroy(binary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_operands),
		cmocka_unit_test(takes_broken_modules),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
