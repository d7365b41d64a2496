//! The position in a market that is shown: what is held, what it is worth, where it ends.

use crate::{
    app::{Action, Model, market::own_orders::own_position},
    model::MarketId,
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
pub(crate) fn position_strip(
    model: &Model,
    market: &MarketId,
    scene: &Scene<'_>,
) -> Vec<Vec<Span>> {
    let Some(position) = own_position(scene.store, market) else {
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
    // In a pane the keys act on the row under its cursor, which may be another position.
    if model.position_named_with_keys().as_ref() != Some(&position.id) {
        return facts;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::*;

    fn shown(model: &Model) -> String {
        let scene = Scene::of(model, &model.account.options.zone);
        let market = model.market_screen.market().unwrap();
        let facts = position_strip(model, market, &scene).concat();
        facts.into_iter().map(|span| span.text).collect()
    }

    #[test]
    fn keys_stand_beside_a_position_only_where_they_act_on_it() {
        let mut model = desk();
        assert!(shown(&model).contains("LONG"), "{}", shown(&model));
        assert!(shown(&model).contains("c close"), "its row has the cursor");
        press(&mut model, "P j");
        assert!(shown(&model).contains("LONG"), "the market is pinned");
        assert!(
            !shown(&model).contains("c close"),
            "c would close the short of another market: {}",
            shown(&model)
        );
        press(&mut model, "0");
        assert!(shown(&model).contains("c close"), "the chart has the keys");
    }
}
