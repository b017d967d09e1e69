//! Kinds of findings as JSON: their names.

use std::borrow::Cow;

use gimlet_trace::finding::Kind;
use serde::de::{Deserialize, Deserializer, Error};
use serde::Serializer;

pub fn serialize<S: Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
    let name = Cow::<str>::deserialize(deserializer)?;
    Kind::from_name(&name).ok_or_else(|| D::Error::custom(format!("no kind of finding is called {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    struct Found(#[serde(with = "super")] Kind);

    #[test]
    fn kinds_are_written_by_name() {
        for &kind in Kind::ALL {
            let text = serde_json::to_string(&Found(kind)).unwrap();
            assert_eq!(text, format!("\"{kind}\""));
            assert_eq!(serde_json::from_str::<Found>(&text).unwrap(), Found(kind));
        }
        assert!(serde_json::from_str::<Found>("\"no-such\"").is_err());
    }
}
