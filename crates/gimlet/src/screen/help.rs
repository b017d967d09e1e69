//! Keys, and what the words mean.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::Frame;

use super::draw::{pane, scroll, Scene};
use super::view::View;

const KEYS: &[(&str, &str)] = &[
    ("q, Ctrl-C", "end the search; everything is kept, --resume goes on"),
    ("p", "pause, or go on; a pause does not count for --budget"),
    ("Up, Down", "select a finding, or scroll"),
    ("Enter", "open the finding: place, stack, input, how to see it again"),
    ("Left, Right", "the finding before and after"),
    ("Esc", "back"),
    ("Ctrl-L", "draw everything anew"),
    ("Ctrl-Z", "stop the process; fg goes on"),
];

const WORDS: &[(&str, &str)] = &[
    ("runs", "executions of the program, mutants and traced ones"),
    ("speed", "runs a second lately, and from the beginning until now"),
    ("stability", "part of the counters that are the same in all runs of an input"),
    ("last new", "since the last test, path or finding that is new"),
    ("so far", "how the time went to mutants, and to solving and its runs"),
    ("waiting", "inputs to be run, and runs with something left to ask"),
    ("flips", "tests that the solver found for another way at a branch"),
    ("optimistic", "the same, without the conditions before that branch"),
    ("lengths", "inputs that are longer or shorter than another"),
    ("mutants", "tests that mutation made of others"),
    ("questions", "what the solver was asked, and which layer answered"),
    ("branches", "directions of branches, as PROG.edges counts them"),
    ("lost", "dependencies on the input that tracing had to drop"),
    ("elsewhere", "flips whose run did not go where it was foretold"),
    ("cut short", "traces with a full table, or of several processes"),
    ("too hard", "questions that no layer could answer"),
];

pub fn draw(frame: &mut Frame, area: Rect, scene: &Scene, view: &mut View) {
    let inner = pane(frame, area, Line::styled("help", scene.look.title()), scene.look);
    let line = |&(word, meaning): &(&'static str, &'static str)| {
        Line::from(vec![Span::styled(format!("{word:<13}"), scene.look.title()), Span::raw(meaning)])
    };
    let mut lines: Vec<Line> = KEYS.iter().map(line).collect();
    lines.push(Line::default());
    lines.extend(WORDS.iter().map(line));
    scroll(frame, inner, lines, view);
}
