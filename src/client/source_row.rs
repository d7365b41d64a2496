//! Rows of a source's document, read by RFC 6901 pointers.
//!
//! Contract: the text of a number is read, never an `f64`; what a pointer does not find is unknown; what it finds and
//! cannot be read is told in words that repeat at most a short excerpt of it.

use super::response::ServiceResponse;
use crate::model::{Failure, FailureKind, Num, Text, Timestamp};
use serde_json::value::RawValue;
use std::{borrow::Cow, collections::BTreeMap};

/// As of every id.
const LONGEST_WORD: usize = 128;

/// One JSON value, its members told apart once however many of them are read.
#[derive(Debug)]
pub(super) struct SourceRow<'a> {
    raw: &'a RawValue,
    members: RowMembers<'a>,
}

#[derive(Debug)]
enum RowMembers<'a> {
    Object(BTreeMap<String, &'a RawValue>),
    Array(Vec<&'a RawValue>),
    None,
}

impl<'a> From<&'a RawValue> for SourceRow<'a> {
    fn from(raw: &'a RawValue) -> Self {
        let text = raw.get();
        let members = match text.as_bytes().first() {
            Some(b'{') => serde_json::from_str(text).map(RowMembers::Object),
            Some(b'[') => serde_json::from_str(text).map(RowMembers::Array),
            Some(_) | None => Ok(RowMembers::None),
        };
        let members = members.unwrap_or(RowMembers::None);
        Self { raw, members }
    }
}

impl<'a> SourceRow<'a> {
    /// RFC 6901 over unparsed JSON, so that no number is read before its digits are wanted.
    pub(super) fn find(&self, pointer: &str) -> Option<Self> {
        self.raw_at(pointer).map(Self::from)
    }

    fn raw_at(&self, pointer: &str) -> Option<&'a RawValue> {
        let Some(rest) = pointer.strip_prefix('/') else {
            return pointer.is_empty().then_some(self.raw);
        };
        let Some((token, _)) = rest.split_once('/') else {
            return self.member(rest);
        };
        let deeper = pointer.get(1 + token.len()..)?;
        Self::from(self.member(token)?).raw_at(deeper)
    }

    fn member(&self, token: &str) -> Option<&'a RawValue> {
        match &self.members {
            RowMembers::Object(members) if !token.contains('~') => members.get(token).copied(),
            RowMembers::Object(members) => {
                let name = token.replace("~1", "/").replace("~0", "~");
                members.get(&name).copied()
            }
            RowMembers::Array(items) => items.get(token.parse::<usize>().ok()?).copied(),
            RowMembers::None => None,
        }
    }

    /// What an array holds.
    pub(super) fn items(&self) -> Option<Vec<Self>> {
        match &self.members {
            RowMembers::Array(items) => Some(items.iter().map(|item| Self::from(*item)).collect()),
            RowMembers::Object(_) | RowMembers::None => None,
        }
    }

    /// The number at `pointer`; `None` where there is none or `null`.
    pub(super) fn number(&self, pointer: &str) -> Result<Option<Num>, String> {
        let Some(found) = self.raw_at(pointer).filter(|found| found.get() != "null") else {
            return Ok(None);
        };
        let text = text(found);
        match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(why) => Err(format!("{pointer}: {why}: {}", Text::from(excerpt(&text)))),
        }
    }

    /// The number at a pointer that may be left out.
    pub(super) fn optional(&self, pointer: Option<&str>) -> Result<Option<Num>, String> {
        pointer.map_or(Ok(None), |pointer| self.number(pointer))
    }

    /// The number that must be at `pointer`.
    pub(super) fn needed(&self, pointer: &str) -> Result<Num, String> {
        let found = self.number(pointer)?;
        found.ok_or_else(|| format!("nothing at `{pointer}`"))
    }

    /// The instant at `pointer`: a number of any magnitude, or a date and time with its zone.
    pub(super) fn instant(&self, pointer: &str) -> Result<Timestamp, String> {
        let found = self.raw_at(pointer);
        let found = found.ok_or_else(|| format!("nothing at `{pointer}`"))?;
        let text = text(found);
        let wire = text.parse().ok().and_then(Timestamp::from_wire);
        wire.or_else(|| Timestamp::from_rfc3339(&text))
            .ok_or_else(|| format!("{pointer}: not an instant: {}", Text::from(excerpt(&text))))
    }

    /// `true` or `false` at a pointer that may be left out; anything else is unknown.
    pub(super) fn flag(&self, pointer: Option<&str>) -> Option<bool> {
        let found = self.raw_at(pointer?)?;
        serde_json::from_str(found.get()).ok()
    }

    /// The id at `pointer`: a string, or a number as it is written.
    pub(super) fn word(&self, pointer: &str) -> Result<String, String> {
        let found = self.raw_at(pointer);
        let text = text(found.ok_or_else(|| format!("nothing at `{pointer}`"))?);
        if text.is_empty() || text.starts_with(['{', '[']) || text == "null" {
            return Err(format!("no id at `{pointer}`"));
        }
        let length = text.chars().count();
        if length > LONGEST_WORD {
            return Err(format!(
                "{length} characters at `{pointer}`, the limit is {LONGEST_WORD}"
            ));
        }
        Ok(text.into_owned())
    }
}

/// The body of a good answer as one JSON value.
pub(super) fn whole(answer: &ServiceResponse) -> Result<SourceRow<'_>, Failure> {
    if !answer.is_success() {
        return Err(answer.failure());
    }
    let raw: &RawValue = serde_json::from_slice(&answer.body)
        .map_err(|why| unreadable(format!("the source's answer is not JSON: {why}")))?;
    Ok(SourceRow::from(raw))
}

/// The array `pointer` names; a lone object counts as an array of one.
pub(super) fn rows<'a>(
    document: &SourceRow<'a>,
    pointer: &str,
) -> Result<Vec<SourceRow<'a>>, Failure> {
    let found = document
        .find(pointer)
        .ok_or_else(|| unreadable(format!("the source's answer has nothing at `{pointer}`")))?;
    if matches!(found.members, RowMembers::Object(_)) {
        return Ok(vec![found]);
    }
    let rows = found.items();
    rows.ok_or_else(|| unreadable(format!("the source's answer has no rows at `{pointer}`")))
}

pub(super) fn unreadable(why: String) -> Failure {
    Failure::new(FailureKind::Unreadable, why)
}

/// The characters of a string, or a value as it is written.
/// Only a string is decoded: an attempt to read a number as one costs more than the number.
fn text(raw: &RawValue) -> Cow<'_, str> {
    let json = raw.get();
    let is_string = json.starts_with('"');
    let decoded = is_string.then(|| serde_json::from_str(json));
    match decoded {
        Some(Ok(text)) => Cow::Owned(text),
        Some(Err(_)) | None => Cow::Borrowed(json),
    }
}

fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_follow_the_rfc() {
        let json = r#"{"a":[{"b/c":1},{"d~e":"x"}],"":2}"#.to_owned();
        let document = RawValue::from_string(json).unwrap();
        let row = SourceRow::from(&*document);
        let at = |pointer| row.raw_at(pointer).map(RawValue::get);
        assert_eq!(at("/a/0/b~1c"), Some("1"));
        assert_eq!(at("/a/1/d~0e"), Some("\"x\""));
        assert_eq!(at("/"), Some("2"));
        assert_eq!(at(""), Some(document.get()));
        for nothing in ["/a/2", "/a/x", "/z", "a"] {
            assert_eq!(at(nothing), None, "{nothing}");
        }
    }
}
