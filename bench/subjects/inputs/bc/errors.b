1+
"text"
2 ** 3
x = (1
3
if
