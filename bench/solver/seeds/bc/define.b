define f(x) { return (x^2); }
f(3)
