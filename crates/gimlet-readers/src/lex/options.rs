//! What `%option` says about the language of a scanner.

use gimlet_grammar::scanner::Options;
use gimlet_grammar::source::{Diagnostic, Span};

/// Options that say nothing about what is matched.
const IGNORED: [&str; 58] = [
    "align",
    "always-interactive",
    "array",
    "backup",
    "batch",
    "bison-bridge",
    "bison-locations",
    "c++",
    "debug",
    "ecs",
    "input",
    "interactive",
    "line",
    "main",
    "meta-ecs",
    "never-interactive",
    "perf-report",
    "pointer",
    "read",
    "reentrant",
    "reject",
    "stack",
    "stdinit",
    "stdout",
    "tables-verify",
    "unistd",
    "unput",
    "verbose",
    "warn",
    "yy_pop_state",
    "yy_push_state",
    "yy_scan_buffer",
    "yy_scan_bytes",
    "yy_scan_string",
    "yy_top_state",
    "yyalloc",
    "yyfree",
    "yyget_column",
    "yyget_debug",
    "yyget_extra",
    "yyget_in",
    "yyget_leng",
    "yyget_lineno",
    "yyget_lloc",
    "yyget_lval",
    "yyget_out",
    "yyget_text",
    "yylineno",
    "yymore",
    "yyrealloc",
    "yyset_debug",
    "yyset_extra",
    "yyset_in",
    "yyset_lineno",
    "yyset_lloc",
    "yyset_lval",
    "yyset_out",
    "yywrap",
];

/// Options that have a value.
const VALUED: [&str; 7] = ["extra-type", "header", "header-file", "outfile", "prefix", "tables-file", "yyclass"];

/// Reads the rest of a line that begins with `%option`.
pub(super) fn read(line: &str, start: usize, options: &mut Options, diagnostics: &mut Vec<Diagnostic>) {
    let mut at = 0;
    while let Some(word) = next_word(line, &mut at) {
        let span = Span::new(start + word.start, start + word.end);
        let text = &line[word.start..word.end];
        let lower = text.to_ascii_lowercase();
        if VALUED.contains(&lower.as_str()) {
            let Some(value) = read_value(line, &mut at) else {
                let hint = format!("write {text}=\"...\"");
                diagnostics.push(Diagnostic::error(span, format!("option {text} has no value")).with_hint(hint));
                return;
            };
            if lower == "prefix" {
                options.prefix = Some(Span::new(start + value.start, start + value.end));
            }
        } else if !set(&lower, options) {
            // flex leaves out the rest of the line, too.
            diagnostics.push(Diagnostic::error(span, format!("unknown option {text}")));
            return;
        }
    }
}

fn set(name: &str, options: &mut Options) -> bool {
    let mut name = name;
    let mut sense = true;
    loop {
        match name {
            "7bit" => options.seven_bit = Some(sense),
            "8bit" => options.seven_bit = Some(!sense),
            "caseless" | "case-insensitive" => options.is_caseless = sense,
            "caseful" | "case-sensitive" => options.is_caseless = !sense,
            "default" => options.has_default = sense,
            "fast" | "full" => options.has_full_tables = true,
            "lex-compat" => options.lex_compat = sense,
            "posix-compat" => options.posix_compat = sense,
            _ if IGNORED.contains(&name) => {}
            _ => match name.strip_prefix("no") {
                Some(rest) => {
                    name = rest;
                    sense = !sense;
                    continue;
                }
                None => return false,
            },
        }
        return true;
    }
}

fn next_word(line: &str, at: &mut usize) -> Option<Span> {
    let bytes = line.as_bytes();
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
    while bytes.get(*at).is_some_and(|&byte| is_blank(byte)) {
        *at += 1;
    }
    let start = *at;
    while bytes.get(*at).is_some_and(|&byte| !is_blank(byte) && byte != b'=') {
        *at += 1;
    }
    if *at == start && *at < bytes.len() {
        *at += 1;
    }
    (start < *at).then_some(Span::new(start, *at))
}

/// `= "..."`: what is between the quotes.
fn read_value(line: &str, at: &mut usize) -> Option<Span> {
    let value = line[*at..].trim_start_matches([' ', '\t']).strip_prefix('=')?;
    let value = value.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    let (start, len) = (line.len() - value.len(), value.find('"')?);
    *at = start + len + 1;
    Some(Span::new(start, start + len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<Options, &str>) {
        let mut options = Options::default();
        let mut diagnostics = Vec::new();
        read(line, 0, &mut options, &mut diagnostics);
        match (expected, diagnostics.first()) {
            (Ok(expected), None) => assert_eq!(options, expected),
            (Err(message), Some(diagnostic)) => assert_eq!(diagnostic.message, message),
            (_, found) => panic!("{line}: {found:?}"),
        }
    }

    #[test]
    fn options_of_all_forms() {
        let usual = Options::default();
        check(" noyywrap nounput yylineno 8bit", Ok(Options { seven_bit: Some(false), ..usual }));
        check(" Case-Insensitive", Ok(Options { is_caseless: true, ..usual }));
        check(
            "\tprefix = \"cue_\" nodefault\r",
            Ok(Options { has_default: false, prefix: Some(Span::new(11, 15)), ..usual }),
        );
        check(" outfile=\"a b.c\" no7bit full", Ok(Options { seven_bit: Some(false), has_full_tables: true, ..usual }));
        check(" nocaseful noverbose", Ok(Options { is_caseless: true, ..usual }));
        check(" stack wrong", Err("unknown option wrong"));
        check(" = ", Err("unknown option ="));
        check(" prefix", Err("option prefix has no value"));
    }
}
