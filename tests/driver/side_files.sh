# The plain build leaves the instrumented one's files alone, and devices are left alone altogether.
gimlet-cc main.c twice.c -o prog -Wl,-Map=prog.map
grep -q gimlet_rt prog.map
gimlet-cc -c main.c -o /dev/null
gimlet-cc main.c twice.c -o /dev/null
test -c /dev/null
test ! -e /dev/null.plain
gimlet-cc -c -emit-llvm twice.c -o twice.bc
gimlet-cc main.c twice.bc -o by_bitcode
same "$(fails 3 ./by_bitcode.plain)" 2
