{a: 1, "b c": [2], (["d", "e"] | join("-")): null} | keys, has("a"), del(.a), to_entries[0], . * {a: {x: 1}}
