use gimlet_grammar::source::Source;
use proptest::prelude::*;

use super::*;

fn problem(text: &str) -> Problem {
    match Problem::read(&Source::new("a.hmp", text)) {
        Ok((problem, _)) => problem,
        Err(errors) => panic!("{errors:?}"),
    }
}

/// A solver that tries everything: the formulas of tests are small.
fn try_all(cnf: &Cnf) -> Verdict {
    fn search(cnf: &Cnf, values: &mut Vec<Option<bool>>) -> bool {
        // Unit propagation, then a choice.
        let mut set = Vec::new();
        loop {
            let mut unit = None;
            for clause in &cnf.clauses {
                let value = |literal: &i32| values[literal.unsigned_abs() as usize].map(|it| it == (*literal > 0));
                if clause.iter().any(|literal| value(literal) == Some(true)) {
                    continue;
                }
                let mut open = clause.iter().filter(|literal| value(literal).is_none());
                match (open.next(), open.next()) {
                    (None, _) => {
                        set.iter().for_each(|&it: &usize| values[it] = None);
                        return false;
                    }
                    (Some(&literal), None) => {
                        unit = Some(literal);
                        break;
                    }
                    _ => {}
                }
            }
            let Some(literal) = unit else { break };
            values[literal.unsigned_abs() as usize] = Some(literal > 0);
            set.push(literal.unsigned_abs() as usize);
        }
        let Some(next) = (1..values.len()).find(|&it| values[it].is_none()) else { return true };
        for value in [true, false] {
            values[next] = Some(value);
            if search(cnf, values) {
                return true;
            }
        }
        values[next] = None;
        set.iter().for_each(|&it| values[it] = None);
        false
    }
    let mut values = vec![None; cnf.n_variables as usize + 1];
    match search(cnf, &mut values) {
        true => Verdict::Sat(values.into_iter().map(|it| it == Some(true)).collect()),
        false => Verdict::Unsat,
    }
}

/// The value, or `UNSAT`; and the proof holds.
fn check(text: &str, expected: &str) {
    let problem = problem(text);
    let mut decide = try_all;
    let mut solver = Solver::new(&problem).with_sat(&mut decide);
    let (shown, value) = match solver.solve() {
        Answer::Sat(value) => (value.escape_ascii().to_string(), Some(value)),
        Answer::Unsat => ("UNSAT".to_owned(), None),
        Answer::Unknown(gap) => panic!("{gap:?}"),
    };
    assert_eq!(shown, expected, "{text}");
    if let Some(certificate) = solver.certificate(value.as_deref()).unwrap() {
        assert_eq!(certificate.check(&problem), Ok(value.is_some()), "{text}");
        assert_eq!(Certificate::from_json(&certificate.to_json()), Some(certificate));
    }
}

const PARENTHESES: &str = "cfg E := \"()\" | E E | \"(\" E \")\";";

#[test]
fn the_example_of_the_paper() {
    let rest = "val q := concat(\"((\", v, \"))\"); assert q in F; assert q contains \"())\";";
    check(&format!("var v : 2; {PARENTHESES} reg F := fixsize(E, 6); {rest}"), ")(");
    check(&format!("var v : 2; {PARENTHESES} reg F := fix(E, 8); {rest}"), "UNSAT");
    check(&format!("var v : 1 .. 4; {PARENTHESES} reg F := fix(E, 8); {rest}"), "))((");
}

#[test]
fn regular_assertions() {
    check("var v : 3; reg R := star(['a'-'c']); assert v in R; assert v not contains \"a\";", "bbb");
    check("var v : 3; reg R := star(\"ab\"); assert v in R;", "UNSAT");
    check("var v : 3 .. 4; reg R := star(\"ab\"); assert v in R;", "abab");
    check("var v : 1; val q := \"abc\"; assert q contains \"bc\";", "a");
    check("var v : 1; val q := \"abc\"; assert q contains \"cb\";", "UNSAT");
    check(
        "var v : 2; reg R := or(\"x\\010\", concat(\\000, [\\254-\\255])); assert v in R; assert v not contains \"x\";",
        "\\x00\\xfe",
    );
}

#[test]
fn grammars() {
    check(
        &format!("var v : 6; {PARENTHESES} assert v in E; assert v not contains \"()()\"; assert v contains \"((\";"),
        "()(())",
    );
    check(&format!("var v : 5; {PARENTHESES} assert v in E;"), "UNSAT");
    check("var v : 3; cfg S := S | T; cfg T := S | \"a\" (S)? | U; cfg U := ; assert v in S;", "aaa");
    check("var v : 4; cfg S := (\"a\")+ (B)* ; cfg B := ['b'-'c']; assert v in S; assert v contains \"ac\";", "acbb");
    check("var v : 2; cfg S := S S; assert v in S;", "UNSAT");
    check("var v : 2; cfg S := S \"a\" | ; assert v in S;", "aa");
}

#[test]
fn several_grammars_and_copies() {
    let both = "cfg A := \"a\" A \"b\" | \"ab\"; cfg B := \"aa\" B | \"bb\" | \"bb\" B;";
    check(&format!("var v : 4; {both} assert v in A; assert v in B;"), "aabb");
    check(&format!("var v : 6; {both} assert v in A; assert v in B;"), "UNSAT");
    check(&format!("var v : 2; {both} assert v not in A; reg R := star(['a'-'b']); assert v in R; assert v not contains \"aa\"; assert v not contains \"bb\";"), "ba");
    check("var v : 2; val q := concat(v, v); cfg A := \"a\" A \"b\" | ; assert q not in A; reg R := concat(\"a\", star([\\000-\\255]), \"b\"); assert q in R; assert v not contains \"bb\";", "ab");
    check("var v : 2; val q := concat(v, \"c\", v); reg R := \"abcab\"; assert q in R;", "ab");
    check("var v : 2; val q := concat(v, \"c\", v); reg R := \"abcac\"; assert q in R;", "UNSAT");
}

#[test]
fn a_grammar_inside_of_an_expression() {
    check(&format!("var v : 7; {PARENTHESES} reg R := concat(\"x\", or(fix(E, 6), fix(E, 2)), star(\"y\")); assert v in R; assert v contains \"yy\";"), "x()yyyy");
    check(&format!("var v : 4; {PARENTHESES} reg R := star(concat(\"x\", fix(E, 3))); assert v in R;"), "UNSAT");
}

#[test]
fn all_values_come_once() {
    let problem = problem("var v : 2 .. 4; cfg E := \"()\" | E E | \"(\" E \")\" | ['a'-'b']; assert v in E; assert v not contains \"b\";");
    let mut solver = Solver::new(&problem);
    let mut found = Vec::new();
    while let Answer::Sat(value) = solver.solve() {
        found.push(String::from_utf8(value).unwrap());
    }
    let n_found = found.len();
    found.sort();
    found.dedup();
    assert_eq!(found.len(), n_found);
    // Counted by hand: aa () / aaa a() ()a (a) / 4: aaaa, aa(), a()a, ()aa, ()(), a(a), (a)a, (aa), (()).
    assert_eq!(n_found, 2 + 4 + 9);
}

#[test]
fn what_is_wrong_is_told() {
    let check = |text: &str, expected: &str| {
        let source = Source::new("a.hmp", text);
        let errors = Problem::read(&source).unwrap_err();
        let (line, column) = source.position(errors[0].span.start);
        assert_eq!(format!("{line}:{column}: {}", errors[0].message), expected, "{text}");
    };
    check("cfg E := \"a\";", "1:1: there is no variable");
    check("var v : 2; var w : 2;", "1:16: there is more than one variable");
    check("var v : 0;", "1:9: a variable has at least one byte");
    check("var v : 4 .. 2;", "1:9: this range is empty: its ends are the wrong way round");
    check("var v : 1000000;", "1:9: this size is more than anybody has time for");
    check("var v : 2; cfg Expr := \"a\"; assert v in Exp;", "1:41: `Exp` is not defined");
    check("var v : 2; cfg E := F;", "1:21: `F` is not defined");
    check("var v : 2; reg R := concat(\"a\", R);", "1:33: `R` is made of itself");
    check("var v : 2; val q := concat(\"a\", q); assert q in q;", "1:33: `q` is made of itself");
    check("var v : 2; cfg E := \"a\"; reg R := star(E);", "1:40: `E` is a grammar");
    check("var v : 2; cfg v := \"a\";", "1:16: `v` is defined twice");
    check("var v : 2; reg R := \"a\"; val q := R;", "1:35: `R` is a regular language");
}

#[test]
fn corrupted_proofs_are_refused() {
    let problem = problem(&format!(
        "var v : 4; {PARENTHESES} assert v in E; assert v contains \")(\"; assert v contains \"((\";"
    ));
    let mut solver = Solver::new(&problem);
    assert_eq!(solver.solve(), Answer::Unsat);
    let Ok(Some(Certificate::Table { machine, entries })) = solver.certificate(None) else { panic!() };
    let check = |machine: &certificate::Machine, entries: &[certificate::Entry]| {
        Certificate::Table { machine: machine.clone(), entries: entries.to_vec() }.check(&problem)
    };
    assert_eq!(check(&machine, &entries), Ok(false));
    for at in 0..entries.len() {
        let mut fewer = entries.clone();
        fewer.remove(at);
        assert_eq!(check(&machine, &fewer), Err(NoProof::Missing), "{:?}", entries[at]);
        for state in &entries[at].to {
            let mut less = entries.clone();
            less[at].to.remove(state);
            assert_eq!(check(&machine, &less), Err(NoProof::Missing), "{:?}", entries[at]);
        }
    }
    let mut deaf = machine.clone();
    deaf.steps[0].clear();
    assert_eq!(check(&deaf, &entries), Err(NoProof::Automaton));
    assert_eq!(
        Certificate::Value { value: b"()()".to_vec(), trees: vec![None; 3] }.check(&problem),
        Err(NoProof::NoDerivation(1))
    );
}

/// Whether a grammar has a text, by the definition: all its parts, again and again.
fn derives(cfg: &Cfg, text: &[u8]) -> bool {
    use gimlet_grammar::grammar::Symbol;
    let n = text.len();
    let mut holds = vec![vec![vec![false; n + 1]; n + 1]; cfg.grammar.nonterminals.len()];
    loop {
        let mut has_changed = false;
        for rule in &cfg.grammar.rules {
            for from in 0..=n {
                let mut ends = vec![from];
                for symbol in &rule.right {
                    let mut next: Vec<usize> = Vec::new();
                    for &at in &ends {
                        match symbol {
                            Symbol::Terminal(it) if at < n && cfg.sets[it.index()].contains(text[at]) => {
                                next.push(at + 1)
                            }
                            Symbol::Terminal(_) => {}
                            Symbol::Nonterminal(it) => next.extend((at..=n).filter(|&to| holds[it.index()][at][to])),
                        }
                    }
                    next.sort_unstable();
                    next.dedup();
                    ends = next;
                }
                for to in ends {
                    has_changed |= !std::mem::replace(&mut holds[rule.left.index()][from][to], true);
                }
            }
        }
        if !has_changed {
            return holds[cfg.grammar.start.index()][0][n];
        }
    }
}

fn any_grammar() -> impl Strategy<Value = String> {
    let symbol = prop_oneof![
        Just("\"a\"".to_owned()),
        Just("\"b\"".to_owned()),
        Just("['a'-'b']".to_owned()),
        Just("S".to_owned()),
        Just("T".to_owned()),
        Just("(T)?".to_owned()),
    ];
    let right = prop::collection::vec(symbol, 0..4).prop_map(|symbols| symbols.join(" "));
    let rights = prop::collection::vec(right, 1..4).prop_map(|rights| rights.join(" | "));
    (rights.clone(), rights).prop_map(|(s, t)| format!("cfg S := {s}; cfg T := {t};"))
}

fn any_assertion() -> impl Strategy<Value = String> {
    let text = prop::collection::vec(prop_oneof![Just('a'), Just('b')], 1..4)
        .prop_map(|text| text.into_iter().collect::<String>());
    let contains = (any::<bool>(), text)
        .prop_map(|(is_not, text)| format!("assert v {}contains \"{text}\";", if is_not { "not " } else { "" }));
    let member =
        (any::<bool>(), prop_oneof![Just("R"), Just("S"), Just("Q")], prop_oneof![Just("v"), Just("w"), Just("u")])
            .prop_map(|(is_not, language, what)| {
                format!("assert {what} {}in {language};", if is_not { "not " } else { "" })
            });
    prop_oneof![contains, member]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// Every value of up to four letters is tried.
    #[test]
    fn agrees_with_trying_all(grammar in any_grammar(), assertions in prop::collection::vec(any_assertion(), 1..4), from in 1usize..4, more in 0usize..2) {
        let text = format!("var v : {from} .. {}; {grammar} reg R := star(or(\"ab\", \"ba\", concat(\"aa\", star(\"b\"))));
            reg Q := fix(T, 3); val w := concat(\"a\", v); val u := concat(v, v); {} reg L := star(['a'-'b']); assert v in L;", from + more, assertions.join(" "));
        let problem = problem(&text);
        let holds = |value: &[u8]| problem.assertions.iter().all(|it| {
            let text = it.text(value);
            let is_in = match &it.language {
                Language::Regular(reg) => Dfa::new(&super::problem::hir(reg)).unwrap().accepts(&text),
                Language::ContextFree(cfg, len) => len.is_none_or(|len| len == text.len() as u64) && derives(cfg, &text),
            };
            is_in != it.is_not
        });
        let mut expected: Vec<Vec<u8>> = Vec::new();
        for size in from..=from + more {
            for number in 0..1u32 << size {
                let value: Vec<u8> = (0..size).map(|at| if number >> at & 1 == 1 { b'b' } else { b'a' }).collect();
                if holds(&value) {
                    expected.push(value);
                }
            }
        }
        let mut decide = try_all;
        let mut solver = Solver::new(&problem).with_sat(&mut decide);
        let mut found = Vec::new();
        loop {
            match solver.solve() {
                Answer::Sat(value) => {
                    if found.is_empty() {
                        let certificate = solver.certificate(Some(&value)).unwrap().unwrap();
                        prop_assert_eq!(certificate.check(&problem), Ok(true));
                    }
                    found.push(value);
                }
                Answer::Unsat => break,
                Answer::Unknown(gap) => prop_assert!(false, "{:?}", gap),
            }
        }
        if found.is_empty()
            && let Some(certificate) = solver.certificate(None).unwrap() {
                prop_assert_eq!(certificate.check(&problem), Ok(false), "{}", text);
            }
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected, "{}", text);
    }
}
