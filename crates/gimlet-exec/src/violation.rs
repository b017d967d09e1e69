//! What the memory build has to say when an access is not right ([`gimlet_trace::memory`]).
//!
//! Its runtime keeps the report in a variable of its own before it ends the program, where a
//! tracer finds it: the program may have closed its streams, or written something of the kind.

use std::fmt;

use gimlet_trace::finding::{Access, Kind};
use gimlet_trace::memory::REPORT_MAGIC;

use crate::locate::Frame;

/// An access that is not right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub kind: Kind,
    /// What was going to be done.
    pub access: Access,
    pub n_bytes: u64,
    /// The library function that was to do it.
    pub function: Option<String>,
    /// What the pointer belongs to.
    pub object: Option<Object>,
}

/// The object that a pointer belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Object {
    /// heap, stack or global.
    pub place: String,
    pub size: u64,
    /// Of the access, from the object's beginning.
    pub offset: i64,
    /// Of a variable.
    pub name: Option<String>,
    /// The function whose variable it is.
    pub of: Option<String>,
    pub file: Option<String>,
    pub line: u32,
    /// Who made it and who ended it, the innermost first.
    pub made: Vec<Frame>,
    pub ended: Vec<Frame>,
}

/// Reads a report; `frames_at` says which functions are at a return address.
pub(crate) fn parse(text: &str, mut frames_at: impl FnMut(u64) -> Vec<Frame>) -> Option<Violation> {
    let text = text.strip_prefix(REPORT_MAGIC)?;
    let mut fields = text.lines().filter_map(|line| line.split_once(':').map(|(name, value)| (name, value.trim())));
    let mut violation = Violation {
        kind: Kind::from_name(fields.next().filter(|(name, _)| *name == "kind")?.1)?,
        access: Access::Read,
        n_bytes: 0,
        function: None,
        object: None,
    };
    let mut stack = |value: &str| {
        let addresses = value.split_whitespace().filter_map(|at| u64::from_str_radix(at.strip_prefix("0x")?, 16).ok());
        addresses.flat_map(|address| frames_at(address - 1)).filter(|frame| frame.is_program).collect()
    };
    for (name, value) in fields {
        let object = violation.object.get_or_insert_with(Object::default);
        match name {
            "access" => violation.access = Access::from_name(value).unwrap_or(Access::Read),
            "bytes" => violation.n_bytes = value.parse().unwrap_or(0),
            "function" => violation.function = Some(value.to_owned()),
            "object" => object.place = value.to_owned(),
            "size" => object.size = value.parse().unwrap_or(0),
            "offset" => object.offset = value.parse().unwrap_or(0),
            "name" if !value.is_empty() => object.name = Some(value.to_owned()),
            "of" => object.of = Some(value.to_owned()),
            "file" if !value.is_empty() => object.file = Some(value.to_owned()),
            "line" => object.line = value.parse().unwrap_or(0),
            "made" => object.made = stack(value),
            "ended" => object.ended = stack(value),
            _ => {}
        }
    }
    violation.object = violation.object.filter(|object| !object.place.is_empty());
    Some(violation)
}

/// So many bytes, in words.
fn bytes(n: u64) -> String {
    if n == 1 {
        "1 byte".to_owned()
    } else {
        format!("{n} bytes")
    }
}

/// Where the innermost function of some is.
fn place(frames: &[Frame]) -> Option<String> {
    let frame = frames.first()?;
    Some(match &frame.file {
        Some(file) => format!("{} ({file}:{})", frame.function, frame.line),
        None => frame.function.clone(),
    })
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(object) = self.object.as_ref().filter(|_| self.kind == Kind::Leak) {
            return write!(f, "loses{object}");
        }
        match self.access {
            Access::Decide => {
                write!(f, "depends on memory that nobody has written to")?;
                return self.function.iter().try_for_each(|function| write!(f, ", read by {function}"));
            }
            Access::Free => write!(f, "frees")?,
            Access::Allocate => write!(f, "allocates {}", bytes(self.n_bytes))?,
            Access::Write => write!(f, "writes {}", bytes(self.n_bytes))?,
            Access::Read => write!(f, "reads {}", bytes(self.n_bytes))?,
        }
        if let Some(function) = &self.function {
            write!(f, " by {function}")?;
        }
        let Some(object) = &self.object else { return Ok(()) };
        match object.offset {
            offset if offset < 0 => write!(f, ", {} before", bytes(offset.unsigned_abs()))?,
            offset if offset as u64 >= object.size => {
                write!(f, ", {} behind the end of", bytes(offset as u64 - object.size))?;
            }
            0 => write!(f, " at the beginning of")?,
            offset => write!(f, " at offset {offset} of")?,
        }
        object.fmt(f)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let size = bytes(self.size);
        match (self.place.as_str(), &self.name) {
            ("heap", _) => write!(f, " a heap block of {size}")?,
            ("global", None) => write!(f, " a string literal of {size}")?,
            ("global", Some(name)) => write!(f, " the global {name} of {size}")?,
            (_, Some(name)) => write!(f, " {name}, a variable of {size}")?,
            (_, None) => write!(f, " a variable of {size}")?,
        }
        if let Some(of) = &self.of {
            write!(f, " in {of}")?;
        }
        match (&self.file, self.line) {
            (Some(file), 0) => write!(f, " ({file})")?,
            (Some(file), line) => write!(f, " ({file}:{line})")?,
            (None, _) => {}
        }
        if let Some(made) = place(&self.made) {
            write!(f, ", allocated in {made}")?;
        }
        if let Some(ended) = place(&self.ended) {
            write!(f, ", freed in {ended}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames_at(address: u64) -> Vec<Frame> {
        let frame = |function: &str, is_program| Frame {
            function: function.into(),
            file: Some("a.c".into()),
            line: address as u32,
            is_program,
        };
        if address < 100 {
            vec![frame("make", true)]
        } else {
            vec![frame("libc", false)]
        }
    }

    #[test]
    fn reports_are_told_in_words() {
        let text = format!(
            "{REPORT_MAGIC}\nkind: heap-out-of-bounds\naccess: write\nbytes: 1\naddress: 0x10\nobject: heap\n\
             size: 10\noffset: 12\nmade: 0x11 0x100\n"
        );
        let violation = parse(&text, frames_at).unwrap();
        assert_eq!((violation.kind, violation.access), (Kind::HeapOutOfBounds, Access::Write));
        assert_eq!(violation.object.as_ref().map(|object| object.made.len()), Some(1));
        assert_eq!(
            violation.to_string(),
            "writes 1 byte, 2 bytes behind the end of a heap block of 10 bytes, allocated in make (a.c:16)"
        );
        let text = format!(
            "{REPORT_MAGIC}\nkind: unterminated-string\naccess: read\nbytes: 9\nfunction: strlen\nobject: stack\n\
             size: 8\noffset: 0\nname: buf\nof: main\nfile: a.c\nline: 3\n"
        );
        assert_eq!(
            parse(&text, frames_at).unwrap().to_string(),
            "reads 9 bytes by strlen at the beginning of buf, a variable of 8 bytes in main (a.c:3)"
        );
    }

    #[test]
    fn other_texts_are_no_reports() {
        assert_eq!(parse("kind: heap-out-of-bounds\n", frames_at), None);
        assert_eq!(parse(REPORT_MAGIC, frames_at), None);
        assert_eq!(parse(&format!("{REPORT_MAGIC}\nkind: bug\naccess: read\n"), frames_at), None);
        let bare = parse(&format!("{REPORT_MAGIC}\nkind: allocation-overflow\naccess: allocate\nbytes: 7"), frames_at);
        assert_eq!(bare.unwrap().to_string(), "allocates 7 bytes");
    }
}
