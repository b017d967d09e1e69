//! Which bytes are easy to read.

/// Of two bytes the one with the lower rank is easier to read.
pub fn rank(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'1'..=b'9' => 1,
        b'0' => 2,
        b'A'..=b'Z' => 3,
        b'_' => 4,
        b'!'..=b'~' => 5,
        b' ' => 6,
        b'\n' | b'\t' => 7,
        1..=127 => 8,
        _ => 9,
    }
}
