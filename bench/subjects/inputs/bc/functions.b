define f(n) {
  auto r
  if (n <= 1) return (1)
  r = n * f(n - 1)
  return (r)
}
f(6)
define void h(x) { print "h", x, "\n" }
h(3)
