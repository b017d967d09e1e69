use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use super::*;
use crate::test_grammars::{grammar, CALCULATOR};

/// The values of an attribute, in order.
fn values<'a>(svg: &'a str, attribute: &str) -> Vec<&'a str> {
    let mark = format!(" {attribute}=\"");
    svg.match_indices(&mark).filter_map(|(at, _)| svg[at + mark.len()..].split('"').next()).collect()
}

/// Tags are closed in order, and text has no marks of its own.
fn check_xml(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        let is_style = open.last() == Some(&"style");
        assert!(!text.contains('>') || is_style, "{text}");
        for (at, _) in text.match_indices('&') {
            let is_known = ["amp;", "lt;", "gt;", "quot;"].iter().any(|name| text[at + 1..].starts_with(name));
            assert!(is_known, "{text}");
        }
        let (tag, behind) = tag[1..].split_once('>').expect("an end of the tag");
        assert!(tag.matches('"').count() % 2 == 0, "{tag}");
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name)),
            (None, true) => {}
            (None, false) => open.push(tag.split(' ').next().unwrap()),
        }
        rest = behind;
    }
    assert_eq!((open.len(), rest.trim()), (0, ""));
    assert!(!svg.chars().any(|it| it.is_control() && it != '\n'));
}

/// Left, top, right and bottom of all boxes.
fn boxes(svg: &str) -> Vec<[i32; 4]> {
    let of = |rect: &str| ["x", "y", "width", "height"].map(|name| values(rect, name)[0].parse::<i32>().unwrap());
    let rects = svg.split('<').filter(|tag| tag.starts_with("rect ")).map(of);
    rects.map(|[x, y, width, height]| [x, y, x + width, y + height]).collect()
}

/// Every end of a line is within the picture; the coordinates are those after `M`, `H` and `V`.
fn check_lines(svg: &str, width: i32, height: i32) {
    for data in values(svg, "d") {
        let number = |text: &str| {
            let end = text.find(|it: char| !it.is_ascii_digit() && it != '-').unwrap_or(text.len());
            text[..end].parse::<i32>().unwrap()
        };
        for (at, letter) in data.char_indices() {
            match letter {
                'M' | 'H' => assert!((0..=width).contains(&number(&data[at + 1..])), "{data}"),
                'V' => assert!((0..=height).contains(&number(&data[at + 1..])), "{data}"),
                _ => {}
            }
        }
    }
}

/// The picture is well made; its names of diagrams.
fn check(grammar: &Grammar) -> Vec<String> {
    let svg = svg(grammar);
    check_xml(&svg);
    let ids = values(&svg, "id");
    let known: FxHashSet<&str> = ids.iter().copied().collect();
    assert_eq!(known.len(), ids.len());
    for link in values(&svg, "href") {
        assert!(known.contains(&link[1..]), "{link}");
    }
    let size = |name| values(&svg, name)[0].parse::<i32>().unwrap();
    let (width, height) = (size("width"), size("height"));
    check_lines(&svg, width, height);
    let mut boxes = boxes(&svg);
    boxes.sort_by_key(|it| it[1]);
    for (n, a) in boxes.iter().enumerate() {
        assert!(a[0] >= 0 && a[1] >= 0 && a[2] <= width && a[3] <= height, "{a:?}");
        for b in boxes[n + 1..].iter().take_while(|b| b[1] < a[3]) {
            assert!(b[0] >= a[2] || b[2] <= a[0], "{a:?} {b:?}");
        }
    }
    ids.into_iter().map(str::to_owned).collect()
}

#[test]
fn each_symbol_has_a_diagram() {
    assert_eq!(check(&grammar(CALCULATOR)), ["line", "expression"]);
    assert_eq!(check(&grammar("s: c b ; u: 'x' ; b: a 'x' ; c: b | ; a: s ;")), ["s", "c", "b", "a", "u"]);
    assert_eq!(check(&grammar("s: $@1 'x' ; $@1: ;")), ["s"]);
}

#[test]
fn odd_grammars() {
    for text in ["s: ;", "s: s ;", "s: t ; t: s ;", "s: s s | ;", "s: t 'x' ; t: t 'y' ;", "s: 'x' ; u: u ;"] {
        check(&grammar(text));
    }
    let none = grammar("s: 'x' ;");
    check(&none.with_rules(none.nonterminals.clone(), Vec::new(), none.start));
}

#[test]
fn text_is_escaped() {
    let mut grammar = grammar("a<b&\"c: '<' d>e 'x\u{1}y' ; d>e: a<b&\"c '&' | 'é' ;");
    grammar.terminals[0].alias = Some("\"]]>\"".to_owned());
    assert_eq!(check(&grammar), ["a~3cb~26~22c", "d~3ee"]);
    let svg = svg(&grammar);
    assert!(svg.contains(">&quot;]]&gt;&quot;</text>") && svg.contains("<title>'&lt;'</title>"));
    assert!(svg.contains("'x\u{fffd}y'"));
}

#[test]
fn long_sequences_are_wrapped() {
    let items = "'terminal' item ".repeat(40);
    for text in [
        format!("s: {items} ; item: 'x' ;"),
        format!("s: 'x' | {items} | s {items} ; item: 'y' | {items} s ;"),
        // What is between is too long to be read backwards.
        format!("s: item | s {items} item ; item: 'x' ;"),
    ] {
        let grammar = grammar(&text);
        check(&grammar);
        let width: i32 = values(&svg(&grammar), "width")[0].parse().unwrap();
        assert!(width <= WIDTH_MAX + 2 * (MARGIN + START), "{width}");
    }
}

#[test]
fn a_loop_goes_back_below() {
    let svg = svg(&grammar("s: i | s ',' i ; i: 'x' ;"));
    let boxes = boxes(&svg);
    assert_eq!(boxes.len(), 3);
    assert!(boxes[1][1] > boxes[0][3], "{boxes:?}");
    assert_eq!(svg.matches("class=\"a\"").count(), 1);
}

#[test]
fn actions_of_yacc_are_left_out() {
    let grammar = grammar("list: | list $@1 NUM $@2 ',' ; $@1: ; $@2: ;");
    assert_eq!(check(&grammar), ["list"]);
    assert!(!svg(&grammar).contains("$@"));
}

#[test]
fn large_grammars() {
    let mut text = String::new();
    for n in 0..500 {
        let _ = write!(text, "n{n}: n{n} '+' n{} | 'if' n{} 't{n}' n{n} | 'x' ; ", (n * 7) % 500, (n + 1) % 500);
    }
    let grammar = grammar(&text);
    let start = Instant::now();
    let svg = svg(&grammar);
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(svg.len() < 2_000_000, "{}", svg.len());
    assert_eq!(svg, super::svg(&grammar));
    let many = grammar_of_one(500);
    assert_eq!(check(&many).len(), 1);
}

/// One nonterminal of many rules.
fn grammar_of_one(n_rules: usize) -> Grammar {
    let rights: Vec<String> = (0..n_rules).map(|n| format!("s '{n}' 's' | '{n}' '{n}' s 'x'")).collect();
    grammar(&format!("s: {} ;", rights.join(" | ")))
}
