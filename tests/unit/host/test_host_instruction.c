// SPDX-License-Identifier: Apache-2.0
// Forms of instructions on watched memory: exactly the right bytes, the right kind of access, and
// the right result. Integer, string and control forms; vectors are in test_host_vector.c.
#include "watched_memory.h"

#include <string.h>

#define READ   VKR_HOST_READ
#define WRITE  VKR_HOST_WRITE
#define ATOMIC VKR_HOST_ATOMIC

static uint64_t word(uint64_t offset)
{
	uint64_t value;
	memcpy(&value, behind + offset, sizeof value);
	return value;
}

static void stores(void **state)
{
	watched_begin(state);
	__asm__ volatile("movb $5, 0x11(%0)" ::"r"(watched) : "memory");
	expect_one("mov m8, imm", 0x11, 1, WRITE);
	assert_int_equal(behind[0x11], 5);
	__asm__ volatile("movw $0x1234, 0x12(%0)" ::"r"(watched) : "memory");
	expect_one("mov m16, imm", 0x12, 2, WRITE);
	__asm__ volatile("movq $-5, 0x18(%0)" ::"r"(watched) : "memory");
	expect_one("mov m64, imm32", 0x18, 8, WRITE);
	assert_true(word(0x18) == (uint64_t)-5);
	__asm__ volatile("movq %0, 0x40(%0)" ::"r"(watched) : "memory");
	expect_one("mov [r], r", 0x40, 8, WRITE);
	assert_true(word(0x40) == (uint64_t)(uintptr_t)watched);
	__asm__ volatile("movnti %1, 0x48(%0)" ::"r"(watched), "r"(UINT64_C(77)) : "memory");
	expect_one("movnti", 0x48, 8, WRITE);
	assert_true(word(0x48) == 77);
	__asm__ volatile("movq %1, (%0)" ::"r"(watched + 0x4000 - 3),
			 "r"(UINT64_C(0x0102030405060708))
			 : "memory");
	expect_one("mov across pages", 0x3ffd, 8, WRITE);
	assert_true(word(0x3ffd) == UINT64_C(0x0102030405060708));
	__asm__ volatile("cmp %1, %1; sete 0x50(%0)" ::"r"(watched), "r"(1) : "memory", "cc");
	expect_one("sete m8", 0x50, 1, WRITE);
	assert_int_equal(behind[0x50], 1);
}

static void loads(void **state)
{
	watched_begin(state);
	uint64_t value = 0;
	uint32_t half = 0;
	__asm__ volatile("movq 0x18(%1), %0" : "=r"(value) : "r"(watched) : "memory");
	expect_one("mov r64, m", 0x18, 8, READ);
	assert_true(value == word(0x18));
	unsigned char *same = watched;
	__asm__ volatile("movq (%0), %0" : "+r"(same)::"memory");
	expect_one("mov r, [r]", 0, 8, READ);
	assert_true((uint64_t)(uintptr_t)same == word(0));
	register uint64_t low __asm__("rax") = (uint64_t)(uintptr_t)watched;
	__asm__ volatile("movb 2(%%rax), %%ah" : "+r"(low)::"memory");
	uint64_t high = low;
	expect_one("mov ah, [rax]", 2, 1, READ);
	assert_true((high >> 8 & 0xff) == behind[2]);
	__asm__ volatile("movzbl 0x20(%1,%2,8), %0"
			 : "=r"(half)
			 : "r"(watched), "r"(UINT64_C(3))
			 : "memory");
	expect_one("movzx with index", 0x38, 1, READ);
	assert_int_equal(half, behind[0x38]);
	__asm__ volatile("movswq 0x39(%1), %0" : "=r"(value) : "r"(watched) : "memory");
	expect_one("movsx", 0x39, 2, READ);
	assert_true((int64_t)value == (int16_t)word(0x39));
	__asm__ volatile("movl 0x50(,%1,1), %0" : "=r"(half) : "r"(watched) : "memory");
	expect_one("mov without base", 0x50, 4, READ);
	assert_int_equal(half, (uint32_t)word(0x50));
	register unsigned char *thirteen __asm__("r13") = watched;
	register uint64_t twelve __asm__("r12") = 4;
	__asm__ volatile("movq 0x60(%1,%2,2), %0"
			 : "=r"(value)
			 : "r"(thirteen), "r"(twelve)
			 : "memory");
	expect_one("mov with r12 and r13", 0x68, 8, READ);
	assert_true(value == word(0x68));
	__asm__ volatile("cmpb $1, 0x70(%0)" ::"r"(watched) : "memory", "cc");
	expect_one("cmp m8, imm", 0x70, 1, READ);
	__asm__ volatile("movbel 0x74(%1), %0" : "=r"(half) : "r"(watched) : "memory");
	expect_one("movbe", 0x74, 4, READ);
	assert_int_equal(__builtin_bswap32(half), (uint32_t)word(0x74));
}

static void read_and_write(void **state)
{
	watched_begin(state);
	uint64_t before = word(0x80), sum = (uint64_t)(uintptr_t)watched;
	__asm__ volatile("addl $3, 0x80(%0)" ::"r"(watched) : "memory", "cc");
	expect_two("add m, imm", 0x80, 4, READ, 0x80, 4, WRITE);
	assert_int_equal((uint32_t)word(0x80), (uint32_t)before + 3);
	__asm__ volatile("addq 0x48(%0), %0" : "+r"(sum)::"memory", "cc");
	expect_one("add r, [r]", 0x48, 8, READ);
	assert_true(sum == (uint64_t)(uintptr_t)watched + word(0x48));
	__asm__ volatile("notq 0x88(%0)" ::"r"(watched) : "memory");
	expect_two("not m", 0x88, 8, READ, 0x88, 8, WRITE);
	__asm__ volatile("shll %%cl, 0x90(%0)" ::"r"(watched), "c"(3) : "memory", "cc");
	expect_two("shl m, cl", 0x90, 4, READ, 0x90, 4, WRITE);
	__asm__ volatile("btsl %1, 0x600(%0)" ::"r"(watched), "r"(100) : "memory", "cc");
	expect_two("bts m, r", 0x60c, 4, READ, 0x60c, 4, WRITE);
	assert_true(word(0x60c) >> 4 & 1);
	__asm__ volatile("btq %1, 0x600(%0)" ::"r"(watched), "r"(INT64_C(-1)) : "memory", "cc");
	expect_one("bt m, negative", 0x5f8, 8, READ);
}

static void locked(void **state)
{
	watched_begin(state);
	uint32_t added = 9, before = (uint32_t)word(0x84);
	__asm__ volatile("lock xaddl %0, 0x84(%1)" : "+r"(added) : "r"(watched) : "memory", "cc");
	expect_one("lock xadd", 0x84, 4, ATOMIC);
	assert_int_equal(added, before);
	assert_int_equal((uint32_t)word(0x84), before + 9);
	uint64_t other = 0;
	__asm__ volatile("lock cmpxchgq %2, 0x90(%1)"
			 : "+a"(other)
			 : "r"(watched), "r"(UINT64_C(1))
			 : "memory", "cc");
	expect_one("lock cmpxchg", 0x90, 8, ATOMIC);
	assert_true(other == word(0x90));
	uint64_t swapped = 42, old = word(0x98);
	__asm__ volatile("xchgq %0, 0x98(%1)" : "+r"(swapped) : "r"(watched) : "memory");
	expect_one("xchg", 0x98, 8, ATOMIC);
	assert_true(swapped == old && word(0x98) == 42);
	uint64_t low = word(0xa0), high = word(0xa8);
	__asm__ volatile("lock cmpxchg16b 0xa0(%2)"
			 : "+a"(low), "+d"(high)
			 : "r"(watched), "b"(UINT64_C(5)), "c"(UINT64_C(6))
			 : "memory", "cc");
	expect_one("lock cmpxchg16b", 0xa0, 16, ATOMIC);
	assert_true(word(0xa0) == 5 && word(0xa8) == 6);
	__asm__ volatile("lock orl $1, 0xb0(%0)" ::"r"(watched) : "memory", "cc");
	expect_one("lock or", 0xb0, 4, ATOMIC);
}

static void strings(void **state)
{
	watched_begin(state);
	static unsigned char plain[8192];
	void *to = watched + 0x1000 - 100;
	const void *from = plain;
	uint64_t left = 300;
	memset(plain, 4, sizeof plain);
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(left)::"memory");
	expect_one("rep movsb to it", 0x1000 - 100, 300, WRITE);
	assert_true(!left && to == watched + 0x1000 + 200 && from == plain + 300);
	assert_memory_equal(behind + 0x1000 - 100, plain, 300);
	to = watched + 0x3000;
	from = watched + 0x2000;
	left = 64;
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(left)::"memory");
	expect_two("rep movsb within it", 0x2000, 64, READ, 0x3000, 64, WRITE);
	assert_memory_equal(behind + 0x3000, behind + 0x2000, 64);
	to = watched + 0x3000;
	left = 32;
	__asm__ volatile("rep stosq"
			 : "+D"(to), "+c"(left)
			 : "a"(UINT64_C(0x1122334455667788))
			 : "memory");
	expect_one("rep stosq", 0x3000, 256, WRITE);
	assert_true(word(0x30f8) == UINT64_C(0x1122334455667788));
	to = watched + 0x3004;
	from = watched + 0x3000;
	left = 16;
	__asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(left)::"memory");
	expect_two("rep movsl onto itself", 0x3000, 64, READ, 0x3004, 64, WRITE);
	assert_true(word(0x3038) == UINT64_C(0x5566778855667788));
	to = watched + 0x30ff;
	from = plain + 0xff;
	left = 16;
	__asm__ volatile("std; rep movsb; cld" : "+D"(to), "+S"(from), "+c"(left)::"memory", "cc");
	expect_one("rep movsb downwards", 0x30f0, 16, WRITE);
	memset(behind + 0x3200, 1, 64);
	behind[0x3220] = 0;
	to = watched + 0x3200;
	left = 64;
	__asm__ volatile("repne scasb" : "+D"(to), "+c"(left) : "a"(0) : "memory", "cc");
	expect_one("repne scasb", 0x3200, 0x21, READ);
	assert_true(left == 64 - 0x21);
	memset(plain, 1, 64);
	from = plain;
	to = watched + 0x3200;
	left = 64;
	unsigned char above = 0;
	__asm__ volatile("repe cmpsb; seta %3"
			 : "+D"(to), "+S"(from), "+c"(left), "=r"(above)::"memory", "cc");
	expect_one("repe cmpsb", 0x3200, 0x21, READ);
	assert_int_equal(above, 1);
}

__asm__(".pushsection .text\nvkr_test_return: ret\n.popsection");
extern const char vkr_test_return[];

static void others(void **state)
{
	watched_begin(state);
	uint64_t value = 0;
	const uint64_t place = (uint64_t)(uintptr_t)vkr_test_return;
	__asm__ volatile("pushq 0x60(%1); popq %0" : "=r"(value) : "r"(watched) : "memory");
	expect_one("push m", 0x60, 8, READ);
	assert_true(value == word(0x60));
	__asm__ volatile("pushq %1; popq 0x68(%0)" ::"r"(watched), "r"(UINT64_C(99)) : "memory");
	expect_one("pop m", 0x68, 8, WRITE);
	assert_true(word(0x68) == 99);
	memcpy(behind + 0x8000, &place, sizeof place);
	__asm__ volatile("call *0x8000(%0)" ::"r"(watched) : "memory");
	expect_one("call m", 0x8000, 8, READ);
	__asm__ volatile("xlat" : "=a"(value) : "0"(UINT64_C(7)), "b"(watched + 0x100) : "memory");
	expect_one("xlat", 0x107, 1, READ);
	assert_true((value & 0xff) == behind[0x107]);
	__asm__ volatile("fxsave 0x800(%0)" ::"r"(watched) : "memory");
	expect_one("fxsave", 0x800, 512, WRITE);
	__asm__ volatile("fldl 0x60(%0); fstpl 0x70(%0)" ::"r"(watched) : "memory", "st");
	expect_two("fld, fstp", 0x60, 8, READ, 0x70, 8, WRITE);
	__asm__ volatile("xsave64 0x1000(%0)" ::"r"(watched), "a"(3), "d"(0) : "memory");
	expect_one("xsave of x87 and SSE", 0x1000, 576, WRITE);
	__asm__ volatile("prefetcht0 (%0); clflush (%0)" ::"r"(watched) : "memory");
	expect_none("prefetch, clflush");
}

static void library_copy(void **state)
{
	watched_begin(state);
	static unsigned char plain[70000 / 2];
	void *(*volatile copy)(void *, const void *, size_t) = memcpy;
	uint64_t bytes = 0;
	memset(plain, 9, sizeof plain);
	copy(watched + 0x5001, plain, 200);
	assert_true(taken(&bytes) >= 1 && bytes >= 200);
	assert_memory_equal(behind + 0x5001, plain, 200);
	copy(watched + 0x5001, plain, sizeof plain);
	assert_true(taken(&bytes) >= 1 && bytes >= sizeof plain);
	assert_memory_equal(behind + 0x5001, plain, sizeof plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores),         cmocka_unit_test(loads),
		cmocka_unit_test(read_and_write), cmocka_unit_test(locked),
		cmocka_unit_test(strings),        cmocka_unit_test(others),
		cmocka_unit_test(library_copy),
	};
	int failed = cmocka_run_group_tests(tests, watched_setup, watched_teardown);
	return failed + _cmocka_run_group_tests("vectors", vector_tests, vector_test_count,
						watched_setup, watched_teardown);
}
