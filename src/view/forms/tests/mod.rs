//! Forms before anything is sent, and after a refusal.

mod change;
mod entry;
mod fields;
mod figures;
mod sending;
mod terms;
mod warned;

use super::form::{FormView, TypedText, ValueView, form};
use crate::{
    app::{
        Effect, Model, Msg,
        account::poll::{Answer, Source},
        dialogs::overlay::Overlay,
        testing::*,
        update,
    },
    model::{
        AccountFacts, Book, Command, Failure, FailureKind, Grid, Level, Market, Page, Progress,
        Ticket, Timestamp, draft::Field,
    },
    view::text::Tone,
};
use std::time::Duration;

fn view(model: &Model) -> FormView {
    match model.overlays.last() {
        Some(Overlay::Form(open)) => form(open, model),
        other => panic!("no form is open but {other:?}"),
    }
}

fn words(spans: &[crate::view::text::Span]) -> Vec<&str> {
    spans.iter().map(|span| span.text.as_str()).collect()
}

fn preview(model: &Model) -> Vec<(&'static str, String)> {
    let lines = view(model).preview.into_iter();
    lines.map(|(label, span)| (label, span.text)).collect()
}

fn lines<const N: usize>(lines: [(&'static str, &str); N]) -> Vec<(&'static str, String)> {
    lines.map(|(label, text)| (label, text.to_owned())).to_vec()
}

/// A limit buy of `size` at `limit`, with the focus on the size.
fn limit_buy(size: &str, limit: &str) -> Model {
    let mut model = desk();
    let keys =
        format!("b {size} shift-tab shift-tab shift-tab right tab tab tab tab {limit} shift-tab");
    press(&mut model, &keys);
    model
}

/// What the form says of fees, where takers pay 4.5 and makers 1.5 basis points.
fn fee(mut model: Model) -> String {
    model.account.options.fees.taker_bps = Some(num("4.5"));
    model.account.options.fees.maker_bps = Some(num("1.5"));
    let mut lines = preview(&model).into_iter();
    lines.find(|(label, _)| *label == "fee").unwrap().1
}

/// The preview of what `keys` write.
fn shown(keys: &str, label: &str) -> Option<String> {
    let mut model = desk();
    press(&mut model, keys);
    let mut lines = preview(&model).into_iter();
    lines.find_map(|(known, text)| (known == label).then_some(text))
}
