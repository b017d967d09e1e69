use proptest::prelude::*;

use super::*;
use crate::chance::Chance;
use crate::count::sentences::Sentences;
use crate::test_grammars::{grammar, CALCULATOR};

/// The fragment of JavaScript's grammar that the paper has.
const FUNCTION: &str = "decl: function id ( formals ) { elements } ;
    formals: | id | id , formals ; elements: | elements id ;";
const EXPRESSION: &str = "s: ( let ( ( id s ) ) s ) | ( op s s ) | num | id ; op: + | - ;";

fn token(grammar: &Grammar, name: &str) -> TerminalId {
    grammar.symbol(name).and_then(|it| it.terminal()).unwrap_or_else(|| panic!("{name}"))
}

/// `a|b` is one of them, `!a` all others, `.` any, `$` the end.
fn sets(grammar: &Grammar, text: &str) -> Vec<TokenSet> {
    let set = |word: &str| match word.strip_prefix('!') {
        Some(name) => TokenSet::all_but(grammar, token(grammar, name)),
        None if word == "." => TokenSet::all(grammar),
        None => word.split('~').fold(TokenSet::empty(grammar), |mut set, name| {
            match name {
                "$" => set.insert_end(),
                name => set.insert(token(grammar, name)),
            }
            set
        }),
    };
    text.split_whitespace().map(set).collect()
}

fn show(grammar: &Grammar, answer: &Answer) -> String {
    match answer {
        Answer::Sat(tokens) => {
            tokens.iter().map(|&it| grammar.terminal(it).name.as_str()).collect::<Vec<_>>().join(" ")
        }
        Answer::Unsat(reason) => format!("no: {}", reason.show(grammar)),
        Answer::Unknown(gap) => format!("{gap:?}"),
    }
}

fn check(text: &str, tokens: &str, expected: &str) {
    let grammar = grammar(text);
    let constraint = Constraint::new(sets(&grammar, tokens));
    let mut solver = Solver::new(&grammar);
    let (answer, certificate) = solver.certified(&constraint);
    assert_eq!(show(&grammar, &answer), expected, "{tokens}");
    let proved = super::check(&grammar, &constraint, &certificate.unwrap());
    assert_eq!(proved, Ok(matches!(answer, Answer::Sat(_))));
}

#[test]
fn the_example_with_a_function() {
    check(FUNCTION, "function id ( ) { }", "function id ( ) { }");
    check(FUNCTION, "function id ( !)", "function id ( id ) { }");
    check(
        FUNCTION,
        "function id !(",
        "no: after id only ( can follow, and token 3 is to be function, id, ), {, } or ,",
    );
}

#[test]
fn the_example_with_s_expressions() {
    check(EXPRESSION, "( + ( (~num~id~let", "( + ( let ( ( id num ) ) num ) num )");
}

#[test]
fn ends_and_lengths() {
    check(CALCULATOR, "DIGIT $", "DIGIT");
    check(CALCULATOR, "DIGIT~'(' $", "DIGIT");
    check(CALCULATOR, "'(' $", "no: after '(' only '(', '-', LETTER or DIGIT can follow, and token 2 is to be the end");
    check(CALCULATOR, ". . '+'~'-'", "'-' LETTER '+' LETTER");
    check("s: 'a' s 'b' | ;", "'a' 'a' 'a'~'b'", "'a' 'a' 'b' 'b'");
    let grammar = grammar("s: 'a' s 'b' | ;");
    let mut solver = Solver::new(&grammar);
    let mut with = |tokens: &str, length: RangeInclusive<usize>| {
        let constraint = Constraint { length, ..Constraint::new(sets(&grammar, tokens)) };
        let (answer, certificate) = solver.certified(&constraint);
        let proved = super::check(&grammar, &constraint, &certificate.unwrap());
        assert_eq!(proved, Ok(matches!(answer, Answer::Sat(_))), "{tokens}");
        show(&grammar, &answer)
    };
    assert_eq!(with("", 0..=usize::MAX), "");
    assert_eq!(with("", 3..=5), "'a' 'a' 'b' 'b'");
    assert_eq!(with("", 3..=3), "no: the shortest such sentence has 4 tokens, which is more than 3");
    assert_eq!(with("'a' 'a' 'a'", 0..=5), "no: the shortest such sentence has 6 tokens, which is more than 5");
    assert_eq!(with("'a' 'b' $", 4..=9), "no: after 'b' only the end can follow, and token 3 is to be the end");
}

#[test]
fn finite_languages_end() {
    let grammar = grammar("s: 'a' 'b' | 'a' ;");
    let mut solver = Solver::new(&grammar);
    let constraint = Constraint { length: 3..=9, ..Constraint::new(Vec::new()) };
    let (answer, certificate) = solver.certified(&constraint);
    assert_eq!(answer, Answer::Unsat(Reason::TooShort { least: 3 }));
    assert_eq!(super::check(&grammar, &constraint, &certificate.unwrap()), Ok(false));
}

#[test]
fn equal_positions() {
    let grammar = grammar("s: t t t | t 'x' ; t: 'a' | 'b' | 'c' ;");
    let mut solver = Solver::new(&grammar);
    let mut with = |tokens: &str, equal: &[(usize, usize)]| {
        let constraint = Constraint { equal: equal.to_vec(), ..Constraint::new(sets(&grammar, tokens)) };
        let (answer, certificate) = solver.certified(&constraint);
        let proved = super::check(&grammar, &constraint, &certificate.unwrap());
        assert_eq!(proved, Ok(matches!(answer, Answer::Sat(_))), "{tokens}");
        show(&grammar, &answer)
    };
    assert_eq!(with(". 'a'~'b' 'b'~'c'", &[(1, 2)]), "'a' 'b' 'b'");
    assert_eq!(with("'a'~'c' 'b'~'c' .", &[(0, 1), (1, 2)]), "'c' 'c' 'c'");
    assert_eq!(with("'a' . 'b'", &[(0, 1), (2, 1)]), "no: tokens 1, 2, 3 can't be the same");
    assert_eq!(with("'a' 'x'", &[(0, 1)]), "no: tokens 1, 2 can't be the same");
    assert_eq!(with("", &[(0, 1)]), "'a' 'a' 'a'");
    // Both behind the end.
    assert_eq!(with("'a' 'x'", &[(4, 7)]), "'a' 'x'");
}

#[test]
fn flips_of_a_path() {
    let grammar = grammar(FUNCTION);
    let mut solver = Solver::new(&grammar);
    let instead = solver.instead(&sets(&grammar, "function id ( id ) { }")).unwrap();
    let shown: Vec<String> = instead.iter().map(|set| set.show(&grammar)).collect();
    assert_eq!(shown, ["nothing", "nothing", "nothing", ")", ",", "nothing", "id"]);
}

#[test]
fn several_sentences() {
    let grammar = grammar(CALCULATOR);
    let mut solver = Solver::new(&grammar);
    let constraint = Constraint { equal: vec![(0, 2)], ..Constraint::new(sets(&grammar, "DIGIT~LETTER '+'~'*' .")) };
    let mut solutions = solver.solutions(&constraint);
    let mut found: Vec<Vec<TerminalId>> = Vec::new();
    while found.len() < 200 {
        found.push(solutions.advance().unwrap().unwrap());
    }
    assert!(found.is_sorted_by_key(Vec::len));
    assert!(found.iter().all(|it| constraint.holds(it)));
    assert_eq!(found.iter().filter(|it| it.len() == 3).count(), 4);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 200);
}

#[test]
fn weighted_rests() {
    let grammar = grammar(CALCULATOR);
    let mut solver = Solver::new(&grammar);
    let constraint = Constraint { length: 0..=12, ..Constraint::new(sets(&grammar, "'(' .")) };
    let mut chance = Chance::new(1);
    let mut lens = std::collections::BTreeSet::new();
    for _ in 0..100 {
        let answer = solver.solve(&constraint, &mut Rest::Weighted { chance: &mut chance, len_max: 9 });
        let Answer::Sat(tokens) = answer else { panic!() };
        assert!(constraint.holds(&tokens) && Tables::new(&grammar).accepts(&tokens));
        lens.insert(tokens.len());
    }
    assert!(lens.len() > 3, "{lens:?}");
}

#[test]
fn no_sentences() {
    let grammar = grammar("s: 'x' s ;");
    let (answer, certificate) = Solver::new(&grammar).certified(&Constraint::new(Vec::new()));
    assert_eq!(answer, Answer::Unsat(Reason::NoSentences));
    assert_eq!(super::check(&grammar, &Constraint::new(Vec::new()), &certificate.unwrap()), Ok(false));
}

#[test]
fn corrupted_charts_are_refused() {
    let grammar = grammar(CALCULATOR);
    let constraint = Constraint::new(sets(&grammar, "'(' DIGIT '+'~'-' . '+' ')'"));
    let (answer, certificate) = Solver::new(&grammar).certified(&constraint);
    assert!(matches!(answer, Answer::Unsat(_)));
    let Some(Certificate::Chart(rows)) = certificate else { panic!() };
    for at in 0..rows.len() {
        for number in 0..rows[at].len() {
            let mut fewer = rows.clone();
            fewer[at].remove(number);
            assert!(super::check(&grammar, &constraint, &Certificate::Chart(fewer)).is_err(), "{:?}", rows[at][number]);
        }
    }
    let short = Certificate::Chart(rows[..rows.len() - 1].to_vec());
    assert_eq!(super::check(&grammar, &constraint, &short), Err(NoProof::Open));
}

const GRAMMARS: [&str; 7] = [
    CALCULATOR,
    FUNCTION,
    "s: s s | 'a' s 'b' | ;",
    "s: a s b | s | 'x' ; a: | 'x' | a ; b: a a | 'y' ;",
    "s: 'a' s 'a' | 'b' s 'b' | 'a' | 'b' | ;",
    "s: l l ; l: l e | ; e: 'x' | e 'y' | l 'z' ;",
    "s: a 'x' b | u ; a: 'y' a 'z' | ; b: a a | 'x' b ; u: 'w' u ;",
];

/// Longer sentences are not tried.
const LEN_MAX: u32 = 5;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// All short sentences are tried.
    #[test]
    fn agrees_with_trying_all(
        which in 0..GRAMMARS.len(), seed in any::<u64>(), n_sets in 0usize..5, from in 0usize..5, more in 0usize..4, n_equal in 0usize..3,
    ) {
        let grammar = grammar(GRAMMARS[which]);
        let mut chance = Chance::new(seed);
        let n_terminals = grammar.terminals.len();
        let set = |chance: &mut Chance| {
            let mut set = match chance.pick(3) {
                0 => TokenSet::all(&grammar),
                1 => TokenSet::all_but(&grammar, TerminalId(chance.pick(n_terminals) as u32)),
                _ => TokenSet::of(&grammar, (0..=chance.pick(2)).map(|_| TerminalId(chance.pick(n_terminals) as u32)).collect::<Vec<_>>()),
            };
            if chance.pick(4) == 0 {
                set.insert_end();
            }
            set
        };
        let tokens: Vec<TokenSet> = (0..n_sets).map(|_| set(&mut chance)).collect();
        let equal = (0..n_equal).map(|_| (chance.pick(5), chance.pick(5))).collect();
        let is_bounded = chance.pick(2) == 0;
        let length = if is_bounded { from..=(from + more).min(LEN_MAX as usize) } else { 0..=usize::MAX };
        let constraint = Constraint { tokens, equal, length };
        let mut sentences = Sentences::of_tokens(&grammar).unwrap();
        let mut expected: Vec<Vec<TerminalId>> = Vec::new();
        for len in 0..=LEN_MAX {
            let mut enumeration = sentences.enumerate(len);
            while let Some(pieces) = enumeration.advance() {
                let tokens: Vec<TerminalId> = pieces.iter().map(|piece| piece.terminal).collect();
                if constraint.holds(&tokens) {
                    expected.push(tokens);
                }
            }
        }
        let mut solver = Solver::new(&grammar);
        let (answer, certificate) = solver.certified(&constraint);
        let proved = super::check(&grammar, &constraint, &certificate.unwrap());
        match &answer {
            Answer::Sat(tokens) => {
                prop_assert_eq!(proved, Ok(true));
                prop_assert!(constraint.holds(tokens));
                if tokens.len() <= LEN_MAX as usize {
                    prop_assert!(expected.contains(tokens));
                    if constraint.equal.is_empty() {
                        prop_assert_eq!(Some(tokens.len()), expected.iter().map(Vec::len).min());
                    }
                } else {
                    prop_assert!(expected.is_empty() || !constraint.equal.is_empty());
                }
            }
            Answer::Unsat(_) => {
                prop_assert_eq!(proved, Ok(false));
                prop_assert_eq!(expected.clone(), Vec::<Vec<TerminalId>>::new());
            }
            Answer::Unknown(gap) => prop_assert!(false, "{:?}", gap),
        }
        // All of them, in order.
        let mut solutions = solver.solutions(&constraint);
        let mut found = Vec::new();
        while let Some(tokens) = solutions.advance().unwrap() {
            if tokens.len() > LEN_MAX as usize {
                break;
            }
            found.push(tokens);
        }
        prop_assert!(found.is_sorted_by_key(Vec::len));
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
}
