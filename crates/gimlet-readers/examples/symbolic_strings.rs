//! Enumerates symbolic strings.
//!
//! `cargo run --release --example symbolic_strings -- FILE.y FILE.l N [LEN]`: the first and last of N, the time of the
//! processor until the first and until the last, how many have no text, and the most memory that the process had.

use std::rc::Rc;

use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::text::symbolic::{Bounds, Holes, Strings, Symbolic};
use gimlet_grammar::Source;
use gimlet_readers::lex::{self, action};
use gimlet_readers::yacc;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let read = |path: &str| Source::new(path, String::from_utf8_lossy(&std::fs::read(path).expect("can't read")));
    let grammar = yacc::read(&read(&args[0])).grammar.expect("errors");
    let source = read(&args[1]);
    let lex = lex::read(&source);
    let effects = action::effects(&lex, &source);
    let scanner = Rc::new(Scanner::new(&grammar, lex, effects, &[]).expect("too large"));
    println!("scanner: {:.3} ms", ms());
    let symbolic = Symbolic::new(&grammar, scanner, &Holes::default());
    println!("symbolic: {:.3} ms", ms());
    for terminal in symbolic.without_text() {
        println!("no text: {}", grammar.terminal(symbolic.origin(terminal)).name);
    }
    let bounds =
        Bounds { len: args.get(3).map(|len| len.parse().expect("a length")), is_accepted: true, ..Bounds::default() };
    let mut strings = Strings::new(symbolic, &grammar, bounds).expect("no sentences");
    let n: usize = args[2].parse().expect("a number");
    let mut n_strings = 0;
    while n_strings < n {
        let Some((terminals, template)) = strings.advance() else { break };
        let n_terminals = terminals.len();
        if n_strings == 0 {
            println!("first: {:.3} ms", ms());
        }
        if n_strings < 20 || n_strings + 10 >= n {
            println!("{n_terminals} {} {:?}", template.holes.len(), String::from_utf8_lossy(&template.bytes));
        }
        n_strings += 1;
    }
    println!("strings: {n_strings}, {} without text", strings.n_without_text);
    println!("all: {:.3} ms", ms());
    println!("memory: {} kB", memory_kb());
}

/// Since the process began, as far as it was running.
fn ms() -> f64 {
    let times = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = times.split(' ').next().and_then(|time| time.parse::<u64>().ok());
    nanoseconds.map_or(f64::NAN, |nanoseconds| nanoseconds as f64 / 1e6)
}

/// The most that was resident at once.
fn memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0)
}
