//! A scanner as a `.l` file again, whose actions tell which rule won.
//!
//! This is for checking against flex: the patterns are those of the file, letter by letter, and of the actions only what
//! moves the scanner is kept. Where several outcomes of an action are possible, the first is taken that does not end the
//! scanning.

use std::fmt::Write;

use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::scanner::effect::{Effect, Effects, Move, Outcome, Taken, Token};
use gimlet_grammar::scanner::{Lex, RuleId};
use gimlet_grammar::source::Source;

/// The scanner reads texts from the standard input, each after its length and the number of a start condition in decimal
/// and a newline. For each it prints a line of `rule:length` in the order of the matches, rules numbered from 1 as flex
/// numbers them, and `E` at the end.
pub fn print(lex: &Lex, source: &Source, effects: &Effects) -> String {
    let variables = variables(effects);
    let mut shown = format!("%{{\nstatic int saved[{}];\n%}}\n{HEAD}", variables.len().max(1));
    let options = lex.options;
    for (is_set, name) in [
        (options.is_caseless, "caseless"),
        (options.lex_compat, "lex-compat"),
        (options.posix_compat, "posix-compat"),
        (options.byte_max() < 0x80, "7bit"),
        (options.byte_max() > 0x80, "8bit"),
    ] {
        if is_set {
            let _ = writeln!(shown, "%option {name}");
        }
    }
    for condition in &lex.conditions[1..] {
        let _ = writeln!(shown, "%{} {}", if condition.is_exclusive { "x" } else { "s" }, condition.name);
    }
    for definition in &lex.definitions {
        let _ = writeln!(shown, "{}\t{}", definition.name, &source.text[definition.span.start..definition.span.end]);
    }
    shown.push_str("%%\n");
    for id in lex.rule_ids() {
        print_rule(lex, source, effects.of(id), &variables, id, &mut shown);
    }
    shown.push_str(TAIL);
    shown
}

fn print_rule(lex: &Lex, source: &Source, effect: &Effect, variables: &[&str], id: RuleId, shown: &mut String) {
    let rule = lex.rule(id);
    let names: Vec<_> = rule.conditions.iter().map(|&condition| &*lex.condition(condition).name).collect();
    if names.is_empty() {
        return;
    }
    let pattern = &source.text[rule.span.start..rule.span.end];
    let _ = write!(shown, "<{}>{pattern}\t", names.join(","));
    if rule.action.is_continued {
        shown.push_str("|\n");
    } else {
        let _ = writeln!(shown, "{{ NOTE{} }}", outcomes(lex, effect, variables));
    }
}

/// Variables that remember conditions.
fn variables(effects: &Effects) -> Vec<&str> {
    let outcomes = effects.rules.iter().flat_map(|effect| &effect.outcomes);
    let mut names: Vec<&str> = outcomes
        .flat_map(|outcome| &outcome.moves)
        .filter_map(|step| match step {
            Move::Save(name, _) | Move::Restore(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The first that is possible; those that end the scanning come last.
fn outcomes(lex: &Lex, effect: &Effect, variables: &[&str]) -> String {
    let mut ordered: Vec<&Outcome> = effect.outcomes.iter().collect();
    ordered.sort_by_key(|outcome| is_last(outcome));
    let branches = ordered
        .iter()
        .map(|outcome| format!(" if ({}) {{{} }}", possible(lex, outcome), moves(lex, outcome, variables)));
    branches.collect::<Vec<_>>().join(" else")
}

fn is_last(outcome: &Outcome) -> bool {
    matches!(outcome.token, Some(Token::End | Token::Stop))
}

/// When an outcome is possible, as C has it.
fn possible(lex: &Lex, outcome: &Outcome) -> String {
    let here = outcome.conditions.iter().map(|&id| format!("YY_START == {}", lex.condition(id).name));
    let here = here.collect::<Vec<_>>().join(" || ");
    let text = outcome.first_bytes.map(|set| {
        let has_zero = u8::from(set.contains(0));
        format!("yyleng == 0 || (*yytext ? strchr(\"{}\", *yytext) != 0 : {has_zero})", in_c(set))
    });
    match (here.is_empty(), text) {
        (true, None) => "1".to_owned(),
        (true, Some(text)) => text,
        (false, None) => here,
        (false, Some(text)) => format!("({here}) && ({text})"),
    }
}

/// A string of these bytes, but for zero.
fn in_c(set: ByteSet) -> String {
    (1..=255).filter(|&byte| set.contains(byte)).map(|byte| format!("\\{byte:03o}")).collect()
}

fn moves(lex: &Lex, outcome: &Outcome, variables: &[&str]) -> String {
    let place = |name: &String| variables.iter().position(|known| known == name).unwrap_or(0);
    let mut code = String::new();
    for step in &outcome.moves {
        let _ = match step {
            Move::Begin(condition) => write!(code, " BEGIN({});", lex.condition(*condition).name),
            Move::Push(condition) => write!(code, " yy_push_state({});", lex.condition(*condition).name),
            Move::Pop => write!(code, " if (yy_start_stack_ptr == 0) {{ printf(\"P\"); return 1; }} yy_pop_state();"),
            Move::Save(name, condition) => {
                write!(code, " saved[{}] = {};", place(name), lex.condition(*condition).name)
            }
            Move::Restore(name) => write!(code, " BEGIN(saved[{}]);", place(name)),
        };
    }
    let _ = match &outcome.taken {
        Taken::All => Ok(()),
        Taken::First(n) => write!(code, " yyless({n});"),
        Taken::AllBut(n) => write!(code, " yyless(yyleng - {n});"),
        Taken::To { ending, with_ending } => {
            let bytes: String = ending.iter().map(|byte| format!("\\{byte:03o}")).collect();
            write!(code, " if (!take(\"{bytes}\", {}, {})) return 1;", ending.len(), u8::from(*with_ending))
        }
    };
    if outcome.is_more {
        code.push_str(" yymore();");
    }
    if let Some(at_line_start) = outcome.at_line_start {
        let _ = write!(code, " yy_set_bol({});", u8::from(at_line_start));
    }
    if is_last(outcome) {
        code.push_str(" return 0;");
    }
    code
}

const HEAD: &str = r#"%option noyywrap stack noyy_top_state
%{
static int n_steps, n_steps_max;
static int take(const char *ending, int n, int with_ending);
/* A rule with | may stand before one for the end of the input, and the other way round. */
#define NOTE if (yy_act > YY_END_OF_BUFFER) return 0; printf("%d:%d ", yy_act, (int) yyleng); if (++n_steps > n_steps_max) { printf("L"); return 1; }
#define ECHO do { NOTE } while (0)
%}
"#;

const TAIL: &str = r#"%%
/* Reads to an ending; the texts have no zero bytes then. */
static int take(const char *ending, int n, int with_ending) {
    char last[64];
    int n_read = 0, c, i;
    while (n_read < n || memcmp(last, ending, n)) {
        if ((c = input()) == 0 || c == EOF) {
            printf("T");
            return 0;
        }
        if (n_read == n) {
            memmove(last, last + 1, n - 1);
            n_read--;
        }
        last[n_read++] = c;
    }
    for (i = n; !with_ending && i > 0; i--)
        unput(ending[i - 1]);
    return 1;
}

int main(void) {
    int n, condition;
    while (scanf("%d %d", &n, &condition) == 2) {
        char *text = malloc(n + 1);
        YY_BUFFER_STATE buffer;
        getchar();
        n = fread(text, 1, n, stdin);
        buffer = yy_scan_bytes(text, n);
        BEGIN(condition);
        yy_start_stack_ptr = 0;
        memset(saved, 0, sizeof saved);
        n_steps = 0;
        n_steps_max = 4 * n + 100;
        if (yylex() == 0)
            printf("E");
        printf("\n");
        yy_delete_buffer(buffer);
        free(text);
    }
    return 0;
}
"#;
