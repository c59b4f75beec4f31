//! Chance: the only source is what the caller hands in.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Where the draws of one session come from. A twin has its scenario's world, and so its draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chance {
    seed: u64,
    world: String,
}

impl Chance {
    /// The draws of this seed in this world.
    pub fn new(seed: u64, world: &str) -> Self {
        Self {
            seed,
            world: world.to_owned(),
        }
    }

    /// The dice of one fault for one exchange: whatever else is drawn elsewhere, they fall the same.
    pub(crate) fn dice(&self, fault: usize, exchange: u64) -> Dice {
        let mut hash = blake3::Hasher::new();
        hash.update(b"holdover fault");
        hash.update(&self.seed.to_le_bytes());
        hash.update(&(fault as u64).to_le_bytes());
        hash.update(&exchange.to_le_bytes());
        hash.update(self.world.as_bytes());
        Dice(ChaCha8Rng::from_seed(*hash.finalize().as_bytes()))
    }
}

/// The draws of one fault for one exchange.
#[derive(Clone, Debug)]
pub(crate) struct Dice(ChaCha8Rng);

impl Dice {
    /// From 0 up to, but not including, 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        // 32 bits fit into the 53 of a float.
        f64::from(self.0.next_u32()) / (f64::from(u32::MAX) + 1.0)
    }

    /// From 0 to `most`.
    pub(crate) fn up_to(&mut self, most: u64) -> u64 {
        match most.checked_add(1) {
            Some(bound) => self.0.next_u64() % bound,
            None => self.0.next_u64(),
        }
    }

    /// Lower-case hex digits.
    pub(crate) fn hex(&mut self, digits: usize) -> String {
        let draw = |dice: &mut Self| u32::try_from(dice.up_to(15)).ok();
        (0..digits)
            .map(|_| {
                draw(self)
                    .and_then(|digit| char::from_digit(digit, 16))
                    .unwrap_or('0')
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_depend_on_all_that_was_handed_in() {
        let hex = |seed, world, fault, exchange| Chance::new(seed, world).dice(fault, exchange).hex(16);
        let first = hex(7, "a", 0, 1);
        assert_eq!(first, hex(7, "a", 0, 1));
        for other in [
            hex(8, "a", 0, 1),
            hex(7, "b", 0, 1),
            hex(7, "a", 1, 1),
            hex(7, "a", 0, 2),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn fractions_are_spread_over_the_unit() {
        let chance = Chance::new(7, "a");
        let draws: Vec<f64> = (0..1000)
            .map(|exchange| chance.dice(0, exchange).fraction())
            .collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        let below = draws.iter().filter(|draw| **draw < 0.25).count();
        assert!((200..300).contains(&below), "{below}");
    }
}
