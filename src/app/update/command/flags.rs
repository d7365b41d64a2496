//! The flags of the verbs, as in the shell. Those of a form are the flags of its fields.

use crate::model::{
    Curve, PlaceKind,
    draft::{CloseDraft, DraftShape, Field, MarginDraft, ProtectDraft},
};
use strum::VariantArray as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbFlag {
    /// `--limit-price`.
    pub name: &'static str,
    pub takes_value: bool,
}

impl VerbFlag {
    /// Its one-letter form, if it has one.
    pub fn short(&self) -> Option<&'static str> {
        (self.name == "--output").then_some("-o")
    }
}

/// The flags of this verb, each once.
pub(super) fn of(verb: &str) -> Vec<VerbFlag> {
    let (own, fields): (&[&str], Vec<Field>) = match verb {
        "place" | "buy" | "sell" => {
            let shapes = PlaceKind::VARIANTS.iter().copied().map(DraftShape::Order);
            (&[], shapes.flat_map(DraftShape::fields).collect())
        }
        "twap" => (&[], DraftShape::Sliced(Curve::Twap).fields().collect()),
        "scaled" => (&[], DraftShape::Scaled.fields().collect()),
        "close" => (&[], CloseDraft::fields_of_any_type().collect()),
        "exits" => (&[], ProtectDraft::FIELDS.to_vec()),
        "margin" => (&[], MarginDraft::FIELDS.to_vec()),
        "move" => {
            let fields = [Field::LimitPrice, Field::TriggerPrice, Field::Size];
            (&["--price"], fields.to_vec())
        }
        "stop" | "target" => (&[], vec![Field::Size]),
        "cancel" => (&["--market", "--side", "--all"], vec![]),
        "alert" => (&["--replaces"], vec![]),
        "export" => (&["--to", "--output", "--since"], vec![]),
        _ => (&[], vec![]),
    };
    let own = own.iter().map(|name| VerbFlag {
        name,
        takes_value: *name != "--all",
    });
    let mut flags: Vec<VerbFlag> = own.collect();
    for field in fields {
        let (name, takes_value) = (field.flag(), !field.is_switch());
        if !flags.iter().any(|flag| flag.name == name) {
            flags.push(VerbFlag { name, takes_value });
        }
    }
    flags
}
