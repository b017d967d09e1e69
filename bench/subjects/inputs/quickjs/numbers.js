print(1 + 2 * 3 - 4 / 2 % 3, 7 & 3, 7 | 8, 7 ^ 2, ~7, 1 << 4, -16 >> 2, -16 >>> 28);
print(0x1f, 017, 1e3, .5, 1 / 3, 0 / 0, -1 / 0, 1e21);
print(parseInt("12px"), parseFloat("3.5e2x"), Number(""), (255).toString(16), (3.14159).toFixed(2));
print(Math.max(1, 2, 3), Math.floor(-1.5), Math.abs(-2), isNaN("x"));
