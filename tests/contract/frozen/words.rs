//! The closed sets of words that are written in the journal, at the socket and in files; those of the wire are held
//! against `assets/openapi.yaml` by the tests of `exchange::sim::openapi`.

use perpdeck::{
    api::Method,
    app::account::pane::Pane,
    journal::IntentState,
    model::{FailureKind, Risk},
    view::READING,
};
use serde::Serialize;
use std::fmt::Write;
use strum::{IntoEnumIterator, VariantArray};

#[test]
fn every_word_of_the_journal_and_the_socket_is_as_it_is_today() {
    let mut out = String::new();
    let states = IntentState::VARIANTS.iter().map(ToString::to_string);
    writeln!(out, "state: {}", states.collect::<Vec<_>>().join(" ")).unwrap();
    for risk in [Risk::Reducing, Risk::Neutral, Risk::Increasing] {
        writeln!(out, "risk: {risk} {}", json(&risk)).unwrap();
    }
    for method in [Method::Get, Method::Post, Method::Put, Method::Delete] {
        writeln!(out, "method: {method}").unwrap();
    }
    for kind in FailureKind::VARIANTS {
        writeln!(out, "failure: {}", kind.word()).unwrap();
    }
    insta::assert_snapshot!(out);
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// As `columns.json`, the exports and the CSV of the verbs name them.
#[test]
fn every_column_has_the_id_it_has_today() {
    let mut out = String::new();
    for pane in Pane::iter() {
        let ids: Vec<_> = (READING.columns)(pane).iter().map(|name| name.id).collect();
        writeln!(out, "{}: {}", pane.context(), ids.join(" ")).unwrap();
    }
    insta::assert_snapshot!(out);
}
