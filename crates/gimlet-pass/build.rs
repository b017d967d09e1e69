//! Compiles the C++ parts against LLVM's headers. LLVM's symbols come from clang when it loads the plugin.

use std::process::Command;

const FILES: [&str; 2] = ["src/outline.cpp", "src/shim.cpp"];

fn main() {
    for file in FILES {
        println!("cargo:rerun-if-changed={file}");
    }
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let prefix = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or_else(|_| "/usr".into());
    let config = format!("{prefix}/bin/llvm-config");
    let include = Command::new(&config).arg("--includedir").output().unwrap_or_else(|error| {
        panic!("{config}: {error}. `cargo xtask test` installs LLVM 19, or set LLVM_SYS_191_PREFIX")
    });
    let include = String::from_utf8_lossy(&include.stdout).trim().to_string();
    cc::Build::new()
        .cpp(true)
        .compiler(format!("{prefix}/bin/clang++"))
        .files(FILES)
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
