# Strings and formats.
"a\tb\u00e9\(1 + 2)" | length, ascii_upcase, split("\t"), @json, @base64, (explode | implode),
  ltrimstr("a"), startswith("b"), test("x")?, .[1:3]
