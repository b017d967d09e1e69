local function counter()
  local n = 0
  return function(step) n = n + (step or 1); return n end
end
local a, b = counter(), counter()
print(a(), a(), b(10), a(5), b())
print(select("#", nil, nil), select(2, "a", "b", "c"))
