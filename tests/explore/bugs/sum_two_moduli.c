// Letters only, and two weighted sums of 64 of them that must both come out.
//~ STDIN: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
//~ FINDS: assertion verify
//~ SOLUTION: "fsbjpyotxblvzebjnfcedtczkbyrqyhrhwqyoaoznbxzpybrfuxtesfrncwhjdms"
#include <assert.h>
#include <stdio.h>

static void verify(unsigned plain, unsigned weighted)
{
    assert(plain % 251 != 7 || weighted % 1021 != 1000); //~ HERE
    printf("%u %u\n", plain, weighted);
}

int main(void)
{
    unsigned plain = 0, weighted = 0;
    char text[64];
    if (fread(text, 1, sizeof text, stdin) != sizeof text)
        return 1;
    for (unsigned i = 0; i < 64; i++) {
        if (text[i] < 'a' || text[i] > 'z')
            return 1;
        plain += (unsigned)text[i];
        weighted += (unsigned)text[i] * (2 * i + 1);
    }
    verify(plain, weighted);
    return 0;
}
