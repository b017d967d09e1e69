# A CMake project: a static library, a shared one with a version, a program, and a plugin.
mkdir src
mv main.c src
mv twice.c src
echo 'int twice(int x); int half(int x) { return twice(x) / 4; }' > src/half.c
echo 'int plugged(void) { return 1; }' > src/plugin.c
sed -i 's/twice/half/g' src/main.c
cat > CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.13)
project(driver C CXX)
set(CMAKE_C_VISIBILITY_PRESET default)
add_library(twice STATIC src/twice.c)
set_target_properties(twice PROPERTIES POSITION_INDEPENDENT_CODE ON)
add_library(half SHARED src/half.c)
set_target_properties(half PROPERTIES VERSION 1.2 SOVERSION 1)
target_link_libraries(half twice)
add_library(plugin MODULE src/plugin.c)
add_executable(prog src/main.c)
target_link_libraries(prog half)
EOF
CC=gimlet-cc CXX=gimlet-c++ cmake -B build -DCMAKE_BUILD_TYPE=Release > log 2>&1 || { cat log; false; }
grep -q 'C compiler identification is Clang' log
cmake --build build > log 2>&1 || { cat log; false; }
lacks 'gimlet-c[c+]*: ' cat log
for twin in '' .plain .edges; do
    same "$(fails 3 build/prog$twin a b c)" 2
    test -f build/libplugin.so$twin
done
readelf -d build/prog.edges | grep -q 'NEEDED.*libhalf.so.1.edges'
