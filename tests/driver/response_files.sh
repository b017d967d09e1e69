# Response files, nested and quoted, and command lines that are too long.
mv twice.c 'two words.c'
echo '"two words.c" -DNAME="a\ b"' > inner
echo 'main.c @inner -o prog' > outer
gimlet-cc @outer
same "$(fails 3 ./prog.plain)" 2
for i in $(seq 20000); do echo "-DLONG_NAME_OF_A_MACRO_THAT_NOBODY_USES_$i=1"; done > long
gimlet-cc @long @outer
same "$(fails 3 ./prog)" 2
