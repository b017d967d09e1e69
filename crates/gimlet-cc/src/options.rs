//! What is known of single options: which ones take the next argument as their
//! value, and our own.

use anyhow::{bail, Result};

/// Printed after clang's own help.
pub const HELP: &str = "\
GIMLET OPTIONS:
  -fgimlet=<list>         What the pass adds, separated by commas:
                            branch-log  log every branch, symbolic or not (for `gimlet audit`)
                            memory      the same as --with=memory
  --with=<list>           Make these builds too, as PROG.memory, PROG.asan and PROG.cov:
                            memory  every access is checked against the object that its
                                    pointer belongs to; `gimlet run` then looks for such bugs
                            asan    AddressSanitizer and UndefinedBehaviorSanitizer
                            cov     clang's source-based coverage
  --checks=<list>         What else ends the program, in all builds:
                            shift     a shift by too much, or by less than nothing
                            overflow  arithmetic of signed numbers that overflows
  --without=<list>        Do not make these: plain, edges
  --gimlet-version        Print the version of gimlet-cc

ENVIRONMENT:
  GIMLET_WITH             A list as in --with=
  GIMLET_WITHOUT          A list as in --without=
  GIMLET_CHECKS           A list as in --checks=
  GIMLET_CLANG            The clang 19 to use instead of clang-19 (clang++-19)";

/// An addition to the instrumentation that `-fgimlet=` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    BranchLog,
}

impl Feature {
    /// The name on the command line, which is also what the pass reads from its environment.
    pub fn name(self) -> &'static str {
        match self {
            Feature::BranchLog => "branch-log",
        }
    }

    /// The features of a comma-separated list.
    pub fn parse_list(list: &str) -> Result<Vec<Feature>> {
        list.split(',').filter(|name| !name.is_empty()).map(Feature::parse).collect()
    }

    fn parse(name: &str) -> Result<Feature> {
        match name {
            "branch-log" => Ok(Feature::BranchLog),
            _ => bail!("unknown value '{name}' in -fgimlet=; known: branch-log, memory"),
        }
    }
}

/// Undefined arithmetic that is to end the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    Shift,
    Overflow,
}

impl Check {
    const ALL: [(&'static str, Check); 2] = [("shift", Check::Shift), ("overflow", Check::Overflow)];

    /// The checks of a comma-separated list.
    pub fn parse_list(list: &str) -> Result<Vec<Check>> {
        list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Check::parse).collect()
    }

    fn parse(name: &str) -> Result<Check> {
        match Check::ALL.into_iter().find(|(known, _)| *known == name) {
            Some((_, check)) => Ok(check),
            None => bail!("unknown value '{name}' in --checks=; known: shift, overflow"),
        }
    }

    /// What clang calls it.
    pub fn sanitizer(self) -> &'static str {
        match self {
            Check::Shift => "shift",
            Check::Overflow => "signed-integer-overflow",
        }
    }
}

/// Options of clang whose value is the next argument.
const SEPARATE: &[&str] = &[
    "--analyzer-output",
    "--config",
    "--include-directory",
    "--param",
    "--serialize-diagnostics",
    "--sysroot",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-V",
    "-Xanalyzer",
    "-Xarch_device",
    "-Xarch_host",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-b",
    "-c-isystem",
    "-cxx-isystem",
    "-dependency-dot",
    "-dependency-file",
    "-dumpdir",
    "-e",
    "-fmodules-user-build-path",
    "-framework",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-mllvm",
    "-module-dependency-dir",
    "-mthread-model",
    "-o",
    "-resource-dir",
    "-rpath",
    "-serialize-diagnostics",
    "-stdlib++-isystem",
    "-target",
    "-u",
    "-undefined",
    "-working-directory",
    "-x",
    "-z",
];

/// Whether the value of `option` is the next argument.
pub fn takes_next(option: &str) -> bool {
    SEPARATE.binary_search(&option).is_ok() || option.starts_with("-Xarch_") || option.starts_with("-Xopenmp-target=")
}

/// Options that make clang answer a question instead of compiling.
pub fn is_query(option: &str) -> bool {
    matches!(
        option,
        "--version"
            | "-dumpmachine"
            | "-dumpversion"
            | "-dumpfullversion"
            | "-###"
            | "-cc1"
            | "-cc1as"
            | "--autocomplete"
    ) || option.starts_with("-print-")
        || option.starts_with("--print-")
        || option.starts_with("--autocomplete=")
        || option.starts_with("-ccc-print-")
}

/// Whether the option is about link-time optimisation, or makes no sense without it.
pub fn is_lto(option: &str) -> bool {
    option.starts_with("-flto")
        || matches!(
            option,
            "-fno-lto"
                | "-ffat-lto-objects"
                | "-fno-fat-lto-objects"
                | "-fsplit-lto-unit"
                | "-fno-split-lto-unit"
                | "-fwhole-program-vtables"
                | "-fno-whole-program-vtables"
                | "-fvirtual-function-elimination"
        )
}

/// Whether the option sets how much debug information there is, and if so whether there is any.
pub fn debug_level(option: &str) -> Option<bool> {
    match option {
        "-g0" | "-ggdb0" => Some(false),
        "-g" | "-g1" | "-g2" | "-g3" | "-gmlt" | "-gline-tables-only" | "--debug" => Some(true),
        _ if option.starts_with("-ggdb") || option.starts_with("-gdwarf") || option.starts_with("-glldb") => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        assert!(SEPARATE.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(takes_next("-o") && takes_next("-MF") && !takes_next("-O2") && !takes_next("-ofoo"));
    }

    #[test]
    fn features() {
        assert_eq!(Feature::parse_list("branch-log").unwrap(), [Feature::BranchLog]);
        assert!(Feature::parse_list("").unwrap().is_empty());
        let error = Feature::parse_list("branch-log,speed").unwrap_err().to_string();
        assert!(error.contains("'speed'"), "{error}");
    }

    #[test]
    fn checks() {
        assert_eq!(Check::parse_list("shift, overflow").unwrap(), [Check::Shift, Check::Overflow]);
        let error = Check::parse_list("shift,speed").unwrap_err().to_string();
        assert!(error.contains("'speed'"), "{error}");
    }

    #[test]
    fn debug_levels() {
        assert_eq!(debug_level("-g"), Some(true));
        assert_eq!(debug_level("-g0"), Some(false));
        assert_eq!(debug_level("-gdwarf-4"), Some(true));
        assert_eq!(debug_level("-gz"), None);
        assert_eq!(debug_level("-gno-column-info"), None);
    }
}
