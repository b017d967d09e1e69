var a = [5, 1, 4, 2, 3];
a.sort();
a.push(9); a.unshift(0);
print(a, a.length, a.indexOf(4), a.slice(1, 3), a.splice(2, 2));
print(a.map(function (x) { return x * 2; }).filter(function (x) { return x > 4; }).join("-"));
print([1, [2, 3]].concat(4).reverse().toString());
