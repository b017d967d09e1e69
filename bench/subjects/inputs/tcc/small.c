struct pair { int a, b; };
static const char *names[] = { "one", "two" };

static int sum(struct pair *p, unsigned n) {
    int total = 0;
    for (unsigned i = 0; i < n; i++)
        total += p[i].a * 2 - (p[i].b >> 1);
    return total;
}

#define LIMIT 0x10
int main(void) {
    struct pair pairs[2] = { { 1, 2 }, { .b = 4 } };
    double d = 1.5e1;
    switch (sum(pairs, sizeof pairs / sizeof pairs[0])) {
    case 1: return names[0][0] == 'o';
    default: return d > LIMIT ? 3 : 4;
    }
}
