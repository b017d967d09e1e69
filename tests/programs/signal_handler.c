// Signal handlers entered in the middle of input-dependent computation: the
// handler computes, calls functions and leaves through its return.
//~ STDIN: "abS\x05U\x03zz"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t accumulator = 1;
static volatile sig_atomic_t deliveries;
static volatile unsigned char argument;

static __attribute__((noinline)) int mix(int a, int b)
{
    if (b & 1)
        return (a * 3 + b) % 10007;
    return a ^ b;
}

static void on_user1(int number)
{
    (void)number;
    accumulator = mix(accumulator, argument);
    deliveries++;
}

static void on_user2(int number)
{
    // Raises the other signal from inside a handler.
    if (argument > 100)
        raise(SIGUSR1);
    accumulator = (accumulator + number) % 10007;
}

// The values live before and after raise must survive the handler.
static __attribute__((noinline)) int around(int a, int b, int number)
{
    int before = a - b;
    raise(number);
    return before * 2 + a;
}

int main(void)
{
    unsigned char in[8] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    struct sigaction action = {.sa_handler = on_user1};
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGUSR2, on_user2);

    int total = 0;
    for (int i = 0; i + 1 < 8; i++) {
        argument = in[i + 1];
        if (in[i] == 'S')
            total += around(in[i], in[i + 1], SIGUSR1);
        else if (in[i] == 'U')
            total += around(in[i], in[i + 1], SIGUSR2);
    }
    if (accumulator == 20)
        puts("accumulator");
    if (deliveries == 2)
        puts("two deliveries");
    if (total > 400)
        puts("total");
    printf("%d %d %d\n", (int)accumulator, (int)deliveries, total);
    return 0;
}
