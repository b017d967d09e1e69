//! One finding: where, how, on what input, and how to see it again.

use gimlet_report::figures::{grouped, printable};
use gimlet_report::text::shown;
use gimlet_report::{Beginning, Finding, Frame as Function, ShownBy};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::Frame;

use super::draw::{pane, place, row, scroll, Scene};
use super::view::View;
use crate::text::escaped;

/// Bytes in a line of hexadecimal.
const N_BYTES: usize = 16;

pub fn draw(frame: &mut Frame, area: Rect, found: &Finding, scene: &Scene, view: &mut View) {
    let look = scene.look;
    let title = Line::from(vec![
        Span::styled(format!("finding {} of {} ", view.selected + 1, view.n_findings), look.title()),
        Span::styled(found.kind.name(), look.bad()),
        Span::raw(" "),
        Span::raw(place(found)),
    ]);
    let inner = pane(frame, area, title, look);
    scroll(frame, inner, lines(found, scene, usize::from(inner.width)), view);
}

fn lines<'a>(found: &Finding, scene: &Scene, width: usize) -> Vec<Line<'a>> {
    let file = scene.about.out.join(&found.path);
    let mut lines = vec![
        row(scene, "the program", vec![printable(&found.ended).into()]),
        row(scene, "confirmed", vec![confirmed(found.shown_by).into()]),
        row(scene, "runs", vec![grouped(found.n_runs).into()]),
        Line::default(),
    ];
    lines.push(heading(scene, "see it again"));
    lines.extend(wrapped(&scene.about.again.command(&file), width));
    lines.push(Line::default());
    lines.push(heading(scene, "file"));
    lines.extend(wrapped(&file.to_string_lossy(), width));
    lines.push(Line::default());
    lines.push(heading(scene, "stack"));
    if found.stack.is_empty() {
        lines.push(Line::raw("unknown"));
    }
    lines.extend(found.stack.iter().map(|function| Line::raw(printable(&function_line(function)))));
    for source in &found.sources {
        lines.push(Line::default());
        lines.extend(source_lines(source, scene, width));
    }
    lines
}

/// Whether a build without labels did it, and which builds did.
fn confirmed(shown_by: ShownBy) -> String {
    format!("{}, {}", if shown_by.is_confirmed() { "yes" } else { "no" }, shown(shown_by))
}

fn function_line(function: &Function) -> String {
    match &function.file {
        Some(file) => format!("{} at {file}:{}", function.function, function.line),
        None => function.function.clone(),
    }
}

/// The bytes of a source, as text and in hexadecimal.
fn source_lines<'a>(source: &Beginning, scene: &Scene, width: usize) -> Vec<Line<'a>> {
    let title = format!("input {}, {} bytes", printable(&source.name), grouped(source.n_bytes as u64));
    let mut lines = vec![heading(scene, &title)];
    lines.extend(wrapped(&escaped(&source.bytes), width));
    for (number, bytes) in source.bytes.chunks(N_BYTES).enumerate() {
        let hexadecimal: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |&byte: &u8| if (b' '..=b'~').contains(&byte) { char::from(byte) } else { '.' };
        let text: String = bytes.iter().map(shown).collect();
        lines.push(Line::from(vec![
            Span::styled(format!("{:06x}  ", number * N_BYTES), scene.look.label()),
            Span::raw(format!("{:<48} {text}", hexadecimal.join(" "))),
        ]));
    }
    if source.bytes.len() < source.n_bytes {
        let n_more = grouped((source.n_bytes - source.bytes.len()) as u64);
        lines.push(Line::styled(format!("{n_more} more bytes are in the file"), scene.look.label()));
    }
    lines
}

fn heading<'a>(scene: &Scene, text: &str) -> Line<'a> {
    Line::styled(text.to_owned(), scene.look.title())
}

/// A text in lines of some width.
fn wrapped<'a>(text: &str, width: usize) -> Vec<Line<'a>> {
    let signs: Vec<char> = printable(text).chars().collect();
    let lines = signs.chunks(width.max(1)).map(|line| Line::styled(line.iter().collect::<String>(), Style::new()));
    lines.collect()
}
