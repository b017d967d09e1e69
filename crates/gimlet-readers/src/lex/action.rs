//! What the C code of actions does: what it returns, and where it leaves the scanner.
//!
//! An action is read as C after the preprocessor, with the macros of the file put in, and run with unknown values. What it
//! may do is the set of its ways; functions of the same file are followed. Code elsewhere is taken to leave the scanner
//! alone. Where the analysis can't tell, it says why; a [token map](super::token_map) can say it instead.

mod feed;
mod function;
mod path;
mod preprocess;
mod run;
mod syntax;
mod token;

use std::cell::Cell;

use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::scanner::effect::{Effect, Effects, Outcome, Token};
use gimlet_grammar::scanner::{ConditionId, Lex, RuleId};
use gimlet_grammar::source::{Source, Span};

use self::function::Functions;
use self::path::{Flow, Path, Value};
use self::preprocess::Macros;
use self::run::{Machine, TooMuch};
use self::syntax::{statements, Expression, Statement};
use self::token::{tokens, C};
use super::class::first_bytes;

/// What the start condition is called.
const CONDITION_WORDS: [&str; 2] = ["YY_START", "YYSTATE"];

/// Whether a name does something to the scanner. A prefix may stand before those that change the input.
fn is_scanner_word(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "BEGIN",
        "REJECT",
        "input",
        "unput",
        "yy_pop_state",
        "yy_push_state",
        "yy_set_bol",
        "yyinput",
        "yyless",
        "yylex",
        "yymore",
        "yyterminate",
    ];
    WORDS.contains(&name) || changes_input(name)
}

/// Whether a function puts another input in place of this one.
fn changes_input(name: &str) -> bool {
    const ENDINGS: [&str; 7] = [
        "_switch_to_buffer",
        "push_buffer_state",
        "pop_buffer_state",
        "_scan_string",
        "_scan_bytes",
        "_scan_buffer",
        "yyrestart",
    ];
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// What a name of the code stands for in the program that was built: a macro, or a variable that nobody changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    pub name: String,
    /// `None` if the name is not defined.
    pub value: Option<String>,
}

/// Analyses all actions of a scanner.
pub fn effects(lex: &Lex, source: &Source) -> Effects {
    effects_assuming(lex, source, &[])
}

/// Analyses all actions of a scanner, when more is known about their names.
pub fn effects_assuming(lex: &Lex, source: &Source, assumptions: &[Assumption]) -> Effects {
    let analysis = Analysis::new(lex, source, assumptions);
    let prologue: String = lex.prologue.iter().map(|span| &source.text[span.start..span.end]).collect();
    Effects {
        rules: lex.rule_ids().map(|id| analysis.effect(id)).collect(),
        at_start: analysis.code_effect(if analysis.macros.has("YY_USER_INIT") { "YY_USER_INIT" } else { "" }),
        at_call: analysis.code_effect(&prologue),
    }
}

struct Analysis<'a> {
    lex: &'a Lex,
    macros: Macros,
    functions: Functions,
    /// Of each rule, what the preprocessor may make of its action.
    actions: Vec<Option<Vec<Vec<Statement>>>>,
    registers: Vec<String>,
    /// Variables that some code sets.
    variables: Vec<String>,
}

impl<'a> Analysis<'a> {
    fn new(lex: &'a Lex, source: &Source, assumptions: &[Assumption]) -> Analysis<'a> {
        let text = |span: &Span| source.text[span.start..span.end].to_owned();
        let code: String = lex.code.iter().chain(&lex.prologue).map(text).collect();
        let code = tokens(&code);
        let user_code = tokens(&text(&lex.user_code));
        let mut macros = Macros::default();
        assumptions.iter().for_each(|assumption| macros.assume(assumption));
        macros.add(&code, |body| body.iter().filter_map(C::name).any(|name| name == "return" || is_scanner_word(name)));
        let mut functions = Functions::default();
        function::add(&code, &macros, &mut functions);
        function::add(&user_code, &macros, &mut functions);
        function::mark_callers(&mut functions);
        let before = if macros.has("YY_USER_ACTION") { "YY_USER_ACTION " } else { "" };
        let action = |rule: &gimlet_grammar::scanner::Rule| {
            let variants = macros.variants(&tokens(&format!("{before}{}", rule.action.text)))?;
            Some(variants.iter().map(|variant| statements(variant)).collect())
        };
        let actions = lex.rules.iter().map(action).collect();
        let mut analysis = Analysis { lex, macros, functions, actions, registers: Vec::new(), variables: Vec::new() };
        analysis.find_variables();
        analysis
    }

    fn find_variables(&mut self) {
        let mut registers = Vec::new();
        let mut variables = Vec::new();
        let lex = self.lex;
        let mut visit = |expression: &Expression| match expression {
            Expression::Call { name, arguments, .. } if name == "BEGIN" || name == "yy_push_state" => {
                let place =
                    arguments.first().and_then(Expression::place).filter(|name| lex.condition_named(name).is_none());
                registers.extend(place.filter(|name| !CONDITION_WORDS.contains(&name.as_str())));
            }
            Expression::Assign(_, place, _)
            | Expression::After(_, place)
            | Expression::Unary("++" | "--" | "&", place) => {
                variables.extend(place.place());
            }
            _ => {}
        };
        let bodies = self.functions.values().flat_map(|function| &function.bodies);
        let all = self.actions.iter().flatten().flatten().chain(bodies).flatten();
        all.for_each(|statement| statement.visit(&mut visit));
        for names in [&mut registers, &mut variables] {
            names.sort();
            names.dedup();
        }
        self.registers = registers;
        self.variables = variables;
    }

    fn effect(&self, id: RuleId) -> Effect {
        let Some(variants) = &self.actions[id.index()] else {
            return Effect::unknown("it has too many preprocessor conditions or macros");
        };
        let rule = self.lex.rule(id);
        self.effect_of(variants, &rule.conditions, first_bytes(&rule.pattern))
    }

    /// What code does that is not a rule's.
    fn code_effect(&self, code: &str) -> Effect {
        let Some(variants) = self.macros.variants(&tokens(code)) else {
            return Effect::unknown("it has too many preprocessor conditions or macros");
        };
        let variants: Vec<_> = variants.iter().map(|variant| statements(variant)).collect();
        self.effect_of(&variants, &[ConditionId::INITIAL], ByteSet::of(|_| true, u8::MAX))
    }

    fn effect_of(&self, variants: &[Vec<Statement>], active: &[ConditionId], first_bytes: ByteSet) -> Effect {
        let conditions: Vec<Option<ConditionId>> = match self.depends_on_condition(variants) {
            true => active.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let mut effect = Effect { outcomes: Vec::new(), unknown: None, unknown_token: None };
        for condition in conditions {
            for variant in variants {
                match self.paths(variant, Path::new(first_bytes, condition)) {
                    Ok(Ok(paths)) => paths.into_iter().for_each(|path| self.add(path, condition, &mut effect)),
                    Ok(Err(reason)) => effect.unknown = Some(reason),
                    Err(TooMuch) => effect.unknown = Some("there are too many ways through it".to_owned()),
                }
            }
        }
        simplify(&mut effect, active);
        effect
    }

    fn depends_on_condition(&self, variants: &[Vec<Statement>]) -> bool {
        let mut depends = false;
        let mut visit = |expression: &Expression| match expression {
            Expression::Name(name) => depends |= CONDITION_WORDS.contains(&name.as_str()),
            Expression::Call { name, .. } => depends |= self.functions.get(name).is_some_and(|f| f.asks_condition),
            _ => {}
        };
        variants.iter().flatten().for_each(|statement| statement.visit(&mut visit));
        depends
    }

    fn paths(&self, statements: &[Statement], start: Path) -> Result<Result<Vec<Path>, String>, TooMuch> {
        let machine = Machine {
            lex: self.lex,
            functions: &self.functions,
            registers: &self.registers,
            feed: b"",
            n_steps: Cell::new(0),
        };
        let paths = machine.run_all(statements, start.clone())?;
        match paths.iter().any(|path| path.flow == Flow::Starved) {
            true => feed::outcomes(&machine, statements, &start),
            false => Ok(Ok(paths)),
        }
    }

    /// Adds what a way comes to.
    fn add(&self, path: Path, condition: Option<ConditionId>, effect: &mut Effect) {
        if let Some(reason) = path.unknown {
            effect.unknown = Some(reason);
            return;
        }
        let mut outcome = path.outcome;
        outcome.conditions = condition.into_iter().collect();
        outcome.first_bytes = Some(path.first_bytes);
        outcome.token = match path.flow {
            Flow::Return(value) => match self.token(&value) {
                Ok(Some(Token::FirstByte)) => Some(path.first_bytes.single().map_or(Token::FirstByte, Token::Char)),
                Ok(token) => token,
                Err(reason) => {
                    effect.unknown_token = Some(reason);
                    Some(Token::Unknown)
                }
            },
            Flow::Stop => Some(Token::Stop),
            _ => None,
        };
        effect.outcomes.push(outcome);
    }

    /// The token that a value stands for; `None` if the scanner goes on.
    fn token(&self, value: &Value) -> Result<Option<Token>, String> {
        Ok(Some(match value {
            Value::Int(number) => match u8::try_from(*number) {
                Ok(0) => Token::End,
                Ok(byte) => Token::Char(byte),
                Err(_) if *number < 0 => Token::End,
                Err(_) => Token::Number(*number),
            },
            Value::Name(name) if self.variables.contains(name) => return Err(format!("{name} is a variable")),
            Value::Name(name) => Token::Named(name.clone()),
            Value::FirstByte => Token::FirstByte,
            Value::Again => return Ok(None),
            Value::Length(_) | Value::Text(_) | Value::Saved(_) | Value::Unknown => {
                return Err("the value that it returns is calculated".to_owned())
            }
        }))
    }
}

/// Puts outcomes in order, and leaves out limits that limit nothing.
fn simplify(effect: &mut Effect, conditions: &[ConditionId]) {
    let without_conditions = |outcome: &Outcome| Outcome { conditions: Vec::new(), ..outcome.clone() };
    let mut merged = merged(std::mem::take(&mut effect.outcomes), without_conditions, |outcome, other| {
        outcome.conditions.extend(other.conditions);
        outcome.conditions.sort();
        outcome.conditions.dedup();
    });
    for outcome in merged.iter_mut().filter(|outcome| outcome.conditions.len() == conditions.len()) {
        outcome.conditions.clear();
    }
    let union = |left: Option<ByteSet>, right: Option<ByteSet>| Some(left?.union(&right?));
    let mut firsts = merged.iter().map(|outcome| outcome.first_bytes);
    let all = firsts.try_fold(ByteSet::default(), |all, first| Some(all.union(&first?)));
    let without_first = |outcome: &Outcome| Outcome { first_bytes: None, ..outcome.clone() };
    merged = self::merged(merged, without_first, |outcome, other| {
        outcome.first_bytes = union(outcome.first_bytes, other.first_bytes);
    });
    for outcome in merged.iter_mut().filter(|outcome| outcome.first_bytes == all) {
        outcome.first_bytes = None;
    }
    merged.sort();
    effect.outcomes = merged;
}

/// Joins outcomes with the same key.
fn merged(
    outcomes: Vec<Outcome>,
    key: impl Fn(&Outcome) -> Outcome,
    join: impl Fn(&mut Outcome, Outcome),
) -> Vec<Outcome> {
    let mut merged: Vec<Outcome> = Vec::new();
    for outcome in outcomes {
        match merged.iter_mut().find(|other| key(other) == key(&outcome)) {
            Some(other) => join(other, outcome),
            None => merged.push(outcome),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex;
    use gimlet_grammar::scanner::effect::{Move, Taken};

    const DEFINITIONS: &str =
        "%{\n#define TOK(x) return x\n#define GO(s) do { BEGIN(s); } while (0)\nint caller;\n%}\n\
        %x A B\n%option stack\n";
    const USER_CODE: &str = "%%\nstatic int enter(int c) {\n  switch (c) {\n  case '(': yy_push_state(A); break;\n\
        case '[': yy_push_state(B); break;\n  }\n  return c;\n}\nint name(void) { return x ? KEY : WORD; }\n\
        static void skip_comment(void) {\n  int c;\n  while ((c = input()) != 0)\n    if (c == '*') {\n\
        while ((c = input()) == '*') ;\n      if (c == '/') return;\n    }\n}\n";

    /// Outcomes with ` | ` between them, then why they are not known.
    fn check(pattern: &str, action: &str, expected: &str) {
        let source = Source::new("a.l", format!("{DEFINITIONS}%%\n<*>{pattern} {action}\n{USER_CODE}"));
        let lex = lex::read(&source);
        assert!(lex.diagnostics.is_empty(), "{:?}", lex.diagnostics);
        let effect = effects(&lex, &source).of(RuleId(0)).clone();
        let outcomes: Vec<String> = effect.outcomes.iter().map(|outcome| show(&lex, outcome)).collect();
        let reasons = effect.unknown.iter().chain(&effect.unknown_token).map(|reason| format!(" ?{reason}"));
        assert_eq!(format!("{}{}", outcomes.join(" | "), reasons.collect::<String>()), expected, "{action}");
    }

    fn show(lex: &Lex, outcome: &Outcome) -> String {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(outcome.conditions.iter().map(|&id| format!("in {}", lex.condition(id).name)));
        if let Some(set) = outcome.first_bytes {
            let bytes: Vec<u8> = (0..=255).filter(|&byte| set.contains(byte)).collect();
            parts.push(format!("[{}]", bytes.escape_ascii()));
        }
        parts.extend(outcome.moves.iter().map(|step| match step {
            Move::Begin(id) => lex.condition(*id).name.clone(),
            Move::Push(id) => format!("+{}", lex.condition(*id).name),
            Move::Pop => "-".to_owned(),
            Move::Save(name, id) => format!("{name}={}", lex.condition(*id).name),
            Move::Restore(name) => format!("({name})"),
        }));
        match &outcome.taken {
            Taken::All => {}
            Taken::First(n) => parts.push(format!("first {n}")),
            Taken::AllBut(n) => parts.push(format!("all but {n}")),
            Taken::To { ending, with_ending } => {
                parts.push(format!("{} {}", if *with_ending { "through" } else { "to" }, ending.escape_ascii()));
            }
        }
        parts.extend(outcome.is_more.then(|| "more".to_owned()));
        parts.extend(outcome.at_line_start.map(|value| format!("bol {value}")));
        parts.push(match &outcome.token {
            None => ".".to_owned(),
            Some(Token::Named(name)) => name.clone(),
            Some(Token::Char(byte)) => format!("'{}'", byte.escape_ascii()),
            Some(token) => format!("{token:?}"),
        });
        parts.join(" ")
    }

    #[test]
    fn what_is_returned() {
        check("a", "", ".");
        check("a", "ECHO;", ".");
        check("a", "return NAME;", "NAME");
        check("a", "{ yylval = 1; return (NAME); }", "NAME");
        check("a", "return '\\n';", "'\\n'");
        check("[ab]", "return yytext[0];", "FirstByte");
        check("a", "return (int) *yytext;", "'a'");
        check("a", "if (x) return A1; else return B1;", "A1 | B1");
        check("a", "return x ? A1 : B1;", "A1 | B1");
        check("a", "switch (x) { case 1: return A1; case 2: break; default: return B1; }", ". | A1 | B1");
        check("a", "TOK(NAME);", "NAME");
        check("a", "yyterminate();", "End");
        check("a", "return 0;", "End");
        check("a", "return 300;", "Number(300)");
        check("a", "exit(1);", "Stop");
        check("a", "return yylex();", ".");
        check("a", "{ int t = NAME; return t; }", "NAME");
        check("a", "return name();", "KEY | WORD");
        check("a", "return other();", "Unknown ?the value that it returns is calculated");
        check("a", "return yy::parser::make_NUM(1);", "NUM");
        check("a", "#ifdef X\n", ".");
        check("a", "{\n#ifdef X\nreturn A1;\n#else\nreturn B1;\n#endif\n}", "A1 | B1");
        check("a", "for (i = 0; i < n; i++) if (f(i)) return A1; return B1;", "A1 | B1");
    }

    #[test]
    fn where_it_leaves_the_scanner() {
        check("a", "BEGIN(A);", "A .");
        check("a", "BEGIN B; return X;", "B X");
        check("a", "BEGIN(INITIAL);", "INITIAL .");
        check("a", "BEGIN 0;", "INITIAL .");
        check("a", "GO(A);", "A .");
        check("a", "yy_push_state(A); return X;", "+A X");
        check("a", "yy_pop_state();", "- .");
        check("a", "if (x) BEGIN(A);", ". | A .");
        check("a", "yyless(1);", "first 1 .");
        check("a", "yyless(yyleng - 2); return X;", "all but 2 X");
        check("a", "yymore();", "more .");
        check("a", "yy_set_bol(1);", "bol true .");
        check("[(]", "return enter(yytext[0]);", "+A '('");
        check("[([]", "return enter(yytext[0]);", "[[] +B '[' | [(] +A '('");
        check("a", "if (YY_START == A) return X; else return Y;", "in INITIAL in B Y | in A X");
        check(
            "a",
            "caller = YY_START; BEGIN(A); if (x) BEGIN(caller);",
            "in INITIAL caller=INITIAL A . | in INITIAL caller=INITIAL A INITIAL . | in A caller=A A . | \
             in A caller=A A A . | in B caller=B A . | in B caller=B A B .",
        );
        check("a", "BEGIN(caller);", "(caller) .");
    }

    #[test]
    fn comments_that_are_read_by_the_action() {
        check("\"/*\"", "skip_comment();", "through */ .");
        check("#", "{ int c; while ((c = input()) != '\\n' && c != EOF) ; }", "through \\n .");
        check("#", "{ int c; while ((c = input()) != '\\n') ; unput(c); return X; }", "to \\n X");
        check("#", "{ int c; do c = input(); while (c != ';' && c != EOF); }", "through ; .");
        check(
            "#",
            "{ int c, n = 1; while (n > 0) { c = input(); if (c == '(') n++; if (c == ')') n--; } }",
            " ?it reads its input by itself, to no fixed ending",
        );
    }

    #[test]
    fn code_may_be_deep() {
        let nested =
            |open: &str, inside: &str, close: &str, n: usize| format!("{}{inside}{}", open.repeat(n), close.repeat(n));
        for n in [40, 99, 10_000] {
            let parentheses = nested("(", "1", ")", n);
            let blocks = nested("if (x) { ", &format!("x = {parentheses};"), " }", n);
            let functions: String =
                (0..8).map(|i| format!("int f{i}(void) {{ f{}(); {blocks} BEGIN(A); }}\n", i + 1)).collect();
            let text = format!("%x A\n%%\na {{ {blocks} f0(); return {parentheses}; }}\n%%\n{functions}");
            let source = Source::new("a.l", text);
            assert_eq!(effects(&lex::read(&source), &source).rules.len(), 1);
        }
        check("a", &format!("return {}1;", "1 + ".repeat(5000)), " ?the code around return is not understood");
    }

    #[test]
    fn what_is_not_known_is_told() {
        check("a", "REJECT;", " ?REJECT takes the text back");
        check("a", "unput('x');", " ?unput changes the input");
        check("a", "goto done;", " ?the code around goto is not understood");
        check("a", "BEGIN(f());", " ?the start condition of BEGIN is not known");
        check("a", "yyless(n);", " ?how much yyless keeps is not known");
        check("a", "yy_switch_to_buffer(b);", " ?yy_switch_to_buffer changes the input");
        check("a", "return{A1};", " ?the code around return is not understood");
    }
}
