//! Specs as files, and on top of each other.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use super::*;

/// A spec in which everything is said.
fn full() -> SearchSpec {
    let seed = |name: &str, path: &str| FileSeed { name: name.into(), path: path.into() };
    SearchSpec {
        version: VERSION,
        program: ProgramSpec {
            path: "/p/calc".into(),
            args: vec!["@@".into(), OsString::from_vec(vec![0xff, b'a'])],
            sandbox: Some(false),
            builds: BuildHashes { instrumented: Some(1), plain: Some(u64::MAX), edges: Some(3), memory: Some(4) },
        },
        input: InputSpec {
            stdin: Some("/p/in/stdin".into()),
            files: vec![seed("file", "/p/a.txt")],
            opened: vec![seed("/etc/x.conf", "/p/x.conf")],
            env: vec![Variable { name: "A".into(), value: OsString::from_vec(vec![0x80]) }],
            sockets: vec![SocketSeed { port: Some(80), path: "/p/sent".into() }],
            symbolic_args: Some(true),
            strings: Some(Strings::Branches),
            world: Some(World::Real),
        },
        limits: LimitSpec {
            timeout: Some(Duration::from_millis(1500)),
            max_memory: Some(64),
            max_input: Some(1),
            max_expressions: Some(2),
            max_events: Some(3),
            max_snapshots: Some(0),
        },
        strategy: StrategySpec {
            name: Some(strategy::Kind::GrammarBlackbox),
            seed: Some(u64::MAX),
            len: Some(3),
            max_len: Some(9),
            max_followed: Some(0),
            prefix: Some(4),
            stretches: Some(true),
        },
        grammar: GrammarSpec {
            file: Some("/p/g/calc.y".into()),
            lexer: Some("/p/g/calc.l".into()),
            token_map: Some("/p/g/map".into()),
            start: Some("line".into()),
            height: Some(3),
            hole_len: Some(2),
            free_holes: Some(true),
            token_fn: "next+8:2".parse().ok(),
            hashes: vec![1, 2, 0xdead_beef_0000_0000],
        },
        seeds: SeedSpec { paths: vec!["/p/seeds".into()], dictionaries: vec!["/p/words".into()] },
        stop: StopSpec {
            budget: Some(Duration::from_secs(600)),
            idle: Some(Duration::from_millis(500)),
            found: "1:abort,leak".parse().ok(),
            steps: Some(1000),
            clock: Some(clock::Kind::Work),
        },
        findings: FindingSpec {
            suppress: vec!["leak:f*:a.c".parse().unwrap()],
            suppressions: vec!["/p/known".into()],
            memory: Some(true),
            leaks: Some(true),
        },
        parts: PartSpec { modules: vec!["parser=a.c,b.c".parse().unwrap()], reject_functions: vec!["yyerror".into()] },
        team: TeamSpec { jobs: Some(2), sync: Some("/p/others".into()) },
        output: OutputSpec {
            folder: Some("/p/out".into()),
            summary: Some("/p/summary.json".into()),
            log_queries: Some("/p/queries".into()),
            log_format: Some(log::Format::Compact),
            explain_divergences: Some(true),
        },
    }
}

/// What is said of a file with this text.
fn refusal(text: &str) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("spec.toml");
    fs::write(&path, text).unwrap();
    let error = SearchSpec::read(&path).and_then(|spec| spec.check()).unwrap_err().to_string();
    error.replace(&path.display().to_string(), "spec.toml")
}

#[test]
fn everything_survives_a_file() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("spec.toml");
    full().write(&path).unwrap();
    assert_eq!(SearchSpec::read(&path).unwrap(), full());
    let open = SearchSpec { version: VERSION, ..SearchSpec::default() };
    assert_eq!(open.to_toml(Path::new("/")).unwrap(), "version = 1\n");
}

#[test]
fn paths_are_relative_to_the_file() {
    let text = full().to_toml(Path::new("/p/specs")).unwrap();
    for line in ["path = \"../calc\"", "file = \"../g/calc.y\"", "paths = [\"../seeds\"]", "folder = \"../out\""] {
        assert!(text.lines().any(|it| it == line), "{line}\n{text}");
    }
    assert!(text.contains("/etc/x.conf"), "what the program opens is its own affair: {text}");
}

#[test]
fn what_is_wrong_is_told_with_its_key() {
    for (text, expected) in [
        ("", "spec.toml: it does not say its version: version = 1"),
        ("version = 2\nnew = 3\n", "spec.toml: it is of version 2, and this gimlet reads 1"),
        (
            "version = 1\n[stop]\nbudget = \"5x\"\n",
            "spec.toml:3: stop.budget: 'x' is no unit of time: ms, s, m, h, d are",
        ),
        (
            "version = 1\n[stop]\nsteps = \"many\"\n",
            "spec.toml:3: stop.steps: invalid type: string \"many\", expected u64",
        ),
        ("version = 1\n[team]\njobs = 0\n", "team.jobs: a number of processes, 1 or more"),
        ("version = 1\n[limits]\ntimeout = \"0s\"\n", "limits.timeout: a time of more than 0: 500ms, 2s, 1m"),
        ("version = 1\n[grammar]\nlexer = \"a.l\"\n", "--lexer is for a grammar, and there is none"),
    ] {
        assert_eq!(refusal(text), expected);
    }
    for (text, parts) in [
        ("version = 1\n[stop]\nbugdet = \"5s\"\n", ["spec.toml:3: stop", "bugdet", "budget"]),
        ("version = 1\n\n[stopp]\n", ["spec.toml:3: ", "stopp", "stop"]),
        (
            "version = 1\n[strategy]\nname = \"best\"\n",
            ["spec.toml:3: strategy.name", "'best' is no strategy", "hybrid, dfs"],
        ),
        ("version = 1\n[findings]\nsuppress = [\"frob\"]\n", ["spec.toml:3: findings.suppress", "'frob'", "abort"]),
        ("version = 1\n[program\n", ["spec.toml:2: ", "", ""]),
        (
            "version = 1\n[input]\nfiles = [{ name = \"a\" }]\n",
            ["spec.toml:3: input.files[0]", "missing field", "path"],
        ),
    ] {
        let told = refusal(text);
        assert!(parts.iter().all(|part| told.contains(part)), "{told}");
    }
}

#[test]
fn one_spec_is_put_on_top_of_another() {
    let mut above = SearchSpec::default();
    assert_eq!(above.over(&full()).unwrap(), SearchSpec { ..full() });
    above.strategy.seed = Some(1);
    above.stop.budget = Some(Duration::from_secs(1));
    above.seeds.paths = vec!["more".into()];
    above.findings.memory = Some(false);
    let mut expected = full();
    expected.strategy.seed = Some(1);
    expected.stop.budget = Some(Duration::from_secs(1));
    expected.seeds.paths = vec!["more".into()];
    expected.findings.memory = Some(false);
    assert_eq!(above.over(&full()).unwrap(), expected);

    // Another program has other arguments and builds, another grammar another scanner.
    above.program.path = "/q/sum".into();
    above.grammar.file = Some("/q/sum.y".into());
    let merged = above.over(&full()).unwrap();
    let program = ProgramSpec { path: "/q/sum".into(), sandbox: Some(false), ..ProgramSpec::default() };
    assert_eq!(merged.program, program);
    assert_eq!(merged.grammar, GrammarSpec { file: Some("/q/sum.y".into()), ..GrammarSpec::default() });
}

#[test]
fn the_documentation_has_all_keys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec.md");
    let documented = fs::read_to_string(path).unwrap();
    let value: toml::Table = full().to_toml(Path::new("/")).unwrap().parse().unwrap();
    for (topic, keys) in value.iter().filter_map(|(topic, value)| Some((topic, value.as_table()?))) {
        for key in keys.keys() {
            assert!(documented.contains(&format!("| `{topic}.{key}` |")), "{topic}.{key}");
        }
    }
}

#[test]
fn times_are_written_as_they_are_read() {
    for (text, ms) in [("60s", 60_000), ("500ms", 500), ("0s", 0), ("1500ms", 1500)] {
        let time = Duration::from_millis(ms);
        assert_eq!((duration(text), form::duration_text(time)), (Ok(time), text.to_owned()));
    }
    assert_eq!(duration(&form::duration_text(Duration::from_micros(100))), Ok(Duration::from_micros(100)));
    assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
}
