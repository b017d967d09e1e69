//! The C compiler.

use std::process::ExitCode;

fn main() -> ExitCode {
    gimlet_cc::main(gimlet_cc::Language::C)
}
