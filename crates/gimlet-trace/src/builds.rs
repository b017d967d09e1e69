//! The builds of a program that `gimlet-cc` makes beside the instrumented one.
//!
//! A *twin* is a build without labels. Its name follows that of the program (`calc.plain` beside `calc`) and is what users
//! call it in `--with=NAME` and `gimlet replay --build NAME`; in an instrumented object it has a section of its own.

macro_rules! twins {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $what:literal;)*) => {
        /// A build without labels.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Twin { $($(#[$doc])* $name),* }

        impl Twin {
            pub const ALL: &'static [Twin] = &[$(Twin::$name),*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Twin::$name => $text),* }
            }

            /// What the name of its file ends with.
            pub const fn suffix(self) -> &'static str {
                match self { $(Twin::$name => concat!(".", $text)),* }
            }

            /// The section of an instrumented object that holds this twin.
            pub const fn section(self) -> &'static str {
                match self { $(Twin::$name => concat!(".gimlet.", $text)),* }
            }

            /// What kind of build it is, in a sentence: "this is the ... build".
            pub const fn adjective(self) -> &'static str {
                match self { $(Twin::$name => $what),* }
            }
        }
    };
}

twins! {
    /// As clang would build it.
    Plain = "plain", "plain";
    /// Counts the directions of branches.
    Edges = "edges", "counting";
    /// Checks accesses to memory, and counts as well.
    Memory = "memory", "memory-checking";
    /// Has sanitizers.
    Asan = "asan", "sanitizer";
    /// Has source-based coverage.
    Cov = "cov", "coverage";
}

pub const PLAIN_SUFFIX: &str = Twin::Plain.suffix();
pub const EDGES_SUFFIX: &str = Twin::Edges.suffix();
pub const MEMORY_SUFFIX: &str = Twin::Memory.suffix();
pub const ASAN_SUFFIX: &str = Twin::Asan.suffix();

impl Twin {
    /// The twin of this name.
    pub fn from_name(name: &str) -> Option<Twin> {
        Twin::ALL.iter().copied().find(|twin| twin.name() == name)
    }

    /// The twin that a file is, and the name of the instrumented program, by the file's name.
    pub fn of_file(name: &str) -> Option<(&str, Twin)> {
        Twin::ALL.iter().find_map(|&twin| Some((name.strip_suffix(twin.suffix())?, twin)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for &twin in Twin::ALL {
            assert_eq!(Twin::from_name(twin.name()), Some(twin));
            let file = std::format!("dir/prog.exe{}", twin.suffix());
            assert_eq!(Twin::of_file(&file), Some(("dir/prog.exe", twin)));
        }
        assert_eq!((Twin::from_name("msan"), Twin::of_file("plain"), Twin::of_file("a.c")), (None, None, None));
    }

    #[test]
    fn files_and_sections_are_named_for_the_build() {
        assert_eq!((Twin::Edges.suffix(), Twin::Edges.section()), (".edges", ".gimlet.edges"));
    }
}
