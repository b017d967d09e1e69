# -S keeps the twin; assembler sources are clang's business.
gimlet-cc -S twice.c -o twice_by_hand.s
gimlet-cc -c twice_by_hand.s -o twice_by_hand.o
gimlet-cc main.c twice_by_hand.o -o by_hand
same "$(fails 3 ./by_hand.plain)" 2
lacks 'gimlet_\(rt\|fn\|lib\)' nm by_hand.plain
cat > twice_asm.S <<'EOF'
#define RESULT %eax
    .globl twice
twice:
    lea (%rdi,%rdi), RESULT
    ret
    .section .note.GNU-stack,"",@progbits
EOF
gimlet-cc -w main.c twice_asm.S -o by_asm
same "$(fails 3 ./by_asm)" 2
same "$(fails 3 ./by_asm.plain)" 2
