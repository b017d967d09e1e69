"""Solves instances of `instances.py` with another solver, one after the other.

rival.py NAME SECONDS FOLDER reads names of instances from standard input. For each it prints `read` when the formula is
made, and then the verdict and the nanoseconds of the processor for the check alone. A check that takes longer
than SECONDS of the processor ends the process with SIGPROF.

z3-re, cvc5-re   for each length the strings of a grammar as one expression over sequences, as HAMPI does it
z3-cyk           the table of Cocke, Younger and Kasami over Boolean variables
"""

import functools
import json
import pathlib
import signal
import sys
import time

import instances

READING_SECONDS = 60


def spans(rules):
    """Rules as lists of characters and names."""
    plain = {}
    for name, rights in rules.items():
        plain[name] = [[part if part.startswith("<") else letter for part in right for letter in ([part] if part.startswith("<") else part)] for right in rights]
    return plain


def lengths(rules, most):
    """The lengths that each name can have."""
    known = {name: set() for name in rules}
    while True:
        changed = False
        for name, rights in rules.items():
            for right in rights:
                sums = {0}
                for part in right:
                    own = known[part[1:]] if part.startswith("<") else {1}
                    sums = {one + other for one in sums for other in own if one + other <= most}
                if not sums <= known[name]:
                    known[name] |= sums
                    changed = True
        if not changed:
            return known


class Expansion:
    """The strings of a grammar that have a length, by an algebra of expressions."""

    def __init__(self, instance, algebra):
        self.rules = spans(instance["rules"])
        self.most = instance["size"] + len(instance["before"]) + len(instance["behind"])
        self.lengths = lengths(self.rules, self.most)
        self.algebra = algebra
        self.known = {}

    def whole(self, name, length, active=()):
        if (name, length) in self.known:
            return self.known[name, length]
        # A chain that comes back adds nothing.
        if (name, length) in active or length not in self.lengths[name]:
            return None
        options = [self.rest(tuple(right), length, active + ((name, length),)) for right in self.rules[name]]
        found = self.algebra.union([it for it in options if it is not None])
        if not active or all(other[1] > length for other in active):
            self.known[name, length] = found
        return found

    def rest(self, right, length, active):
        if not right:
            return self.algebra.empty() if length == 0 else None
        first, behind = right[0], right[1:]
        if not first.startswith("<"):
            after = self.rest(behind, length - 1, ()) if length else None
            return None if after is None else self.algebra.concat(self.algebra.letter(first), after)
        options = []
        for own in sorted(self.lengths[first[1:]]):
            if own <= length:
                # Only what has the whole length can come back.
                one = self.whole(first[1:], own, active if own == length else ())
                other = None if one is None else self.rest(behind, length - own, active if own == 0 else ())
                if other is not None:
                    options.append(self.algebra.concat(one, other))
        return self.algebra.union(options)


def regular(instance, algebra):
    """Expressions, whether they hold, and for what."""
    for reg, is_in in instance["regs"]:
        yield "value", expression(reg, algebra), is_in


def expression(reg, algebra):
    match reg:
        case ["text", text]:
            return functools.reduce(algebra.concat, map(algebra.letter, text), algebra.empty())
        case ["star", inner]:
            return algebra.star(expression(inner, algebra))
        case ["or", *parts]:
            return algebra.union([expression(part, algebra) for part in parts])
        case ["concat", *parts]:
            return functools.reduce(algebra.concat, [expression(part, algebra) for part in parts])


def z3_re(instance):
    import z3

    class Algebra:
        empty = staticmethod(lambda: z3.Re(z3.StringVal("")))
        letter = staticmethod(lambda it: z3.Re(z3.StringVal(it)))
        star = staticmethod(z3.Star)

        @staticmethod
        def concat(one, other):
            return z3.Concat(one, other)

        @staticmethod
        def union(parts):
            return None if not parts else parts[0] if len(parts) == 1 else z3.Union(*parts)

    expansion = Expansion(instance, Algebra)
    language = expansion.whole(instance["start"], expansion.most)
    if language is None:
        return lambda: ("unsat", None)
    value = z3.String("v")
    text = z3.Concat(z3.StringVal(instance["before"]), value, z3.StringVal(instance["behind"]))
    solver = z3.Solver()
    solver.add(z3.Length(value) == instance["size"], z3.InRe(text, language))
    for _, reg, is_in in regular(instance, Algebra):
        solver.add(z3.InRe(value, reg) == is_in)
    for part, is_in in instance["contains"]:
        solver.add(z3.Contains(text, z3.StringVal(part)) == is_in)

    def run():
        verdict = str(solver.check())
        return verdict, solver.model()[value].as_string() if verdict == "sat" else None

    return run


def cvc5_re(instance):
    import cvc5
    from cvc5 import Kind

    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("produce-models", "true")
    solver.setOption("strings-exp", "true")
    solver.setLogic("QF_SLIA")

    class Algebra:
        empty = staticmethod(lambda: terms.mkTerm(Kind.STRING_TO_REGEXP, terms.mkString("")))
        letter = staticmethod(lambda it: terms.mkTerm(Kind.STRING_TO_REGEXP, terms.mkString(it)))
        star = staticmethod(lambda it: terms.mkTerm(Kind.REGEXP_STAR, it))

        @staticmethod
        def concat(one, other):
            return terms.mkTerm(Kind.REGEXP_CONCAT, one, other)

        @staticmethod
        def union(parts):
            return None if not parts else parts[0] if len(parts) == 1 else terms.mkTerm(Kind.REGEXP_UNION, *parts)

    expansion = Expansion(instance, Algebra)
    language = expansion.whole(instance["start"], expansion.most)
    if language is None:
        return lambda: ("unsat", None)
    value = terms.mkConst(terms.getStringSort(), "v")
    text = terms.mkTerm(Kind.STRING_CONCAT, terms.mkString(instance["before"]), value, terms.mkString(instance["behind"]))
    told = lambda term, is_in: term if is_in else terms.mkTerm(Kind.NOT, term)
    size = terms.mkTerm(Kind.EQUAL, terms.mkTerm(Kind.STRING_LENGTH, value), terms.mkInteger(instance["size"]))
    solver.assertFormula(size)
    solver.assertFormula(terms.mkTerm(Kind.STRING_IN_REGEXP, text, language))
    for _, reg, is_in in regular(instance, Algebra):
        solver.assertFormula(told(terms.mkTerm(Kind.STRING_IN_REGEXP, value, reg), is_in))
    for part, is_in in instance["contains"]:
        solver.assertFormula(told(terms.mkTerm(Kind.STRING_CONTAINS, text, terms.mkString(part)), is_in))

    def run():
        verdict = str(solver.checkSat())
        return verdict, solver.getValue(value).getStringValue() if verdict == "sat" else None

    return run


def nfa_of(reg):
    """States, steps by letter, and the end of an expression; state 0 is the beginning."""
    steps, jumps = [], []
    counter = iter(range(10**9))

    def build(reg, begin):
        match reg:
            case ["text", text]:
                for letter in text:
                    end = next(counter)
                    steps.append((begin, letter, end))
                    begin = end
                return begin
            case ["star", inner]:
                hub = next(counter)
                jumps.append((begin, hub))
                jumps.append((build(inner, hub), hub))
                return hub
            case ["or", *parts]:
                end = None
                ends = []
                for part in parts:
                    start = next(counter)
                    jumps.append((begin, start))
                    ends.append(build(part, start))
                end = next(counter)
                jumps.extend((it, end) for it in ends)
                return end
            case ["concat", *parts]:
                for part in parts:
                    begin = build(part, begin)
                return begin

    begin = next(counter)
    end = build(reg, begin)
    return begin, end, steps, jumps


def dfa_of(reg, letters):
    """A deterministic automaton: rows by letter, and which states are ends."""
    begin, end, steps, jumps = nfa_of(reg)

    def closed(states):
        states, pending = set(states), list(states)
        while pending:
            at = pending.pop()
            for one, other in jumps:
                if one == at and other not in states:
                    states.add(other)
                    pending.append(other)
        return frozenset(states)

    numbers = {closed({begin}): 0}
    rows, pending = [], list(numbers)
    for states in pending:
        row = {}
        for letter in letters:
            to = closed({other for one, it, other in steps if one in states and it == letter})
            if to not in numbers:
                numbers[to] = len(numbers)
                pending.append(to)
            row[letter] = numbers[to]
        rows.append(row)
    return rows, [end in states for states in pending]


def z3_cyk(instance):
    import z3

    grammar = instances.Binary(instance["rules"], instance["start"])
    text_length = instance["size"] + len(instance["before"]) + len(instance["behind"])
    letters = sorted({letter for rights in instance["rules"].values() for right in rights for part in right if not part.startswith("<") for letter in part})
    numbers = {letter: number for number, letter in enumerate(letters)}
    n_before = len(instance["before"])
    # As text, because the interface of Python takes longer to make a term than Z3 takes to read it.
    names, lines = [], []
    known = instance["before"] + "\0" * instance["size"] + instance["behind"]
    has = lambda at, letter: f"c{at}_{numbers[letter]}"
    for at in range(text_length):
        options = [has(at, letter) for letter in letters]
        names += options
        lines.append(f"(assert (or false {' '.join(options)}))")
        lines += [f"(assert (or (not {one}) (not {other})))" for number, one in enumerate(options) for other in options[:number]]
        if known[at] != "\0":
            lines.append(f"(assert {has(at, known[at]) if known[at] in numbers else 'false'})")
    # The lengths that each symbol can have, with a bit for each.
    most = (1 << (text_length + 1)) - 1
    possible = {symbol: 0 if symbol.startswith("<") else 2 for symbol in grammar.numbers}
    while True:
        before = dict(possible)
        for symbol, above in grammar.above.items():
            for it in above:
                possible[it] |= possible[symbol]
        for left, one, other in grammar.pairs:
            for length in range(text_length + 1):
                if possible[one] >> length & 1:
                    possible[left] |= possible[other] << length & most
        if possible == before:
            break
    if not possible["<" + instance["start"]] >> text_length & 1:
        return lambda: ("unsat", None)
    below = {}
    for symbol, above in grammar.above.items():
        for it in above:
            below.setdefault(it, set()).add(symbol)
    by_left = {}
    for left, one, other in grammar.pairs:
        by_left.setdefault(left, []).append((one, other))
    cells, pending = set(), []

    def cell(symbol, begin, end):
        if not symbol.startswith("<"):
            return has(begin, symbol) if end == begin + 1 and symbol in numbers else "false"
        name = f"t{grammar.numbers[symbol]}_{begin}_{end}"
        if name not in cells:
            cells.add(name)
            names.append(name)
            pending.append((name, symbol, begin, end))
        return name

    lines.append(f"(assert {cell('<' + instance['start'], 0, text_length)})")
    while pending:
        name, symbol, begin, end = pending.pop()
        ways = []
        for chained in below.get(symbol, {symbol}):
            if not chained.startswith("<"):
                ways.append(cell(chained, begin, end))
            for one, other in by_left.get(chained, ()):
                for middle in range(begin + 1, end):
                    if possible[one] >> (middle - begin) & 1 and possible[other] >> (end - middle) & 1:
                        ways.append(f"(and {cell(one, begin, middle)} {cell(other, middle, end)})")
        lines.append(f"(assert (=> {name} (or false {' '.join(ways)})))")
    conditions = [(reg, is_in, n_before, n_before + instance["size"]) for reg, is_in in instance["regs"]]
    anything = instances.any_of(letters)
    conditions += [(["concat", anything, ["text", part], anything], is_in, 0, text_length) for part, is_in in instance["contains"]]
    for number, (reg, is_in, begin, end) in enumerate(conditions):
        rows, ends = dfa_of(reg, letters)
        at = {0: "true"}
        for place in range(begin, end):
            after = {}
            for state, holds in at.items():
                for letter in letters:
                    to = rows[state][letter]
                    if to not in after:
                        after[to] = f"q{number}_{place}_{to}"
                        names.append(after[to])
                    lines.append(f"(assert (=> (and {holds} {has(place, letter)}) {after[to]}))")
            at = after
        lines += [f"(assert (not {holds}))" for state, holds in at.items() if ends[state] != is_in]
    solver = z3.SolverFor("QF_FD")
    solver.from_string("\n".join([f"(declare-const {name} Bool)" for name in names] + lines))

    def run():
        verdict = str(solver.check())
        if verdict != "sat":
            return verdict, None
        model = solver.model()
        true = {str(it) for it in model if z3.is_true(model[it])}
        places = range(n_before, n_before + instance["size"])
        return verdict, "".join(next(letter for letter in letters if has(at, letter) in true) for at in places)

    return run


RIVALS = {"z3-re": z3_re, "cvc5-re": cvc5_re, "z3-cyk": z3_cyk}


def main(name, seconds, folder):
    sys.setrecursionlimit(100_000)
    for line in sys.stdin:
        instance = json.loads((pathlib.Path(folder) / f"{line.strip()}.json").read_text())
        signal.setitimer(signal.ITIMER_PROF, READING_SECONDS)
        run = RIVALS[name](instance)
        signal.setitimer(signal.ITIMER_PROF, float(seconds))
        print("read", flush=True)
        begin = time.process_time_ns()
        verdict, value = run()
        took = time.process_time_ns() - begin
        signal.setitimer(signal.ITIMER_PROF, 0)
        wrong = instances.holds(instance, value) if verdict == "sat" else None
        print(verdict if wrong is None else "wrong", took, sep="\t", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
