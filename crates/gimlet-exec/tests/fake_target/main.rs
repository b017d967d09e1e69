//! The driver against a target that misbehaves in every way.
//!
//! This program is both: started by a driver (the environment says so) it is
//! the target and speaks the protocol by hand, otherwise it runs the tests.

mod attacks;
mod confined;
mod target;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use gimlet_exec::orphans::has_ended;
use gimlet_exec::{Confinement, ExecError, Limits, Output, Run, Target, TargetOptions};
use gimlet_trace::shm::DRIVER_ENV;
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, SourceKind};

fn main() {
    if let Ok(driver) = std::env::var(DRIVER_ENV) {
        target::serve(&driver);
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("attack", attack)) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        attacks::attack(attack);
    }
    let tests: &[(&str, fn())] = &[
        ("runs_and_collects", runs_and_collects),
        ("reads_its_file", reads_its_file),
        ("ends_are_told", ends_are_told),
        ("limits_are_kept", limits_are_kept),
        ("inputs_grow", inputs_grow),
        ("lost_servers_are_replaced", lost_servers_are_replaced),
        ("daemons_are_found", daemons_are_found),
        ("corruption_is_refused", corruption_is_refused),
        ("silence_is_an_error", silence_is_an_error),
        ("impossible_inputs_are_refused", impossible_inputs_are_refused),
        ("nothing_is_left_behind", nothing_is_left_behind),
        ("runs_are_fast", runs_are_fast),
        ("files_are_safe", confined::files_are_safe),
        ("the_private_folder_works", confined::the_private_folder_works),
        ("the_root_can_be_the_current_directory", confined::the_root_can_be_the_current_directory),
        ("runs_do_not_see_each_other", confined::runs_do_not_see_each_other),
        ("other_processes_are_safe", confined::other_processes_are_safe),
        ("families_end", confined::families_end),
        ("the_disk_is_not_filled", confined::the_disk_is_not_filled),
        ("the_network_is_out_of_reach", confined::the_network_is_out_of_reach),
        ("confined_ends_are_told", confined::ends_are_told),
    ];
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    let report = Confinement::probe().report();
    report.given.iter().chain(&report.missing).for_each(|line| println!("confinement: {line}"));
    for (name, test) in tests.iter().filter(|(name, _)| name.contains(&filter)) {
        let start = Instant::now();
        test();
        println!("test {name} ... ok ({} ms)", start.elapsed().as_millis());
    }
}

fn options() -> TargetOptions {
    let limits = Limits { timeout_ms: 5000, hello_ms: 2000, ..Limits::default() };
    TargetOptions { limits, output: Output::Capture, ..TargetOptions::default() }
}

fn target(args: &[&str], options: TargetOptions) -> Target {
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    Target::new(&std::env::current_exe().unwrap(), &args, options).unwrap()
}

fn run(args: &[&str]) -> Result<Run, ExecError> {
    target(args, options()).run(&Input::stdin("ab"))
}

fn outcome(args: &[&str]) -> Outcome {
    run(args).unwrap().trace.outcome
}

fn runs_and_collects() {
    let mut target = target(&["echo"], options());
    for stdin in ["ab", "", "hello"] {
        let run = target.run(&Input::stdin(stdin)).unwrap();
        assert_eq!(run.trace.outcome, Outcome::Exited(0));
        assert_eq!(run.stdout.unwrap().bytes, stdin.as_bytes());
        assert_eq!(run.stderr.unwrap().bytes, b"said\n");
        assert_eq!(run.trace.input, Input::stdin(stdin));
        assert_eq!(run.trace.nodes.len(), 1 + usize::from(!stdin.is_empty()));
        assert_eq!(run.trace.events.len(), usize::from(!stdin.is_empty()));
        assert_eq!(run.trace.tallies.len(), usize::from(stdin.is_empty()));
        assert_eq!(run.trace.site(1).unwrap().file, "a.c");
        assert!(!run.is_daemonised && run.unreadable_images.is_empty());
    }
}

fn reads_its_file() {
    let mut target = target(&["file", "-f@@"], options());
    for content in ["one", "two!"] {
        let mut input = Input::stdin("x");
        input.push(SourceKind::File, "file", content);
        let run = target.run(&input).unwrap();
        // The target replaces its file; the next run has a new one.
        assert_eq!(run.stdout.unwrap().bytes, content.as_bytes());
        assert_eq!(run.trace.outcome, Outcome::Exited(0));
    }
}

fn ends_are_told() {
    assert_eq!(outcome(&["exit", "7"]), Outcome::Exited(7));
    assert_eq!(outcome(&["signal", "6"]), Outcome::Signalled(6));
    assert_eq!(outcome(&["signal", "9"]), Outcome::Signalled(9));
}

fn limits_are_kept() {
    let mut options = options();
    options.limits.timeout_ms = 200;
    assert_eq!(
        target(&["loop"], options.clone()).run(&Input::default()).unwrap().trace.outcome,
        Outcome::TimedOut(200)
    );
    options.limits.timeout_ms = 20_000;
    options.limits.memory_mib = 100;
    let mut greedy = target(&["memory"], options.clone());
    assert_eq!(greedy.run(&Input::default()).unwrap().trace.outcome, Outcome::OutOfMemory(100));
    // The same server goes on.
    assert_eq!(greedy.run(&Input::default()).unwrap().trace.outcome, Outcome::OutOfMemory(100));
    options.limits.output_bytes = 1000;
    let run = target(&["chatter"], options).run(&Input::default()).unwrap();
    let stdout = run.stdout.unwrap();
    assert_eq!((stdout.bytes.len(), stdout.total_len), (1000, 8 << 20));
}

fn inputs_grow() {
    let mut target = target(&["grow"], options());
    let run = target.run(&Input::stdin("ab")).unwrap();
    let names: Vec<_> = run.trace.input.sources.iter().map(|source| source.name.as_str()).collect();
    assert_eq!(names, ["stdin", "named"]);
    assert_eq!(run.trace.input.sources[1].bytes, b"xyz");
    assert_eq!(run.trace.input.sources[1].kind, SourceKind::Named);
    let again = target.run(&run.trace.input).unwrap();
    assert_eq!(again.trace.input.sources[2].name, "named");
}

fn lost_servers_are_replaced() {
    let mut quits = target(&["quit-server"], options());
    for _ in 0..3 {
        assert_eq!(quits.run(&Input::default()).unwrap().trace.outcome, Outcome::Exited(0));
    }
    let mut kills = target(&["kill-group"], options());
    for _ in 0..2 {
        assert_eq!(kills.run(&Input::default()).unwrap().trace.outcome, Outcome::Signalled(15));
    }
    let mut overtakes = target(&["overtake"], options());
    for _ in 0..2 {
        assert_eq!(overtakes.run(&Input::default()).unwrap().trace.outcome, Outcome::Signalled(9));
    }
}

fn daemons_are_found() {
    let mut target = target(&["daemon"], options());
    for _ in 0..2 {
        let run = target.run(&Input::default()).unwrap();
        assert!(run.is_daemonised);
        assert_eq!(run.trace.outcome, Outcome::Exited(0));
        let text = String::from_utf8(run.stdout.unwrap().bytes).unwrap();
        let daemon = text.trim().parse().unwrap();
        wait_until(|| has_ended(daemon));
    }
}

fn corruption_is_refused() {
    for how in ["nodes", "counters", "segments", "sources"] {
        let result = run(&["corrupt", how]);
        assert!(matches!(result, Err(ExecError::BadTrace(_))), "{how}: {result:?}");
    }
    assert!(matches!(run(&["never-begin"]), Err(ExecError::NeverBegan(Outcome::Exited(0)))));
}

fn silence_is_an_error() {
    assert!(matches!(run(&["early"]), Err(ExecError::EndedEarly(Outcome::Exited(5)))));
    assert!(matches!(run(&["silent"]), Err(ExecError::NoAnswer(2000))));
    assert!(matches!(run(&["version"]), Err(ExecError::Version { found: 99, .. })));
    assert!(matches!(run(&["failed"]), Err(ExecError::RuntimeFailed(_))));
    assert!(matches!(run(&["nonsense"]), Err(ExecError::Protocol)));
}

fn impossible_inputs_are_refused() {
    let mut options = options();
    options.limits.input_bytes = 3;
    let error = target(&["echo"], options).run(&Input::stdin("abcd")).unwrap_err();
    assert_eq!(error.to_string(), "the input has 4 bytes, more than the limit of 3");
    let mut with_file = Input::stdin("");
    with_file.push(SourceKind::File, "file", "x");
    let error = target(&["echo"], self::options()).run(&with_file).unwrap_err();
    assert!(matches!(error, ExecError::FileWithoutPlace(_)));
    let error = target(&["file", "-f@@"], self::options()).run(&Input::stdin("")).unwrap_err();
    assert!(matches!(error, ExecError::PlaceWithoutFile));
    let mut with_arg = Input::stdin("");
    with_arg.push(SourceKind::Arg, "arg2", "x");
    let error = target(&["echo"], self::options()).run(&with_arg).unwrap_err();
    assert!(matches!(error, ExecError::NoSuchArgument(_)));
    let mut with_variable = Input::stdin("");
    with_variable.push(SourceKind::Env, "$A=B", "x");
    let error = target(&["echo"], self::options()).run(&with_variable).unwrap_err();
    assert_eq!(error.to_string(), "'A=B' cannot be the name of an environment variable of the program");
    let error = target(&["echo"], self::options())
        .run(&Input { sources: [with_arg.sources[0].clone(), with_arg.sources[0].clone()].into() });
    assert!(matches!(error, Err(ExecError::DuplicateSource(_))));
}

fn nothing_is_left_behind() {
    let mut looping = options();
    looping.limits.timeout_ms = 100;
    let mut target = target(&["family"], looping);
    let run = target.run(&Input::default()).unwrap();
    assert_eq!(run.trace.outcome, Outcome::TimedOut(100));
    let text = String::from_utf8(run.stdout.unwrap().bytes).unwrap();
    let pids: Vec<i32> = text.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    assert_eq!(pids.len(), 2);
    drop(target);
    wait_until(|| pids.iter().all(|&pid| has_ended(pid)));
}

fn runs_are_fast() {
    for confinement in [Confinement::Off, Confinement::probe()] {
        let mut target = target(&["exit", "0"], TargetOptions { confinement, ..options() });
        target.run(&Input::stdin("abc")).unwrap();
        let start = Instant::now();
        for _ in 0..100 {
            target.run(&Input::stdin("abc")).unwrap();
        }
        let each = start.elapsed() / 100;
        println!("  one run: {each:?}");
        assert!(each < Duration::from_millis(20));
    }
}

fn wait_until(mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while !done() {
        assert!(Instant::now() < deadline, "still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}
