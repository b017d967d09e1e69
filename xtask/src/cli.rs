//! The command line from outside, as the release build has it: messages, exit codes, saved traces.
//!
//! Here and not beside `gimlet`'s sources: Cargo would compile that program once more for them, and with it all that it uses.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gimlet_trace::event::{EventKind, EventRecord, PinReason, Tally, TallyKind};
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::shm::{stop, SegmentRecord};
use gimlet_trace::site::{Site, SiteKind, SiteTable};
use gimlet_trace::trace::{Module, Outcome};
use gimlet_trace::{Input, Label, Trace, FORMAT_VERSION};

use crate::workspace::release;

struct Said {
    code: i32,
    stdout: String,
    stderr: String,
}

fn gimlet<S: AsRef<OsStr>>(args: &[S]) -> Said {
    let output = Command::new(release("gimlet")).args(args).stdin(Stdio::null()).output();
    let output = output.expect("the release build is there: `cargo build --release`");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The command fails with this message and with a hint.
fn check_error<S: AsRef<OsStr>>(args: &[S], message: &str) {
    let said = gimlet(args);
    assert_eq!(said.code, 2, "{}", said.stderr);
    assert_eq!(said.stdout, "");
    let mut lines = said.stderr.lines();
    assert_eq!(lines.next(), Some(format!("gimlet: error: {message}").as_str()));
    assert!(lines.next().unwrap_or_default().starts_with("  hint: "), "{}", said.stderr);
}

#[test]
fn programs_that_cannot_be_traced() {
    check_error(&["trace", "--", "/no/such/prog"], "/no/such/prog: no such program");
    check_error(&["flip", "/"], "/ is not an executable file");
    check_error(&["audit", "--", "/etc/passwd"], "/etc/passwd is not an executable file");
    let shell = fs::canonicalize("/bin/sh").unwrap();
    let message = format!("{} has no instrumentation: build it with gimlet-cc", shell.display());
    check_error(&["trace", "--json", "--", "/bin/sh"], &message);
}

#[test]
fn options_that_do_not_exist() {
    let unknown = |args: &[&str], option: &str, similar: Option<&str>| {
        let said = gimlet(args);
        let hint = similar.map_or_else(String::new, |similar| format!("  hint: {similar} is one\n"));
        let expected = format!("gimlet: error: unknown option '{option}'; see --help\n{hint}");
        assert_eq!((said.code, said.stdout.as_str(), said.stderr), (2, "", expected), "{args:?}");
    };
    for command in
        ["run", "trace", "flip", "replay", "audit", "tmin", "cmin", "show", "cov", "stats", "solve", "doctor"]
    {
        unknown(&[command, "--frob", "-o", "e", "--", "door"], "--frob", None);
        unknown(&[command, "-Q"], "-Q", None);
    }
    for command in ["show", "check", "sample", "drift"] {
        unknown(&["grammar", command, "--frob", "a.y"], "--frob", None);
    }
    unknown(&["run", "--sumary", "x", "-o", "e", "--", "door"], "--sumary", Some("--summary"));
    unknown(&["trace", "--jsn", "door"], "--jsn", Some("--json"));
    // What comes behind the program is its own, and so is what comes behind the dashes.
    for args in [&["trace", "/no/such", "--frob"][..], &["trace", "--", "/no/such", "--frob"]] {
        check_error(args, "/no/such: no such program");
    }
    check_error(&["trace", "--", "--frob"], "--frob: no such program");
}

#[test]
fn numbers_that_cannot_be() {
    let check = |args: &[&str], expected: &str| {
        let said = gimlet(args);
        assert_eq!(said.code, 2, "{args:?}");
        assert!(said.stderr.starts_with("error: invalid value") && said.stderr.contains(expected), "{}", said.stderr);
    };
    for (option, what) in [
        ("--len", "bytes"),
        ("--max-len", "bytes"),
        ("--prefix", "bytes"),
        ("--steps", "runs"),
        ("--jobs", "processes"),
        ("--max-input", "bytes"),
        ("--max-memory", "MiB"),
    ] {
        for value in ["-3", "0", "many"] {
            check(&["run", option, value, "-o", "e", "--", "door"], &format!(": a number of {what}, 1 or more\n"));
        }
    }
    check(&["grammar", "sample", "--len", "-3", "a.y"], ": a number of tokens, 0 or more\n");
    for command in ["run", "trace", "flip", "replay", "audit", "tmin", "cmin", "solve"] {
        for value in ["-3", "x", "0", "3 weeks"] {
            check(&[command, "--timeout", value, "x"], "for '--timeout <TIME>': ");
        }
    }
}

#[test]
fn wrong_usage_is_an_error() {
    for args in
        [&["trace"][..], &["trace", "--timeout", "0", "x"], &["frobnicate"], &["show"], &["flip", "--at", "x", "p"]]
    {
        let said = gimlet(args);
        assert_eq!(said.code, 2, "{args:?}");
        assert!(said.stderr.contains("error:"), "{}", said.stderr);
    }
    assert_eq!(gimlet(&["--help"]).code, 0);
}

fn sample() -> Trace {
    let site = |kind, line, callee: Option<&str>| Site {
        kind,
        width: 8,
        file: "calc.c".into(),
        function: "main".into(),
        line,
        column: 9,
        block: 0,
        copy: 0,
        words: Vec::new(),
        callee: callee.map(str::to_string),
    };
    let sites = vec![site(SiteKind::Branch, 4, None), site(SiteKind::Call, 5, Some("strtol"))];
    let test = NodeRecord {
        op: Op::Eq as u8,
        flags: imm::B,
        width: 1,
        a: Label::input(1).0,
        value: 1,
        imm: u64::from(b'+'),
        ..NodeRecord::default()
    };
    let event =
        |kind: EventKind, a: u32, flags, x, y| EventRecord { kind: kind as u8, flags, a, x, y, ..Default::default() };
    let pin =
        EventRecord { aux: PinReason::Size as u16, site: 1, ..event(EventKind::Pin, Label::input(0).0, 0, 0x31, 0) };
    Trace {
        input: Input::stdin("1+"),
        segments: vec![SegmentRecord { source: 0, first: 0, offset: 0, len: 2 }],
        nodes: vec![NodeRecord::default(), test],
        snapshots: Vec::new(),
        events: vec![
            EventRecord { b: 1, ..event(EventKind::Read, 0, 0, 0, 16 << 32 | 2) },
            event(EventKind::Branch, 1, 1, 0, 0),
            pin,
            EventRecord { aux: 3, ..event(EventKind::Observe, 0, 0, 3, 0) },
            event(EventKind::Observed, Label::input(1).0, 1, 0x2b, 0),
            event(EventKind::End, 0, 0, 0, 0),
        ],
        names: b"sum".to_vec(),
        tallies: vec![Tally {
            kind: TallyKind::Unmodelled as u16,
            site: 1,
            count: 3,
            first_event: 1,
            bytes: 9,
            ..Tally::default()
        }],
        modules: vec![Module { base: 0, count: 2, build_id: 9, image: String::new() }],
        tables: vec![SiteTable { build_id: 9, sites }.into()],
        outcome: Outcome::Exited(3),
        stops: 0,
        forks: 0,
        symbolic_operations: 12,
    }
}

fn save(dir: &Path, bytes: &[u8]) -> PathBuf {
    let path = dir.join("saved.trace");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn unmodelled_calls_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    let path = save(dir.path(), &sample().to_bytes());
    let said = gimlet(&[OsStr::new("show"), OsStr::new("--unmodelled"), path.as_os_str()]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let words: Vec<&str> = said.stdout.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(words, ["3", "0", "9", "0", "strtol", "calc.c:5:9"]);
    let said = gimlet(
        &["show", "--unmodelled", "--json"].map(OsStr::new).into_iter().chain([path.as_os_str()]).collect::<Vec<_>>(),
    );
    let value: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(value["unmodelled"][0]["name"], "strtol");
    assert_eq!(value["steps"], serde_json::Value::Null);
}

#[test]
fn saved_traces_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let path = save(dir.path(), &sample().to_bytes());
    let said = gimlet(&[OsStr::new("show"), path.as_os_str()]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let expected = "
    1  read     calc.c:4:9               main             stdin[0..16]: got 2, end of file
    2  true     calc.c:4:9               main             stdin[1] == '+'
    3  pin      calc.c:5:9               main             stdin[0] == 0x31 (symbolic size)
       observed calc.c:4:9               main             sum = stdin[1]
input bytes                  2  stdin 2
expressions                  1
events                       6  branch 1, pin 1, read 1, end 1, observation 1, observed bytes 1
conditions                   3  2 can be flipped
symbolic operations         12
pins                         0
losses                       0
stale labels                 0
unmodelled calls             3
        3 x strtol at calc.c:5:9 in main
the program exited with code 3
";
    assert_eq!(said.stdout, expected[1..]);
    let said = gimlet(&[OsStr::new("show"), OsStr::new("--json"), path.as_os_str()]);
    let value: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(value["steps"][1]["condition"], "stdin[1] == '+'");
    assert_eq!(value["steps"][1]["test"], "stdin[1] == '+'");
    assert_eq!(value["steps"][2]["reason"], "symbolic size");
    assert_eq!(value["unmodelled"][0]["bytes"], 9);
    assert_eq!(value["observations"][0]["name"], "sum");
    assert_eq!(value["observations"][0]["after_step"], 3);
    let part = serde_json::json!({ "offset": 0, "bytes": 1, "expression": "stdin[1]", "value": "0x2b" });
    assert_eq!(value["observations"][0]["parts"], serde_json::json!([part]));
    assert_eq!(value["counts"]["unmodelled_calls"], 3);
    assert_eq!(value["tallies"][0]["callee"], "strtol");
    assert_eq!(value["outcome"]["value"], 3);
}

#[test]
fn a_branch_is_shown_as_it_came_out() {
    let dir = tempfile::tempdir().unwrap();
    let mut trace = sample();
    // The second byte is no slash.
    (trace.nodes[1].imm, trace.nodes[1].value) = (u64::from(b'/'), 0);
    trace.events[1].flags = 0;
    let path = save(dir.path(), &trace.to_bytes());
    let said = gimlet(&[OsStr::new("show"), path.as_os_str()]);
    let line = said.stdout.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(line, ["2", "false", "calc.c:4:9", "main", "stdin[1]", "==", "'/'"]);
    let said = gimlet(&[OsStr::new("show"), OsStr::new("--json"), path.as_os_str()]);
    let value: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let step = &value["steps"][1];
    assert_eq!((step["direction"].as_str(), step["test"].as_str()), (Some("false"), Some("stdin[1] == '/'")));
    assert_eq!(step["condition"], "stdin[1] != '/'");
}

#[test]
fn damaged_traces_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let whole = sample().to_bytes();
    let check = |bytes: &[u8], message: &str| {
        let path = save(dir.path(), bytes);
        let message = format!("{}: {message}", path.display());
        check_error(&[OsStr::new("show"), path.as_os_str()], &message);
    };
    check(b"hello", "not a Gimlet trace");
    check(&whole[..whole.len() - 1], "the trace is truncated");
    let mut other = whole.clone();
    other[100] ^= 1;
    check(&other, "the trace is corrupt: its checksum does not fit");
    other[8] = 77;
    check(&other, &format!("made by version 77 of the trace format, this is version {FORMAT_VERSION}"));
    check_error(&["show", "/no/such.trace"], "cannot read /no/such.trace: No such file or directory (os error 2)");
}

#[test]
fn incomplete_traces_are_shown_and_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let trace = Trace { stops: stop::EVENTS, forks: 2, outcome: Outcome::Signalled(9), ..sample() };
    let path = save(dir.path(), &trace.to_bytes());
    let said = gimlet(&[OsStr::new("show"), path.as_os_str()]);
    assert_eq!(said.code, 2);
    assert!(said.stdout.contains("stdin[1] == '+'"));
    for text in ["event log is full", "raise --max-events", "forked 2 times", "SIGKILL"] {
        assert!(said.stderr.contains(text), "{text}: {}", said.stderr);
    }
}
