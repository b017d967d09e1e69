local V = {}
V.__index = V
V.__add = function(p, q) return setmetatable({ x = p.x + q.x }, V) end
V.__tostring = function(p) return "<" .. p.x .. ">" end
V.__lt = function(p, q) return p.x < q.x end
V.__call = function(p, k) return p.x * k end
local p, q = setmetatable({ x = 1 }, V), setmetatable({ x = 2 }, V)
print(tostring(p + q), p < q, p(5), rawequal(p, q))
