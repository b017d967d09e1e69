# What can't work is said, with status 2.
refuses() {
    local word=$1
    shift
    fails 2 "$@" 2> said
    grep -q -e "$word" said || { cat said; return 1; }
}
refuses m32 gimlet-cc -m32 -c main.c
refuses nonsense gimlet-cc -fgimlet=nonsense -c main.c
refuses clang-19 env PATH=/nonexistent "$(command -v gimlet-cc)" -c main.c
refuses nothere env GIMLET_CLANG=/nothere gimlet-cc -c main.c
gimlet-cc -c twice.c
# the version of the twin's record, in this object alone
objcopy -O binary --only-section=.gimlet.plain --set-section-flags .gimlet.plain=alloc twice.o section
printf '\x7f' | dd of=section bs=1 seek=8 conv=notrunc status=none
objcopy --update-section .gimlet.plain=section twice.o
refuses 'another version' gimlet-cc main.c twice.o -o prog
refuses 'no clang 19.*coreutils' env GIMLET_CLANG=/bin/true gimlet-cc -c main.c
printf '#!/bin/sh\n' > silent
chmod +x silent
refuses 'no clang 19.*nothing' env GIMLET_CLANG=./silent gimlet-cc -c main.c
refuses "Gimlet's own" env GIMLET_CLANG=gimlet-cc gimlet-cc -c main.c
GIMLET_CLANG=clang-19 gimlet-cc -c main.c
