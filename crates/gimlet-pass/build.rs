//! Compiles the C++ parts against LLVM's headers, and makes the tables of library functions that have a model, or that the
//! memory build has functions of its own for. LLVM's symbols come from clang when it loads the plugin.

use std::path::Path;
use std::process::Command;

const SHIM: &str = "src/shim.cpp";

fn main() {
    shim();
    functions("gimlet-runtime/src/model", "\nmodels! {", "models.rs");
    functions("gimlet-memory/src/functions", "\nfunctions! {", "functions.rs");
}

fn shim() {
    println!("cargo:rerun-if-changed={SHIM}");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let prefix = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or_else(|_| "/usr".into());
    // For unit tests, which have no clang around them.
    println!("cargo:rustc-link-search={prefix}/lib");
    let config = format!("{prefix}/bin/llvm-config");
    let include = Command::new(&config).arg("--includedir").output().unwrap_or_else(|error| {
        panic!("{config}: {error}. `cargo xtask test` installs LLVM 19, or set LLVM_SYS_191_PREFIX")
    });
    let include = String::from_utf8_lossy(&include.stdout).trim().to_string();
    cc::Build::new()
        .cpp(true)
        .compiler(format!("{prefix}/bin/clang++"))
        .file(SHIM)
        .flag("-isystem")
        .flag(&include)
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .pic(true)
        .opt_level(2)
        .debug(false)
        .cpp_link_stdlib(None)
        .compile("gimlet_shim");
}

/// Reads a runtime's functions: what its lists and `variadic!` name, with the types of the functions behind them.
fn functions(folder: &str, list: &str, table_name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut table = Vec::new();
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for file in files {
        let path = file.expect("a file of the folder").path();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let fail = |what: String| -> ! { panic!("{}: {what}", path.display()) };
        for entry in entries(&text, list) {
            let (name, function) = entry.split_once(':').map_or((entry, entry), |(name, of)| (name, of.trim()));
            let signature = signature(&text, function).unwrap_or_else(|what| fail(what));
            table.push((name.to_string(), signature));
        }
        for entry in entries(&text, "\nvariadic! {") {
            let parts: Vec<&str> = entry.split([':', '(', ')']).map(str::trim).collect();
            let [name, function, fixed, ..] = parts[..] else { fail(format!("variadic! {entry}")) };
            let signature = signature(&text, function).unwrap_or_else(|what| fail(what));
            let fixed: usize = fixed.parse().unwrap_or_else(|_| fail(format!("variadic! {entry}")));
            table.push((name.to_string(), format!("{}.", &signature[..1 + fixed])));
        }
    }
    table.sort();
    if let Some(twice) = table.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        panic!("{}: {} is there twice", folder.display(), twice[0].0);
    }
    let lines: String = table.iter().map(|(name, signature)| format!("    ({name:?}, {signature:?}),\n")).collect();
    let out = Path::new(&std::env::var("OUT_DIR").expect("cargo sets it")).join(table_name);
    std::fs::write(&out, format!("&[\n{lines}]\n")).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

/// The entries of each list that begins with `begin`.
fn entries<'a>(text: &'a str, begin: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(begin)
        .skip(1)
        .flat_map(|rest| rest.split("\n}").next().unwrap_or("").split(','))
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
}

/// The types of a function, a letter each, result first: see `Signature` in the pass's `module.rs`.
fn signature(text: &str, function: &str) -> Result<String, String> {
    let head = format!("pub unsafe extern \"C\" fn {function}(");
    let rest = text.split_once(&head).ok_or(format!("no `{head}..`"))?.1;
    let (parameters, rest) = rest.split_once(')').ok_or(format!("{function}: no end of its parameters"))?;
    let result = rest.split_once('{').and_then(|(result, _)| result.trim().strip_prefix("->"));
    let mut types = vec![result.map_or("()", str::trim)];
    types.extend(parameters.split(',').filter_map(|parameter| Some(parameter.split_once(':')?.1.trim())));
    types
        .iter()
        .map(|ty| letter(ty).ok_or(format!("{function}: the build script of the pass doesn't know {ty}")))
        .collect()
}

fn letter(ty: &str) -> Option<char> {
    match ty {
        "()" | "!" => Some('v'),
        "c_int" | "u32" | "i32" => Some('w'),
        "usize" | "isize" | "u64" | "i64" => Some('l'),
        "f64" => Some('d'),
        "f32" => Some('f'),
        "Pair" => Some('s'),
        "Compare" | "Routine" => Some('p'),
        _ if ty.starts_with('*') => Some('p'),
        _ => None,
    }
}
