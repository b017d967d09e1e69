//! Parsers that bison makes of printed grammars, to compare what they accept.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use gimlet_grammar::parse::lalr::{Refusal, Tables};
use gimlet_grammar::{Grammar, NonterminalId, Symbol, TerminalId};
use gimlet_readers::yacc;

/// Reports where the first error is and what would have been possible there.
const BEFORE: &str = r#"
%define parse.error custom
%define parse.lac full
%code {
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int yylex(void);
void yyerror(char const *message);
}
"#;

/// Reads lines of token numbers; -1 ends a sentence. Nothing is to be recovered from, so the first error leaves the
/// parser, and so does the alarm: grammars with empty parts anywhere can make a parser reduce for ever.
const AFTER: &str = r#"
static int n_read, is_at_end;
static sigjmp_buf after_error;
static void stop(int signal) { (void)signal; puts("loops"); siglongjmp(after_error, 1); }
int yylex(void) {
    int token;
    n_read++;
    if (is_at_end || scanf("%d", &token) != 1 || token == -1) { is_at_end = 1; return 0; }
    return token;
}
void yyerror(char const *message) { puts(message); }
static int yyreport_syntax_error(yypcontext_t const *context) {
    yysymbol_kind_t expected[YYNTOKENS];
    int n_expected = yypcontext_expected_tokens(context, expected, YYNTOKENS);
    printf("%d:", n_read - 1);
    for (int i = 0; i < n_expected; i++) printf(" %d", expected[i]);
    printf("\n");
    siglongjmp(after_error, 1);
}
int main(int argc, char **argv) {
    (void)argc;
    signal(SIGALRM, stop);
    for (volatile int n_left = atoi(argv[1]); n_left > 0; n_left--) {
        n_read = is_at_end = 0;
        alarm(1);
        if (!sigsetjmp(after_error, 1) && yyparse() == 0) puts("accepted");
        while (!is_at_end) yylex();
    }
    return 0;
}
"#;

/// What a parser by bison says about each sentence, one line each.
pub fn run(grammar: &Grammar, sentences: &[Vec<TerminalId>], scratch: &Path) -> Result<Vec<String>, String> {
    let (file, code, program) = (scratch.join("printed.y"), scratch.join("printed.c"), scratch.join("printed"));
    std::fs::write(&file, format!("{BEFORE}{}{AFTER}", yacc::print(grammar))).expect("a grammar");
    let output = Command::new("bison").args(["-Wnone", "-o"]).arg(&code).arg(&file).output().expect("bison");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let output = Command::new("cc").args(["-w", "-O1", "-o"]).arg(&program).arg(&code).output().expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut text = String::new();
    for sentence in sentences {
        sentence.iter().for_each(|&id| text.push_str(&format!("{} ", grammar.terminal(id).number)));
        text.push_str("-1\n");
    }
    let input = scratch.join("sentences");
    std::fs::File::create(&input).and_then(|mut file| file.write_all(text.as_bytes())).expect("sentences");
    let input = std::fs::File::open(&input).expect("sentences");
    let mut parser = Command::new(&program);
    let output = parser.arg(sentences.len().to_string()).stdin(Stdio::from(input)).output().expect("a parser");
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The same line from our tables.
pub fn verdict(tables: &Tables, sentence: &[TerminalId]) -> String {
    match tables.parse(sentence) {
        Ok(_) => "accepted".to_owned(),
        Err(Refusal { at, expected }) => {
            let end = expected.is_end.then_some(yacc::END);
            let shown: Vec<String> = end.iter().chain(&expected.terminals).map(|id| format!(" {}", id.0)).collect();
            format!("{at}:{}", shown.concat())
        }
    }
}

/// Numbers that look random.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// For each nonterminal the least height of a derivation.
pub fn heights(grammar: &Grammar) -> Vec<usize> {
    let mut heights = vec![usize::MAX; grammar.nonterminals.len()];
    loop {
        let before = heights.clone();
        for rule in &grammar.rules {
            let below = rule.right.iter().filter_map(|symbol| symbol.nonterminal()).map(|id| heights[id.index()]).max();
            let height = below.unwrap_or(0).saturating_add(1);
            let own = &mut heights[rule.left.index()];
            *own = (*own).min(height);
        }
        if heights == before {
            return heights;
        }
    }
}

/// A random derivation. Rules with `error` are left out, and beyond a height only the lowest rules are taken.
pub fn derive(grammar: &Grammar, heights: &[usize], dice: &mut Dice, n_most: usize) -> Vec<TerminalId> {
    let mut sentence = Vec::new();
    let mut open = vec![Symbol::Nonterminal(grammar.start)];
    let mut n_steps = 0;
    while let Some(symbol) = open.pop() {
        let nonterminal = match symbol {
            Symbol::Terminal(id) => {
                sentence.push(id);
                continue;
            }
            Symbol::Nonterminal(id) => id,
        };
        n_steps += 1;
        let height = |right: &[Symbol]| {
            right.iter().filter_map(|s| s.nonterminal()).map(|id: NonterminalId| heights[id.index()]).max()
        };
        let mut rules: Vec<&[Symbol]> = grammar
            .rules_of(nonterminal)
            .iter()
            .map(|&rule| grammar.rule(rule).right.as_slice())
            .filter(|right| height(right) != Some(usize::MAX))
            .collect();
        let without_error = |right: &&[Symbol]| !right.contains(&Symbol::Terminal(yacc::ERROR));
        if rules.iter().any(without_error) {
            rules.retain(without_error);
        }
        if n_steps > n_most {
            let least = rules.iter().map(|right| height(right)).min().flatten();
            rules.retain(|right| height(right) == least || height(right).is_none());
        }
        if rules.is_empty() || n_steps > 50 * n_most {
            break;
        }
        open.extend(rules[dice.below(rules.len())].iter().rev());
    }
    sentence
}

/// Changes a sentence a little.
pub fn change(grammar: &Grammar, sentence: &mut Vec<TerminalId>, dice: &mut Dice) {
    let n_terminals = grammar.terminals.len();
    // Neither the end nor the error: no scanner returns these.
    let token = TerminalId((2 + dice.below(n_terminals - 2)) as u32);
    let at = dice.below(sentence.len() + 1);
    match dice.below(5) {
        0 => sentence.insert(at, token),
        1 if at < sentence.len() => sentence[at] = token,
        2 if at < sentence.len() => drop(sentence.remove(at)),
        3 if at + 1 < sentence.len() => sentence.swap(at, at + 1),
        _ => sentence.truncate(at),
    }
}
