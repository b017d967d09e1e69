local i = 0
while true do
  i = i + 1
  if i % 2 == 0 then io.write(i, ";") elseif i > 7 then break else io.write("odd ") end
end
repeat local done = i > 10; i = i + 1 until done
for j = 10, 1, -3 do io.write(j, " ") end
for _, v in ipairs({ "a", "b", nil, "c" }) do io.write(v, " ") end
print(i, not nil and "yes" or "no")
