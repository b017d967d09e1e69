// Conversions between integers: truncation, zero and sign extension, changes
// of sign, chains of those, to and from bool, and through pointers' width.
//~ STDIN: "\x80\xff\x7f\x01\xfe\xdc\xba\x98"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static __attribute__((noinline)) int16_t narrow(int64_t v) { return (int16_t)v; }
static __attribute__((noinline)) int64_t widen(int8_t v) { return v; }
static __attribute__((noinline)) uint64_t widen_unsigned(uint16_t v) { return v; }
static __attribute__((noinline)) bool truth(uint32_t v) { return v & 0x700; }

int main(void)
{
    unsigned char in[8] = {0};
    uint64_t all;
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(&all, in, sizeof all);
    unsigned hits = 0;

    int32_t sign_extended = (signed char)in[0];
    if (sign_extended == -128)
        hits |= 1;
    uint32_t zero_extended = in[0];
    if (zero_extended == 128)
        hits |= 2;
    if (narrow((int64_t)all) == -128)
        hits |= 4;
    if (widen((int8_t)in[1]) < 0)
        hits |= 8;
    if (widen_unsigned((uint16_t)(all >> 8)) == 0x7fff)
        hits |= 16;
    if (truth((uint32_t)all))
        hits |= 32;

    // Sign extension in the middle of a chain.
    uint64_t chain = (uint32_t)(int16_t)(uint8_t)(all >> 32);
    if (chain == 0xfe)
        hits |= 64;
    chain = (uint64_t)(int64_t)(int32_t)(uint32_t)(all >> 32);
    if (chain >> 56 == 0xff)
        hits |= 128;
    chain = (uint16_t)(int8_t)(all >> 40);
    if (chain == 0xffdc)
        hits |= 256;

    // The same bits, signed and unsigned.
    if ((int32_t)all < 0 ? (uint32_t)all > 0xf0000000 : (uint32_t)all < 0x02000000)
        hits |= 512;

    uintptr_t as_address = (uintptr_t)(void *)(uintptr_t)all;
    if ((uint8_t)(as_address >> 48) == 0xba)
        hits |= 1024;
    bool both = (bool)in[6] + (bool)in[7] == 2;
    if (both)
        hits |= 2048;
    int from_bool = -(int)(in[2] == 0x7f);
    if (from_bool & 4)
        hits |= 4096;

    printf("%x\n", hits);
    if (hits == 0)
        puts("nothing");
    return 0;
}
