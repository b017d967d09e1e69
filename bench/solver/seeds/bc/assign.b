a=12*(3+4)
if (a>5) print a
