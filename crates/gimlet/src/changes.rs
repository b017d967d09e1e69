//! Random changes of an input: small ones, of the kind that turns branches.

use gimlet_grammar::chance::Chance;
use gimlet_trace::Input;

/// Values at which comparisons of bytes tend to turn.
const INTERESTING: &[u8] =
    b"\x00\x01\x02\x03\x04\x08\x0f\x10\x1f\x20\x3f\x40\x7e\x7f\x80\x81\xc0\xfe\xff\n\t 09azAZ+-*/=.,:;()[]{}<>\"'\\#%&";

/// One byte that was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    pub source: usize,
    pub offset: usize,
    pub old: u8,
    pub new: u8,
}

/// The input with one to four bytes changed, and which. An input without bytes stays as it is.
pub fn change(input: &Input, random: &mut Chance) -> (Input, Vec<Change>) {
    let mut changed = input.clone();
    let mut changes = Vec::new();
    if input.is_empty() {
        return (changed, changes);
    }
    for _ in 0..=random.pick(4) {
        let (source, offset) = place(input, random.pick(input.len()));
        let old = changed.sources[source].bytes[offset];
        let new = new_value(input, old, random);
        changed.sources[source].bytes[offset] = new;
        changes.push(Change { source, offset, old, new });
    }
    (changed, changes)
}

/// Changes one to three of the bytes whose numbers `places` gives, which must not be empty: among them swaps with a
/// neighbour and short runs of one value.
pub fn change_places(bytes: &mut [u8], places: &[u32], random: &mut Chance) {
    for _ in 0..=random.pick(3) {
        let at = random.pick(places.len());
        let place = |at: usize| places[at] as usize;
        let neighbour = place((at + 1 + random.pick(3)) % places.len());
        let old = bytes[place(at)];
        match random.pick(10) {
            0 => bytes.swap(place(at), neighbour),
            1 => bytes[place(at)] = bytes[neighbour],
            2 => bytes[place(at)] = bytes[place(random.pick(places.len()))],
            3 => bytes[place(at)] = b'0' + random.pick(10) as u8,
            4 => bytes[place(at)] = b"aA"[random.pick(2)] + random.pick(26) as u8,
            5 => bytes[place(at)] = 0,
            6 => {
                let value = nearby_value(old, random);
                places[at..].iter().take(1 + random.pick(4)).for_each(|&place| bytes[place as usize] = value);
            }
            _ => bytes[place(at)] = nearby_value(old, random),
        }
    }
}

/// Source and offset of byte number `index` over all sources.
fn place(input: &Input, mut index: usize) -> (usize, usize) {
    for (number, source) in input.sources.iter().enumerate() {
        if index < source.bytes.len() {
            return (number, index);
        }
        index -= source.bytes.len();
    }
    unreachable!("the index is below the number of bytes")
}

fn new_value(input: &Input, old: u8, random: &mut Chance) -> u8 {
    if random.pick(6) > 0 {
        return nearby_value(old, random);
    }
    let (source, offset) = place(input, random.pick(input.len()));
    input.sources[source].bytes[offset]
}

fn nearby_value(old: u8, random: &mut Chance) -> u8 {
    match random.pick(5) {
        0 => random.next_u64() as u8,
        1 => old ^ 1 << random.pick(8),
        2 => old.wrapping_add(1),
        3 => old.wrapping_sub(1),
        _ => INTERESTING[random.pick(INTERESTING.len())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_trace::SourceKind;

    #[test]
    fn the_same_seed_makes_the_same_changes() {
        let mut input = Input::stdin("hello");
        input.push(SourceKind::Named, "x", "world");
        let all = |seed| {
            let mut random = Chance::new(seed);
            (0..100).map(|_| change(&input, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(all(7), all(7));
        assert_ne!(all(7), all(8));
        for (changed, changes) in all(1) {
            assert!((1..=4).contains(&changes.len()));
            assert_eq!(changed.len(), input.len());
        }
        assert_eq!(change(&Input::default(), &mut Chance::new(1)).1, []);
    }

    #[test]
    fn only_the_given_places_change() {
        let mut random = Chance::new(3);
        let mut has_changed = [false; 8];
        for _ in 0..500 {
            let mut bytes = *b"abcdefgh";
            change_places(&mut bytes, &[1, 2, 6], &mut random);
            (0..8).for_each(|at| has_changed[at] |= bytes[at] != b"abcdefgh"[at]);
        }
        assert_eq!(has_changed, [false, true, true, false, false, false, true, false]);
    }
}
