// SPDX-License-Identifier: Apache-2.0
// Forms of vector instructions on watched memory. Those that the processor lacks are skipped.
#include "watched_memory.h"

#include <string.h>

#define READ  VKR_HOST_READ
#define WRITE VKR_HOST_WRITE

static const uint64_t signs_low_high[4] = {UINT64_MAX, 0, 0, UINT64_MAX};

static void sse(void **state)
{
	watched_begin(state);
	__asm__ volatile("pcmpeqd %%xmm5, %%xmm5; movdqu %%xmm5, 0x101(%0)" ::"r"(watched)
			 : "memory", "xmm5");
	expect_one("movdqu store", 0x101, 16, WRITE);
	assert_int_equal(behind[0x110], 255);
	uint32_t value = 0;
	__asm__ volatile("movups 0x101(%1), %%xmm5; movd %%xmm5, %0"
			 : "=r"(value)
			 : "r"(watched)
			 : "memory", "xmm5");
	expect_one("movups load", 0x101, 16, READ);
	assert_int_equal(value, UINT32_MAX);
	__asm__ volatile("movss 0x101(%0), %%xmm5" ::"r"(watched) : "memory", "xmm5");
	expect_one("movss", 0x101, 4, READ);
	__asm__ volatile("movsd 0x101(%0), %%xmm5" ::"r"(watched) : "memory", "xmm5");
	expect_one("movsd", 0x101, 8, READ);
	__asm__ volatile("movntdq %%xmm5, 0x200(%0)" ::"r"(watched) : "memory", "xmm5");
	expect_one("movntdq", 0x200, 16, WRITE);
	__asm__ volatile("paddd 0x200(%0), %%xmm5" ::"r"(watched) : "memory", "xmm5");
	expect_one("paddd", 0x200, 16, READ);
	__asm__ volatile("movhps %%xmm5, 0x208(%0)" ::"r"(watched) : "memory", "xmm5");
	expect_one("movhps", 0x208, 8, WRITE);
	__asm__ volatile("movq %1, %%xmm6; pxor %%xmm7, %%xmm7; maskmovdqu %%xmm6, %%xmm7" ::"D"(
				 watched + 0x240),
			 "r"(UINT64_C(0x8000000000008080))
			 : "memory", "xmm6", "xmm7");
	expect_two("maskmovdqu", 0x240, 2, WRITE, 0x247, 1, WRITE);
	assert_int_equal(behind[0x247], 0);
}

static void avx2(void **state)
{
	watched_begin(state);
	static const int32_t places[8] = {0, 4, 8, 12, 16, 20, 24, 28};
	static const uint64_t at[8] = {0x500, 0x510, 0x520, 0x530, 0x540, 0x550, 0x560, 0x570};
	if (!__builtin_cpu_supports("avx2"))
		skip();
	__asm__ volatile("vpcmpeqd %%ymm5, %%ymm5, %%ymm5; vmovdqu %%ymm5, 0x301(%0)" ::"r"(watched)
			 : "memory", "xmm5");
	expect_one("vmovdqu store", 0x301, 32, WRITE);
	assert_int_equal(behind[0x320], 255);
	__asm__ volatile("vmovdqu %1, %%ymm6; vmaskmovpd %%ymm5, %%ymm6, 0x400(%0)" ::"r"(watched),
			 "m"(signs_low_high)
			 : "memory", "xmm5", "xmm6");
	expect_two("vmaskmovpd store", 0x400, 8, WRITE, 0x418, 8, WRITE);
	__asm__ volatile("vmovdqu %1, %%ymm6; vpmaskmovd 0x400(%0), %%ymm6, %%ymm5" ::"r"(watched),
			 "m"(signs_low_high)
			 : "memory", "xmm5", "xmm6");
	expect_two("vpmaskmovd load", 0x400, 8, READ, 0x418, 8, READ);
	uint32_t last = 0;
	__asm__ volatile("vpcmpeqd %%ymm3, %%ymm3, %%ymm3; vmovdqu %2, %%ymm4;"
			 "vpgatherdd %%ymm3, (%1,%%ymm4,4), %%ymm5;"
			 "vextracti128 $1, %%ymm5, %%xmm5; vpextrd $3, %%xmm5, %0"
			 : "=r"(last)
			 : "r"(watched + 0x500), "m"(places)
			 : "memory", "xmm3", "xmm4", "xmm5");
	expect_each("vpgatherdd", at, 8, 4, READ);
	assert_memory_equal(&last, behind + 0x570, sizeof last);
	__asm__ volatile("vmovdqu %1, %%ymm3; vpmovsxdq %2, %%ymm4;"
			 "vgatherqpd %%ymm3, 8(%0,%%ymm4,4), %%ymm5" ::"r"(watched + 0x500),
			 "m"(signs_low_high), "m"(places)
			 : "memory", "xmm3", "xmm4", "xmm5");
	expect_two("vgatherqpd, two lanes", 0x508, 8, READ, 0x538, 8, READ);
	__asm__ volatile("vbroadcastss 0x404(%0), %%ymm5; vzeroupper" ::"r"(watched)
			 : "memory", "xmm5");
	expect_one("vbroadcastss", 0x404, 4, READ);
}

static void avx512(void **state)
{
	watched_begin(state);
	static const int32_t places[16] = {0, 1, 9, 3};
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl"))
		skip();
	__asm__ volatile(
		"vpternlogd $0xff, %%zmm16, %%zmm16, %%zmm16; vmovdqu64 %%zmm16, 0x400(%0)" ::"r"(
			watched)
		: "memory");
	expect_one("vmovdqu64 store", 0x400, 64, WRITE);
	assert_int_equal(behind[0x43f], 255);
	memset(behind + 0x480, 1, 64);
	__asm__ volatile("vpternlogd $0xff, %%zmm16, %%zmm16, %%zmm16;"
			 "kmovw %1, %%k1; vmovdqu32 %%zmm16, 0x480(%0)%{%%k1%}" ::"r"(watched),
			 "r"(0x0f03)
			 : "memory");
	expect_two("vmovdqu32 with mask", 0x480, 8, WRITE, 0x4a0, 16, WRITE);
	assert_true(behind[0x487] == 255 && behind[0x488] == 1);
	__asm__ volatile("kmovw %1, %%k1; vmovdqu32 0x480(%0), %%zmm17%{%%k1%}%{z%}" ::"r"(watched),
			 "r"(1)
			 : "memory");
	expect_one("vmovdqu32 load of one element", 0x480, 4, READ);
	__asm__ volatile("kmovw %1, %%k1; vpcompressd %%zmm16, 0x500(%0)%{%%k1%}" ::"r"(watched),
			 "r"(0x111)
			 : "memory");
	expect_one("vpcompressd", 0x500, 12, WRITE);
	__asm__ volatile("vaddps 0x580(%0)%{1to16%}, %%zmm16, %%zmm18" ::"r"(watched) : "memory");
	expect_one("vaddps, broadcast", 0x580, 4, READ);
	__asm__ volatile(
		"vpternlogd $0xff, %%zmm16, %%zmm16, %%zmm16;"
		"kmovw %2, %%k1; vmovdqu32 %1, %%zmm19;"
		"vpscatterdd %%zmm16, 4(%0,%%zmm19,8)%{%%k1%}; vzeroupper" ::"r"(watched + 0x600),
		"m"(places), "r"(5)
		: "memory");
	expect_two("vpscatterdd", 0x604, 4, WRITE, 0x64c, 4, WRITE);
	assert_int_equal(behind[0x64f], 255);
}

const struct CMUnitTest vector_tests[] = {
	cmocka_unit_test(sse),
	cmocka_unit_test(avx2),
	cmocka_unit_test(avx512),
};
const size_t vector_test_count = sizeof vector_tests / sizeof *vector_tests;
