"""Checks SMT-LIB files with one solver through its Python interface.

check.py SOLVER SECONDS reads paths from standard input. For each it prints `read` when it has read the
file, and then the verdict and the nanoseconds of the processor for the check alone. A check that
takes longer than SECONDS of the processor ends the process with SIGPROF; the solvers' own limits are
not used, because they go by the clock on the wall and are not kept everywhere.

check.py SOLVER --version prints the version of the solver's package.
"""

import importlib.metadata
import signal
import sys
import time

READING_SECONDS = 300


def with_z3(path):
    import z3

    solver = z3.SolverFor("QF_BV", ctx=z3.Context())
    solver.from_file(path)
    return solver.check


def with_cvc5(path):
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
    symbols = parser.getSymbolManager()
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        if command.getCommandName() != "check-sat":
            command.invoke(solver, symbols)
    return solver.checkSat


def with_bitwuzla(path):
    import bitwuzla

    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(path, True, True)
    return parser.bitwuzla().check_sat


# Name of the package, and what reads a file and returns the function that checks it.
SOLVERS = {"z3": ("z3-solver", with_z3), "cvc5": ("cvc5", with_cvc5), "bitwuzla": ("bitwuzla", with_bitwuzla)}


def limit(seconds):
    signal.setitimer(signal.ITIMER_PROF, seconds)


def verdict(result):
    text = str(result).lower().rsplit(".", 1)[-1]
    return text if text in ("sat", "unsat") else "unknown"


def main():
    name, seconds = sys.argv[1:]
    package, read = SOLVERS[name]
    if seconds == "--version":
        print(importlib.metadata.version(package))
        return
    for line in sys.stdin:
        limit(READING_SECONDS)
        check = read(line.rstrip("\n"))
        print("read", flush=True)
        limit(float(seconds))
        # The clock of the thread: that of the process goes in ticks while a timer is set. No solver starts others.
        start = time.thread_time_ns()
        result = check()
        elapsed = time.thread_time_ns() - start
        limit(0)
        print(verdict(result), elapsed, sep="\t", flush=True)


main()
