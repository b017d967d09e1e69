// A small stack machine that interprets the input as its program, with jumps,
// memory and a limit on the number of steps. The seed adds up 5 + 4 + ... + 1.
//~ STDIN: "\x01\x05\x08\x00\x07\x01\x07\x00\x02\x08\x01\x07\x00\x01\x01\x03\x08\x00\x07\x00\x0a\x04\x07\x01\x0b\x00"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum {
    HALT, PUSH, ADD, SUBTRACT, MULTIPLY, DUPLICATE, SWAP,
    LOAD, STORE, JUMP, JUMP_NONZERO, PRINT, LESS,
};

struct machine {
    uint16_t stack[8];
    uint16_t memory[4];
    unsigned depth, pc, steps;
    const char *error;
};

static void push(struct machine *m, unsigned v)
{
    if (m->depth == 8)
        m->error = "stack overflow";
    else
        m->stack[m->depth++] = (uint16_t)v;
}

static unsigned pop(struct machine *m)
{
    if (m->depth == 0) {
        m->error = "stack underflow";
        return 0;
    }
    return m->stack[--m->depth];
}

static int step(struct machine *m, const unsigned char *code, unsigned size)
{
    unsigned op = m->pc < size ? code[m->pc++] : HALT, a, b;
    unsigned operand = m->pc < size ? code[m->pc] : 0;
    switch (op) {
    case HALT: return 0;
    case PUSH: m->pc++; push(m, operand); break;
    case ADD: a = pop(m); push(m, pop(m) + a); break;
    case SUBTRACT: a = pop(m); push(m, pop(m) - a); break;
    case MULTIPLY: a = pop(m); push(m, pop(m) * a); break;
    case DUPLICATE: a = pop(m); push(m, a); push(m, a); break;
    case SWAP: a = pop(m); b = pop(m); push(m, a); push(m, b); break;
    case LOAD: m->pc++; push(m, m->memory[operand & 3]); break;
    case STORE: m->pc++; m->memory[operand & 3] = (uint16_t)pop(m); break;
    case JUMP: m->pc = operand; break;
    case JUMP_NONZERO: m->pc++; if (pop(m)) m->pc = operand; break;
    case PRINT: printf("%u\n", pop(m)); break;
    case LESS: a = pop(m); push(m, pop(m) < a); break;
    default: m->error = "unknown instruction"; break;
    }
    return !m->error && ++m->steps < 100;
}

int main(void)
{
    unsigned char code[32] = {0};
    struct machine m = {.depth = 0};
    ssize_t n = read(0, code, sizeof code);
    if (n < 0)
        return 1;
    while (step(&m, code, (unsigned)n))
        ;
    if (m.error) {
        puts(m.error);
        return 2;
    }
    if (m.depth > 0 && m.stack[m.depth - 1] == 0x1234)
        puts("0x1234 on top");
    if (m.memory[1] == 21)
        puts("21 in memory");
    printf("%u steps, depth %u\n", m.steps, m.depth);
    return 0;
}
