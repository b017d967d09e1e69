//! Source packages of Debian, fetched with a configuration of apt's that is ours alone.
//!
//! The machine's package sources have no entries for source packages as a rule,
//! and are not ours to change. Its entries, without the security suite, are read
//! and written as `deb-src` ones to a folder in the target directory. A recipe
//! can name another release of Debian: then that one stands in for the suites.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};

use crate::process;
use crate::workspace::files;

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Where to fetch from.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    uri: String,
    suite: String,
    components: String,
}

/// Fetched sources: what dpkg-source or tar made of them, and their version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    pub tree: PathBuf,
    pub version: String,
}

/// The unpacked sources of a package, from a release of Debian or the machine's own, fetched unless they are there.
pub fn fetch(package: &str, release: Option<&str>, home: &Path) -> Result<Sources> {
    let dir = home.join("sources").join(package);
    if let Some(sources) = fetched(&dir)? {
        return Ok(sources);
    }
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    std::fs::create_dir_all(&dir)?;
    let config = configuration(release, home)?;
    println!("  fetching {package}");
    if !apt(&config, &["source", "--only-source", "--download-only", package], &dir) {
        // Some files of a pool are missing at times; the sources without Debian's patches will do.
        let is_there = apt(&config, &["source", "--only-source", "--download-only", "--tar-only", package], &dir);
        ensure!(is_there, "can't fetch the sources of {package}");
    }
    unpack(&dir)?;
    fetched(&dir)?.with_context(|| format!("{package} was not unpacked"))
}

/// Sources that were fetched before.
fn fetched(dir: &Path) -> Result<Option<Sources>> {
    let tree = dir.join("tree");
    if !tree.exists() {
        return Ok(None);
    }
    let version = std::fs::read_to_string(dir.join("version"))?;
    Ok(Some(Sources { tree, version: version.trim().to_owned() }))
}

/// Makes `tree` and `version` of the files that apt fetched.
fn unpack(dir: &Path) -> Result<()> {
    let names: Vec<String> =
        files(dir)?.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy().into()).collect();
    let find = |end: &str| names.iter().find(|name| name.contains(end));
    let patched = find(".dsc").filter(|_| {
        let mut dpkg = Command::new("dpkg-source");
        process::output(
            dpkg.args(["--no-check", "-x"]).arg(find(".dsc").map_or("", |name| name)).arg("new").current_dir(dir),
        )
        .is_some()
    });
    if patched.is_none() {
        let Some(tarball) = find(".orig.tar") else { bail!("no tarball in {}", dir.display()) };
        let _ = std::fs::remove_dir_all(dir.join("new"));
        std::fs::create_dir(dir.join("new"))?;
        process::run(Command::new("tar").args(["-xf", tarball, "-C", "new"]).current_dir(dir))?;
        without_wrapper(&dir.join("new"))?;
    }
    let original = names.iter().find_map(|name| name.split_once(".orig")).context("no tarball")?.0;
    let version = original.split_once('_').map_or(original, |(_, version)| version);
    std::fs::write(dir.join("version"), version)?;
    std::fs::rename(dir.join("new"), dir.join("tree"))?;
    Ok(())
}

/// Most tarballs have one folder around everything, some have none: then this leaves them alone.
fn without_wrapper(tree: &Path) -> Result<()> {
    let entries = std::fs::read_dir(tree)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    if let [wrapper] = &entries[..]
        && wrapper.is_dir()
    {
        let inner = tree.with_extension("inner");
        std::fs::rename(wrapper, &inner)?;
        std::fs::remove_dir(tree)?;
        std::fs::rename(inner, tree)?;
    }
    Ok(())
}

fn apt(config: &Path, args: &[&str], dir: &Path) -> bool {
    let mut apt = Command::new("apt-get");
    process::output(apt.env("APT_CONFIG", config).arg("-q").args(args).current_dir(dir)).is_some()
}

/// A configuration whose package lists are up to date.
fn configuration(release: Option<&str>, home: &Path) -> Result<PathBuf> {
    let dir = home.join("apt").join(release.unwrap_or("own"));
    let config = dir.join("apt.conf");
    if config.exists() {
        return Ok(config);
    }
    std::fs::create_dir_all(dir.join("lists/partial"))?;
    std::fs::create_dir_all(dir.join("cache/archives/partial"))?;
    let mut entries = machine_entries()?;
    if let Some(release) = release {
        entries.truncate(1);
        entries.iter_mut().for_each(|entry| entry.suite = release.to_owned());
    }
    let line =
        |entry: &Entry| format!("deb-src [signed-by={KEYRING}] {} {} {}\n", entry.uri, entry.suite, entry.components);
    std::fs::write(dir.join("sources.list"), entries.iter().map(line).collect::<String>())?;
    let text = format!(
        "Dir::Etc::sourcelist \"{0}/sources.list\";\nDir::Etc::sourceparts \"-\";\n\
         Dir::State::lists \"{0}/lists\";\nDir::Cache \"{0}/cache\";\n",
        dir.display()
    );
    let draft = dir.join("apt.conf.new");
    std::fs::write(&draft, text)?;
    ensure!(apt(&draft, &["update"], &dir), "apt-get update fails with {}", draft.display());
    std::fs::rename(draft, &config)?;
    Ok(config)
}

/// The machine's entries for packages, in either of apt's formats, without the security suite.
fn machine_entries() -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let parts = files(Path::new("/etc/apt/sources.list.d")).unwrap_or_default();
    for path in [PathBuf::from("/etc/apt/sources.list")].iter().chain(&parts) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        match path.extension().and_then(|end| end.to_str()) {
            Some("list") => entries.extend(text.lines().filter_map(one_line)),
            Some("sources") => entries.extend(text.split("\n\n").flat_map(stanza)),
            _ => {}
        }
    }
    entries.retain(|entry| !entry.uri.contains("security") && entry.uri.contains("debian"));
    ensure!(!entries.is_empty(), "no package source of Debian's in /etc/apt: source packages can't be fetched");
    Ok(entries)
}

/// `deb [options] URI SUITE COMPONENTS`
fn one_line(line: &str) -> Option<Entry> {
    let rest = line.trim().strip_prefix("deb ")?.trim();
    let rest = rest.strip_prefix('[').map_or(rest, |rest| rest.split_once(']').map_or("", |(_, rest)| rest));
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (uri, suite, components) = (words.first()?, words.get(1)?, words.get(2..)?);
    Some(Entry { uri: uri.to_string(), suite: suite.to_string(), components: components.join(" ") })
}

/// Lines `Key: value`, one entry for each suite.
fn stanza(text: &str) -> Vec<Entry> {
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        line.map(str::trim).unwrap_or_default()
    };
    let is_binary = value("Types").split_whitespace().any(|kind| kind == "deb");
    let Some(uri) = value("URIs").split_whitespace().next().filter(|_| is_binary) else { return Vec::new() };
    let suites = value("Suites").split_whitespace();
    suites.map(|suite| Entry { uri: uri.into(), suite: suite.into(), components: value("Components").into() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_are_read() {
        let entry =
            |suite: &str| Entry { uri: "http://host/debian".into(), suite: suite.into(), components: "main".into() };
        assert_eq!(one_line("deb [arch=amd64] http://host/debian stable main"), Some(entry("stable")));
        assert_eq!(one_line("deb-src http://host/debian stable main"), None);
        let text =
            "Types: deb\n# a comment\nURIs: http://host/debian\nSuites: stable stable-updates\nComponents: main\n";
        assert_eq!(stanza(text), [entry("stable"), entry("stable-updates")]);
    }
}
