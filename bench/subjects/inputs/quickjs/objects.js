function Point(x, y) { this.x = x; this.y = y; }
Point.prototype.norm = function () { return this.x * this.x + this.y * this.y; };
var p = new Point(3, 4);
print(p.norm(), p instanceof Point, "x" in p, delete p.x, "x" in p);
var o = { a: 1, "b c": 2, 3: 4, get d() { return this.a + 1; } };
for (var k in o) print(k, o[k]);
print(Object.keys(o).join(","));
