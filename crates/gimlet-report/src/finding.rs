//! Something that is wrong with the program.

use std::path::PathBuf;

use gimlet_trace::finding::Kind;
use gimlet_trace::Input;
use serde::{Deserialize, Serialize};

use crate::shown::ShownBy;

/// Bytes of each source of a finding's input that are at hand.
const N_SHOWN_BYTES: usize = 4096;

/// Something that is wrong with the program, as far as it is shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    pub id: usize,
    #[serde(with = "crate::kind")]
    pub kind: Kind,
    /// The innermost function of the program's own, and where.
    pub frame: Option<Frame>,
    /// All functions that were running, the innermost first.
    pub stack: Vec<Frame>,
    pub shown_by: ShownBy,
    /// Runs that ended so.
    pub n_runs: u64,
    /// How the program ended, in words.
    pub ended: String,
    /// Of its input, below the folder of results.
    pub path: PathBuf,
    pub sources: Vec<Beginning>,
}

/// A function that was running; as JSON `[function, file, line, is the program's own]`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "FrameRow", into = "FrameRow")]
pub struct Frame {
    pub function: String,
    pub file: Option<String>,
    /// 0 if it is not known.
    pub line: u32,
    /// Part of the program itself, not of a library that has no line tables.
    pub is_program: bool,
}

type FrameRow = (String, Option<String>, u32, bool);

impl From<FrameRow> for Frame {
    fn from((function, file, line, is_program): FrameRow) -> Frame {
        Frame { function, file, line, is_program }
    }
}

impl From<Frame> for FrameRow {
    fn from(Frame { function, file, line, is_program }: Frame) -> FrameRow {
        (function, file, line, is_program)
    }
}

/// A source of an input, from its beginning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Beginning {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Of the whole.
    pub n_bytes: usize,
}

impl Beginning {
    /// Of each source of an input.
    pub fn all(input: &Input) -> Vec<Beginning> {
        let beginning = |source: &gimlet_trace::Source| Beginning {
            name: source.name.clone(),
            bytes: source.bytes.iter().take(N_SHOWN_BYTES).copied().collect(),
            n_bytes: source.bytes.len(),
        };
        input.sources.iter().map(beginning).collect()
    }
}

/// Functions that end a program on somebody else's behalf.
const MESSENGERS: [&str; 6] =
    ["reach_error", "__VERIFIER_error", "gimlet_assert", "__assert_fail", "__assert_perror_fail", "abort"];

/// What UndefinedBehaviorSanitizer calls; it has a function for each kind.
pub const HANDLER: &str = "__ubsan_handle_";
/// What all functions of the runtimes begin with, models of the library's among them.
const OURS: &str = "gimlet_";

/// Whether a function that was running is the program's own doing: the innermost such one is the place of a finding.
pub fn is_own(function: &str, is_program: bool) -> bool {
    let is_messenger = MESSENGERS.contains(&function) || function.starts_with(HANDLER) || function.starts_with(OURS);
    is_program && !is_messenger
}

impl Finding {
    /// From a store; `None` if that has something else.
    pub fn from_record(record: gimlet_store::Finding) -> Option<Finding> {
        let stack: Vec<Frame> = serde_json::from_str(&record.stack).ok()?;
        Some(Finding {
            id: record.id as usize,
            kind: Kind::from_name(&record.kind)?,
            frame: stack.iter().find(|frame| is_own(&frame.function, frame.is_program)).cloned(),
            stack,
            shown_by: ShownBy::from_bits(record.shown_by),
            n_runs: record.n_runs,
            ended: record.ended,
            path: record.path.into(),
            sources: Beginning::all(&record.input),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shown::Build;

    #[test]
    fn findings_are_read_from_stores() {
        let record = gimlet_store::Finding {
            id: 3,
            kind: "abort".into(),
            signature: 1,
            run: None,
            stack: r#"[["abort",null,0,false],["reach_error","a.c",2,true],["f","a.c",7,true]]"#.into(),
            shown_by: 1,
            input: Input::stdin(vec![b'x'; N_SHOWN_BYTES + 1]),
            path: "crashes/id:000003".into(),
            n_runs: 5,
            ended: "was killed".into(),
        };
        let finding = Finding::from_record(record.clone()).unwrap();
        assert_eq!(finding.frame.as_ref().map(|frame| frame.line), Some(7));
        assert_eq!((finding.shown_by, finding.stack.len()), (Build::Plain.into(), 3));
        assert_eq!((finding.sources[0].bytes.len(), finding.sources[0].n_bytes), (N_SHOWN_BYTES, N_SHOWN_BYTES + 1));
        assert!(Finding::from_record(gimlet_store::Finding { stack: "{}".into(), ..record }).is_none());
    }
}
