"""Instances of string constraints, and what is known about them without Gimlet.

An instance is a problem in the language of HAMPI (`0001.hmp`) and the same as JSON (`0001.json`), written by one generator,
so that whoever reads the one need not trust the reader of the other. Grammars have rules of characters and names.
"""

import json
import pathlib
import random
import re
import sys

N_LEN_MIN, N_LEN_MAX = 5, 50


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def cfg_text(rules, start):
    """Rules as statements; each right side is a list of names in brackets and of texts."""
    names = sorted(rules, key=lambda name: (name != start, name))
    lines = []
    for name in names:
        rights = [" ".join(part if is_text is None else quoted(part) for part, is_text in map(kind, right)) for right in rules[name]]
        lines.append(f"cfg {name} := " + " | ".join(rights) + ";")
    return "\n".join(lines)


def kind(part):
    """A part of a right side: a name, or a text."""
    return (part[1:], None) if part.startswith("<") else (part, True)


def reg_text(reg):
    match reg:
        case ["text", text]:
            return quoted(text)
        case ["star", inner]:
            return f"star({reg_text(inner)})"
        case [name, *parts]:
            return f"{name}({', '.join(map(reg_text, parts))})"


def reg_pattern(reg):
    """For Python's own expressions."""
    match reg:
        case ["text", text]:
            return re.escape(text)
        case ["star", inner]:
            return f"(?:{reg_pattern(inner)})*"
        case ["or", *parts]:
            return "(?:" + "|".join(map(reg_pattern, parts)) + ")"
        case ["concat", *parts]:
            return "".join(map(reg_pattern, parts))


def hmp(instance):
    lines = [f"var v : {instance['size']};", cfg_text(instance["rules"], instance["start"])]
    lines.append(f"val q := concat({quoted(instance['before'])}, v, {quoted(instance['behind'])});")
    lines.append(f"assert q in {instance['start']};")
    for number, (reg, is_in) in enumerate(instance["regs"]):
        lines.append(f"reg R{number} := {reg_text(reg)};")
        lines.append(f"assert v {'' if is_in else 'not '}in R{number};")
    for text, is_in in instance["contains"]:
        lines.append(f"assert q {'' if is_in else 'not '}contains {quoted(text)};")
    return "\n".join(lines) + "\n"


def dyck(chance):
    pairs = chance.choice([["()"], ["()", "[]"]])
    rules = {"E": [[pair] for pair in pairs] + [["<E", "<E"]] + [[pair[0], "<E", pair[1]] for pair in pairs]}
    letters = "".join(pairs)
    text = lambda: "".join(chance.choice(letters) for _ in range(chance.randint(2, 5)))
    contains = [(text(), chance.random() < 0.5) for _ in range(chance.randint(1, 3))]
    contains.append((chance.choice(["(((", "()()", "((()"]), chance.random() < 0.5))
    return "dyck", rules, "E", "", "", [], contains


SQL = {
    "Query": [["SELECT ", "<Columns", " FROM ", "<Name", "<Where"]],
    "Columns": [["*"], ["<Name"], ["<Name", ",", "<Columns"]],
    "Where": [[], [" WHERE ", "<Condition"]],
    "Condition": [["<Name", "=", "<Value"], ["<Condition", " OR ", "<Condition"], ["<Condition", " AND ", "<Condition"], ["(", "<Condition", ")"], ["<Value", "=", "<Value"]],
    "Value": [["<Number"], ["'", "<Letters", "'"]],
    "Name": [["<Letter", "<Letters"]],
    "Letters": [[], ["<Letter", "<Letters"]],
    "Number": [["<Digit"], ["<Digit", "<Number"]],
    "Letter": [[letter] for letter in "abct"],
    "Digit": [[digit] for digit in "019"],
}


def sql(chance):
    before, behind = chance.choice(
        [("SELECT a FROM t WHERE a='", "'"), ("SELECT a FROM t WHERE a=", ""), ("SELECT ", " FROM t"), ("", ""), ("SELECT b FROM t WHERE (a=1 AND b='", "')")]
    )
    words = ["' OR '", "1=1", "OR", "''", ")", "(", "AND ", "'='", ",", "WHERE", "=a", "a'", "0"]
    contains = [(chance.choice(words), chance.random() < 0.6) for _ in range(chance.randint(1, 3))]
    return "sql", SQL, "Query", before, behind, [], contains


def random_reg(chance, letters, depth):
    if depth == 0 or chance.random() < 0.3:
        return ["text", "".join(chance.choice(letters) for _ in range(chance.randint(1, 3)))]
    name = chance.choice(["star", "or", "concat", "concat"])
    if name == "star":
        return ["star", random_reg(chance, letters, depth - 1)]
    return [name] + [random_reg(chance, letters, depth - 1) for _ in range(chance.randint(2, 3))]


def any_of(letters):
    return ["star", ["or"] + [["text", letter] for letter in letters]]


def some(chance):
    letters = "abc"[: chance.randint(2, 3)]
    names = ["S", "A", "B", "C"][: chance.randint(2, 4)]
    part = lambda: chance.choice(letters) if chance.random() < 0.5 else "<" + chance.choice(names)
    rules = {name: [[part() for _ in range(chance.randint(0, 4))] for _ in range(chance.randint(1, 3))] for name in names}
    for name in names:
        if chance.random() < 0.7:
            rules[name].append([chance.choice(letters)])
        rules[name] = [list(right) for right in dict.fromkeys(map(tuple, rules[name]))]
    regs = []
    for _ in range(chance.randint(1, 2)):
        reg = random_reg(chance, letters, 3)
        if chance.random() < 0.6:
            reg = ["concat", any_of(letters), reg, any_of(letters)]
        regs.append((reg, chance.random() < 0.6))
    contains = [("".join(chance.choice(letters) for _ in range(chance.randint(1, 4))), chance.random() < 0.5) for _ in range(chance.randint(0, 2))]
    return "random", rules, "S", "", "", regs, contains


def make(folder, count):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(20080607)
    for number in range(count):
        family, rules, start, before, behind, regs, contains = [dyck, sql, some][number % 3](chance)
        # Queries have text around the value.
        size = chance.randint(N_LEN_MIN, N_LEN_MAX // 3 if family == "sql" else N_LEN_MAX)
        if family == "dyck" and chance.random() < 0.8:
            size += size % 2
        instance = dict(family=family, size=size, rules=rules, start=start, before=before, behind=behind, regs=regs, contains=contains)
        (folder / f"{number:04}.json").write_text(json.dumps(instance))
        (folder / f"{number:04}.hmp").write_text(hmp(instance))


class Binary:
    """A grammar of rules with two symbols, without empty ones and without chains: for the algorithm of Cocke, Younger, Kasami."""

    def __init__(self, rules, start):
        self.start = start
        plain = {}
        for name, rights in rules.items():
            for right in rights:
                symbols = []
                for part in right:
                    symbols.extend([part] if part.startswith("<") else list(part))
                plain.setdefault("<" + name, []).append(symbols)
        pairs = []
        fresh = 0
        for name, rights in plain.items():
            for symbols in rights:
                left = name
                while len(symbols) > 2:
                    fresh += 1
                    pairs.append((left, (symbols[0], f"<{fresh}")))
                    left, symbols = f"<{fresh}", symbols[1:]
                pairs.append((left, tuple(symbols)))
        empty = set()
        while True:
            more = {left for left, right in pairs if all(it in empty for it in right)} - empty
            if not more:
                break
            empty |= more
        self.has_empty = "<" + start in empty
        chains, self.pairs = {}, []
        for left, right in pairs:
            if len(right) == 2:
                self.pairs.append((left, *right))
                for one, other in (right, right[::-1]):
                    if other in empty:
                        chains.setdefault(one, set()).add(left)
            elif len(right) == 1:
                chains.setdefault(right[0], set()).add(left)
        symbols = {it for _, *right in self.pairs for it in right} | set(chains) | {"<" + start} | {left for left, *_ in self.pairs}
        # What each symbol is a chain of, itself included.
        self.above = {}
        for symbol in symbols:
            reached, pending = {symbol}, [symbol]
            while pending:
                for up in chains.get(pending.pop(), ()):
                    if up not in reached:
                        reached.add(up)
                        pending.append(up)
            self.above[symbol] = reached
        self.numbers = {symbol: number for number, symbol in enumerate(sorted(symbols | set().union(*self.above.values())))}

    def accepts(self, text):
        if not text:
            return self.has_empty
        mask = lambda symbol: sum(1 << self.numbers[it] for it in self.above.get(symbol, {symbol}) if it in self.numbers)
        by_pair = {}
        for left, one, other in self.pairs:
            by_pair.setdefault((1 << self.numbers[one], 1 << self.numbers[other]), 0)
            by_pair[(1 << self.numbers[one], 1 << self.numbers[other])] |= mask(left)
        known = {}

        def product(one, other):
            if (one, other) not in known:
                found = 0
                for (first, second), left in by_pair.items():
                    if one & first and other & second:
                        found |= left
                known[one, other] = found
            return known[one, other]

        n = len(text)
        table = [[0] * (n + 1) for _ in range(n + 1)]
        for at, letter in enumerate(text):
            table[at][at + 1] = mask(letter)
        for length in range(2, n + 1):
            for begin in range(n - length + 1):
                end = begin + length
                found = 0
                for middle in range(begin + 1, end):
                    if table[begin][middle] and table[middle][end]:
                        found |= product(table[begin][middle], table[middle][end])
                table[begin][end] = found
        return bool(table[0][n] >> self.numbers["<" + self.start] & 1)


def holds(instance, value):
    """What is wrong with a value, if anything is."""
    text = instance["before"] + value + instance["behind"]
    if len(value) != instance["size"]:
        return "size"
    for reg, is_in in instance["regs"]:
        if (re.fullmatch(reg_pattern(reg), value, re.DOTALL) is not None) != is_in:
            return "expression"
    for part, is_in in instance["contains"]:
        if (part in text) != is_in:
            return "contains"
    if not Binary(instance["rules"], instance["start"]).accepts(text):
        return "grammar"
    return None


def check(folder, answers):
    """Reads answers, one a line as JSON; prints those that are wrong."""
    n_wrong = 0
    for line in open(answers):
        answer = json.loads(line)
        if answer["answer"] == "SAT":
            instance = json.loads((pathlib.Path(folder) / f"{pathlib.Path(answer['file']).stem}.json").read_text())
            wrong = holds(instance, bytes(answer["values"][0]).decode("latin-1"))
            if wrong:
                n_wrong += 1
                print(f"{answer['file']}: no value: {wrong}")
    print(f"{n_wrong} wrong")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", folder, count]:
            make(folder, int(count))
        case ["check", folder, answers]:
            check(folder, answers)
        case _:
            sys.exit("instances.py make FOLDER COUNT | check FOLDER ANSWERS")
