//! What the user says about tokens where the scanner's actions do not tell it.
//!
//! A line of the file is one of
//!
//! ```text
//! NUMBER = /[0-9]+/          the texts of a token, as a regular expression
//! ARROW = "->"               or as they are
//! 120 -> NAME, '(' , end     the rule in line 120 of the scanner returns one of these
//! 120 -> NAME then INITIAL   and it leaves the scanner in a start condition
//! skip 95                    the rule in line 95 returns nothing
//! skip 95 then COMMENT
//! skip /[ \t]+/              may stand between tokens, where there is no scanner
//! token NAME                 the rule NAME of an EBNF grammar is a token, with the texts that it derives
//! length NAME 1..5           holes for this token have one to five bytes
//! define READLINE            a macro was defined when the program was built
//! define std_only 0          the value of a macro, or of a variable that nobody changes
//! undef OLD_EQ_OP            a macro was not defined
//! # a comment
//! ```
//!
//! Definitions are for [`effects_assuming`](super::action::effects_assuming). Texts have the escapes of C; in a regular expression `/` is written `\/`. What an action does to the scanner stays as it
//! was found, unless it was not found or `then` says something else.

use gimlet_grammar::scanner::effect::{Effect, Effects, Move, Outcome, Token};
use gimlet_grammar::scanner::{Lex, RuleId};
use gimlet_grammar::source::{Diagnostic, Source, Span};
use regex_syntax::hir::Hir;

use super::action::Assumption;

/// What a rule is said to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// The line that the rule's pattern begins in, from 1.
    pub line: usize,
    /// `None` is for nothing.
    pub tokens: Vec<Option<Token>>,
    /// The start condition after it.
    pub then: Option<String>,
    pub span: Span,
}

/// A rule of the grammar that is a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenRule {
    pub name: String,
    /// How many of the map's texts are said before it.
    pub n_before: usize,
    pub span: Span,
}

#[derive(Clone, Default, Debug)]
pub struct TokenMap {
    /// Tokens by their names, with their texts.
    pub texts: Vec<(String, Hir)>,
    pub rules: Vec<Said>,
    /// Rules of the grammar that are tokens.
    pub tokens: Vec<TokenRule>,
    /// What may stand between tokens.
    pub skipped: Vec<Hir>,
    /// Tokens by their names, with the shortest and longest holes for them.
    pub lengths: Vec<(String, u32, u32)>,
    pub assumptions: Vec<Assumption>,
    pub diagnostics: Vec<Diagnostic>,
}

/// A message, and the part of the line that it is about.
type Problem = (Span, String);

impl TokenMap {
    pub fn read(source: &Source) -> TokenMap {
        let mut map = TokenMap::default();
        let mut start = 0;
        for line in source.text.split_inclusive('\n') {
            let trimmed = line.trim();
            let at = start + (line.len() - line.trim_start().len());
            start += line.len();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            if let Err((span, message)) = map.line(trimmed, at) {
                map.diagnostics.push(Diagnostic::error(span, message));
            }
        }
        map
    }

    fn line(&mut self, line: &str, at: usize) -> Result<(), Problem> {
        let whole = Span::new(at, at + line.len());
        if let Some(rest) = line.strip_prefix("skip ").map(str::trim).filter(|rest| rest.starts_with(['/', '"'])) {
            self.skipped.push(text_of(rest).map_err(|message| (whole, message))?);
        } else if let Some(rest) = rule_of(line) {
            if !is_rule_name(rest) {
                return Err((whole, "the name of a rule follows token".to_owned()));
            }
            let at = at + line.len() - rest.len();
            let span = Span::new(at, at + rest.len());
            self.tokens.push(TokenRule { name: rest.to_owned(), n_before: self.texts.len(), span });
        } else if let Some(rest) = line.strip_prefix("length ") {
            let lengths = length_of(rest.trim());
            self.lengths.push(lengths.ok_or((whole, "a token and its lengths follow length: NAME 1..5".to_owned()))?);
        } else if let Some(rest) = line.strip_prefix("skip ") {
            let (number, then) = split_then(rest);
            let line = number.trim().parse().map_err(|_| (whole, "a line number follows skip".to_owned()))?;
            self.rules.push(Said { line, tokens: vec![None], then, span: whole });
        } else if let Some(rest) = line.strip_prefix("define ").or_else(|| line.strip_prefix("undef ")) {
            let (name, value) = rest.trim().split_once([' ', '\t']).unwrap_or((rest.trim(), ""));
            let is_undef = line.starts_with("undef ");
            if !is_name(name) || (is_undef && !value.is_empty()) {
                return Err((whole, "a name follows define and undef".to_owned()));
            }
            let value = (!is_undef).then(|| value.trim().to_owned());
            self.assumptions.push(Assumption { name: name.to_owned(), value });
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let (number, rest) =
                line.split_once("->").ok_or((whole, "-> and tokens follow a line number".to_owned()))?;
            let line = number.trim().parse().map_err(|_| (whole, "this is no line number".to_owned()))?;
            let (tokens, then) = split_then(rest);
            let tokens = divided(tokens).map(|token| token_of(token.trim()).map(Some));
            let tokens = tokens.collect::<Result<Vec<_>, _>>().map_err(|message| (whole, message))?;
            self.rules.push(Said { line, tokens, then, span: whole });
        } else {
            let (name, text) = line.split_once('=').ok_or_else(|| {
                (
                    whole,
                    "a line is TOKEN = \"text\", TOKEN = /regex/, LINE -> TOKEN, skip LINE, length TOKEN N, token RULE, define NAME or undef NAME"
                        .to_owned(),
                )
            })?;
            let name = name.trim();
            if !is_rule_name(name) && token_of(name).is_err() {
                return Err((whole, format!("{name} is no name of a token")));
            }
            let text = text_of(text.trim()).map_err(|message| (whole, message))?;
            match self.texts.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = Hir::alternation(vec![known.clone(), text]),
                None => self.texts.push((name.to_owned(), text)),
            }
        }
        Ok(())
    }

    /// The names that are said to be tokens, in any order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let said = self.texts.iter().map(|(name, _)| name.as_str()).filter(|name| !name.starts_with('\''));
        said.chain(self.tokens.iter().map(|token| token.name.as_str()))
    }

    /// Puts what is said in place of what was found. What can't be done is told with places in the map's own source.
    pub fn apply(&self, lex: &Lex, source: &Source, effects: &mut Effects) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        for said in &self.rules {
            let rules: Vec<RuleId> =
                lex.rule_ids().filter(|&id| source.position(lex.rule(id).span.start).0 == said.line).collect();
            if rules.is_empty() {
                problems.push(Diagnostic::error(said.span, format!("no rule begins in line {}", said.line)));
            }
            let then = match &said.then {
                None => None,
                Some(name) => match lex.condition_named(name) {
                    Some(condition) => Some(Move::Begin(condition)),
                    None => {
                        problems.push(Diagnostic::error(said.span, format!("there is no start condition {name}")));
                        continue;
                    }
                },
            };
            for rule in rules {
                let effect = &mut effects.rules[rule.index()];
                *effect = replaced(effect, &said.tokens, then.as_ref());
            }
        }
        problems
    }
}

fn replaced(found: &Effect, tokens: &[Option<Token>], then: Option<&Move>) -> Effect {
    let mut changes: Vec<Outcome> = match (then, found.unknown.is_some() || found.outcomes.is_empty()) {
        (None, false) => found.outcomes.iter().map(|outcome| Outcome { token: None, ..outcome.clone() }).collect(),
        // Only how much is taken is not said.
        (Some(_), false) => vec![Outcome { taken: found.outcomes[0].taken.clone(), ..Outcome::default() }],
        (_, true) => vec![Outcome::default()],
    };
    if let Some(step) = then {
        changes.iter_mut().for_each(|change| change.moves = vec![step.clone()]);
    }
    let with_token = |token: &Option<Token>| {
        changes.iter().map(|change| Outcome { token: token.clone(), ..change.clone() }).collect::<Vec<_>>()
    };
    let mut outcomes: Vec<Outcome> = tokens.iter().flat_map(with_token).collect();
    outcomes.sort();
    outcomes.dedup();
    Effect { outcomes, unknown: None, unknown_token: None }
}

fn split_then(text: &str) -> (&str, Option<String>) {
    match text.rsplit_once(" then ") {
        Some((text, name)) => (text, Some(name.trim().to_owned())),
        None => (text, None),
    }
}

/// Divides at commas, but not at one in quotes.
fn divided(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |c: char| {
        is_quoted ^= c == '\'';
        c == ',' && !is_quoted
    })
}

fn length_of(text: &str) -> Option<(String, u32, u32)> {
    let (name, range) = text.rsplit_once([' ', '\t'])?;
    let (from, to) = range.split_once("..").unwrap_or((range, range));
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (1 <= from && from <= to).then(|| (name.trim().to_owned(), from, to))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
}

/// As in EBNF, where dashes and blanks may be part of a name.
fn is_rule_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '.';
    let is_word = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.chars().all(is_part);
    !text.is_empty() && text.split(' ').all(is_word)
}

/// What follows `token`, unless that is a name itself.
fn rule_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("token")?;
    let is_other = rest.starts_with(|c: char| !c.is_whitespace()) || rest.trim_start().starts_with('=');
    (!is_other).then(|| rest.trim())
}

fn token_of(text: &str) -> Result<Token, String> {
    if text == "end" {
        return Ok(Token::End);
    }
    if is_name(text) {
        return Ok(Token::Named(text.to_owned()));
    }
    let inside = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    match inside.map(unescaped).as_deref() {
        Some([byte]) => Ok(Token::Char(*byte)),
        _ => Err(format!("{text} is no token; tokens are names, characters in single quotes, and end")),
    }
}

fn text_of(text: &str) -> Result<Hir, String> {
    let between = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    if let Some(text) = between('"') {
        return Ok(Hir::literal(unescaped(text)));
    }
    let Some(regex) = between('/') else {
        return Err("a text in \"quotes\" or a regular expression in /slashes/ follows =".to_owned());
    };
    let mut parser = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build();
    parser.parse(&regex.replace("\\/", "/")).map_err(|error| {
        let message = error.to_string();
        // The last line says what is wrong; those before it show where.
        message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

fn unescaped(text: &str) -> Vec<u8> {
    let text = text.as_bytes();
    let mut bytes = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (byte, length) = super::pattern::escape(&text[at..]).unwrap_or((text[at], 1));
        bytes.push(byte);
        at += length;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::{self, action};

    const SCANNER: &str = "%x A\n%%\na return find(yytext);\nb BEGIN(A);\nc BEGIN(x); return C;\n\
        d {\n#ifdef X\nif (x) return D;\n#endif\n}\n";

    fn check(map: &str, expected: &[&str]) {
        let source = Source::new("a.l", SCANNER);
        let lex = lex::read(&source);
        let map_source = Source::new("tokens", map);
        let map = TokenMap::read(&map_source);
        let mut effects = action::effects_assuming(&lex, &source, &map.assumptions);
        let problems = map.apply(&lex, &source, &mut effects);
        let texts = map.texts.iter().map(|(name, hir)| format!("{name} {hir}"));
        let shown = |outcome: &Outcome| format!("{:?} {:?}", outcome.token, outcome.moves);
        let assumed = map.assumptions.iter().map(|_| 6);
        let rules = map.rules.iter().map(|said| said.line).chain(assumed).filter_map(|line| {
            let id = lex.rule_ids().find(|&id| source.position(lex.rule(id).span.start).0 == line)?;
            let outcomes: Vec<_> = effects.of(id).outcomes.iter().map(shown).collect();
            Some(format!("{line} {}", outcomes.join(" | ")))
        });
        let messages = map.diagnostics.iter().chain(&problems);
        let messages = messages.map(|d| format!("{}: {}", map_source.position(d.span.start).0, d.message));
        let found: Vec<String> = texts.chain(rules).chain(messages).collect();
        assert_eq!(found, expected, "{:?}", map.rules);
    }

    #[test]
    fn lines_of_all_kinds() {
        check("# c\n\nN = /[0-9]+/\n", &["N (?-u:[0-9])+"]);
        check("N = \"a\"\nN = \"bc\"\n", &["N (?:a|(?:bc))"]);
        check("A = \"-\\n\"\n'(' = \"(\"", &["A (?:\\-\n)", "'(' \\("]);
        check("3 -> X, '\\''", &["3 Some(Named(\"X\")) [] | Some(Char(39)) []"]);
        check("4 -> end", &["4 Some(End) [Begin(ConditionId(1))]"]);
        check("5 -> C then INITIAL", &["5 Some(Named(\"C\")) [Begin(ConditionId(0))]"]);
        check("define X 1", &["6 None [] | Some(Named(\"D\")) []"]);
        check("undef X", &["6 None []"]);
        check("define X", &["6 None [] | Some(Named(\"D\")) []"]);
        check("skip /[ ]+/\nlength N 1..5\nlength N 3", &[]);
        check(
            "token a-b c\ntoken = \"x\"\ntokens = \"y\"\nbig letter = \"A\"",
            &["token x", "tokens y", "big letter A"],
        );
        check("skip 3 then A", &["3 None [Begin(ConditionId(1))]"]);
    }

    #[test]
    fn mistakes() {
        check(
            "what",
            &["1: a line is TOKEN = \"text\", TOKEN = /regex/, LINE -> TOKEN, skip LINE, length TOKEN N, token RULE, define NAME or undef NAME"],
        );
        check(
            "A = b\nB = /(/",
            &["1: a text in \"quotes\" or a regular expression in /slashes/ follows =", "2: unclosed group"],
        );
        check(
            "9 -> X\n3 X\nskip x\n3 -> ++",
            &[
                "2: -> and tokens follow a line number",
                "3: a line number follows skip",
                "4: ++ is no token; tokens are names, characters in single quotes, and end",
                "1: no rule begins in line 9",
            ],
        );
        check("3 -> X then B", &["3 Some(Unknown) []", "1: there is no start condition B"]);
        check("length N", &["1: a token and its lengths follow length: NAME 1..5"]);
        check("length N 3..2", &["1: a token and its lengths follow length: NAME 1..5"]);
        check("define +", &["1: a name follows define and undef"]);
        check("+ = \"a\"", &["1: + is no name of a token"]);
        check("token", &["1: the name of a rule follows token"]);
        check("token +", &["1: the name of a rule follows token"]);
    }
}
