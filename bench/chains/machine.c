// Reads byte code of a stack machine and runs it, and the goal wants 1337 on top after 8 steps with two muls or more.
//~ STDIN: "\x01\x02\x01\x03\x02\x08"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_INPUT = 4096, MAX_STEPS = 64, MAX_STACK = 16, N_SLOTS = 4, MAX_VALUE = 65535 };

enum op { PUSH = 1, ADD, MUL, DUP, SWAP, STORE, LOAD, HALT };

struct machine {
    const unsigned char *at, *end;
    unsigned stack[MAX_STACK], slots[N_SLOTS];
    int is_set[N_SLOTS];
    int depth, n_steps, n_muls, is_halted;
};

static const char *push(struct machine *machine, unsigned value)
{
    if (machine->depth == MAX_STACK)
        return "stack overflow";
    if (value > MAX_VALUE)
        return "value too large";
    machine->stack[machine->depth++] = value;
    return NULL;
}

/* The byte behind an operation, or -1. */
static int operand(struct machine *machine)
{
    if (machine->at == machine->end)
        return -1;
    return *machine->at++;
}

static const char *calculate(struct machine *machine, enum op op)
{
    unsigned a, b;

    if (machine->depth < 2)
        return "too few values";
    b = machine->stack[--machine->depth];
    a = machine->stack[--machine->depth];
    if (op == SWAP) {
        push(machine, b);
        return push(machine, a);
    }
    if (op == ADD)
        return push(machine, a + b);
    machine->n_muls++;
    return push(machine, a * b);
}

static const char *store(struct machine *machine, int slot)
{
    if (slot < 0 || slot >= N_SLOTS)
        return "no such slot";
    if (machine->depth == 0)
        return "nothing to store";
    machine->slots[slot] = machine->stack[--machine->depth];
    machine->is_set[slot] = 1;
    return NULL;
}

static const char *load(struct machine *machine, int slot)
{
    if (slot < 0 || slot >= N_SLOTS)
        return "no such slot";
    if (!machine->is_set[slot])
        return "the slot is empty";
    return push(machine, machine->slots[slot]);
}

static const char *step(struct machine *machine)
{
    int op = operand(machine), n;

    switch (op) {
    case PUSH:
        n = operand(machine);
        return n < 0 ? "push what" : push(machine, (unsigned)n);
    case ADD: case MUL: case SWAP:
        return calculate(machine, (enum op)op);
    case DUP:
        if (machine->depth == 0)
            return "nothing to double";
        return push(machine, machine->stack[machine->depth - 1]);
    case STORE:
        return store(machine, operand(machine));
    case LOAD:
        return load(machine, operand(machine));
    case HALT:
        machine->is_halted = 1;
        return NULL;
    case -1:
        return "no halt";
    default:
        return "unknown operation";
    }
}

static const char *run(struct machine *machine)
{
    while (!machine->is_halted) {
        const char *error = step(machine);

        if (error)
            return error;
        if (++machine->n_steps > MAX_STEPS)
            return "too many steps";
    }
    if (machine->at != machine->end)
        return "code after the halt";
    if (machine->depth == 0)
        return "no result";
    return NULL;
}

int main(void)
{
    static unsigned char in[MAX_INPUT];
    size_t n = fread(in, 1, sizeof in, stdin);
    struct machine machine = {0};
    const char *error;
    unsigned top;

    machine.at = in;
    machine.end = in + n;
    error = run(&machine);
    if (error) {
        fprintf(stderr, "machine: step %d: %s\n", machine.n_steps, error);
        return 1;
    }
    top = machine.stack[machine.depth - 1];
    if (machine.n_steps >= 8 && machine.n_muls >= 2 && top == 1337)
        abort(); // the goal
    printf("%u after %d steps\n", top, machine.n_steps);
    if (machine.depth > 1)
        printf("%d more\n", machine.depth - 1);
    return 0;
}
