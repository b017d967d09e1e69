//! Where things are in a JSON file that is known to be good.

use gimlet_grammar::source::Span;

/// The names of the rules in their order, with their places.
pub fn rules(text: &str) -> Vec<(String, Span)> {
    let bytes = text.as_bytes();
    let mut found: Vec<(String, Span)> = Vec::new();
    // For each bracket that is open: whether it is an object, and whether a name comes next.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut is_in_rules = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => open.push((true, true)),
            b'[' => open.push((false, false)),
            b'}' | b']' => drop(open.pop()),
            b',' => {
                if let Some(last) = open.last_mut() {
                    last.1 = last.0;
                }
            }
            b'"' => {
                let end = string_end(bytes, at);
                let depth = open.len();
                let is_name = open.last_mut().is_some_and(|last| std::mem::take(&mut last.1));
                let span = Span::new(at, end);
                if is_name && depth == 1 {
                    is_in_rules = &text[at..end] == "\"rules\"";
                } else if is_name && depth == 2 && is_in_rules {
                    let name = serde_json::from_str(&text[at..end]).unwrap_or_default();
                    found.push((name, span));
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A place that is given by a line and a byte in it, both from 1.
pub fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = (before + column.saturating_sub(1)).min(text.len());
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_in_order() {
        let text =
            r#"{"name": "rules", "rules": {"z": {"type": "a"}, "a\u00e9": {"rules": [{"b": "}"}]}}, "x": {"y": 1}}"#;
        let names: Vec<String> = rules(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["z", "aé"]);
    }

    #[test]
    fn places_are_in_the_text() {
        assert_eq!(offset("ab\ncé", 2, 2), 4);
        assert_eq!(offset("ab\ncé", 2, 3), 4);
        assert_eq!(offset("ab\ncé", 9, 9), 6);
        assert_eq!(offset("", 0, 0), 0);
    }
}
