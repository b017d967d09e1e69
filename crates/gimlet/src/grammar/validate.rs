//! Whether inputs are in the language.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

use anyhow::Result;
use gimlet_explore::program::language::judge::Judge;
use gimlet_grammar::scanner::Scanner;
use serde_json::json;

use crate::exit::{hinted, Verdict};
use crate::interrupt;

pub fn validate(judge: &Judge, scanner: Option<&Scanner>, inputs: &[PathBuf], is_json: bool) -> Result<Verdict> {
    let mut n_wrong = 0;
    let mut say = |input: String, found: Result<&'static str, String>| {
        n_wrong += u32::from(found.is_err());
        let what = found.as_ref().map_or_else(|why| why.as_str(), |what| *what);
        if is_json {
            say!("{}", json!({ "input": input, "is_sentence": found.is_ok(), "what": what }));
        } else {
            say!("{input}: {what}");
        }
    };
    let read = |path: Option<&PathBuf>| -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let is_read = match path {
            Some(path) => fs::read(path).map(|read| bytes = read),
            None => read_standard_input(&mut bytes),
        };
        let name = path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        uninterrupted()?;
        is_read.map_err(|error| hinted(format!("cannot read {name}: {error}"), "name files to be validated"))?;
        Ok(bytes)
    };
    let paths: Vec<Option<&PathBuf>> = if inputs.is_empty() { vec![None] } else { inputs.iter().map(Some).collect() };
    for path in paths {
        let bytes = read(path)?;
        let name = path.map(|path| path.display().to_string());
        let Some(scanner) = scanner else {
            for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
                let number = (number + 1).to_string();
                let place = match &name {
                    Some(name) if inputs.len() > 1 => format!("{name}:{number}"),
                    _ => number,
                };
                let found = judge.line(line);
                uninterrupted()?;
                say(place, found);
            }
            continue;
        };
        let found = judge.text(scanner, &bytes);
        uninterrupted()?;
        say(name.unwrap_or_else(|| "standard input".to_owned()), found);
    }
    Ok(if n_wrong == 0 { Verdict::Good } else { Verdict::Bad })
}

/// All of it, or what there is when a signal comes.
fn read_standard_input(bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut part = vec![0; 1 << 16];
    loop {
        match io::stdin().read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(n_bytes) => bytes.extend_from_slice(&part[..n_bytes]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted && interrupt::received().is_none() => {}
            Err(error) => return Err(error),
        }
    }
}

fn uninterrupted() -> Result<()> {
    match interrupt::received() {
        None => Ok(()),
        Some(_) => Err(hinted("interrupted", "what was printed is not all")),
    }
}
