var s = "Hello, World";
print(s.length, s.charAt(1), s.charCodeAt(0), s.toUpperCase(), s.indexOf("o"));
print(s.split(", "), s.substring(2, 5), s.slice(-3), s.replace("World", "you"));
print("\x41\u0042\n\t'\"".length, String.fromCharCode(67), "a" < "b", "10" * 2);
