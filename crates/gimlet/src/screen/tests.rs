//! Pictures, drawn without a terminal.

use std::path::PathBuf;
use std::time::Duration;

use gimlet_explore::spec::SearchSpec;
use gimlet_explore::work::Work;
use gimlet_report::note::Time;
use gimlet_report::{Beginning, Build, Effort, Finding, Frame, Kind, LayerFigures, Maker, Results};
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;
use ratatui::Terminal;

use super::draw::{draw, Scene};
use super::look::Look;
use super::trail::Trail;
use super::view::{Page, View};
use super::About;
use crate::manifest::Manifest;
use crate::replay::Again;

fn about() -> About {
    let mut layout = gimlet_trace::Input::default();
    layout.push(gimlet_trace::SourceKind::Stdin, "stdin", "");
    let mut spec = SearchSpec::default();
    spec.program.path = "/opt/calc".into();
    spec.program.args = vec!["-x".into(), "a b".into()];
    let manifest =
        Manifest { spec, given: layout, primary: "stdin".to_owned(), files: Vec::new(), longest_seed: 0, n_seeds: 1 };
    let out = PathBuf::from("out");
    About {
        program: "calc".to_owned(),
        strategy: "hybrid",
        seed: 1,
        n_workers: 2,
        again: Again::new(&manifest, &out),
        out,
    }
}

fn found(id: usize, kind: Kind, line: u32) -> Finding {
    let frame = Frame { function: "parse".into(), file: Some("/src/calc.c".into()), line, is_program: true };
    let main = Frame { function: "main".into(), file: Some("/src/calc.c".into()), line: 90, is_program: true };
    Finding {
        id,
        kind,
        frame: Some(frame.clone()),
        stack: vec![frame, main],
        shown_by: if id == 1 { Build::Instrumented } else { Build::Plain }.into(),
        n_runs: 1 + 12 * id as u64,
        ended: "was killed by signal 6, SIGABRT".to_owned(),
        path: PathBuf::from(format!("crashes/id:00000{id},sig:06")),
        sources: vec![Beginning { name: "stdin".to_owned(), bytes: b"7/\n\x1b[2J\xff".to_vec(), n_bytes: 5000 }],
    }
}

fn figures() -> Results {
    let effort =
        |name: &str, side: &str, seconds| Effort { name: name.into(), side: side.into(), seconds, ..Effort::default() };
    let layer = |name: &str, n_sat, seconds| LayerFigures { name: name.into(), n_sat, seconds, ..Default::default() };
    let mut figures = Results {
        time: Time { seconds: 83.0, seconds_left: Some(517.0), seconds_since_new: 3.2 },
        findings: vec![found(0, Kind::Abort, 12), found(1, Kind::Segv, 34)],
        efforts: vec![effort("mutants", "mutation", 60.0), effort("flips", "symbolic", 20.0)],
        ..Results::default()
    };
    (figures.corpus.n_paths, figures.corpus.n_waiting) = (1234, 567);
    (figures.coverage.n_covered, figures.coverage.n_branches) = (420, 1000);
    figures.stability.stability = Some(0.985);
    figures.runs.executions = 123_456;
    figures.runs.flips = 400;
    figures.doubts.divergences = 3;
    figures.doubts.losses = 12;
    for (maker, n_tests) in [(Maker::Seed, 2), (Maker::Flip, 210), (Maker::Mutation, 1000)] {
        figures.corpus.tests.add(maker, n_tests);
    }
    figures.queries.n_total = 1500;
    figures.queries.n_sat = 900;
    figures.queries.n_unsat = 590;
    figures.queries.n_unknown = 10;
    let names = ["simplify", "slice", "domains", "cache", "search", "sat", "z3"];
    figures.queries.layers = names.map(|name| layer(name, 0, 0.0)).into();
    figures.queries.layers[2] = layer("domains", 800, 2.5);
    figures
}

fn trail() -> Trail {
    let mut trail = Trail::default();
    for second in 0..=83u64 {
        let mut figures = figures();
        figures.time.seconds = second as f64;
        figures.coverage.n_covered = 420 * (second + 1).ilog2() as u64 / 6;
        figures.runs.executions = 1000 * second;
        trail.add(&figures);
    }
    trail
}

struct Picture {
    figures: Option<Results>,
    view: View,
    look: Look,
    note: Option<&'static str>,
}

impl Picture {
    fn new(page: Page) -> Picture {
        let mut view = View { page, ..View::default() };
        view.settle(2);
        Picture { figures: Some(figures()), view, look: Look { has_colours: true, is_ascii: false }, note: None }
    }

    fn drawn(&mut self, width: u16, height: u16) -> Buffer {
        let (about, trail) = (about(), trail());
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let scene = Scene {
            about: &about,
            figures: self.figures.as_ref(),
            age: Duration::from_millis(300),
            work: (!self.view.is_waiting).then_some(Work::Solving),
            note: self.note,
            trail: &trail,
            look: &self.look,
        };
        terminal.draw(|frame| draw(frame, &scene, &mut self.view)).unwrap();
        terminal.backend().buffer().clone()
    }

    fn lines(&mut self, width: u16, height: u16) -> Vec<String> {
        let buffer = self.drawn(width, height);
        let line = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..height).map(line).collect()
    }
}

fn has(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

#[test]
fn the_usual_size_has_everything() {
    let lines = Picture::new(Page::Overview).lines(80, 24);
    println!("{}", lines.join("\n"));
    for text in [
        "gimlet calc",
        "hybrid, seed 1",
        "running",
        "1:23, 8:36 left",
        "solving",
        "mutants 75 %, solver 25 %",
        "3 s ago",
        "search by 2 workers",
        "runs       123,456",
        "speed      1,000 a second \u{2588}\u{2588}\u{2588}",
        "paths      1,234, 567 waiting",
        "stability  98.5 % of the counters",
        "tests 1,212 by maker",
        "mutants         1,000",
        "questions 1,500 by layer",
        "900 sat, 590 unsat, 10 unknown",
        "z3",
        "branches 420 of 1,000, 42.0 %",
        "12 lost, 3 of 400 flips elsewhere",
        "findings 2",
        "abort             in parse at calc.c:12  once",
        "13 times, not confirmed",
        "q quit",
        "Enter open",
    ] {
        assert!(has(&lines, text), "{text}");
    }
    let domains = lines.iter().find(|line| line.contains("domains")).unwrap();
    assert!(domains.contains("800") && domains.ends_with("2.5 s"), "{domains}");
}

#[test]
fn the_curve_rises() {
    let lines = Picture::new(Page::Overview).lines(80, 24);
    let heights = |line: &String| line.chars().take(39).filter(|&sign| sign == '\u{2588}').count();
    let curve: Vec<usize> = lines.iter().skip(10).take(7).map(heights).collect();
    assert!(curve.is_sorted() && curve[0] < curve[6] && curve[6] >= 30, "{curve:?}");
}

#[test]
fn more_room_is_used() {
    let lines = Picture::new(Page::Overview).lines(160, 50);
    println!("{}", lines.join("\n"));
    let titles = lines.iter().find(|line| line.contains("search")).unwrap();
    assert!(titles.contains("tests 1,212") && titles.contains("questions 1,500"), "{titles}");
    let titles = lines.iter().find(|line| line.contains("branches 420")).unwrap();
    assert!(titles.contains("findings 2"), "{titles}");
}

#[test]
fn less_room_has_what_matters() {
    let lines = Picture::new(Page::Overview).lines(40, 16);
    println!("{}", lines.join("\n"));
    for text in ["running", "time       1:23", "branches   420 of", "tests      1,212", "runs", "findings 2", "abort"] {
        assert!(has(&lines, text), "{text}");
    }
    let lines = Picture::new(Page::Overview).lines(10, 5);
    assert_eq!(lines, ["running", "1:23, 8:36", "2 found", "42.0 % cov", " q quit"]);
}

#[test]
fn any_size_is_drawn() {
    for page in [Page::Overview, Page::Finding, Page::Help] {
        for (width, height) in
            [(0, 0), (1, 1), (2, 40), (10, 5), (40, 1), (75, 24), (76, 20), (80, 19), (119, 21), (120, 20), (300, 100)]
        {
            let mut picture = Picture::new(page);
            picture.drawn(width, height);
            picture.view.scrolled = 1000;
            picture.view.selected = 1;
            picture.drawn(width, height);
            picture.figures = None;
            picture.drawn(width, height);
        }
    }
}

#[test]
fn a_finding_says_how_to_see_it_again() {
    let mut picture = Picture::new(Page::Finding);
    let lines = picture.lines(100, 40);
    println!("{}", lines.join("\n"));
    for text in [
        "finding 1 of 2 abort in parse at calc.c:12",
        "was killed by signal 6, SIGABRT",
        "gimlet replay --stdin out/crashes/id:000000,sig:06 -- /opt/calc -x 'a b'",
        "main at /src/calc.c:90",
        r#""7/\n\033[2J\377""#,
        "000000  37 2f 0a 1b 5b 32 4a ff",
        "7/..[2J.",
        "4,992 more bytes are in the file",
    ] {
        assert!(has(&lines, text), "{text}");
    }
    let lines = picture.lines(40, 8);
    picture.view.scrolled = 3;
    assert_ne!(lines, picture.lines(40, 8));
}

#[test]
fn the_selected_finding_is_always_there() {
    let mut picture = Picture::new(Page::Overview);
    let many = (0..50).map(|id| found(id, Kind::Abort, 100 + id as u32)).collect();
    picture.figures.as_mut().unwrap().findings = many;
    picture.view.settle(50);
    for selected in [0, 20, 49] {
        picture.view.selected = selected;
        assert!(has(&picture.lines(80, 24), &format!("calc.c:{}", 100 + selected)), "{selected}");
    }
}

#[test]
fn kinds_and_places_are_apart() {
    let mut picture = Picture::new(Page::Overview);
    for name in ["abort", "shift-out-of-range", "stack-out-of-bounds", "global-out-of-bounds"] {
        let kind = Kind::from_name(name).unwrap();
        picture.figures.as_mut().unwrap().findings = vec![found(0, kind, 12)];
        picture.view.settle(1);
        let lines = picture.lines(120, 24);
        let line = lines.iter().find(|line| line.contains("in parse at")).unwrap();
        assert!(line.contains(&format!("{} ", kind.name())), "{line}");
    }
}

#[test]
fn states_are_told() {
    let mut picture = Picture::new(Page::Overview);
    picture.note = Some("the program\x1b[2J never read its input");
    assert!(has(&picture.lines(120, 24), "the program?[2J never read"));
    picture.view.is_paused = true;
    assert!(has(&picture.lines(80, 24), "pausing") && has(&picture.lines(80, 24), "p go on"));
    picture.view.is_waiting = true;
    assert!(has(&picture.lines(80, 24), "paused") && has(&picture.lines(80, 24), "nothing: p goes on"));
    picture.view.is_ending = true;
    assert!(has(&picture.lines(80, 24), "ending"));
    picture.figures = None;
    assert!(has(&picture.lines(80, 24), "looking at the program"));
}

#[test]
fn colours_and_signs_can_be_left_out() {
    for page in [Page::Overview, Page::Finding, Page::Help] {
        let mut picture = Picture::new(page);
        assert!(picture.drawn(80, 24).content.iter().any(|cell| cell.fg != Color::Reset));
        picture.look = Look { has_colours: false, is_ascii: true };
        let buffer = picture.drawn(80, 24);
        let is_plain = |cell: &ratatui::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
        assert!(buffer.content.iter().all(|cell| is_plain(cell) && cell.symbol().is_ascii()));
    }
}
