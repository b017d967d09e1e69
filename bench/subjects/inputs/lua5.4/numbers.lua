print(1 + 2 * 3 ^ 2 % 7, 7 / 2, -7 % 3, 2 ^ 0.5)
print(0x1F, 1e3, .5, 3 == 3.0, 10 < 9)
print(math.floor(3.7), math.max(1, 5, 3), math.huge, -math.huge)
print(tonumber("0x10"), tonumber("z", 36), tonumber("12a"), tostring(1e15))
