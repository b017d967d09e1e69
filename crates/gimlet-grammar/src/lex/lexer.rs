//! Texts, divided as the scanner divides them.

use super::automaton::Automaton;
use super::conditions::Conditions;
use super::effect::{Effect, Effects, Outcome, Taken, Token};
use super::{ConditionId, Lex, RuleId};
use crate::source::Span;

/// Steps in a row that take nothing, before the scanner is thought to stand still.
const N_IDLE_MAX: usize = 64;

/// What the action of a piece of text hands on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    Nothing,
    Token(Token),
    /// It depends on what the scanner can't see; `None` is for nothing.
    OneOf(Vec<Option<Token>>),
}

/// A piece of text and the rule that took it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lexeme {
    /// `None` is flex's own rule for a byte that no other matches.
    pub rule: Option<RuleId>,
    pub given: Given,
    /// What the action sees as `yytext`.
    pub span: Span,
    /// The condition that the rule won in.
    pub condition: ConditionId,
    /// Where the scanner goes on.
    pub end: usize,
}

/// Why a text was not divided to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// No rule matches.
    NoMatch,
    /// What the action of a rule does is not known.
    Unknown { rule: RuleId, reason: String },
    /// The scanner goes round without taking anything.
    StandsStill,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// What was divided before.
    pub lexemes: Vec<Lexeme>,
    pub at: usize,
    pub why: Why,
}

/// Divides texts.
#[derive(Clone, Copy, Debug)]
pub struct Lexer<'a> {
    pub lex: &'a Lex,
    pub automaton: &'a Automaton,
    pub effects: &'a Effects,
}

/// Where a scanner is.
struct Place {
    conditions: Conditions,
    at_line_start: bool,
    at: usize,
    /// Where the text began that `yymore` keeps.
    kept_from: Option<usize>,
}

impl Lexer<'_> {
    /// Divides a text from its beginning to its end.
    pub fn lex(&self, text: &[u8]) -> Result<Vec<Lexeme>, Stopped> {
        let mut place = Place::new(ConditionId::INITIAL);
        // What is not known about the beginning is taken to be nothing.
        if let [outcome] = &self.effects.at_start.outcomes[..] {
            let _ = place.apply(b"", Span::default(), outcome);
        }
        self.lex_on(place, text)
    }

    /// The same, when the scanner begins in another condition.
    pub fn lex_from(&self, condition: ConditionId, text: &[u8]) -> Result<Vec<Lexeme>, Stopped> {
        self.lex_on(Place::new(condition), text)
    }

    fn lex_on(&self, mut place: Place, text: &[u8]) -> Result<Vec<Lexeme>, Stopped> {
        let mut lexemes = Vec::new();
        match self.walk(text, &mut place, &mut lexemes) {
            Ok(()) => Ok(lexemes),
            Err(why) => Err(Stopped { lexemes, at: place.at, why }),
        }
    }

    fn walk(&self, text: &[u8], place: &mut Place, lexemes: &mut Vec<Lexeme>) -> Result<(), Why> {
        let mut n_idle = 0;
        while place.at < text.len() {
            let before = place.at;
            let lexeme = self.step(text, place)?;
            let is_over = matches!(lexeme.given, Given::Token(Token::End | Token::Stop));
            lexemes.push(lexeme);
            if is_over {
                return Ok(());
            }
            n_idle = if place.at > before { 0 } else { n_idle + 1 };
            if n_idle > N_IDLE_MAX {
                return Err(Why::StandsStill);
            }
        }
        self.finish(place, lexemes);
        Ok(())
    }

    fn step(&self, text: &[u8], place: &mut Place) -> Result<Lexeme, Why> {
        let condition = place.conditions.current;
        let found =
            self.automaton.longest_match(condition, place.at_line_start, &text[place.at..]).ok_or(Why::NoMatch)?;
        let start = place.kept_from.take().unwrap_or(place.at);
        let span = Span::new(start, place.at + found.n_bytes);
        let Some(rule) = found.rule else {
            if !self.lex.options.has_default {
                return Err(Why::NoMatch);
            }
            place.advance(text, span);
            return Ok(Lexeme { rule: None, given: Given::Nothing, span, condition, end: place.at });
        };
        let unknown = |reason: &str| Why::Unknown { rule, reason: reason.to_owned() };
        let effect = self.effects.of(rule);
        let possible: Vec<&Outcome> = effect.possible(condition, &text[span.start..]).collect();
        let outcome = only_state_change(effect, &possible).map_err(unknown)?;
        place.advance(text, span);
        place.apply(text, span, outcome).map_err(unknown)?;
        let given = given(&possible, &text[span.start..span.end]);
        Ok(Lexeme { rule: Some(rule), given, span, condition, end: place.at })
    }

    /// Notes the rules for the end of the input, as far as they are known.
    fn finish(&self, place: &mut Place, lexemes: &mut Vec<Lexeme>) {
        let mut seen = Vec::new();
        let end = place.at;
        let span = Span::new(end, end);
        while let Some(rule) = self.lex.eof_rule(place.conditions.current) {
            if seen.contains(&place.conditions.current) {
                return;
            }
            seen.push(place.conditions.current);
            let effect = self.effects.of(rule);
            let possible: Vec<&Outcome> = effect.possible(place.conditions.current, b"").collect();
            let given = given(&possible, b"");
            lexemes.push(Lexeme { rule: Some(rule), given, span, condition: place.conditions.current, end });
            let is_over = possible.iter().any(|outcome| matches!(outcome.token, Some(Token::End | Token::Stop)));
            match only_state_change(effect, &possible) {
                Ok(outcome) if !is_over && place.apply(b"", Span::default(), outcome).is_ok() => place.at = end,
                _ => return,
            }
        }
    }
}

impl Place {
    fn new(condition: ConditionId) -> Place {
        Place { conditions: Conditions::new(condition), at_line_start: true, at: 0, kept_from: None }
    }

    fn advance(&mut self, text: &[u8], span: Span) {
        self.at = span.end;
        if span.end > span.start {
            self.at_line_start = text[span.end - 1] == b'\n';
        }
    }

    /// The error says what is not known.
    fn apply(&mut self, text: &[u8], span: Span, outcome: &Outcome) -> Result<(), &'static str> {
        if !self.conditions.apply(&outcome.moves) {
            return Err("there is no start condition to go back to");
        }
        let n_bytes = span.end - span.start;
        match &outcome.taken {
            Taken::All => {}
            Taken::First(n) if *n <= n_bytes => self.at = span.start + n,
            Taken::AllBut(n) if *n <= n_bytes => self.at = span.end - n,
            Taken::First(_) | Taken::AllBut(_) => return Err("it gives back more than it has"),
            Taken::To { ending, with_ending } => {
                let rest = &text[self.at..];
                let n = match rest.windows(ending.len().max(1)).position(|window| window == &ending[..]) {
                    Some(n) if *with_ending => n + ending.len(),
                    Some(n) => n,
                    None => return Err("the text ends before its action does"),
                };
                // Bytes that are given back leave this as it is.
                self.at_line_start = ending.last() == Some(&b'\n');
                self.at += n;
            }
        }
        if outcome.is_more {
            self.kept_from = Some(span.start);
        }
        self.at_line_start = outcome.at_line_start.unwrap_or(self.at_line_start);
        Ok(())
    }
}

/// What all outcomes agree on, as far as the scanner's state is concerned.
fn only_state_change<'a>(effect: &'a Effect, possible: &[&'a Outcome]) -> Result<&'a Outcome, &'a str> {
    if let Some(reason) = &effect.unknown {
        return Err(reason);
    }
    if let [only] = possible {
        return Ok(only);
    }
    // An error that ends the scanning is not what happens to a good text.
    let goes_on = |outcome: &&&Outcome| !matches!(outcome.token, Some(Token::End | Token::Stop));
    let mut going_on = possible.iter().filter(goes_on).chain(possible.iter().filter(|outcome| !goes_on(outcome)));
    let first = going_on.next().ok_or("no way through the action is possible")?;
    let change = first.state_change();
    match possible.iter().filter(goes_on).all(|other| other.state_change() == change) {
        true => Ok(first),
        false => Err("the scanner's next state depends on more than the text"),
    }
}

fn given(possible: &[&Outcome], text: &[u8]) -> Given {
    let resolve = |token: &Token| match token {
        Token::FirstByte => text.first().map_or(Token::End, |&byte| Token::Char(byte)),
        token => token.clone(),
    };
    let mut tokens: Vec<Option<Token>> = possible.iter().map(|outcome| outcome.token.as_ref().map(resolve)).collect();
    tokens.sort();
    tokens.dedup();
    match tokens.as_slice() {
        [None] => Given::Nothing,
        [Some(token)] => Given::Token(token.clone()),
        _ => Given::OneOf(tokens),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex;
    use crate::lex::action;
    use crate::source::Source;

    /// Texts with what is returned for them, and why it stopped.
    fn check(scanner: &str, text: &str, expected: &str) {
        let source = Source::new("a.l", scanner);
        let lex = lex::read(&source);
        assert!(!lex.has_errors(), "{:?}", lex.diagnostics);
        let effects = action::effects(&lex, &source);
        let automaton = Automaton::new(&lex).unwrap();
        let lexer = Lexer { lex: &lex, automaton: &automaton, effects: &effects };
        let (lexemes, why) = match lexer.lex(text.as_bytes()) {
            Ok(lexemes) => (lexemes, None),
            Err(stopped) => (stopped.lexemes, Some(format!("at {} {:?}", stopped.at, stopped.why))),
        };
        let show = |lexeme: &Lexeme| {
            let text = text[lexeme.span.start..lexeme.span.end].escape_debug().to_string();
            match &lexeme.given {
                Given::Nothing => text,
                Given::Token(Token::Named(name)) => format!("{text}={name}"),
                Given::Token(token) => format!("{text}={token:?}"),
                Given::OneOf(tokens) => format!("{text}={} ways", tokens.len()),
            }
        };
        let shown: Vec<String> = lexemes.iter().map(show).chain(why).collect();
        assert_eq!(shown.join(" "), expected, "{text}");
    }

    #[test]
    fn the_longest_match_wins_and_its_token_is_given() {
        let scanner = "%%\nif return IF;\n[a-z]+ return NAME;\n[ \\n] ;\n[-+] return yytext[0];\n";
        check(scanner, "if iff -", "if=IF   iff=NAME   -=Char(45)");
        check(scanner, "a9", "a=NAME 9");
        let scanner = "%option nodefault\n%%\na ;\n";
        check(scanner, "ab", "a at 1 NoMatch");
    }

    #[test]
    fn start_conditions_are_followed() {
        let scanner =
            "%x S\n%%\n\\\" BEGIN(S);\n<S>[^\"]+ return TEXT;\n<S>\\\" BEGIN(INITIAL);\n[a-z]+ return NAME;\n";
        check(scanner, "a\"b c\"d", "a=NAME \\\" b c=TEXT \\\" d=NAME");
        let scanner =
            "%x A\n%option stack\n%%\n<*>\"(\" yy_push_state(A);\n<A>\")\" yy_pop_state();\n\")\" return BAD;\n";
        check(scanner, "(())", "( ( ) )");
        check(scanner, "())", "( ) )=BAD");
        let scanner = "%x A B\n%{\nint was;\n#define YY_USER_INIT BEGIN(B);\n%}\n%%\n<*># was = YY_START; BEGIN(A);\n\
             <A>\\n BEGIN(was);\n<A>. ;\n<B>b return B1;\n";
        check(scanner, "b#b\nb", "b=B1 # b \\n b=B1");
    }

    #[test]
    fn lines_contexts_and_what_actions_give_back() {
        check("%%\n^a return BOL;\na return A1;\n\\n ;\n", "aa\na", "a=BOL a=A1 \\n a=BOL");
        check("%%\na/b return AB;\na$ return END1;\na|b|\\n ;\n", "aaba\n", "a a=AB b a=END1 \\n");
        check("%%\nabc yyless(1); return A1;\n[a-z] return C;\n", "abc", "abc=A1 b=C c=C");
        check("%%\na yymore();\nb return AB;\n", "aab", "a aa aab=AB");
        check("%%\n# { int c; while ((c = input()) != '\\n') ; }\n^a return BOL;\na ;\n", "a#x\na", "a=BOL # a=BOL");
    }

    #[test]
    fn what_is_not_known_stops_it() {
        check(
            "%x A\n%%\na if (x) BEGIN(A);\n",
            "a",
            "at 0 Unknown { rule: RuleId(0), reason: \
             \"the scanner's next state depends on more than the text\" }",
        );
        check("%%\na REJECT;\n", "ba", "b at 1 Unknown { rule: RuleId(0), reason: \"REJECT takes the text back\" }");
        check("%%\na return find();\n", "a", "a=Unknown");
        check("%%\na if (x) return A1;\n", "a", "a=2 ways");
        check("%%\n\"\"/a ;\n", "a", &format!("{}at 0 StandsStill", " ".repeat(65)));
        check("%%\na yyterminate();\n", "aa", "a=End");
        check("%%\na ;\n<<EOF>> return LAST;\n", "a", "a =LAST");
    }
}
