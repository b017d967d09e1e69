// The same without ever giving up the processor or reading a byte.
//~ STDIN: "abc"
//~ OPTIONS: --timeout 300ms
//~ BUDGET: 10s
//~ FINDS: timeout main
//~ SAYS: "timeout"
//~ EXIT: 10

volatile unsigned counter;

int main(void)
{
    for (;;)
        counter++;
}
