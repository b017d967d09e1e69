// a comment
/* another
   one */
var $a_1 = 1; var \u0062 = 2
print($a_1
  + b)
print(typeof $a_1, typeof "s", typeof null, typeof print, $a_1++ + ++b, !b, -b)
print(1 == "1", 1 === "1", a = 3, a += 4, a >>>= 1)
var a
