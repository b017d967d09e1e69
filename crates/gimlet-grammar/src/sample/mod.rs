//! Trees and texts that are chosen: by chance, as short as can be, or to use every part of a grammar.
//!
//! [`weighted`] draws trees by the [`weights`] of rules, [`uniform`] texts of a length that are equally likely, [`shortest`]
//! makes the smallest trees, [`kpaths`] a set of trees in which every chain of k symbols occurs.

pub mod kpaths;
pub mod shortest;
pub mod uniform;
pub mod weighted;
pub mod weights;
