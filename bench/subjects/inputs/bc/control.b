# Loops and conditions.
for (i = 0; i < 3; i++) {
  if (i == 1) continue
  i
}
while (i > 0) { i -= 2; if (i < 0) break }
i
if (i < 0) print "below\n" else print "above\n"
