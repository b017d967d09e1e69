local s = "the quick brown fox"
print(#s, s:upper(), s:rep(2, "-"), s:reverse())
for word in s:gmatch("%a+") do io.write(word, ",") end
print(s:gsub("o", "0"))
print(string.format("%5d|%-5s|%x|%q", 42, "ab", 255, "a\nb"))
print(s:find("quick"), s:byte(1, 3), ("%d"):format(7))
