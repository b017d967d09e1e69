//! `--prefix`: seeds with a stretch behind so many bytes.

use gimlet_trace::stretch::STRETCH_MAX;
use gimlet_trace::{Input, SourceKind};

use crate::error::ExploreError;
use crate::manifest::DEFAULT_STRATEGY;
use crate::program::subject::ROOM;
use crate::spec::SearchSpec;
use crate::strategy::Kind;

/// Bytes of the longest input with a stretch.
pub const LEN_DEFAULT: usize = 4096;
/// What a stretch is made of at first.
const UNIT: u8 = b'a';

/// Seeds with a stretch behind the prefix that the user wants.
pub fn stretched(spec: &SearchSpec, mut seeds: Vec<Input>) -> Result<Vec<Input>, ExploreError> {
    let Some(prefix) = spec.strategy.prefix else { return Ok(seeds) };
    let strategy = spec.strategy.name.unwrap_or(DEFAULT_STRATEGY);
    if !matches!(strategy, Kind::Hybrid | Kind::Dfs | Kind::Generational | Kind::Random) {
        let message = format!("--prefix is for searches that ask about bytes, and {} does not", strategy.name());
        return Err(ExploreError::refused(message, "leave it out, or choose hybrid, dfs, generational or random"));
    }
    if prefix >= STRETCH_MAX {
        let message = format!("--prefix is below {STRETCH_MAX}");
        return Err(ExploreError::refused(message, "it is the number of bytes before the filler"));
    }
    let max_len = spec.strategy.max_len.unwrap_or(LEN_DEFAULT);
    if max_len <= prefix || max_len > STRETCH_MAX {
        let message = format!("with --prefix {prefix}, --max-len is between {} and {STRETCH_MAX}", prefix + 1);
        return Err(ExploreError::refused(message, format!("it is {max_len}: the longest input")));
    }
    seeds.iter_mut().for_each(|input| stretch(input, prefix, max_len));
    Ok(seeds)
}

fn stretch(input: &mut Input, prefix: usize, max_len: usize) {
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
