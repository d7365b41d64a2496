//! The closed sets of words that are written in the journal, at the socket and in files; those of the wire are held
//! against `assets/openapi.yaml` by the tests of `exchange::sim::openapi`.

use perpdeck::{
    api::Method,
    app::account::pane::Pane,
    journal::IntentState,
    model::{
        CancelResult, Failure, FailureKind, FlatProof, FollowUp, Progress, Proof, Receipt, Risk,
        Timestamp,
    },
    view::READING,
};
use serde::Serialize;
use std::{fmt::Write, time::Duration};
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
        writeln!(out, "failure: {} {}", json(kind), kind.word()).unwrap();
    }
    for proof in [Proof::Unsent, Proof::Refused, Proof::Nothing] {
        writeln!(out, "proof: {}", json(&proof)).unwrap();
    }
    for then in [FollowUp::Again, FollowUp::Look] {
        writeln!(out, "then: {}", json(&then)).unwrap();
    }
    insta::assert_snapshot!(out);
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// What a desk tells a caller at its socket.
#[test]
fn progress_receipts_and_failures_are_written_as_they_are_today() {
    let why = Failure {
        kind: FailureKind::Conflict,
        proves: Proof::Refused,
        message: "no".into(),
        status: Some(409),
        code: Some("trigger_would_fire".into()),
        rule_id: Some("max_slippage".into()),
        order_id: Some("ord_1".into()),
        request_id: Some("req_1".into()),
        fields: [].into(),
        retry_after: Some(Duration::from_millis(1_500)),
    };
    let progress = [
        Progress::Queued,
        Progress::Sending { attempt: 2 },
        Progress::Unknown {
            why: why.clone(),
            retry_at: Timestamp(1),
            then: FollowUp::Look,
        },
        Progress::Waiting {
            why: why.clone(),
            retry_at: Timestamp(1),
            then: FollowUp::Again,
        },
        Progress::Parked {
            why: why.clone(),
            replay_until: Timestamp(2),
        },
    ];
    let receipts = [
        Receipt::Cancel(CancelResult {
            id: "ord_1".into(),
            canceled: false,
            queued: true,
        }),
        Receipt::AlreadySo("so".into()),
        Receipt::Flat(FlatProof {
            first: Timestamp(1),
            second: Timestamp(2_001),
        }),
    ];
    let lines = progress.iter().map(json).chain(receipts.iter().map(json));
    let lines: Vec<_> = lines.chain([json(&why), why.to_string()]).collect();
    insta::assert_snapshot!(lines.join("\n"));
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
