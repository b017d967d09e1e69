//! Two ways to make a mutant, each as often as it has been of use lately.

use libafl_bolts::rands::Rand;

/// How a mutant is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// LibAFL's mutators.
    Bytes,
    /// Pieces of text.
    Text,
}

/// Bounds of the part that are made as text.
const SHARES: std::ops::RangeInclusive<f64> = 0.2..=0.8;
/// What was found before so many mutants counts half.
const HALF_LIFE: f64 = 20_000.0;
/// Before anything is known: a test for so many mutants.
const PRIOR_MUTANTS: f64 = 200.0;

#[derive(Clone, Copy, Default, Debug)]
struct Account {
    n_made: f64,
    n_found: f64,
}

impl Account {
    fn rate(&self) -> f64 {
        (self.n_found + 1.0) / (self.n_made + PRIOR_MUTANTS)
    }
}

#[derive(Default)]
pub struct Ways([Account; 2]);

impl Ways {
    pub fn choose(&self, rand: &mut impl Rand) -> Way {
        if rand.next_float() < self.share() {
            Way::Text
        } else {
            Way::Bytes
        }
    }

    /// The part of all mutants that are made as text.
    fn share(&self) -> f64 {
        let [bytes, text] = self.0.map(|account| account.rate());
        (text / (bytes + text)).clamp(*SHARES.start(), *SHARES.end())
    }

    /// Takes in what came of a mutant.
    pub fn made(&mut self, way: Way, is_new: bool) {
        let rest = 0.5f64.powf(1.0 / HALF_LIFE);
        for account in &mut self.0 {
            account.n_made *= rest;
            account.n_found *= rest;
        }
        let account = &mut self.0[way as usize];
        account.n_made += 1.0;
        account.n_found += f64::from(u8::from(is_new));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_more_is_done_more() {
        let mut ways = Ways::default();
        assert_eq!(ways.share(), 0.5);
        (0..1000).for_each(|number| ways.made(if number % 2 == 0 { Way::Text } else { Way::Bytes }, number % 20 == 0));
        assert!(ways.share() > 0.7, "{}", ways.share());
        (0..200_000)
            .for_each(|number| ways.made(if number % 2 == 0 { Way::Text } else { Way::Bytes }, number % 21 == 1));
        assert!(ways.share() < 0.6, "{}", ways.share());
    }
}
