//! How values stand in a spec.
//!
//! A time is `"500ms"`, `"60s"`, `"10m"`, `"2h"`. Words (arguments, values of variables, paths) need not be text; those that
//! are not are lists of bytes. A hash has 16 hexadecimal digits. TOML has no numbers above 2^63 - 1: such a seed is text.
//! What the rest of the crate reads and shows as text (strategies, rules, functions) stands here as that text.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::str::FromStr;
use std::time::Duration;

use gimlet_exec::{Strings, World};
use gimlet_solver::log;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Whether nothing is said.
pub fn is_open<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Units of time. [`humantime`] knows more; one that is easily meant for another (`M` is a month) is none here.
const UNITS: [&str; 6] = ["ms", "s", "m", "min", "h", "d"];

/// `60s`, `500ms`, `10m`, `2h`, `1h30m`; a number alone counts seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let is_digit = |sign: char| sign.is_ascii_digit() || sign == '.';
    if let Some(unit) = text.split(is_digit).map(str::trim).find(|unit| !unit.is_empty() && !UNITS.contains(unit)) {
        let is_word = unit.chars().all(char::is_alphabetic) && text.starts_with(is_digit);
        return Err(match is_word {
            true => format!("'{unit}' is no unit of time: ms, s, m, h, d are"),
            false => "a time is a number and a unit: 500ms, 60s, 10m".to_owned(),
        });
    }
    let seconds = if text.ends_with(is_digit) { "s" } else { "" };
    humantime::parse_duration(&format!("{text}{seconds}")).map_err(|error| match error {
        humantime::DurationError::NumberOverflow => "too large, or too small a part of a unit".to_owned(),
        _ => "a time is a number and a unit: 500ms, 60s, 10m".to_owned(),
    })
}

/// The same, as a spec has it.
pub fn duration_text(time: Duration) -> String {
    match (time.subsec_nanos(), time.subsec_nanos() % 1_000_000) {
        (0, _) => format!("{}s", time.as_secs()),
        (_, 0) => format!("{}ms", time.as_millis()),
        _ => format!("{}s", time.as_secs_f64()),
    }
}

/// Text, or else bytes.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a text, or a list of bytes")]
enum Word {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&OsStr> for Word {
    fn from(word: &OsStr) -> Word {
        match word.to_str() {
            Some(text) => Word::Text(text.to_owned()),
            None => Word::Bytes(word.as_bytes().to_vec()),
        }
    }
}

impl From<Word> for OsString {
    fn from(word: Word) -> OsString {
        match word {
            Word::Text(text) => text.into(),
            Word::Bytes(bytes) => OsString::from_vec(bytes),
        }
    }
}

pub mod word {
    use super::*;

    pub fn serialize<S: Serializer>(word: &impl AsRef<OsStr>, serializer: S) -> Result<S::Ok, S::Error> {
        Word::from(word.as_ref()).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>, T: From<OsString>>(deserializer: D) -> Result<T, D::Error> {
        Word::deserialize(deserializer).map(|word| OsString::from(word).into())
    }
}

pub mod words {
    use super::*;

    pub fn serialize<S: Serializer>(words: &[impl AsRef<OsStr>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(words.iter().map(|word| Word::from(word.as_ref())))
    }

    pub fn deserialize<'de, D: Deserializer<'de>, T: From<OsString>>(deserializer: D) -> Result<Vec<T>, D::Error> {
        let words = Vec::<Word>::deserialize(deserializer)?;
        Ok(words.into_iter().map(|word| OsString::from(word).into()).collect())
    }
}

pub mod word_or_none {
    use super::*;

    pub fn serialize<S: Serializer>(word: &Option<impl AsRef<OsStr>>, serializer: S) -> Result<S::Ok, S::Error> {
        word.as_ref().map(|word| Word::from(word.as_ref())).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>, T: From<OsString>>(deserializer: D) -> Result<Option<T>, D::Error> {
        let word = Option::<Word>::deserialize(deserializer)?;
        Ok(word.map(|word| OsString::from(word).into()))
    }
}

pub mod time_or_none {
    use super::*;

    pub fn serialize<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        time.map(duration_text).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| duration(&text)).transpose().map_err(D::Error::custom)
    }
}

/// What can be read from its own text.
pub mod text_or_none {
    use super::*;

    pub fn serialize<S: Serializer>(value: &Option<impl Display>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(ToString::to_string).serialize(serializer)
    }

    pub fn deserialize<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        D: Deserializer<'de>,
        T: FromStr<Err: Display>,
    {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse()).transpose().map_err(D::Error::custom)
    }
}

pub mod texts {
    use super::*;

    pub fn serialize<S: Serializer>(values: &[impl Display], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(ToString::to_string))
    }

    pub fn deserialize<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
    where
        D: Deserializer<'de>,
        T: FromStr<Err: Display>,
    {
        let texts = Vec::<String>::deserialize(deserializer)?;
        texts.iter().map(|text| text.parse()).collect::<Result<_, _>>().map_err(D::Error::custom)
    }
}

pub mod number_or_none {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged, expecting = "a number, 0 or more")]
    enum Number {
        Small(u64),
        Large(String),
    }

    pub fn serialize<S: Serializer>(number: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        let number = number.map(|number| match i64::try_from(number) {
            Ok(_) => Number::Small(number),
            Err(_) => Number::Large(number.to_string()),
        });
        number.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        let number = |number: Number| match number {
            Number::Small(number) => Ok(number),
            Number::Large(text) => text.parse().map_err(|_| D::Error::custom("a number, 0 or more")),
        };
        Option::<Number>::deserialize(deserializer)?.map(number).transpose()
    }
}

fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

fn hash(text: &str) -> Result<u64, String> {
    let hash = u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 16);
    hash.ok_or_else(|| "a hash has 16 hexadecimal digits".to_owned())
}

pub mod hash_or_none {
    use super::*;

    pub fn serialize<S: Serializer>(hash: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        hash.map(hash_text).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| hash(&text)).transpose().map_err(D::Error::custom)
    }
}

pub mod hashes {
    use super::*;

    pub fn serialize<S: Serializer>(hashes: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(hashes.iter().copied().map(hash_text))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        texts.iter().map(|text| hash(text)).collect::<Result<_, _>>().map_err(D::Error::custom)
    }
}

pub mod strings {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "Strings", rename_all = "lowercase")]
    enum Form {
        Expression,
        Branches,
    }

    #[derive(Serialize, Deserialize)]
    struct Held(#[serde(with = "Form")] Strings);

    pub fn serialize<S: Serializer>(strings: &Option<Strings>, serializer: S) -> Result<S::Ok, S::Error> {
        strings.map(Held).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Strings>, D::Error> {
        Ok(Option::<Held>::deserialize(deserializer)?.map(|Held(strings)| strings))
    }
}

pub mod world {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "World", rename_all = "lowercase")]
    enum Form {
        Fixed,
        Real,
    }

    #[derive(Serialize, Deserialize)]
    struct Held(#[serde(with = "Form")] World);

    pub fn serialize<S: Serializer>(world: &Option<World>, serializer: S) -> Result<S::Ok, S::Error> {
        world.map(Held).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<World>, D::Error> {
        Ok(Option::<Held>::deserialize(deserializer)?.map(|Held(world)| world))
    }
}

pub mod log_format {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "log::Format", rename_all = "lowercase")]
    enum Form {
        SmtLib,
        Compact,
    }

    #[derive(Serialize, Deserialize)]
    struct Held(#[serde(with = "Form")] log::Format);

    pub fn serialize<S: Serializer>(format: &Option<log::Format>, serializer: S) -> Result<S::Ok, S::Error> {
        format.map(Held).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<log::Format>, D::Error> {
        Ok(Option::<Held>::deserialize(deserializer)?.map(|Held(format)| format))
    }
}
