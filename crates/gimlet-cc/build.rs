//! Puts a link `gimlet-c++` beside the executables, because Cargo refuses a `+`
//! in the name of a target. Where that fails the compiler is there all the
//! same, as `gimlet-cxx`.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let out_dir = std::env::var_os("OUT_DIR").unwrap_or_default();
    // OUT_DIR is PROFILE_DIR/build/gimlet-cc-HASH/out
    let Some(profile_dir) = Path::new(&out_dir).ancestors().nth(3) else { return };
    let link = profile_dir.join("gimlet-c++");
    if link.symlink_metadata().is_err() {
        if let Err(error) = std::os::unix::fs::symlink("gimlet-cxx", &link) {
            println!("cargo:warning=no link {}: {error}", link.display());
        }
    }
}
