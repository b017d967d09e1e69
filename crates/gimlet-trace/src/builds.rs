//! The builds of a program that `gimlet-cc` makes beside the instrumented one, by what their names end with.

/// As clang would build it.
pub const PLAIN_SUFFIX: &str = ".plain";
/// Counts the directions of branches.
pub const EDGES_SUFFIX: &str = ".edges";
/// Checks accesses to memory, and counts as well.
pub const MEMORY_SUFFIX: &str = ".memory";
/// Has sanitizers.
pub const ASAN_SUFFIX: &str = ".asan";
/// Has source-based coverage.
pub const COV_SUFFIX: &str = ".cov";
