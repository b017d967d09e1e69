//! What a run did, as a set: the counters that it moved, each with the class of its count.

use std::sync::Arc;

use gimlet_exec::edges::EdgeImage;
use rustc_hash::FxHashMap;

/// Classes of counts.
const N_CLASSES: u32 = 8;

/// Numbers what runs do, the same way in all runs of a program.
#[derive(Default, Debug)]
pub struct Features {
    /// Where each image has its counters among all, by path.
    places: FxHashMap<String, u32>,
    n_counters: u32,
    scratch: Vec<u8>,
}

impl Features {
    /// The features of a run, in order.
    pub fn of<'a>(&mut self, counters: impl Iterator<Item = (&'a Arc<EdgeImage>, &'a [u8])>) -> Vec<u32> {
        let mut features = Vec::new();
        for (image, bytes) in counters {
            let place = match self.places.get(&image.path) {
                Some(&place) => place,
                None => {
                    self.places.insert(image.path.clone(), self.n_counters);
                    self.n_counters += bytes.len() as u32;
                    self.n_counters - bytes.len() as u32
                }
            };
            self.scratch.clear();
            self.scratch.extend_from_slice(bytes);
            gimlet_mutate::classify(&mut self.scratch);
            let moved = (place..).zip(&self.scratch).filter(|&(_, &class)| class != 0);
            features.extend(moved.map(|(counter, class)| counter * N_CLASSES + class.trailing_zeros()));
        }
        features.sort_unstable();
        features
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_classes_and_images_have_places() {
        let image = |path: &str| Arc::new(EdgeImage { path: path.into(), tables: Vec::new() });
        let (program, library) = (image(""), image("/lib/a.so"));
        let mut features = Features::default();
        let one = features.of([(&program, &[0u8, 1, 5][..])].into_iter());
        assert_eq!(one, [8, 16 + 3]);
        let both = features.of([(&library, &[255u8][..]), (&program, &[0, 1, 7][..])].into_iter());
        assert_eq!(both, [8, 16 + 3, 24 + 7]);
    }
}
