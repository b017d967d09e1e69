//! `--prefix`: seeds with a stretch behind so many bytes.

use anyhow::Result;
use gimlet_explore::strategy;
use gimlet_trace::stretch::STRETCH_MAX;
use gimlet_trace::{Input, SourceKind};

use crate::exit::hinted;
use crate::explore::ROOM;
use crate::options::ExplorePlan;

/// Bytes of the longest input with a stretch.
pub const LEN_DEFAULT: usize = 4096;
/// What a stretch is made of at first.
const UNIT: u8 = b'a';

/// Seeds with a stretch behind the prefix that the user wants.
pub fn stretched(plan: &ExplorePlan, strategy: strategy::Kind, mut seeds: Vec<Input>) -> Result<Vec<Input>> {
    let Some(prefix) = plan.prefix else { return Ok(seeds) };
    use strategy::Kind;
    if !matches!(strategy, Kind::Hybrid | Kind::Dfs | Kind::Generational | Kind::Random) {
        let message = format!("--prefix is for searches that ask about bytes, and {} does not", strategy.name());
        return Err(hinted(message, "leave it out, or choose hybrid, dfs, generational or random"));
    }
    if prefix >= STRETCH_MAX {
        return Err(hinted(format!("--prefix is below {STRETCH_MAX}"), "it is the number of bytes before the filler"));
    }
    let max_len = plan.max_len.unwrap_or(LEN_DEFAULT);
    if max_len <= prefix || max_len > STRETCH_MAX {
        let message = format!("with --prefix {prefix}, --max-len is between {} and {STRETCH_MAX}", prefix + 1);
        return Err(hinted(message, format!("it is {max_len}: the longest input")));
    }
    for input in &mut seeds {
        for number in 0..input.sources.len() {
            let source = &mut input.sources[number];
            if matches!(source.kind, SourceKind::Arg | SourceKind::Env) {
                // The room that it has to grow is the stretch.
                source.bytes.truncate(source.bytes.len() - ROOM);
            }
            let has_zeros = source.bytes.iter().all(|&byte| byte == 0);
            if has_zeros {
                source.bytes.clear();
            }
            // What does not fit behind the filler is left out.
            let len = source.bytes.len().clamp(prefix, max_len - 1);
            source.bytes.resize(len, UNIT);
            source.bytes.insert(prefix, UNIT);
            if input.stretch(number, prefix, 1, max_len - len) {
                *input = input.begun();
            }
        }
    }
    Ok(seeds)
}
