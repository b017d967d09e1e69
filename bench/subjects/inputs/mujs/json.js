var text = '{"a": [1, 2.5, -3e2], "b": {"c": null, "d": true}, "e": "x\\ny"}';
var value = JSON.parse(text);
print(value.a[2], value.b.c, value.e.length);
print(JSON.stringify(value), JSON.stringify([1, "q\"", undefined], null, 1));
