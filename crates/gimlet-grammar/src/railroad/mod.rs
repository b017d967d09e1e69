//! Railroad diagrams: a grammar as a picture, in which every way along the lines is a sentence.
//!
//! One document in SVG with a diagram for each nonterminal. It needs nothing from outside: boxes have colours of their own
//! and lines a middle one, so that it can be read on light and dark. Symbols that stand for actions are left out.

mod layout;
mod shape;

use std::collections::VecDeque;
use std::fmt::Write;

use self::layout::{Block, Drawing, Placed};
use self::shape::Shape;
use crate::grammar::{Grammar, NonterminalId, Symbol};

/// The widest diagram, unless a single name needs more.
const WIDTH_MAX: i32 = 960;
const MARGIN: i32 = 20;
/// From a heading's base line to its diagram.
const HEADING: i32 = 16;
/// Between a diagram and the next heading's base line.
const DIAGRAM_GAP: i32 = 48;
/// From the end of the margin to the first thing: what marks the beginning, and a piece of line.
const START: i32 = 20;
/// The height of what marks beginning and end, halved.
const HALF_MARK: i32 = 9;

const STYLE: &str = "\
text{font:14px 'DejaVu Sans Mono',Menlo,Consolas,monospace;text-anchor:middle;fill:#16202c}
.h{font-size:16px;font-weight:bold;text-anchor:start;fill:#3f83c8}
.u{font-size:12px;text-anchor:start;fill:#7d8997}
.l{fill:none;stroke:#7d8997;stroke-width:2}
.a{fill:#7d8997}
rect{stroke-width:1.5}
.t{fill:#fdf0cf;stroke:#c99a2e}
.n{fill:#dceafa;stroke:#5b8fc9}
a:hover .n{fill:#b9d5f5}
@media (prefers-color-scheme:dark){rect+text{fill:#e8edf3}.t{fill:#57451a}.n{fill:#233f60}a:hover .n{fill:#31588a}}
";

/// The diagrams of all nonterminals, in the order in which a reader comes upon them from the start on. Those that the start
/// does not lead to come last, and are marked.
pub fn svg(grammar: &Grammar) -> String {
    let (order, n_used) = order(grammar);
    let mut body = String::new();
    let (mut width, mut y) = (0, MARGIN + HEADING);
    for (n, &nonterminal) in order.iter().enumerate() {
        let block = Block::new(&Shape::of(grammar, nonterminal), WIDTH_MAX, &|symbol| width_of(label(grammar, symbol)));
        let name = &grammar.nonterminal(nonterminal).name;
        let _ = write!(body, "<g id=\"{}\">\n<text class=\"h\" x=\"{MARGIN}\" y=\"{y}\">", id(name));
        let _ = writeln!(body, "{}</text>", escaped(name));
        let mut right = MARGIN + width_of(name) * 8 / 7;
        if n >= n_used {
            let _ = writeln!(body, "<text class=\"u\" x=\"{}\" y=\"{y}\">not used</text>", right + MARGIN);
            right += MARGIN + width_of("not used");
        }
        let line = y + HEADING + block.up.max(HALF_MARK);
        draw(grammar, &block, line, &mut body);
        body.push_str("</g>\n");
        width = width.max(block.width + 2 * START + MARGIN).max(right);
        y = line + block.down.max(HALF_MARK) + DIAGRAM_GAP;
    }
    let (width, height) = (width + MARGIN, y - DIAGRAM_GAP + MARGIN);
    let size = format!("width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\"");
    let start = escaped(&grammar.nonterminal(grammar.start).name);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" {size}>\n\
        <title>Grammar of {start}</title>\n<style>\n{STYLE}</style>\n{body}</svg>\n"
    )
}

/// The nonterminals to draw, and how many of them the start leads to.
fn order(grammar: &Grammar) -> (Vec<NonterminalId>, usize) {
    let mut is_known = vec![false; grammar.nonterminals.len()];
    let mut order = Vec::new();
    let mut pending = VecDeque::from([grammar.start]);
    is_known[grammar.start.index()] = true;
    while let Some(nonterminal) = pending.pop_front() {
        order.push(nonterminal);
        for &rule in grammar.rules_of(nonterminal) {
            for below in grammar.rule(rule).right.iter().filter_map(|symbol| symbol.nonterminal()) {
                if !std::mem::replace(&mut is_known[below.index()], true) {
                    pending.push_back(below);
                }
            }
        }
    }
    let is_shown = |&it: &NonterminalId| it == grammar.start || !shape::is_action(grammar, it);
    order.retain(is_shown);
    let n_used = order.len();
    order.extend(grammar.nonterminal_ids().filter(|it| !is_known[it.index()]).filter(is_shown));
    (order, n_used)
}

fn draw(grammar: &Grammar, block: &Block, line: i32, body: &mut String) {
    let mut drawing = Drawing::default();
    let (left, right) = (MARGIN, MARGIN + 2 * START + block.width);
    let (top, height) = (line - HALF_MARK, 2 * HALF_MARK);
    drawing.line(format_args!(
        "M{} {top}v{height}m5 -{height}v{height}M{} {line}H{}",
        left + 1,
        left + 6,
        left + START
    ));
    block.draw(left + START, line, &mut drawing);
    drawing.line(format_args!("M{} {line}H{}M{} {top}v{height}", right - START, right - 6, right - 6));
    drawing.line(format_args!("m5 -{height}v{height}"));
    let _ = writeln!(body, "<path class=\"l\" d=\"{}\"/>", drawing.lines);
    if !drawing.arrows.is_empty() {
        let _ = writeln!(body, "<path class=\"a\" d=\"{}\"/>", drawing.arrows);
    }
    drawing.boxes.iter().for_each(|placed| draw_box(grammar, placed, body));
}

fn draw_box(grammar: &Grammar, placed: &Placed, body: &mut String) {
    let &Placed { symbol, x, y, width, height } = placed;
    let label = label(grammar, symbol);
    let name = grammar.name(symbol);
    let (class, round) = match symbol {
        Symbol::Terminal(_) => ("t", height / 2),
        Symbol::Nonterminal(_) => ("n", 0),
    };
    let rect =
        format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\"/>");
    let (middle, base, length) = (x + width / 2, y + height / 2 + 5, width_of(label));
    let text = format!("<text x=\"{middle}\" y=\"{base}\" textLength=\"{length}\">{}</text>", escaped(label));
    let _ = match symbol {
        Symbol::Nonterminal(_) => writeln!(body, "<a href=\"#{}\">{rect}{text}</a>", id(name)),
        Symbol::Terminal(_) if label != name => {
            writeln!(body, "<g><title>{}</title>{rect}{text}</g>", escaped(name))
        }
        Symbol::Terminal(_) => writeln!(body, "{rect}{text}"),
    };
}

/// A terminal's text says more than its name.
fn label(grammar: &Grammar, symbol: Symbol) -> &str {
    let alias = symbol.terminal().and_then(|terminal| grammar.terminal(terminal).alias.as_deref());
    alias.unwrap_or_else(|| grammar.name(symbol))
}

/// In the font of the boxes, whose characters are all of one width, or of two.
fn width_of(text: &str) -> i32 {
    let n_columns: usize = text.chars().map(|it| if is_wide(it) { 2 } else { 1 }).sum();
    (n_columns as i32 * 84 + 9) / 10
}

/// Characters of East Asian scripts, and pictures.
fn is_wide(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{3fffd}')
}

/// A name as an identifier that can be linked to: different for different names.
fn id(name: &str) -> String {
    let mut id = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' => id.push(byte.into()),
            _ => {
                let _ = write!(id, "~{byte:02x}");
            }
        }
    }
    id
}

/// As text of XML; characters that XML can't have become marks.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
