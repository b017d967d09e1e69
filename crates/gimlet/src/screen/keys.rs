//! Keys, as terminals send them.
//!
//! The terminal is read here and not by a library, because one that has gone away must be noticed at once: the search is
//! about to end, and would wait for this.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Sign(char),
    Control(char),
    Enter,
    Escape,
    Backspace,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    F1,
}

/// Where keys come from.
pub struct Keyboard {
    terminal: File,
}

impl Keyboard {
    pub fn open() -> io::Result<Keyboard> {
        let stdin = io::stdin();
        let terminal = match stdin.is_terminal() {
            true => File::from(stdin.as_fd().try_clone_to_owned()?),
            false => OpenOptions::new().read(true).open("/dev/tty")?,
        };
        Ok(Keyboard { terminal })
    }

    /// The keys of some time; at least one is waited for. An error if the terminal is gone.
    pub fn read(&mut self, wait: Duration) -> io::Result<Vec<Key>> {
        let mut request = libc::pollfd { fd: self.terminal.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one pollfd, which is local.
        let n_ready = unsafe { libc::poll(&mut request, 1, wait.as_millis() as libc::c_int) };
        // An error is a signal, and whoever asks comes again.
        if n_ready <= 0 {
            return Ok(Vec::new());
        }
        let mut bytes = [0; 256];
        match self.terminal.read(&mut bytes) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n_bytes) => Ok(decode(&bytes[..n_bytes])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

/// What was typed. Signs beyond ASCII mean nothing here.
fn decode(mut bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let [first, rest @ ..] = bytes {
        bytes = rest;
        match first {
            0x1b => {
                let (key, n_bytes) = sequence(rest);
                keys.extend(key);
                bytes = &rest[n_bytes..];
            }
            b'\r' | b'\n' => keys.push(Key::Enter),
            0x08 | 0x7f => keys.push(Key::Backspace),
            1..=26 => keys.push(Key::Control(char::from(first - 1 + b'a'))),
            b' '..=b'~' => keys.push(Key::Sign(char::from(*first))),
            _ => {}
        }
    }
    keys
}

/// What stands behind an escape: the rest of a key and its length, or nothing, and then it is that key itself.
fn sequence(bytes: &[u8]) -> (Option<Key>, usize) {
    let [b'[' | b'O', rest @ ..] = bytes else { return (Some(Key::Escape), 0) };
    let n_parameters = rest.iter().take_while(|&&byte| (b'0'..=b'?').contains(&byte)).count();
    let number: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).collect();
    let Some(last) = rest.get(n_parameters) else { return (None, bytes.len()) };
    let key = match (last, &*number) {
        (b'A', _) => Some(Key::Up),
        (b'B', _) => Some(Key::Down),
        (b'C', _) => Some(Key::Right),
        (b'D', _) => Some(Key::Left),
        (b'H', _) | (b'~', b"1" | b"7") => Some(Key::Home),
        (b'F', _) | (b'~', b"4" | b"8") => Some(Key::End),
        (b'~', b"5") => Some(Key::PageUp),
        (b'~', b"6") => Some(Key::PageDown),
        (b'P', _) | (b'~', b"11") => Some(Key::F1),
        _ => None,
    };
    (key, 2 + n_parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], keys: &[Key]) {
        assert_eq!(decode(bytes), keys, "{bytes:?}");
    }

    #[test]
    fn keys_are_told_apart() {
        check(b"qp?", &[Key::Sign('q'), Key::Sign('p'), Key::Sign('?')]);
        check(b"\x03\x1a\x0c", &[Key::Control('c'), Key::Control('z'), Key::Control('l')]);
        check(b"\r\n\x7f\x1b", &[Key::Enter, Key::Enter, Key::Backspace, Key::Escape]);
        check(b"\x1b[A\x1bOB\x1b[1;5C\x1b[D", &[Key::Up, Key::Down, Key::Right, Key::Left]);
        check(b"\x1b[5~\x1b[6~\x1b[H", &[Key::PageUp, Key::PageDown, Key::Home]);
        check(b"\x1bOF\x1b[4~\x1bOP\x1bq", &[Key::End, Key::End, Key::F1, Key::Escape, Key::Sign('q')]);
    }

    #[test]
    fn what_nobody_knows_is_no_key() {
        // A key with a number, a letter beyond ASCII, an answer of the terminal that is cut off.
        check(b"\x1b[24~x\xc3\xa9\x1b[12", &[Key::Sign('x')]);
    }
}
