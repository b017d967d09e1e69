//! The ways to make a mutant, each as often as it has been of use lately.

use libafl_bolts::rands::Rand;

/// How a mutant is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// LibAFL's mutators.
    Bytes,
    /// Pieces of text.
    Text,
    /// Parts that symbols of a grammar derive.
    Grammar,
    /// Where a change may be, for somebody who wants a certain place.
    Aimed,
}

/// Each way gets about this part of all mutants, however little came of it.
const SHARE_MIN: f64 = 0.2;
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
pub struct Ways([Account; 4]);

impl Ways {
    /// One of the ways that can be gone.
    pub fn choose(&self, possible: &[Way], rand: &mut impl Rand) -> Way {
        let mut left = rand.next_float();
        let chosen = possible.iter().zip(self.shares(possible)).find(|(_, share)| {
            left -= share;
            left < 0.0
        });
        chosen.map_or(Way::Bytes, |(&way, _)| way)
    }

    /// The part of all mutants that each of some ways gets.
    fn shares(&self, possible: &[Way]) -> Vec<f64> {
        let normal = |shares: Vec<f64>| {
            let sum: f64 = shares.iter().sum();
            shares.into_iter().map(move |share| share / sum)
        };
        let rates = possible.iter().map(|&way| self.0[way as usize].rate()).collect();
        normal(normal(rates).map(|share| share.max(SHARE_MIN)).collect()).collect()
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
        let both = [Way::Bytes, Way::Text];
        let all = [Way::Bytes, Way::Text, Way::Grammar];
        let mut ways = Ways::default();
        assert_eq!(ways.shares(&both), [0.5, 0.5]);
        (0..1000).for_each(|number| ways.made(both[number % 2], number % 20 == 1));
        assert!(ways.shares(&both)[1] > 0.7, "{:?}", ways.shares(&both));
        (0..200_000).for_each(|number| ways.made(both[number % 2], number % 21 == 0));
        assert!(ways.shares(&both)[1] < 0.6, "{:?}", ways.shares(&both));
        (0..200_000).for_each(|number| ways.made(all[number % 3], number % 3 == 2));
        let shares = ways.shares(&all);
        assert!(shares[2] > 0.6 && shares[..2].iter().all(|&share| share > 0.1), "{shares:?}");
    }

    #[test]
    fn only_what_is_possible_is_chosen() {
        let mut rand = libafl_bolts::rands::StdRand::with_seed(1);
        let ways = Ways::default();
        assert!((0..100).all(|_| ways.choose(&[Way::Bytes], &mut rand) == Way::Bytes));
        let chosen: Vec<Way> = (0..1000).map(|_| ways.choose(&[Way::Bytes, Way::Grammar], &mut rand)).collect();
        let n_grammar = chosen.iter().filter(|&&way| way == Way::Grammar).count();
        assert!((400..600).contains(&n_grammar) && !chosen.contains(&Way::Text), "{n_grammar}");
    }
}
