// Enough work that its time says something.
var n = 100000, primes = [], sieve = [];
for (var i = 2; i < n; i++) {
  if (sieve[i]) continue;
  primes.push(i);
  for (var j = i * 2; j < n; j += i) sieve[j] = true;
}
var words = [];
for (i = 0; i < 5000; i++) words.push("w" + (i * 7919 % 5003));
words.sort();
print(primes.length, words[0], words[words.length - 1], words.join(" ").replace(/w(\d)/g, "$1").length);
