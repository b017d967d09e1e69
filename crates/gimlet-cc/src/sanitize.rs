//! Which of the user's sanitizers each build gets.
//!
//! - libFuzzer's are left out everywhere: its `main` is replaced by the runtime's
//!   and by that of the twins' support. So is control-flow integrity, which
//!   needs link-time optimisation.
//! - Those with a shadow memory of their own can't share a process with the
//!   runtime or with each other: the plain build alone has them.
//! - Counters of clang's own for profiles and coverage have no room beside those of
//!   the pass: the builds with the pass are left without.
//! - Coverage callbacks are for whoever defines them; the edge counters are in
//!   their place.

use std::ffi::{OsStr, OsString};

use crate::builds::{Build, Twin};

/// Prefix of the options that are about sanitizers.
pub const PREFIX: &str = "-fsanitize";
const LIST: &str = "-fsanitize=";
const COVERAGE: &str = "-fsanitize-coverage";
/// Options for profiles and coverage.
const PROFILE: [&str; 2] = ["-fprofile-instr-generate", "-fcoverage-mapping"];
/// The small library, which AddressSanitizer does not go with.
pub const MINIMAL: &str = "-fsanitize-minimal-runtime";

const FUZZER: &[&str] = &["fuzzer", "fuzzer-no-link"];
const NEEDS_LTO: &str = "cfi";
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

impl Build {
    fn leaves_out(self, sanitizer: &str) -> bool {
        FUZZER.contains(&sanitizer)
            || sanitizer.starts_with(NEEDS_LTO)
            || self != Build::Twin(Twin::Plain) && SHADOWED.contains(&sanitizer)
    }

    /// The option as this build gets it, if anything is left of it.
    pub fn sanitize_option(self, option: &OsStr) -> Option<OsString> {
        let text = option.to_string_lossy();
        if text.starts_with(COVERAGE) {
            return (!matches!(self, Build::Twin(Twin::Edges | Twin::Memory))).then(|| option.to_owned());
        }
        if PROFILE.iter().any(|prefix| text.starts_with(prefix)) {
            let has_pass = matches!(self, Build::Instrumented | Build::Twin(Twin::Edges | Twin::Memory));
            return (!has_pass).then(|| option.to_owned());
        }
        if text == MINIMAL && self == Build::Twin(Twin::Asan) {
            return None;
        }
        if !text.starts_with(LIST) {
            return Some(option.to_owned());
        }
        let kept: Vec<&str> = names(&text).filter(|name| !self.leaves_out(name)).collect();
        (!kept.is_empty()).then(|| format!("{LIST}{}", kept.join(",")).into())
    }
}

/// Whether an option is not for all builds.
pub fn is_choosy(option: &str) -> bool {
    option.starts_with(PREFIX) || PROFILE.iter().any(|prefix| option.starts_with(prefix))
}

/// The sanitizers in the option that only the plain build gets.
pub fn plain_only(option: &OsStr) -> Vec<String> {
    names(&option.to_string_lossy()).filter(|name| SHADOWED.contains(name)).map(str::to_owned).collect()
}

fn names(option: &str) -> impl Iterator<Item = &str> {
    option.strip_prefix(LIST).unwrap_or_default().split(',').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_differ() {
        let option = OsStr::new("-fsanitize=address,fuzzer,undefined,cfi-icall");
        let of = |build: Build| build.sanitize_option(option);
        assert_eq!(of(Build::Instrumented), Some("-fsanitize=undefined".into()));
        assert_eq!(of(Build::Twin(Twin::Plain)), Some("-fsanitize=address,undefined".into()));
        assert_eq!(of(Build::Twin(Twin::Edges)), Some("-fsanitize=undefined".into()));
        assert_eq!(Build::Twin(Twin::Plain).sanitize_option(OsStr::new("-fsanitize=fuzzer")), None);
        assert_eq!(plain_only(option), ["address"]);
    }

    #[test]
    fn options_about_sanitizers_stay() {
        let coverage = OsStr::new("-fsanitize-coverage=trace-pc");
        assert_eq!(Build::Twin(Twin::Plain).sanitize_option(coverage), Some(coverage.into()));
        assert_eq!(Build::Twin(Twin::Edges).sanitize_option(coverage), None);
        let profile = OsStr::new("-fprofile-instr-generate=a.profraw");
        assert_eq!(Build::Twin(Twin::Plain).sanitize_option(profile), Some(profile.to_owned()));
        assert_eq!(Build::Instrumented.sanitize_option(profile), None);
        let recover = OsStr::new("-fsanitize-recover=all");
        assert_eq!(Build::Instrumented.sanitize_option(recover), Some(recover.into()));
    }
}
