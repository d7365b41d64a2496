//! The position in the market shown: what is held, what it is worth, where it ends.

use crate::{
    app::{Action, Model, market::own_orders::own_position},
    view::{
        tables::{positions, protection},
        text::{Scene, Span, words},
    },
};

/// What a click closes of it.
const SHARES: [(Action, &str); 4] = [
    (Action::CloseQuarter, "¼"),
    (Action::CloseHalf, "½"),
    (Action::CloseThreeQuarters, "¾"),
    (Action::CloseWhole, "all"),
];

/// The keys that act on it from a panel of the market, with the shortest word for each.
const KEYS: [(Action, &str); 6] = [
    (Action::Cover, "cover"),
    (Action::Trail, "trail"),
    (Action::Flip, "flip"),
    (Action::BreakEven, "break-even"),
    (Action::StopHere, "stop here"),
    (Action::TargetHere, "target here"),
];

/// Facts of the position, the most important first; none while nothing is held.
pub(crate) fn position_strip(model: &Model, scene: &Scene<'_>) -> Vec<Vec<Span>> {
    let held = model.market_screen.market();
    let Some(position) = held.and_then(|market| own_position(scene.store, market)) else {
        return vec![];
    };
    let size = Span::strong(words::position_size(position, scene));
    let entry = positions::entry(position, scene).spans;
    let mut facts = vec![
        vec![positions::side_now(position, scene), Span::plain(" "), size],
        [vec![Span::muted("@ ")], entry].concat(),
        positions::unrealized(position, scene).spans,
        positions::roe(position, scene).spans,
        named("stop", protection::stop(position, scene)),
    ];
    let target = protection::target(position, scene);
    if !target.text.is_empty() {
        facts.push(named("target", target));
    }
    let context = model.place();
    // Under a dialog nothing of the desk is pressed.
    let is_open = model.overlays.is_empty();
    let pressed = |span: Span, action| {
        if is_open { span.pressing(action) } else { span }
    };
    let button = |(action, word): (Action, &str)| {
        let key = model.keymap.chord(context, action)?;
        let key = pressed(Span::accent(format!(" {key}")), action);
        Some(vec![key, pressed(Span::muted(format!(" {word}")), action)])
    };
    facts.extend(button((Action::ClosePosition, "close")));
    let shares = SHARES.map(|(action, word)| {
        let share = pressed(Span::accent(word), action);
        [Span::plain(" "), share]
    });
    facts.push(shares.concat());
    facts.extend(KEYS.into_iter().filter_map(button));
    facts
}

/// `stop 63,233`; `NO STOP` names itself.
fn named(name: &str, value: Span) -> Vec<Span> {
    let is_named = value.text.to_lowercase().contains(name);
    let name = (!is_named).then(|| Span::muted(format!("{name} ")));
    name.into_iter().chain([value]).collect()
}
