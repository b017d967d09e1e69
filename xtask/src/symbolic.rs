//! Makes the globals of a csmith program symbolic, by a change of its text.
//!
//! Csmith writes each global on a line of its own, as `static TYPE g_N = ...;`.
//! A line `gimlet_symbolic((void *)&g_N, sizeof g_N, "g_N");` at the start of
//! `main` leaves the global at its own value and makes it input. Constants can't
//! be written, and another pointer would end the program: both are left alone,
//! and so are unions and structs with a pointer in them.
//!
//! At the end, csmith's programs compute a checksum of all globals. Branches on
//! its bits are added, so that no global can lose its dependency unseen.

use std::collections::BTreeSet;

/// Put before the checksum is printed.
const BRANCHES: &str =
    "    for (int bit = 0; bit < 32; bit++) { static volatile int ones; if (crc32_context >> bit & 1) ones++; }\n";

/// The changed program.
pub fn make_symbolic(program: &str) -> String {
    let globals = globals(program);
    let calls: String = globals
        .iter()
        .map(|name| format!("    gimlet_symbolic((void *)&{name}, sizeof {name}, \"{name}\");\n"))
        .collect();
    let mut out = String::from("#include <gimlet.h>\n");
    let mut is_main = false;
    for line in program.lines() {
        if line.trim_start().starts_with("platform_main_end(") {
            out.push_str(BRANCHES);
        }
        out.push_str(line);
        out.push('\n');
        is_main |= line.starts_with("int main");
        if is_main && line == "{" {
            out.push_str(&calls);
            is_main = false;
        }
    }
    out
}

/// Names of the globals that can be made symbolic.
fn globals(program: &str) -> Vec<&str> {
    let pointed = types_with_pointers(program);
    program.lines().filter_map(|line| global(line, &pointed)).collect()
}

/// The global that the line defines, unless it is constant or has pointers.
fn global<'a>(line: &'a str, pointed: &BTreeSet<&str>) -> Option<&'a str> {
    let declarator = line.strip_prefix("static ")?.split_once(" = ")?.0;
    let words: Vec<&str> = declarator.split_whitespace().collect();
    let is_left_alone = |word: &&str| *word == "const" || pointed.contains(*word);
    if declarator.contains('*') || words.iter().any(is_left_alone) {
        return None;
    }
    words.last()?.split('[').next().filter(|name| name.starts_with("g_"))
}

/// Names (`S0`, `U1`) of the types that hold a pointer, or a type that does.
fn types_with_pointers(program: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut current = None;
    for line in program.lines() {
        if let Some(name) = line
            .strip_prefix("struct ")
            .or_else(|| line.strip_prefix("union "))
            .and_then(|rest| rest.strip_suffix(" {"))
        {
            current = Some(name);
        } else if line.starts_with('}') {
            current = None;
        } else if let Some(name) = current
            && (line.contains('*') || line.split_whitespace().any(|word| found.contains(word)))
        {
            found.insert(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "\
struct S0 {
   int8_t  f0;
};
union U0 {
   int8_t * f0;
};
struct S1 {
   union U0  f0;
};
static int32_t g_2 = 1L;
static volatile int16_t g_3[2][3] = {{1L}};/* VOLATILE GLOBAL g_3 */
static struct S0 g_4 = {0L};
static struct S1 g_5 = {{0}};
static const int16_t g_6 = 0L;
static int16_t *g_7 = &g_6;
static int32_t  func_1(void);
int main (int argc, char* argv[])
{
    int i;
    platform_main_end(crc32_context ^ 0xFFFFFFFFUL, print_hash_value);
    return 0;
}
";

    #[test]
    fn pointers_and_constants_are_left_alone() {
        assert_eq!(globals(PROGRAM), ["g_2", "g_3", "g_4"]);
    }

    #[test]
    fn calls_stand_at_the_start_of_main() {
        let changed = make_symbolic(PROGRAM);
        assert!(changed.contains("{\n    gimlet_symbolic((void *)&g_2, sizeof g_2, \"g_2\");\n"));
        assert_eq!(changed.matches("gimlet_symbolic(").count(), 3);
        assert!(changed.contains("ones++; }\n    platform_main_end("));
    }
}
