var i = 0, out = [];
outer: for (;;) {
  while (i < 10) {
    i++;
    if (i % 3 === 0) continue;
    if (i > 7) break outer;
    out.push(i);
  }
}
do { i--; } while (i > 4);
switch (i) { case 3: print("three"); break; case 4: print("four"); default: print("through"); }
print(out.join(" "), i, (1, 2), void 0);
