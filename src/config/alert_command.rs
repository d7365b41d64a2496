//! The program that is run when an alert of the trader's own fires.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// A program and its arguments; empty runs nothing. No shell reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, derive_more::From)]
#[serde(transparent)]
pub struct AlertCommand(Vec<String>);

impl AlertCommand {
    /// The program and its arguments, if one is set.
    pub fn parts(&self) -> Option<(&str, &[String])> {
        let (program, arguments) = self.0.split_first()?;
        Some((program, arguments))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenCommand {
    Parts(Vec<String>),
    Text(String),
}

/// A list; in a variable it is written as JSON.
impl<'de> Deserialize<'de> for AlertCommand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const EXPECTED: &str =
            "write a program and its arguments as a list, as in [\"notify-send\", \"perpdeck\"]";
        let written = WrittenCommand::deserialize(deserializer);
        let parts = match written.map_err(|_| D::Error::custom(EXPECTED))? {
            WrittenCommand::Parts(parts) => parts,
            WrittenCommand::Text(text) if text.trim().is_empty() => vec![],
            WrittenCommand::Text(text) => {
                serde_json::from_str(&text).map_err(|_| D::Error::custom(EXPECTED))?
            }
        };
        if parts
            .first()
            .is_some_and(|program| program.trim().is_empty())
        {
            return Err(D::Error::custom("the program has no name"));
        }
        Ok(Self(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Vec<String>, String> {
        let command: Result<AlertCommand, _> = serde_json::from_str(json);
        command
            .map(|command| command.0)
            .map_err(|why| why.to_string())
    }

    #[test]
    fn a_list_is_read_from_a_file_and_from_a_variable() {
        assert_eq!(read(r#"["a b", "c"]"#).unwrap(), ["a b", "c"]);
        assert_eq!(
            read(r#""[\"say\", \"{text}\"]""#).unwrap(),
            ["say", "{text}"]
        );
        assert_eq!(read(r#""""#).unwrap(), Vec::<String>::new());
        assert_eq!(read("[]").unwrap(), Vec::<String>::new());
        for wrong in ["3", r#""say it""#, r#""[3]""#, r#"["", "x"]"#] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
