//! The C++ compiler, also known as `gimlet-c++`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gimlet_cc::main(gimlet_cc::Language::Cxx)
}
