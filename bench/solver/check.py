"""Checks SMT-LIB files with one solver through its Python interface.

check.py SOLVER SECONDS FOLDER prints for each .smt2 file its name, the verdict and the nanoseconds of
the check alone: the text has been read before the clock starts.
"""

import pathlib
import sys
import time


def with_z3(path, limit_ms):
    import z3

    solver = z3.SolverFor("QF_BV", ctx=z3.Context())
    solver.set("timeout", limit_ms)
    solver.from_file(str(path))
    return solver.check


def with_cvc5(path, limit_ms):
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(limit_ms))
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(path))
    symbols = parser.getSymbolManager()
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        if command.getCommandName() != "check-sat":
            command.invoke(solver, symbols)
    return solver.checkSat


def with_bitwuzla(path, limit_ms):
    import bitwuzla

    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, limit_ms)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(str(path), True, True)
    return parser.bitwuzla().check_sat


def verdict(result):
    text = str(result).lower().rsplit(".", 1)[-1]
    for known in ("unsat", "sat"):
        if text == known:
            return known
    return "unknown"


def main():
    name, seconds, folder = sys.argv[1:]
    sys.setrecursionlimit(1_000_000)
    make = {"z3": with_z3, "cvc5": with_cvc5, "bitwuzla": with_bitwuzla}[name]
    for path in sorted(pathlib.Path(folder).glob("*.smt2")):
        check = make(path, int(float(seconds) * 1000))
        start = time.perf_counter_ns()
        result = check()
        elapsed = time.perf_counter_ns() - start
        print(path.stem, verdict(result), elapsed, sep="\t", flush=True)


main()
