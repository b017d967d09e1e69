//! What a misspelt name was probably to be.

/// The word that differs least from another, if that is little.
pub fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody slips in a word of that length.
    if word.len() > 64 {
        return None;
    }
    let n_most = word.len().saturating_sub(2).min(2);
    words
        .filter(|other| other.len().abs_diff(word.len()) <= n_most)
        .map(|other| (distance(word.as_bytes(), other.as_bytes()), other))
        .filter(|&(distance, _)| distance <= n_most)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, other)| other)
}

/// Bytes to insert, delete or change to make one the other.
fn distance(one: &[u8], other: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let cost = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: Option<&str>) {
        assert_eq!(nearest(word, ["%token", "%type", "%left", "%right"].into_iter()), expected);
    }

    #[test]
    fn a_slip_is_recognised() {
        check("%tokn", Some("%token"));
        check("%tpye", Some("%type"));
        check("%lft", Some("%left"));
        check("%something", None);
    }
}
