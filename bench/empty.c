/* Nothing: what a run through the fork server costs by itself. */
int main(void)
{
    return 0;
}
