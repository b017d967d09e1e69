//! Which sanitizers each build gets.
//!
//! libFuzzer's are left out everywhere: its `main` is replaced by the runtime's
//! and by that of the plain support. Those with a shadow memory of their own
//! can't share a process with the runtime: the plain build alone has them.

use std::ffi::{OsStr, OsString};

/// The option that lists sanitizers.
pub const OPTION: &str = "-fsanitize=";

const FUZZER: &[&str] = &["fuzzer", "fuzzer-no-link"];
const SHADOWED: &[&str] = &[
    "address",
    "kernel-address",
    "hwaddress",
    "kernel-hwaddress",
    "memory",
    "kernel-memory",
    "thread",
    "dataflow",
    "memtag",
];

/// One of the two builds of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    Instrumented,
    Plain,
}

impl Build {
    fn leaves_out(self, sanitizer: &str) -> bool {
        FUZZER.contains(&sanitizer) || self == Build::Instrumented && SHADOWED.contains(&sanitizer)
    }

    /// The option as this build gets it, if anything is left of it.
    pub fn sanitize_option(self, option: &OsStr) -> Option<OsString> {
        let text = option.to_string_lossy();
        let kept: Vec<&str> = names(&text).filter(|name| !self.leaves_out(name)).collect();
        (!kept.is_empty()).then(|| format!("{OPTION}{}", kept.join(",")).into())
    }
}

/// The sanitizers in the option that only the plain build gets.
pub fn plain_only(option: &OsStr) -> Vec<String> {
    names(&option.to_string_lossy()).filter(|name| SHADOWED.contains(name)).map(str::to_owned).collect()
}

fn names(option: &str) -> impl Iterator<Item = &str> {
    option.strip_prefix(OPTION).unwrap_or_default().split(',').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_differ() {
        let option = OsStr::new("-fsanitize=address,fuzzer,undefined");
        assert_eq!(Build::Instrumented.sanitize_option(option), Some("-fsanitize=undefined".into()));
        assert_eq!(Build::Plain.sanitize_option(option), Some("-fsanitize=address,undefined".into()));
        assert_eq!(Build::Plain.sanitize_option(OsStr::new("-fsanitize=fuzzer")), None);
        assert_eq!(plain_only(option), ["address"]);
    }
}
