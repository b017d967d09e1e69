//! A scanner as a `.l` file again, whose actions tell which rule won.
//!
//! This is for checking against flex: the patterns are those of the file, letter by letter, and of the actions only what
//! moves the scanner is kept. Where an action has several outcomes, the first is taken.

use std::fmt::Write;

use super::effect::{Effects, Move, Outcome, Taken};
use super::{Lex, RuleId};
use crate::source::Source;

/// The scanner reads texts from the standard input, each after its length and the number of a start condition in decimal
/// and a newline. For each it prints a line of `rule:length` in the order of the matches, rules numbered from 1 as flex
/// numbers them, and `E` at the end.
pub fn print(lex: &Lex, source: &Source, effects: &Effects) -> String {
    let mut shown = String::from(HEAD);
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
        print_rule(lex, source, effects, id, &mut shown);
    }
    shown.push_str(TAIL);
    shown
}

fn print_rule(lex: &Lex, source: &Source, effects: &Effects, id: RuleId, shown: &mut String) {
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
        let outcome = effects.of(id).outcomes.first().cloned().unwrap_or_default();
        let _ = writeln!(shown, "{{ NOTE{} }}", moves(lex, &outcome));
    }
}

fn moves(lex: &Lex, outcome: &Outcome) -> String {
    let mut code = String::new();
    for step in &outcome.moves {
        let _ = match step {
            Move::Begin(condition) => write!(code, " BEGIN({});", lex.condition(*condition).name),
            Move::Push(condition) => write!(code, " yy_push_state({});", lex.condition(*condition).name),
            Move::Pop => write!(code, " if (yy_start_stack_ptr == 0) {{ printf(\"P\"); return 1; }} yy_pop_state();"),
            Move::Save(..) | Move::Restore(_) => Ok(()),
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
