var re = /(\d+)-([a-z]*)/gi;
print("12-ab 34-CD".match(re));
print(re.exec("x 7-q"), re.lastIndex);
print("aaa".replace(/a/g, "b"), /^[^x]+$/.test("abc"), /a{2,3}?/.exec("aaaa"));
print("k=v;l=w".split(/[=;]/));
