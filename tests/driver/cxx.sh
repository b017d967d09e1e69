# C++ by both names.
cat > hello.cc <<'EOF'
#include <iostream>
#include <stdexcept>
#include <vector>
int main()
{
    std::vector<int> numbers{1, 2, 3};
    try {
        numbers.at(3) = 0;
    } catch (const std::out_of_range &) {
        std::cout << "caught\n";
    }
}
EOF
for compiler in gimlet-c++ gimlet-cxx; do
    $compiler -O1 hello.cc -o hello
    same "$(./hello)" caught
    same "$(./hello.plain)" caught
done
