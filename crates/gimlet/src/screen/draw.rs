//! The overview: what there is room for, the most important first.
//!
//! From 76 x 20 on it has two columns, from 120 on three; below that, lines under each other.

use std::time::Duration;

use gimlet_explore::schedule::Side;
use gimlet_explore::work::Work;
use gimlet_report::figures::{ago, clock, grouped, percent, printable, span};
use gimlet_report::{text, Finding, Maker, Results};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use ratatui::Frame;

use super::look::Look;
use super::trail::Trail;
use super::view::{Page, View};
use super::{finding, help, About};

/// All that is shown, but for what the user chose to look at.
pub struct Scene<'a> {
    pub about: &'a About,
    pub figures: Option<&'a Results>,
    /// Of the figures.
    pub age: Duration,
    /// Nothing while the search waits.
    pub work: Option<Work>,
    pub note: Option<&'a str>,
    pub trail: &'a Trail,
    pub look: &'a Look,
}

/// From this size on there are columns.
const COLUMNS_WIDTH: u16 = 76;
const COLUMNS_HEIGHT: u16 = 20;
const WIDE: u16 = 120;
/// Below this there is no room for labels.
const TINY: u16 = 24;

/// A curve is no higher than this.
const CURVE_MAX: u16 = 10;

/// Lines about the search, with their title.
const UPPER: u16 = 9;

/// Columns of a label.
const LABEL: usize = 10;

/// Lines for findings, with their title, where there is one column only.
const FINDINGS_MIN: u16 = 3;

/// Columns of the speed over time.
const N_SPEEDS: usize = 10;

/// A program with fewer stable counters than this is hard to search.
const STABLE: f64 = 0.9;

/// Draws a picture.
pub fn draw(frame: &mut Frame, scene: &Scene, view: &mut View) {
    let area = frame.area();
    if area.is_empty() {
        return;
    }
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)]).areas(area);
    header(frame, top, scene, view);
    match (view.page, scene.figures) {
        (Page::Help, _) => help::draw(frame, middle, scene, view),
        (_, None) => beginning(frame, middle, scene),
        (Page::Finding, Some(figures)) => match figures.findings.get(view.selected) {
            Some(found) => finding::draw(frame, middle, found, scene, view),
            None => overview(frame, middle, figures, scene, view),
        },
        (Page::Overview, Some(figures)) => overview(frame, middle, figures, scene, view),
    }
    footer(frame, bottom, scene, view);
}

fn header(frame: &mut Frame, area: Rect, scene: &Scene, view: &View) {
    let look = scene.look;
    let (state, style) = match view {
        View { is_ending: true, .. } => ("ending", look.warning()),
        View { is_paused: true, is_waiting: true, .. } => ("paused", look.warning()),
        View { is_paused: true, .. } => ("pausing", look.warning()),
        _ => ("running", look.good()),
    };
    let name = Line::from(vec![Span::styled("gimlet ", look.title()), Span::raw(printable(&scene.about.program))]);
    let about = format!("{}, seed {}  ", scene.about.strategy, scene.about.seed);
    let mut right = vec![Span::styled(state, style), Span::raw(" ")];
    if usize::from(area.width) > name.width() + about.len() + state.len() + 4 {
        right.insert(0, Span::styled(about, look.label()));
    }
    let right = Line::from(right);
    if area.width < TINY {
        return frame.render_widget(right, area);
    }
    let [left_area, right_area] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(right.width() as u16)]).areas(area);
    frame.render_widget(name, inset(left_area));
    frame.render_widget(right, right_area);
}

fn footer(frame: &mut Frame, area: Rect, scene: &Scene, view: &View) {
    let look = scene.look;
    let arrows = look.arrows();
    let pause = if view.is_paused { "go on" } else { "pause" };
    let mut keys: Vec<(&str, &str)> = vec![("q", "quit"), ("p", pause)];
    match view.page {
        Page::Overview if view.n_findings > 0 => keys.extend([(arrows, "select"), ("Enter", "open")]),
        Page::Overview => {}
        Page::Finding | Page::Help => keys.extend([("Esc", "back"), (arrows, "scroll")]),
    }
    keys.push(("?", "help"));
    let mut spans = Vec::new();
    for (key, what) in keys {
        spans.push(Span::styled(key.to_owned(), look.title()));
        spans.push(Span::styled(format!(" {what}   "), look.label()));
    }
    if view.is_ending {
        spans = vec![Span::styled("ends after what it is at; Ctrl-C ends it now", look.warning())];
    } else if let (Page::Overview, Some(note)) = (view.page, scene.note) {
        spans.push(Span::styled(printable(note), look.warning()));
    }
    frame.render_widget(Line::from(spans), inset(area));
}

fn beginning(frame: &mut Frame, area: Rect, scene: &Scene) {
    let text = Line::styled("looking at the program ...", scene.look.label());
    let [_, line, _] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1), Constraint::Fill(2)]).areas(area);
    frame.render_widget(text.centered(), line);
}

fn overview(frame: &mut Frame, area: Rect, figures: &Results, scene: &Scene, view: &mut View) {
    if area.width < COLUMNS_WIDTH || area.height + 2 < COLUMNS_HEIGHT {
        return narrow(frame, area, figures, scene, view);
    }
    let n_layers = figures.queries.layers.len() as u16;
    let halves = |area: Rect| Layout::horizontal([Constraint::Fill(1); 2]).spacing(2).areas(area);
    let ([search, tests, questions], [branches, findings]) = if area.width >= WIDE {
        let [upper, lower] = Layout::vertical([Constraint::Length(n_layers + 3), Constraint::Min(6)]).areas(area);
        let widths = [Constraint::Fill(5), Constraint::Fill(4), Constraint::Fill(5)];
        (Layout::horizontal(widths).spacing(2).areas(upper), halves(lower))
    } else {
        let is_roomy = area.height >= UPPER + n_layers + 2 + 3;
        let middle = if is_roomy { Constraint::Length(n_layers + 2) } else { Constraint::Fill(2) };
        let [upper, middle, lower] =
            Layout::vertical([Constraint::Length(UPPER), middle, Constraint::Fill(1)]).areas(area);
        let ([search, tests], [branches, questions]) = (halves(upper), halves(middle));
        ([search, tests, questions], [branches, lower])
    };
    draw_search(frame, search, figures, scene);
    draw_tests(frame, tests, figures, scene);
    draw_questions(frame, questions, figures, scene);
    draw_branches(frame, branches, figures, scene);
    draw_findings(frame, findings, figures, scene, view);
}

/// One column, for what there is room.
fn narrow(frame: &mut Frame, area: Rect, figures: &Results, scene: &Scene, view: &mut View) {
    if area.width < TINY {
        return frame.render_widget(Paragraph::new(tiny(figures, scene)), area);
    }
    let mut lines = vec![
        row(scene, "time", time(figures, scene)),
        row(scene, "findings", finding_count(figures, scene.look)),
        row(scene, "branches", vec![text::branches(figures).into()]),
        row(scene, "tests", vec![grouped(figures.n_tests()).into()]),
    ];
    lines.extend(search_rows(figures, scene).into_iter().skip(1));
    lines.push(row(scene, "questions", vec![grouped(figures.queries.n_total).into()]));
    lines.push(row(scene, "workers", vec![grouped(scene.about.n_workers as u64).into()]));
    // Findings matter more than the last of the figures.
    let n_for_findings = if area.height > FINDINGS_MIN * 3 && !figures.findings.is_empty() { FINDINGS_MIN } else { 0 };
    lines.truncate(usize::from(area.height - n_for_findings));
    let room = usize::from(area.height).saturating_sub(lines.len() + 1);
    let n_lines = lines.len() as u16;
    frame.render_widget(Paragraph::new(lines), inset(area));
    if room > 0 && !figures.findings.is_empty() {
        let [_, rest] = Layout::vertical([Constraint::Length(n_lines), Constraint::Min(0)]).areas(area);
        draw_findings(frame, rest, figures, scene, view);
    }
}

/// The figures that matter most, in ten columns.
fn tiny<'a>(figures: &Results, scene: &Scene) -> Vec<Line<'a>> {
    let mut findings = finding_count(figures, scene.look);
    findings.push(" found".into());
    let share = percent(figures.coverage.n_covered as f64, figures.coverage.n_branches as f64);
    vec![
        Line::from(time(figures, scene)),
        Line::from(findings),
        Line::raw(format!("{share:.1} % covered")),
        Line::raw(format!("{} tests", grouped(figures.n_tests()))),
        Line::raw(format!("{} runs", grouped(figures.runs.executions))),
        Line::raw(format!("{} paths", grouped(figures.corpus.n_paths))),
        Line::raw(format!("new {}", ago(figures.time.since_new() + scene.age))),
    ]
}

/// A rule with a title; returns what is below.
pub fn pane(frame: &mut Frame, area: Rect, title: Line, look: &Look) -> Rect {
    let [top, rest] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    let n_signs = usize::from(top.width).saturating_sub(title.width() + 2);
    let mut line = title;
    line.spans.insert(0, Span::raw(" "));
    line.spans.push(Span::styled(format!(" {}", look.rule().repeat(n_signs)), look.label()));
    frame.render_widget(line, top);
    inset(rest)
}

/// Without the first column.
pub fn inset(area: Rect) -> Rect {
    Rect { x: area.x + area.width.min(1), width: area.width.saturating_sub(1), ..area }
}

pub fn row<'a>(scene: &Scene, label: &'a str, values: Vec<Span<'a>>) -> Line<'a> {
    let mut line = Line::from(Span::styled(format!("{label:<LABEL$} "), scene.look.label()));
    line.spans.extend(values);
    line
}

fn time<'a>(figures: &Results, scene: &Scene) -> Vec<Span<'a>> {
    let mut spans = vec![Span::raw(clock(figures.time.elapsed() + scene.age))];
    if let Some(left) = figures.time.left() {
        spans.push(Span::styled(format!(", {} left", clock(left.saturating_sub(scene.age))), scene.look.label()));
    }
    spans
}

fn search_rows<'a>(figures: &Results, scene: &Scene) -> Vec<Line<'a>> {
    let label = |text: String| Span::styled(text, scene.look.label());
    let work = match scene.work {
        None => "nothing: p goes on",
        Some(Work::Beginning) => "beginning",
        Some(Work::Tracing) => "running an input",
        Some(Work::Mutating) => "running mutants",
        Some(Work::Solving) => "solving",
    };
    let speed =
        scene.trail.speed().map_or_else(String::new, |speed| format!("{} a second ", grouped(speed.round() as u64)));
    let stable = match figures.stability.stability {
        Some(stability) if stability < STABLE => {
            Span::styled(format!("{:.1} %", stability * 100.0), scene.look.warning())
        }
        Some(stability) => format!("{:.1} %", stability * 100.0).into(),
        None => "unknown".into(),
    };
    let seconds = |side: Side| figures.effort_of_side(side.name()).seconds;
    let share = |side: Side| percent(seconds(side), Side::ALL.into_iter().map(seconds).sum());
    let shares = format!("mutants {:.0} %, solver {:.0} %", share(Side::Mutation), share(Side::Symbolic));
    vec![
        row(scene, "time", time(figures, scene)),
        row(scene, "doing", vec![work.into()]),
        row(scene, "so far", vec![shares.into()]),
        row(scene, "last new", vec![ago(figures.time.since_new() + scene.age).into()]),
        row(scene, "runs", vec![grouped(figures.runs.executions).into()]),
        row(scene, "speed", vec![speed.into(), Span::styled(speed_curve(figures, scene), scene.look.curve())]),
        row(
            scene,
            "paths",
            vec![
                grouped(figures.corpus.n_paths).into(),
                label(format!(", {} waiting", grouped(figures.corpus.n_waiting))),
            ],
        ),
        row(scene, "stability", vec![stable, label(" of the counters".to_owned())]),
    ]
}

/// Runs a second, over time, in a few signs.
fn speed_curve(figures: &Results, scene: &Scene) -> String {
    let speeds = scene.trail.speeds(figures.time.elapsed(), N_SPEEDS);
    let most = speeds.iter().copied().max().unwrap_or(0).max(1);
    let sign = |&speed: &u64| scene.look.column((speed as f64 / most as f64 * 8.0).ceil() as usize);
    speeds.iter().map(sign).collect()
}

fn draw_search(frame: &mut Frame, area: Rect, figures: &Results, scene: &Scene) {
    let workers = match scene.about.n_workers {
        1 => " by 1 worker".to_owned(),
        n_workers => format!(" by {n_workers} workers"),
    };
    let title = Line::from(vec![Span::styled("search", scene.look.title()), Span::styled(workers, scene.look.label())]);
    let inner = pane(frame, area, title, scene.look);
    frame.render_widget(Paragraph::new(search_rows(figures, scene)), inner);
}

/// What makers of tests are called here.
fn maker_name(maker: Maker) -> &'static str {
    match maker {
        Maker::Seed => "seeds",
        Maker::Grammar => "strings",
        Maker::Flip => "flips",
        Maker::Optimistic => "optimistic",
        Maker::Length => "lengths",
        Maker::Word => "words",
        Maker::Mutation => "mutants",
        Maker::Graft => "grafts",
        Maker::Earlier => "earlier",
        Maker::Sync => "others'",
    }
}

fn draw_tests(frame: &mut Frame, area: Rect, figures: &Results, scene: &Scene) {
    let title = Line::from(vec![
        Span::styled("tests ", scene.look.title()),
        Span::raw(grouped(figures.n_tests())),
        Span::styled(" by maker", scene.look.label()),
    ]);
    let inner = pane(frame, area, title, scene.look);
    let most = figures.corpus.tests.all().map(|(_, count)| count).max().unwrap_or(0);
    let room = usize::from(inner.width).saturating_sub(LABEL + 1 + 10 + 1);
    let mut lines = Vec::new();
    for (maker, count) in figures.corpus.tests.all() {
        if count == 0 {
            continue;
        }
        let n_signs = (count as f64 / most.max(1) as f64 * room as f64).ceil() as usize;
        let bar = scene.look.column(4).to_string().repeat(n_signs);
        let values = vec![format!("{:>10} ", grouped(count)).into(), Span::styled(bar, scene.look.curve())];
        lines.push(row(scene, maker_name(maker), values));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

fn draw_questions(frame: &mut Frame, area: Rect, figures: &Results, scene: &Scene) {
    let queries = &figures.queries;
    let look = scene.look;
    let title = Line::from(vec![
        Span::styled("questions ", look.title()),
        Span::raw(grouped(queries.n_total)),
        Span::styled(" by layer", look.label()),
    ]);
    let inner = pane(frame, area, title, look);
    let mut lines = vec![Line::from(vec![
        Span::raw(grouped(queries.n_sat)),
        Span::styled(" sat, ", look.label()),
        Span::raw(grouped(queries.n_unsat)),
        Span::styled(" unsat, ", look.label()),
        Span::raw(grouped(queries.n_unknown)),
        Span::styled(" unknown", look.label()),
    ])];
    for layer in &queries.layers {
        let figures = format!("{:>12} {:>9}", grouped(layer.n_answered()), span(layer.time()));
        lines.push(row(scene, &layer.name, vec![figures.into()]));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

/// What was lost or went elsewhere, in a few words.
fn doubts(figures: &Results) -> Vec<String> {
    let counts = &figures.doubts;
    let mut doubts = vec![
        format!("{} lost", grouped(counts.losses)),
        format!("{} of {} flips elsewhere", grouped(counts.divergences), grouped(figures.runs.flips)),
    ];
    let others = [
        (counts.dropped, "cut short"),
        (counts.stopped, "stopped"),
        (counts.unknown, "too hard"),
        (counts.forgotten, "forgotten"),
    ];
    doubts.extend(
        others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{} {what}", grouped(*count))),
    );
    doubts
}

fn draw_branches(frame: &mut Frame, area: Rect, figures: &Results, scene: &Scene) {
    let title = Line::from(vec![Span::styled("branches ", scene.look.title()), Span::raw(text::branches(figures))]);
    let inner = pane(frame, area, title, scene.look);
    let height = CURVE_MAX.min(inner.height.saturating_sub(1));
    let [curve, last, _] =
        Layout::vertical([Constraint::Length(height), Constraint::Length(1), Constraint::Min(0)]).areas(inner);
    frame.render_widget(Line::styled(doubts(figures).join(", "), scene.look.label()), last);
    draw_curve(frame, curve, figures, scene);
}

/// Branches taken, over time.
fn draw_curve(frame: &mut Frame, area: Rect, figures: &Results, scene: &Scene) {
    let heights = scene.trail.curve(figures.time.elapsed(), usize::from(area.width));
    let most = heights.iter().copied().max().unwrap_or(0).max(1);
    let n_eighths = usize::from(area.height) * 8;
    let lines = (0..usize::from(area.height)).map(|line| {
        let below = (usize::from(area.height) - 1 - line) * 8;
        let sign = |&height: &u64| {
            let n_filled = (height as f64 / most as f64 * n_eighths as f64).round() as usize;
            scene.look.column(n_filled.saturating_sub(below).min(8))
        };
        Line::styled(heights.iter().map(sign).collect::<String>(), scene.look.curve())
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), area);
}

fn finding_count<'a>(figures: &Results, look: &Look) -> Vec<Span<'a>> {
    let n_findings = figures.findings.len();
    let style = if n_findings > 0 { look.bad() } else { Style::new() };
    vec![Span::styled(grouped(n_findings as u64), style)]
}

/// Where a finding is, in a few words.
pub fn place(found: &Finding) -> String {
    printable(&text::place(found.frame.as_ref()))
}

fn draw_findings(frame: &mut Frame, area: Rect, figures: &Results, scene: &Scene, view: &mut View) {
    let look = scene.look;
    let mut title = Line::from(Span::styled("findings ", look.title()));
    title.spans.extend(finding_count(figures, look));
    let inner = pane(frame, area, title, look);
    view.n_lines = usize::from(inner.height);
    if figures.findings.is_empty() {
        frame.render_widget(Line::styled("none so far", look.label()), inner);
        return;
    }
    // The selected one is always there.
    let first = (view.selected + 1).saturating_sub(usize::from(inner.height));
    let lines = figures.findings.iter().enumerate().skip(first).take(usize::from(inner.height));
    let lines = lines.map(|(number, found)| {
        let doubt = if found.shown_by.is_confirmed() { "" } else { ", not confirmed" };
        let times = if found.n_runs == 1 { "once".to_owned() } else { format!("{} times", grouped(found.n_runs)) };
        let line = Line::from(vec![
            Span::styled(format!("{:<17} ", found.kind.name()), look.bad()),
            Span::raw(place(found)),
            Span::styled(format!("  {times}{doubt}"), look.label()),
        ]);
        if number == view.selected {
            line.style(look.selected())
        } else {
            line
        }
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), inner);
}

/// Lines that may be more than there is room for, from where the user has scrolled to.
pub fn scroll(frame: &mut Frame, area: Rect, lines: Vec<Line>, view: &mut View) {
    view.n_lines = usize::from(area.height);
    view.scrolled_max = lines.len().saturating_sub(view.n_lines);
    view.scrolled = view.scrolled.min(view.scrolled_max);
    let shown: Vec<Line> = lines.into_iter().skip(view.scrolled).take(view.n_lines).collect();
    frame.render_widget(Paragraph::new(shown), area);
}
