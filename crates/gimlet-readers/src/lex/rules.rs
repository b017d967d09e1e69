//! The second section: rules, scopes of start conditions and C code between them.

use gimlet_grammar::scanner::{Action, ConditionId, Lex, Rule};
use gimlet_grammar::source::{Diagnostic, Source, Span};
use regex_syntax::hir::Hir;

use super::code::{
    action_end, block_end, is_at_line_end, is_blank, line_end, name_length, next_line, skip_blanks, End,
};
use super::pattern;

/// Scopes in scopes.
const DEPTH_MAX: usize = 1000;

pub(super) fn read(source: &Source, start: usize, lex: &mut Lex) {
    let text = source.text.as_bytes();
    let mut section = Section { text, source, lex, scopes: Vec::new(), is_continued: false, pending: None };
    let mut at = section.prologue(start);
    while at < section.text.len() {
        if section.text[at..].starts_with(b"%%") {
            let after = next_line(section.text, at);
            section.lex.user_code = Span::new(after, section.text.len());
            break;
        }
        // Whatever is wrong with a line, it is left behind.
        at = section.line(at).max(at + 1);
    }
    if let Some(pending) = section.pending.take() {
        section.error(pending.span, "there is no pattern after the start conditions");
    }
    if let Some(scope) = section.scopes.pop() {
        section.error(scope.span, "there is no } for this");
    }
    section.resolve_continued();
}

struct Scope {
    /// With those of the scopes around it.
    conditions: Vec<ConditionId>,
    span: Span,
}

struct Section<'a> {
    text: &'a [u8],
    source: &'a Source,
    lex: &'a mut Lex,
    scopes: Vec<Scope>,
    /// The action before is `|`.
    is_continued: bool,
    /// Start conditions that stand alone in their line: they are for what comes next.
    pending: Option<Scope>,
}

impl Section<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.lex.diagnostics.push(Diagnostic::error(span, message));
    }

    /// Skips code before the first rule: what is indented or in `%{ %}`.
    fn prologue(&mut self, start: usize) -> usize {
        let mut at = start;
        let mut depth = 0;
        let mut open = at;
        while at < self.text.len() {
            let next = next_line(self.text, at);
            if self.text[at..].starts_with(b"%{") {
                depth += 1;
                open = at;
            } else if self.text[at..].starts_with(b"%}") {
                depth -= 1;
            } else if is_at_line_end(self.text, skip_blanks(self.text, at)) {
            } else if depth > 0 || is_blank(self.text[at]) {
                self.lex.prologue.push(Span::new(at, next));
            } else {
                return at;
            }
            at = next;
        }
        if depth > 0 {
            self.error(Span::new(open, open + 2), "there is no %} for this");
        }
        at
    }

    /// Reads what begins with a line, and returns where the next begins.
    fn line(&mut self, start: usize) -> usize {
        let at = skip_blanks(self.text, start);
        let rest = &self.text[at..];
        if is_at_line_end(self.text, at) {
            return next_line(self.text, at);
        }
        if rest.starts_with(b"%{") {
            let end = block_end(self.text, at + 2);
            if end.is_premature {
                self.error(Span::new(at, at + 2), "there is no %} for this");
            }
            return next_line(self.text, end.at);
        }
        if at > start && rest.starts_with(b"/*") {
            return self.skip_code(at);
        }
        if at == start && (rest.starts_with(b"/*") || rest.starts_with(b"//")) {
            let diagnostic = Diagnostic::error(Span::new(at, at + 2), "a comment can't begin a line among the rules");
            self.lex.diagnostics.push(diagnostic.with_hint("indent it"));
            return self.skip_code(at);
        }
        self.statement(at)
    }

    /// A scope's beginning or end, or a rule; several may stand in a line.
    fn statement(&mut self, start: usize) -> usize {
        let mut at = start;
        let pending = self.pending.take();
        if self.text[at] == b'}' {
            if pending.is_some() || self.scopes.pop().is_none() {
                self.error(Span::new(at, at + 1), "there is no { for this");
            }
            return self.after_brace(at + 1);
        }
        let mut has_conditions = pending.is_some() || !self.scopes.is_empty();
        let around = pending.as_ref().or(self.scopes.last());
        let mut conditions = around.map_or_else(Vec::new, |scope| scope.conditions.clone());
        if self.text[at] == b'<' && !is_eof_pattern(&self.text[at..]) {
            if let Some(pending) = pending {
                self.error(pending.span, "there is no pattern after the start conditions");
            }
            match self.condition_list(at, &mut conditions) {
                Some(end) => at = end,
                None => return self.skip_code(at),
            }
            has_conditions = true;
            if at >= self.text.len() || is_blank(self.text[at]) || is_at_line_end(self.text, at) {
                return self.postpone(Scope { conditions, span: Span::new(start, at) });
            }
        }
        if self.is_at_scope(at) {
            let span = Span::new(start, at + 1);
            if self.scopes.len() >= DEPTH_MAX {
                self.error(span, "there are too many scopes");
                return self.text.len();
            }
            self.scopes.push(Scope { conditions, span });
            return self.after_brace(at + 1);
        }
        self.rule(at, conditions, has_conditions)
    }

    /// flex takes what follows start conditions and a blank for code, and looks for their pattern in the next line.
    fn postpone(&mut self, pending: Scope) -> usize {
        let after = skip_blanks(self.text, pending.span.end);
        if !is_at_line_end(self.text, after) && !self.text[after..].starts_with(b"/*") {
            let span = Span::new(after, line_end(self.text, after));
            let warning = Diagnostic::warning(span, "flex takes this for code, not for a pattern");
            self.lex.diagnostics.push(warning.with_hint("a pattern follows its start conditions without a blank"));
        }
        let next = self.skip_code(pending.span.end);
        self.pending = Some(pending);
        next
    }

    /// After a brace of a scope: flex takes what follows a blank for code, and what follows the brace for a rule.
    fn after_brace(&mut self, at: usize) -> usize {
        if at < self.text.len() && !is_blank(self.text[at]) && !is_at_line_end(self.text, at) {
            return at;
        }
        self.skip_code(at)
    }

    fn skip_code(&mut self, start: usize) -> usize {
        self.is_continued = false;
        let end = action_end(self.text, start);
        if end.is_premature && end.at > start {
            self.error(Span::new(start, start + 1), "the code that begins here does not end");
        }
        next_line(self.text, end.at)
    }

    fn is_at_scope(&self, at: usize) -> bool {
        let rest = &self.text[at + 1..];
        let n_name = name_length(rest);
        let is_definition = n_name > 0 && rest.get(n_name) == Some(&b'}');
        self.text[at] == b'{' && !is_definition && !rest.first().is_some_and(u8::is_ascii_digit)
    }

    /// `<A,B>`; adds to the conditions. Returns where it ends.
    fn condition_list(&mut self, start: usize, conditions: &mut Vec<ConditionId>) -> Option<usize> {
        let length = self.text[start..].iter().position(|&byte| byte == b'>');
        let Some(close) = length.map(|length| start + length) else {
            self.error(Span::new(start, start + 1), "there is no > for this");
            return None;
        };
        let mut at = start + 1;
        for part in self.source.text[start + 1..close].split(',') {
            let name = part.trim_matches(['\n', '\r']);
            let name = if name.len() < part.len() { name.trim_matches([' ', '\t']) } else { name };
            let span = Span::new(at, at + part.len());
            at += part.len() + 1;
            let mut add = |id| {
                if !conditions.contains(&id) {
                    conditions.push(id);
                }
            };
            if name == "*" {
                self.lex.condition_ids().for_each(add);
            } else if let Some(id) = self.lex.condition_named(name) {
                add(id);
            } else if name_length(name.as_bytes()) == name.len() && !name.is_empty() {
                self.error(span, format!("start condition {name} is not declared"));
            } else {
                self.error(span, "this is no name of a start condition");
                if part.contains('\n') {
                    // There is hardly a list of conditions here.
                    return None;
                }
            }
        }
        Some(close + 1)
    }

    fn rule(&mut self, start: usize, conditions: Vec<ConditionId>, has_conditions: bool) -> usize {
        let mut rule = Rule {
            conditions,
            at_line_start: false,
            pattern: Hir::empty(),
            trailing: None,
            action: Action { text: String::new(), span: Span::default(), is_continued: false },
            is_eof: false,
            span: Span::new(start, start),
        };
        let n_errors = self.lex.diagnostics.len();
        let end = if is_eof_pattern(&self.text[start..]) {
            rule.is_eof = true;
            start + 7
        } else {
            rule.at_line_start = self.text[start] == b'^';
            let begin = start + usize::from(rule.at_line_start);
            let read = pattern::read(self.source, begin, self.is_continued, self.lex);
            rule.at_line_start |= read.at_line_start;
            rule.pattern = read.head;
            rule.trailing = read.trailing;
            read.end
        };
        let is_bad =
            self.lex.diagnostics[n_errors..].iter().any(|d| d.severity == gimlet_grammar::source::Severity::Error);
        rule.span = Span::new(start, end);
        if !has_conditions {
            rule.conditions = self.usual_conditions(rule.is_eof);
        }
        let next = self.action(end, &mut rule.action);
        if rule.is_eof {
            self.claim_eof(&mut rule);
        }
        if !is_bad {
            self.lex.rules.push(rule);
        }
        next
    }

    /// Where a rule without conditions is active.
    fn usual_conditions(&self, is_eof: bool) -> Vec<ConditionId> {
        let is_usual = |id: &ConditionId| match is_eof {
            true => self.lex.eof_rule(*id).is_none(),
            false => !self.lex.condition(*id).is_exclusive,
        };
        self.lex.condition_ids().filter(is_usual).collect()
    }

    /// Of several rules for the end of the input the first counts.
    fn claim_eof(&mut self, rule: &mut Rule) {
        let (taken, free): (Vec<_>, Vec<_>) = rule.conditions.iter().partition(|&&id| self.lex.eof_rule(id).is_some());
        for id in taken {
            let name = self.lex.condition(id).name.clone();
            self.error(rule.span, format!("there is another <<EOF>> rule for {name}"));
        }
        rule.conditions = free;
    }

    /// Reads the action after a pattern, and returns where the next line begins.
    fn action(&mut self, pattern_end: usize, action: &mut Action) -> usize {
        let start = skip_blanks(self.text, pattern_end);
        let rest = &self.text[start..];
        self.is_continued = false;
        if start > pattern_end && rest.first() == Some(&b'|') {
            self.is_continued = true;
            action.is_continued = true;
            action.span = Span::new(start, start + 1);
            return next_line(self.text, start);
        }
        let (inside, end) = if start > pattern_end && rest.starts_with(b"%{") {
            (start + 2, block_end(self.text, start + 2))
        } else {
            (start, action_end(self.text, start))
        };
        if end.is_premature {
            let span = Span::new(start, line_end(self.text, start));
            self.error(span, "the action does not end");
        }
        self.set_action(inside, end, action);
        next_line(self.text, end.at)
    }

    fn set_action(&self, start: usize, end: End, action: &mut Action) {
        let mut text = &self.source.text[start..end.at.max(start)];
        if self.text[..start].ends_with(b"%{") {
            // What follows %} in its line belongs to nobody.
            text = text.rsplit_once("%}").map_or(text, |(text, _)| text);
        }
        let text = text.trim_end();
        action.text = text.to_owned();
        action.span = Span::new(start, start + text.len());
    }

    /// Gives rules with `|` the action of the next one.
    fn resolve_continued(&mut self) {
        let mut last: Option<Action> = None;
        for rule in self.lex.rules.iter_mut().rev() {
            if rule.action.is_continued {
                match &last {
                    Some(action) => rule.action = Action { is_continued: true, ..action.clone() },
                    // flex's own rule comes after the last.
                    None => rule.action.text = "ECHO;".to_owned(),
                }
            } else {
                last = Some(rule.action.clone());
            }
        }
    }
}

fn is_eof_pattern(text: &[u8]) -> bool {
    text.len() >= 7 && text[..7].eq_ignore_ascii_case(b"<<EOF>>")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use crate::lex;
    use gimlet_grammar::source::Source;

    /// A line a rule, then the messages.
    fn check(rules: &str, expected: &str) {
        let source = Source::new("a.l", format!("%s A\n%x B C\n%%\n{rules}"));
        let lex = lex::read(&source);
        let mut shown = String::new();
        for rule in &lex.rules {
            let conditions: Vec<_> = rule.conditions.iter().map(|&id| &*lex.condition(id).name).collect();
            let pattern = &source.text[rule.span.start..rule.span.end];
            let continued = if rule.action.is_continued { "|" } else { "" };
            let _ = writeln!(shown, "{} {pattern} {continued}{:?}", conditions.join(","), rule.action.text);
        }
        lex.diagnostics.iter().for_each(|diagnostic| {
            let _ = writeln!(shown, "{}: {}", source.position(diagnostic.span.start).0, diagnostic.message);
        });
        assert_eq!(shown, expected, "{rules}");
    }

    #[test]
    fn rules_and_actions() {
        check(
            "  int a;\n\n%{\nb\n%}\nx return X;\n  y { a\n}\nz\nu |\nv\t%{ p\n  q %} r\n  /* c\n */ d\n\n%{ e\n%}\nw w\n%%\nx",
            "INITIAL,A x \"return X;\"\nINITIAL,A y \"{ a\\n}\"\nINITIAL,A z \"\"\nINITIAL,A u |\" p\\n  q\"\n\
             INITIAL,A v \" p\\n  q\"\nINITIAL,A w \"w\"\n",
        );
    }

    #[test]
    fn start_conditions() {
        check(
            "<B,A>x 1\n<*>x 2\n<B>{ /* c */\n  <C>x 3\n  x 4\n  <A>{\n x 5\n }\n}\nx 6\n<C>\n{\n^x 7\n}\n<B><<EOF>> 8\n<<EOF>> 9\n",
            "B,A x \"1\"\nINITIAL,A,B,C x \"2\"\nB,C x \"3\"\nB x \"4\"\nB,A x \"5\"\nINITIAL,A x \"6\"\nC ^x \"7\"\n\
             B <<EOF>> \"8\"\nINITIAL,A,C <<EOF>> \"9\"\n",
        );
    }

    #[test]
    fn errors_do_not_end_the_reading() {
        check(
            "(x 1\n<D>y 2\nz 3\n",
            " y \"2\"\nINITIAL,A z \"3\"\n4: there is no ) for this\n5: start condition D is not declared\n",
        );
        check("/* c */\nx 1\n", "INITIAL,A x \"1\"\n4: a comment can't begin a line among the rules\n");
        check("<A>{\nx 1\n", "A x \"1\"\n4: there is no } for this\n");
        check("}\nx {\n", "INITIAL,A x \"{\"\n4: there is no { for this\n5: the action does not end\n");
        check("<A> x 1\ny 2\n", "A y \"2\"\n4: flex takes this for code, not for a pattern\n");
        check("<A<x 1\ny 2\n", "INITIAL,A y \"2\"\n4: there is no > for this\n");
        check(
            "<<EOF>> 1\n<B><<EOF>> 2\n",
            "INITIAL,A,B,C <<EOF>> \"1\"\n <<EOF>> \"2\"\n5: there is another <<EOF>> rule for B\n",
        );
    }
}
