# C++ by both names: exceptions, streams, templates, virtual functions, threads, static objects.
cat > hello.cc <<'EOF'
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
template <typename T> struct Shape {
    virtual ~Shape() = default;
    virtual T area() const = 0;
};
template <typename T> struct Square : Shape<T> {
    explicit Square(T side) : side(side) {}
    T area() const override { return side * side; }
    T side;
};
static std::map<std::string, int> counts{{"static", 1}};
struct Cleanup {
    ~Cleanup() { std::cout << "unwound\n"; }
};
static int thrower(int n)
{
    Cleanup cleanup;
    if (n > 2)
        throw std::runtime_error("too many: " + std::to_string(n));
    return n;
}
int main()
{
    std::vector<int> numbers{1, 2, 3};
    try {
        numbers.at(3) = 0;
    } catch (const std::out_of_range &) {
        std::cout << "caught\n";
    }
    try {
        thrower(3);
    } catch (const std::exception &error) {
        std::cout << error.what() << "\n";
    }
    std::unique_ptr<Shape<long>> shape = std::make_unique<Square<long>>(7);
    std::thread worker([&] { counts["thread"] = static_cast<int>(shape->area()); });
    worker.join();
    for (const auto &[name, count] : counts)
        std::cout << name << " " << count << "\n";
}
EOF
expected=$(printf '%s\n' caught unwound 'too many: 3' 'static 1' 'thread 49')
for how in 'gimlet-c++ -O0' 'gimlet-cxx -O2'; do
    $how -std=c++17 -Wall -Wextra -Werror hello.cc -o hello
    for twin in '' .plain .edges; do
        same "$(./hello$twin)" "$expected"
    done
done
# an exception through a shared object
echo 'int thrower(int n) { if (n) throw n; return 0; }' > thrower.cc
echo 'int thrower(int n); int main() { try { return thrower(5); } catch (int n) { return n; } }' > catcher.cc
gimlet-c++ -shared -fPIC thrower.cc -o libthrower.so
gimlet-c++ catcher.cc -L. -lthrower -Wl,-rpath,. -o catcher
for twin in '' .plain .edges; do
    fails 5 ./catcher$twin
done
