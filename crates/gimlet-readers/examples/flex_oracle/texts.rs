//! Texts that a scanner has something to do with, the same ones every time.

use gimlet_grammar::scanner::lexer::Lexer;
use gimlet_grammar::scanner::ConditionId;
use gimlet_grammar::Source;

use super::Text;

const N_BYTES_MAX: usize = 160;

/// Marsaglia's xorshift.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

pub fn texts(lexer: &Lexer, source: &Source, n_texts: usize, has_zero: bool) -> Vec<Text> {
    let witnesses = lexer.automaton.witnesses(lexer.lex);
    let mut texts: Vec<Text> = witnesses.iter().map(|witness| (witness.condition, witness.text.clone())).collect();
    let pieces: Vec<Vec<u8>> = witnesses.into_iter().map(|witness| witness.text).collect();
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    while texts.len() < n_texts {
        let n_conditions = lexer.lex.conditions.len();
        let condition = ConditionId(if chance.below(2) == 0 { 0 } else { chance.below(n_conditions) } as u32);
        let mut text = match chance.below(4) {
            0 => walk(lexer, condition, &mut chance),
            1 => excerpt(source.text.as_bytes(), &mut chance),
            2 => bytes(&mut chance),
            _ => joined(&pieces, &mut chance),
        };
        for _ in 0..chance.below(4) {
            mutate(&mut text, &mut chance);
        }
        texts.push((condition, text));
    }
    for (_, text) in &mut texts {
        text.truncate(N_BYTES_MAX);
        if lexer.lex.options.byte_max() < 0x80 {
            text.iter_mut().for_each(|byte| *byte &= 0x7f);
        }
        if !has_zero {
            text.retain(|&byte| byte != 0);
        }
    }
    texts
}

/// Bytes that keep the automaton alive, as long as it is easy.
fn walk(lexer: &Lexer, condition: ConditionId, chance: &mut Chance) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < N_BYTES_MAX && chance.below(8) != 0 {
        let dfa = lexer.automaton.dfa(condition, chance.below(2) == 0);
        let mut state = dfa.start;
        while dfa.is_live(state) && chance.below(12) != 0 {
            let live = (0..40).map(|_| byte(chance)).find(|&byte| dfa.is_live(dfa.step(state, byte)));
            let next = live.unwrap_or_else(|| byte(chance));
            state = dfa.step(state, next);
            text.push(next);
        }
    }
    text
}

fn byte(chance: &mut Chance) -> u8 {
    match chance.below(16) {
        0 => chance.below(256) as u8,
        1 => b'\n',
        2 => b' ',
        _ => 32 + chance.below(95) as u8,
    }
}

fn bytes(chance: &mut Chance) -> Vec<u8> {
    (0..chance.below(60)).map(|_| byte(chance)).collect()
}

fn excerpt(text: &[u8], chance: &mut Chance) -> Vec<u8> {
    let start = chance.below(text.len());
    let end = (start + chance.below(N_BYTES_MAX)).min(text.len());
    text[start..end].to_vec()
}

fn joined(pieces: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let separators: [&[u8]; 4] = [b" ", b"", b"\n", b""];
    let mut text = Vec::new();
    for _ in 0..chance.below(10) {
        if let Some(piece) = pieces.get(chance.below(pieces.len())) {
            text.extend_from_slice(piece);
            text.extend_from_slice(separators[chance.below(4)]);
        }
    }
    text
}

fn mutate(text: &mut Vec<u8>, chance: &mut Chance) {
    if text.is_empty() {
        return;
    }
    let at = chance.below(text.len());
    match chance.below(4) {
        0 => text[at] = byte(chance),
        1 => text.insert(at, byte(chance)),
        2 => {
            text.remove(at);
        }
        _ => {
            let copy = text[at..(at + 8).min(text.len())].to_vec();
            text.splice(at..at, copy);
        }
    }
}
