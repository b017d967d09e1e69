//! `cargo xtask bench same`: searches that claim to be as before give the same tests, byte for byte.
//!
//! Thirty programs are searched by every strategy that applies to them: with `--steps`, where no clock takes part, and with
//! `--clock work`, where turns, shares, hard questions and lengths do. All inputs that a search has kept, with their names
//! but for the time in them, make one hash. `bench/same.tsv` holds those of the last commit that changed what a search does
//! on purpose; `--write` makes it anew, to be committed with that change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{ensure, Context, Result};

use crate::explore::{self, Program};
use crate::process;
use crate::workspace::{self, release, root};

/// Programs whose input is bytes.
const BYTES: &[&str] = &[
    "argv_getopt",
    "bits_morton",
    "checksum_crc32_table",
    "checksum_luhn",
    "division_overflow",
    "environment_greeting",
    "state_lift",
    "keywords_dispatch",
    "keywords_nested",
    "longer_block",
    "longer_lines",
    "magic_chain",
    "memory_header",
    "memory_list",
    "null_lookup",
    "product_price",
    "recursion_descent",
    "sscanf_date",
    "state_handshake",
    "state_table",
    "strtol_port",
    "struct_records",
    "sum_weighted",
    "table_hexdump",
];
/// Those of tests/memory and tests/lengths, which have a memory build.
const MEMORY: &[&str] = &["heap_packet", "field_copy", "getline_trim"];
/// Those with a grammar, and its files.
const GRAMMARS: &[(&str, &str, &str)] = &[
    ("interpreter_loop", "parse.y", "scan.l"),
    ("interpreter_value", "parse.y", "scan.l"),
    ("ftpd", "ftpcmd.y", "ftplex.l"),
];

/// What every program is searched by; a step is a run of the program.
const SEARCHES: &[&[&str]] = &[
    &["--steps", "600"],
    &["--strategy", "dfs", "--steps", "60"],
    &["--strategy", "generational", "--steps", "60"],
    &["--strategy", "random", "--steps", "60"],
    &["--strategy", "mutation", "--steps", "600"],
    &["--strategy", "blackbox", "--steps", "300"],
    &["--clock", "work", "--budget", "1s"],
    &["--clock", "work", "--budget", "1s", "--strategy", "generational"],
];
/// What those with a grammar are searched by, with it.
const SEARCHES_BY_GRAMMAR: &[&[&str]] = &[
    &["--steps", "600"],
    &["--strategy", "cese", "--len", "4", "--hole-len", "2", "--steps", "60"],
    &["--strategy", "tokens", "--steps", "60"],
    &["--strategy", "grammar", "--steps", "60"],
    &["--strategy", "grammar-blackbox", "--steps", "300"],
    &["--clock", "work", "--budget", "1s"],
    &["--clock", "work", "--budget", "1s", "--strategy", "grammar"],
];

/// Strategies that take the strings of a grammar, and no seeds.
const SEEDLESS: [&str; 2] = ["cese", "grammar-blackbox"];

/// Folders of inputs that a search keeps.
const KEPT: [&str; 3] = ["queue", "crashes", "hangs"];
const EXPECTED: &str = "bench/same.tsv";

#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// This is a change of what a search does: note what there is
    #[arg(long = "write", conflicts_with = "names")]
    writes: bool,
    /// Programs whose names contain one of these [default: all]
    names: Vec<String>,
}

/// Runs all searches; false if one did something else than before.
pub fn bench(options: &Options) -> Result<bool> {
    workspace::build_for_tests()?;
    let scratch = workspace::scratch("same")?;
    let subjects = subjects(options)?;
    let outcomes = process::parallel(&subjects, |subject| {
        let outcome = subject.run(&scratch).with_context(|| subject.program.name().to_owned());
        println!("{:40} {}", subject.program.name(), if outcome.is_ok() { "searched" } else { "FAILED" });
        outcome
    });
    let mut found = BTreeMap::new();
    for outcome in outcomes {
        found.extend(outcome?);
    }
    let path = root().join(EXPECTED);
    if options.writes {
        let text: String = found.iter().map(|(name, found)| format!("{name}\t{found}\n")).collect();
        fs::write(&path, text)?;
        println!("{} searches are noted in {EXPECTED}", found.len());
        return Ok(true);
    }
    let text = fs::read_to_string(&path).with_context(|| format!("{EXPECTED}: `bench same --write` makes it"))?;
    let expected: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut n_other = 0;
    for (name, found) in &found {
        let before = expected.get(name.as_str()).copied().unwrap_or("nothing");
        if before != found {
            n_other += 1;
            println!("OTHER   {name}: {found}, before {before}");
        }
    }
    println!("{} searches as before, {n_other} others", found.len() - n_other);
    Ok(n_other == 0)
}

/// A program, and its searches: their names and options.
struct Subject {
    program: Program,
    searches: Vec<(String, Vec<String>)>,
}

fn subjects(options: &Options) -> Result<Vec<Subject>> {
    let is_chosen = |name: &str| options.names.is_empty() || options.names.iter().any(|chosen| name.contains(chosen));
    let mut all = Vec::new();
    for &name in BYTES.iter().chain(MEMORY).filter(|name| is_chosen(name)) {
        let mut subject = Subject { program: explore::program(name)?, searches: Vec::new() };
        subject.add(SEARCHES, &[]);
        all.push(subject);
    }
    for &(name, grammar, lexer) in GRAMMARS.iter().filter(|(name, ..)| is_chosen(name)) {
        let mut subject = Subject { program: explore::program(name)?, searches: Vec::new() };
        let file = |name: &str| subject.program.file(name).display().to_string();
        let language = ["--grammar".to_owned(), file(grammar), "--lexer".to_owned(), file(lexer)];
        subject.add(SEARCHES_BY_GRAMMAR, &language);
        subject.add(SEARCHES, &[]);
        all.push(subject);
    }
    ensure!(!all.is_empty(), "no program is called so");
    Ok(all)
}

impl Subject {
    fn add(&mut self, searches: &[&[&str]], language: &[String]) {
        let with = if language.is_empty() { "" } else { " with its grammar" };
        for search in searches {
            let name = format!("{}{with} {}", self.program.name(), search.join(" "));
            let options = search.iter().map(|&option| option.to_owned()).chain(language.iter().cloned()).collect();
            self.searches.push((name, options));
        }
    }

    /// Makes all searches; of each the number and the hash of what was kept.
    fn run(&self, scratch: &Path) -> Result<Vec<(String, String)>> {
        let scratch = scratch.join(self.program.name().replace('/', "_"));
        fs::create_dir_all(&scratch)?;
        let built = self.program.built(&scratch)?;
        let mut found = Vec::new();
        for (name, options) in &self.searches {
            let out = scratch.join("out");
            let mut gimlet = Command::new(release("gimlet"));
            gimlet.arg("run").args(options).arg("-o").arg(&out);
            let has_seed = !SEEDLESS.iter().any(|strategy| options.iter().any(|option| option == strategy));
            let finished = self.program.search_with(gimlet, &built, has_seed, &scratch)?;
            ensure!(out.join(KEPT[0]).is_dir(), "{name}: gimlet run: {}", finished.complaint());
            let kept = kept(&out)?;
            fs::remove_dir_all(&out)?;
            found.push((name.clone(), format!("{}\t{:016x}", kept.len(), hash(&kept))));
        }
        Ok(found)
    }
}

/// Names, without the time in them, and contents of all inputs of a search.
fn kept(out: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut kept = BTreeMap::new();
    for folder in KEPT {
        let files: Vec<PathBuf> = match out.join(folder) {
            folder if folder.is_dir() => workspace::files(&folder)?,
            _ => Vec::new(),
        };
        for path in files {
            let name = path.strip_prefix(out)?.to_string_lossy().into_owned();
            let parts = name.split(',').filter(|part| !part.starts_with("time:"));
            kept.insert(parts.collect::<Vec<_>>().join(","), fs::read(&path)?);
        }
    }
    Ok(kept)
}

/// FNV-1a.
fn hash(kept: &BTreeMap<String, Vec<u8>>) -> u64 {
    let bytes = kept.iter().flat_map(|(name, bytes)| {
        let lengths = [name.len() as u64, bytes.len() as u64].map(u64::to_le_bytes).concat();
        lengths.into_iter().chain(name.bytes()).chain(bytes.iter().copied())
    });
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
