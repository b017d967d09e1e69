// A mailbox name goes from UTF-8 to UTF-7; there is room for two characters a byte, and two bytes can become seven.
//~ STDIN: "INBOX.de"
//~ FINDS: heap-out-of-bounds put
//~ SOLUTION: "\x01&\x01&\x01&\x01&"
//~ TEXT
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef SCALE
#define SCALE 1
#endif

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";

struct utf7 {
    char *text;
    size_t len;
    uint32_t bits;
    int n_bits;
    int is_base64;
};

static void put(struct utf7 *out, char c)
{
    out->text[out->len++] = c; //~ HERE
}

static void leave_base64(struct utf7 *out)
{
    if (!out->is_base64)
        return;
    if (out->n_bits)
        put(out, BASE64[(out->bits << (6 - out->n_bits)) & 63]);
    put(out, '-');
    out->is_base64 = 0;
}

static void put_code(struct utf7 *out, uint32_t code)
{
    if (code >= 0x20 && code < 0x7f) {
        leave_base64(out);
        put(out, (char)code);
        if (code == '&')
            put(out, '-');
        return;
    }
    if (!out->is_base64) {
        put(out, '&');
        out->is_base64 = 1;
        out->bits = 0;
        out->n_bits = 0;
    }
    out->bits = out->bits << 16 | code;
    for (out->n_bits += 16; out->n_bits >= 6;) {
        out->n_bits -= 6;
        put(out, BASE64[(out->bits >> out->n_bits) & 63]);
    }
}

static char *utf8_to_utf7(const unsigned char *name, size_t len)
{
    struct utf7 out = {0};
#ifdef FIXED
    out.text = malloc(len / 2 * 7 + 6);
#else
    out.text = malloc(len * 2 + 1);
#endif
    if (!out.text)
        return NULL;
    for (size_t i = 0; i < len;) {
        uint32_t code = name[i++];
        size_t n_more = code < 0x80 ? 0 : code < 0xe0 ? 1 : 2;
        if (n_more && (code < 0xc2 || code >= 0xf0 || n_more > len - i)) {
            free(out.text);
            return NULL;
        }
        if (n_more)
            code &= 0x3f >> n_more;
        for (; n_more > 0; n_more--)
            code = code << 6 | (name[i++] & 0x3f);
        put_code(&out, code);
    }
    leave_base64(&out);
    put(&out, '\0');
    return out.text;
}

int main(void)
{
    unsigned char name[8 * SCALE];
    size_t len = fread(name, 1, sizeof name, stdin);
    char *encoded = utf8_to_utf7(name, len);
    if (!encoded)
        return 1;
    puts(encoded);
    free(encoded);
    return 0;
}
