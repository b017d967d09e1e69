local co = coroutine.create(function(a)
  for i = 1, 3 do a = coroutine.yield(a * i) end
  return "done"
end)
print(coroutine.resume(co, 10))
print(coroutine.resume(co, 20))
print(coroutine.resume(co, 30))
print(coroutine.resume(co, 40))
print(coroutine.resume(co), coroutine.status(co))
