function fact(n) { return n < 2 ? 1 : n * fact(n - 1); }
var add = function (a, b) { return a + b; };
print(fact(6), add(1, 2), add("a", 1), add.length, fact.name);
(function () { print(arguments.length, this === undefined); })(1, 2, 3);
print(add.call(null, 3, 4), add.apply(null, [5, 6]));
