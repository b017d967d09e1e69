-- Enough work that its time says something.
local n, primes = 300000, {}
local sieve = {}
for i = 2, n do
  if not sieve[i] then
    primes[#primes + 1] = i
    for j = i * i, n, i do sieve[j] = true end
  end
end
local words = {}
for i = 1, 20000 do words[i] = string.format("%05d:%s", i * 7919 % 20011, ("x"):rep(i % 7)) end
table.sort(words)
local sum = 0
for _, word in ipairs(words) do sum = (sum * 31 + #word + word:byte(3)) % 1000003 end
print(#primes, primes[#primes], words[1], words[#words], sum)
