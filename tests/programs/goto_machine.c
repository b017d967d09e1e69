// A state machine made of gotos: recognises decimal numbers with optional
// sign, fraction and exponent, separated by commas.
//~ STDIN: "12,-3.5,+7e2,1.5e-10,x,.5\n"
#include <stdio.h>
#include <unistd.h>

static int is_digit(int c) { return c >= '0' && c <= '9'; }

int main(void)
{
    unsigned char in[40] = {0};
    ssize_t n = read(0, in, sizeof in - 1);
    if (n < 0)
        return 1;
    in[n] = '\n';

    const unsigned char *p = in;
    unsigned integers = 0, reals = 0, errors = 0, sum = 0, value;
start:
    value = 0;
    if (*p == '+' || *p == '-')
        p++;
    if (is_digit(*p))
        goto integer;
    if (*p == '.')
        goto fraction;
    goto error;
integer:
    value = value * 10 + (*p++ - '0');
    if (is_digit(*p))
        goto integer;
    if (*p == '.')
        goto fraction;
    if (*p == 'e' || *p == 'E')
        goto exponent;
    if (*p != ',' && *p != '\n')
        goto error;
    integers++;
    sum += value;
    goto separator;
fraction:
    p++;
    if (is_digit(*p))
        goto fraction;
    if (*p == 'e' || *p == 'E')
        goto exponent;
    if (*p == ',' || *p == '\n')
        goto real;
    goto error;
exponent:
    p++;
    if (*p == '+' || *p == '-')
        p++;
    if (!is_digit(*p))
        goto error;
more_exponent:
    if (is_digit(*++p))
        goto more_exponent;
    if (*p != ',' && *p != '\n')
        goto error;
real:
    reals++;
separator:
    if (*p++ == ',')
        goto start;
    goto end;
error:
    errors++;
    while (*p != ',' && *p != '\n')
        p++;
    goto separator;
end:
    if (integers == 2 && sum == 42)
        puts("the answer");
    printf("%u integers, %u reals, %u errors, sum %u\n", integers, reals, errors, sum);
    return 0;
}
