use super::*;

fn parse(line: &str) -> CommandLine {
    let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    CommandLine::parse(&args).unwrap()
}

/// Stage, linkage, inputs with their kinds, output.
fn check(line: &str, expected: &str) {
    let command = parse(line);
    let inputs: Vec<String> =
        command.inputs().map(|input| format!("{}:{:?}", input.path.display(), input.kind)).collect();
    let output = command.output.as_ref().map_or("-".into(), |path| path.display().to_string());
    let query = command.query.map_or(String::new(), |query| format!(" {query:?}"));
    let actual = format!("{:?} {:?} [{}] {output}{query}", command.stage, command.linkage, inputs.join(" "));
    assert_eq!(actual, expected, "{line}");
}

#[test]
fn stages() {
    check("a.c", "Link Executable [a.c:Source] -");
    check("-c a.c", "Object Executable [a.c:Source] -");
    check("-c -S a.c -o a.s", "Assembly Executable [a.c:Source] a.s");
    check("-E a.c", "Preprocess Executable [a.c:Source] -");
    check("-MM a.c -c", "Preprocess Executable [a.c:Source] -");
    check("-MMD -MF a.d -c a.c -oa.o", "Object Executable [a.c:Source] a.o");
    check("-fsyntax-only a.c", "Check Executable [a.c:Source] -");
    check("-c common.h", "Check Executable [common.h:Header] -");
}

#[test]
fn inputs() {
    check("a.o b.a -o p libc.so.6", "Link Executable [a.o:Linked b.a:Linked libc.so.6:Linked] p");
    check("-x c - -o p", "Link Executable [-:Source] p");
    check("-xc++ a.inc -x none b.o", "Link Executable [a.inc:Source b.o:Linked] -");
    check("-c -x assembler-with-cpp start.inc", "Object Executable [start.inc:Assembly] -");
    check("a.S b.s c.cpp d.ll", "Link Executable [a.S:Assembly b.s:Assembly c.cpp:Source d.ll:Source] -");
    check("-c -- -odd.c", "Object Executable [-odd.c:Source] -");
    check("-I inc -D X.c -include pre.h -Xclang -foo.c a.c", "Link Executable [a.c:Source] -");
}

#[test]
fn linkages() {
    check("-shared a.o -o a.so", "Link Shared [a.o:Linked] a.so");
    check("-r a.o b.o -o c.o", "Link Relocatable [a.o:Linked b.o:Linked] c.o");
    check("-Wl,-r a.o -o c.o", "Link Relocatable [a.o:Linked] c.o");
    assert!(parse("-static a.o").is_static);
}

#[test]
fn queries() {
    check("--version", "Link Executable [] - Clang");
    check("-v", "Link Executable [] - Clang");
    check("", "Link Executable [] - Clang");
    check("-print-prog-name=ld", "Link Executable [] - Clang");
    check("-dumpmachine a.c", "Link Executable [a.c:Source] - Clang");
    check("--help", "Link Executable [] - Help");
    check("--gimlet-version", "Link Executable [] - Version");
    // clang says why
    check("-c a.c b.c -o c.o", "Object Executable [a.c:Source b.c:Source] c.o Clang");
}

#[test]
fn flags_keep_their_values_and_order() {
    let command = parse("-O2 -MF a.d -lm -Wl,-z,defs -Xlinker --as-needed -fsanitize=fuzzer -L lib -Llib2 a.c -l z");
    let flags: Vec<String> = command
        .items
        .iter()
        .map(|item| match item {
            Item::Flag(flag) => format!("{:?} {}", flag.role, flag.args.join(OsStr::new(" ")).to_string_lossy()),
            Item::Library(name) => format!("library {}", name.to_string_lossy()),
            Item::Input(input) => format!("input {}", input.path.display()),
        })
        .collect();
    let expected = [
        "General -O2",
        "SideFile -MF a.d",
        "library m",
        "Linker -z defs",
        "Linker --as-needed",
        "Sanitize -fsanitize=fuzzer",
        "General -L lib",
        "General -Llib2",
        "input a.c",
        "library z",
    ];
    assert_eq!(flags, expected);
    assert_eq!(command.library_dirs(), [PathBuf::from("lib"), PathBuf::from("lib2")]);
}

#[test]
fn unsupported_is_said() {
    let why = |line: &str| parse(line).check_supported().err().map(|error| error.to_string()).unwrap_or_default();
    assert!(why("-m32 -c a.c").starts_with("-m32 "));
    assert!(why("--target=aarch64-linux-gnu a.c").contains("aarch64"));
    assert_eq!(why("--target=x86_64-linux-gnu a.c"), "");
    assert_eq!(why("-m32 -E a.c"), "");
}

#[test]
fn link_time_optimisation_is_left_out() {
    let command = parse("-O2 -flto=auto -ffat-lto-objects -fwhole-program-vtables a.c");
    assert_eq!(command.lto.as_deref(), Some("-flto=auto"));
    assert_eq!(command.flags().count(), 1);
    assert_eq!(parse("-flto -fno-lto a.c").lto, None);
}

#[test]
fn twins() {
    let names = |line: &str| parse(line).choice.twins().into_iter().map(|twin| twin.name()).collect::<Vec<_>>();
    assert_eq!(names("a.c"), ["plain", "edges"]);
    assert_eq!(names("--with=asan,cov --without=edges a.c"), ["plain", "asan", "cov"]);
    assert!(CommandLine::parse(&["--with=nonsense".into()]).is_err());
}

#[test]
fn own_flag() {
    assert_eq!(parse("-fgimlet=branch-log a.c").features, [Feature::BranchLog]);
    assert!(CommandLine::parse(&["-fgimlet=nonsense".into()]).is_err());
    assert!(CommandLine::parse(&["-fgimlet".into()]).is_err());
}

#[test]
fn debug_information() {
    assert!(!parse("a.c").has_debug);
    assert!(parse("-g a.c").has_debug);
    assert!(!parse("-g -g0 a.c").has_debug);
    assert!(parse("-ggdb3 -gz a.c").has_debug);
}

#[test]
fn what_build_systems_try_out() {
    let is_probe = |line: &str, dir: &str| parse(line).is_probe(Path::new(dir));
    assert!(is_probe("-c conftest.c", "/build") && is_probe("-o conftest -O2 conftest.c -lm", "/build"));
    assert!(is_probe("conftest.o -o conftest", "/build"));
    assert!(is_probe("-c /usr/share/cmake/CMakeCCompilerABI.c", "/build/CMakeFiles/CMakeScratch/TryCompile-x"));
    assert!(is_probe("meson-private/tmp1/testfile.c", "/build"));
    assert!(!is_probe("-c conftest.c main.c", "/build") && !is_probe("-c a.c", "/build") && !is_probe("-lm", "/build"));
}
