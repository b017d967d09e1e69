// C11 atomics and the __atomic builtins on input-dependent data: fetch_add
// and friends, exchange, compare_exchange, min and max, at several widths.
//~ STDIN: "\x10\x21\x32\x43\x54\x65\x76\x87\x98\xa9"
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Atomic uint8_t byte;
static _Atomic uint16_t half;
static atomic_int word;
static _Atomic uint64_t wide;
static atomic_flag flag = ATOMIC_FLAG_INIT;

int main(void)
{
    unsigned char in[10] = {0};
    uint64_t all;
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(&all, in + 2, sizeof all);

    atomic_store(&byte, in[0]);
    if (atomic_fetch_add(&byte, in[1]) == 0x10 && byte == 0x31)
        puts("add at 8 bits");
    half = (uint16_t)(in[0] << 8 | in[1]);
    if (atomic_fetch_sub_explicit(&half, in[2], memory_order_relaxed) > half)
        puts("subtract at 16 bits");
    half ^= 0x0fff;
    if (half == 0x1f10)
        puts("xor at 16 bits");

    atomic_init(&word, in[3]);
    atomic_fetch_and(&word, ~2);
    atomic_fetch_or(&word, in[4]);
    if (atomic_load_explicit(&word, memory_order_acquire) == 0x55)
        puts("and, or");
    int expected = in[3] | in[4];
    if (atomic_compare_exchange_strong(&word, &expected, in[5]))
        puts("exchanged");
    else if (expected == 0x55)
        puts("expected was replaced");
    expected = atomic_load(&word);
    while (!atomic_compare_exchange_weak(&word, &expected, expected + in[6]))
        ;
    if (word == 0x55 + 0x76)
        puts("weak exchange");

    atomic_store(&wide, all);
    if (atomic_exchange(&wide, all / 3) >> 56 == 0xa9)
        puts("exchange at 64 bits");
    wide += 5;
    if (wide % 16 == 0)
        puts("compound assignment");

    int32_t bound = (int8_t)in[7];
    __atomic_fetch_min(&bound, (int8_t)in[8], __ATOMIC_SEQ_CST);
    if (__atomic_fetch_max(&bound, -120, __ATOMIC_SEQ_CST) < -120)
        puts("minimum");
    uint32_t limit = in[7];
    if (__atomic_max_fetch(&limit, (uint32_t)in[8], __ATOMIC_RELAXED) == 0x98)
        puts("maximum");
    if (__atomic_nand_fetch(&limit, 0xf0u, __ATOMIC_RELEASE) == ~0x90u)
        puts("nand");
    if (in[9] > 0x80 && !atomic_flag_test_and_set(&flag))
        puts("flag");
    if (atomic_flag_test_and_set(&flag))
        puts("set before");
    return 0;
}
