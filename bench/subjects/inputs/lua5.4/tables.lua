local t = { 5, 3, 8, 1, x = "field", [10] = "ten" }
table.sort(t)
table.insert(t, 9)
table.remove(t, 1)
print(table.concat(t, " "), t.x, t[10], #t)
local n = 0
for k, v in pairs(t) do n = n + 1 end
print(n, next({}), rawlen and rawlen(t) or #t)
