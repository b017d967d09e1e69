//! Random numbers that repeat: the same seed gives the same ones on every machine.

use num_bigint::BigUint;

/// SplitMix64 (Steele, Lea, Flood 2014): one word of state, and good enough to choose with.
#[derive(Clone, Debug)]
pub struct Chance {
    state: u64,
}

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance { state: seed }
    }

    /// Any number.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`, which is not zero, each as likely as any other: the high word of a product (Lemire 2019).
    pub fn below(&mut self, n: u64) -> u64 {
        let excess = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            if product as u64 >= excess {
                return (product >> 64) as u64;
            }
        }
    }

    /// The same for places in a list of this length.
    pub fn pick(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number from 0 to 1, without 1.
    pub fn fraction(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The same as [`Chance::below`] for large numbers.
    pub fn below_big(&mut self, n: &BigUint) -> BigUint {
        if let Ok(n) = u64::try_from(n) {
            return self.below(n).into();
        }
        let n_bits = n.bits();
        let n_words = n_bits.div_ceil(32);
        loop {
            let mut words: Vec<u32> = (0..n_words).map(|_| self.next_u64() as u32).collect();
            if let Some(top) = words.last_mut() {
                *top &= u32::MAX >> (n_words * 32 - n_bits);
            }
            let number = BigUint::new(words);
            if number < *n {
                return number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut chance = Chance::new(1);
        assert_eq!(chance.next_u64(), 0x910a_2dec_8902_5cc1);
        let numbers: Vec<u64> = [2, 10, 1_000, 1 << 63].map(|n| chance.below(n)).to_vec();
        assert_eq!(numbers, [1, 9, 444, 4_097_618_618_563_484_380]);
    }

    #[test]
    fn each_number_is_as_likely() {
        let mut chance = Chance::new(1);
        let mut counts = [0u32; 6];
        (0..60_000).for_each(|_| counts[chance.below(6) as usize] += 1);
        assert!(counts.iter().all(|&count| (9_600..10_400).contains(&count)), "{counts:?}");
        let n = BigUint::from(3u8) << 100;
        let n_high = (0..3_000).filter(|_| chance.below_big(&n) >= BigUint::from(2u8) << 100).count();
        assert!((900..1_100).contains(&n_high), "{n_high}");
        // Of two thirds of all words those at the lower end would come twice as often without another draw.
        let n = u64::MAX / 3 * 2;
        let n_low = (0..3_000).filter(|_| chance.below(n).is_multiple_of(2)).count();
        assert!((1_400..1_600).contains(&n_low), "{n_low}");
        let n_low = (0..3_000).filter(|_| chance.fraction() < 0.25).count();
        assert!((680..820).contains(&n_low), "{n_low}");
    }
}
