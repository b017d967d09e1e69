use super::*;

/// Rules, texts of tokens and messages of a grammar with some rules, and more behind them.
fn check(rules: &str, more: &str, expected: &str) {
    let source = Source::new("grammar.json", format!("{{\"name\": \"test\", \"rules\": {{\n{rules}}}{more}}}"));
    let read = read(&source);
    let mut shown: Vec<String> = Vec::new();
    if let Some(grammar) = &read.grammar {
        shown.extend(grammar.rule_ids().map(|rule| grammar.show_rule(rule)));
        for terminal in &grammar.terminals {
            let text = terminal.text.as_ref().map_or("?".to_owned(), |text| text.to_string());
            shown.push(format!("{} = {text}", terminal.name));
        }
    }
    shown.extend(read.skipped.iter().map(|text| format!("skipped {text}")));
    for found in &read.diagnostics {
        let (line, column) = source.position(found.span.start);
        let hint = found.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        shown.push(format!("{line}:{column}: {}: {}{hint}", found.severity, found.message));
    }
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(shown, expected);
}

#[test]
fn rules_and_tokens() {
    check(
        r#""z": {"type": "REPEAT1", "content": {"type": "SYMBOL", "name": "expr"}},
           "expr": {"type": "CHOICE", "members": [
               {"type": "PREC_LEFT", "value": 1, "content": {"type": "SEQ", "members": [
                   {"type": "SYMBOL", "name": "expr"}, {"type": "STRING", "value": "+"}, {"type": "SYMBOL", "name": "expr"}]}},
               {"type": "SYMBOL", "name": "name"}, {"type": "STRING", "value": "nil"},
               {"type": "ALIAS", "content": {"type": "PATTERN", "value": "0x[a-f]+", "flags": "i"}, "named": true, "value": "n"}]},
           "name": {"type": "PATTERN", "value": "[a-z]+"}"#,
        r#", "extras": [{"type": "PATTERN", "value": "\\s"}], "word": "name""#,
        "z: z.1
         z.1: expr
         z.1: z.1 expr
         expr: expr '+' expr
         expr: name
         expr: 'nil'
         expr: /0x[a-f]+/i
         '+' = \\+
         'nil' = (?:nil)
         /0x[a-f]+/i = (?:0(?-u:[Xx])(?-u:[A-Fa-f])+)
         name = (?-u:[a-z])+
         skipped (?-u:[\\x09-\\x0D\\x20])",
    );
}

#[test]
fn what_is_left_out_is_told() {
    check(
        r#""a": {"type": "SEQ", "members": [
               {"type": "SYMBOL", "name": "newline"},
               {"type": "IMMEDIATE_TOKEN", "content": {"type": "PREC", "value": 2, "content": {"type": "PATTERN", "value": "x$"}}},
               {"type": "RESERVED", "context_name": "c", "content": {"type": "STRING", "value": "y"}}]},
           "b": {"type": "BLANK"},
           "comment": {"type": "SEQ", "members": [{"type": "STRING", "value": "//"}, {"type": "PATTERN", "value": "[a-z]*"}]},
           "deep": {"type": "SEQ", "members": [{"type": "SYMBOL", "name": "deep"}]}"#,
        r#", "extras": [{"type": "SYMBOL", "name": "comment"}, {"type": "SYMBOL", "name": "deep"}],
             "externals": [{"type": "SYMBOL", "name": "newline"}, {"type": "STRING", "value": "y"}]"#,
        "a: newline /x$/ 'y'
         /x$/ = x
         'y' = y
         newline = ?
         skipped (?:(?://)(?-u:[a-z])*)
         2:1: warning: texts of `deep` between tokens are left out: `deep` refers to itself
         2:1: warning: what `/x$/` looks for around its text is left out
         2:1: warning: tokens that a scanner in C makes have no known text: `newline`
         2:1: warning: precedences of tokens only count between texts of the same length: `/x$/`
         2:1: warning: tokens that nothing may stand before are taken as others: `/x$/`
         6:12: warning: `b` is never reached",
    );
}

#[test]
fn a_string_is_one_token() {
    check(
        r#""a": {"type": "SEQ", "members": [{"type": "SYMBOL", "name": "string"}, {"type": "PATTERN", "value": "[0-9]+"}]},
           "string": {"type": "CHOICE", "members": [
               {"type": "SEQ", "members": [{"type": "STRING", "value": "<"}, {"type": "STRING", "value": ">"}]},
               {"type": "SEQ", "members": [{"type": "STRING", "value": "<"},
                   {"type": "REPEAT1", "content": {"type": "CHOICE", "members": [
                       {"type": "SYMBOL", "name": "text"},
                       {"type": "IMMEDIATE_TOKEN", "content": {"type": "STRING", "value": "!>"}}]}},
                   {"type": "STRING", "value": ">"}]}]},
           "text": {"type": "IMMEDIATE_TOKEN", "content": {"type": "PATTERN", "value": "[a-z]+"}}"#,
        r#", "extras": []"#,
        "a: string /[0-9]+/
         string: '<' '>'
         string: string.token
         '<' = <
         '>' = >
         /[0-9]+/ = (?-u:[0-9])+
         string.token = (?:<(?:(?-u:[a-z])+|(?:!>))+>)",
    );
}

#[test]
fn mistakes() {
    check("", "", "1:1: error: there are no rules (the grammar.json of tree-sitter has an object `rules`)");
    check(r#""a": {"type": "SYMBOL", "name": "b"}, "bb": "#, "", "2:45: error: this is no JSON: expected value");
    check(
        r#""expr": {"type": "SYMBOL", "name": "exrp"}"#,
        "",
        "skipped (?-u:[\\x09-\\x0D\\x20])\n2:1: error: `exrp` has no rule (did you mean `expr`?)",
    );
    check(
        r#""a": {"type": "PATTERN", "value": "(?=x)"}"#,
        r#", "extras": []"#,
        "2:1: error: the pattern `(?=x)` can't be read: look-around, including look-ahead and look-behind, is not supported",
    );
    check(r#""a": {"type": "NEW"}"#, r#", "extras": []"#, "2:1: error: there is no kind of rule `NEW`");
    check(r#""a": {"members": []}"#, r#", "extras": []"#, "2:1: error: a part of this rule has no `type`");
}
