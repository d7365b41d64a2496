//! The chosen size preset of each market and its size: for forms and the price ladder.
//!
//! Contract: a preset resolves to whole lots, or says why it does not. It is chosen per market for the session; no
//! order changes it.

use super::model::Model;
use crate::{
    app::{activity::notice::Tone, dialogs::overlay::Overlay, forms::form::Form},
    config::SizePreset,
    model::{
        Market, MarketId, Num,
        draft::{Amount, Draft, DraftFault, EntryDraft, Field, share_of},
    },
};

const NONE_SET: &str = "no size presets are set for this market: size_presets in the settings";
const NO_EQUITY: &str = "the account's equity is not known: a share of it cannot be computed";

/// A preset, and the size of its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresetSize {
    /// As configured: `$500`.
    pub preset: SizePreset,
    /// In coin, whole lots.
    pub size: Result<Num, DraftFault>,
}

/// Where the size of an order at a price comes from, beside what is known of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeBasis {
    preset: Option<SizePreset>,
    /// Of the last order, as it was typed: without a preset.
    last_size: Option<String>,
}

impl Model {
    /// What an order of this market would have for its size.
    pub fn size_basis(&self, market: Option<&MarketId>) -> SizeBasis {
        SizeBasis {
            preset: market
                .and_then(|market| self.chosen_preset(market))
                .cloned(),
            last_size: self.account.used.of(market).map(|used| used.size.clone()),
        }
    }

    /// The chosen preset of this market, at its midpoint; `None` if none is configured.
    pub fn size_preset(&self, market: &MarketId) -> Option<PresetSize> {
        let mid = self.account.store.market(market).and_then(Market::mid);
        self.size_preset_at(market, mid)
    }

    /// The same for an order at this price.
    pub fn size_preset_at(&self, market: &MarketId, price: Option<Num>) -> Option<PresetSize> {
        let preset = self.chosen_preset(market)?.clone();
        let decimals = self
            .account
            .store
            .market(market)
            .and_then(|m| m.size_decimals);
        let size = preset.amount().coins(self.equity(), price, decimals);
        Some(PresetSize { preset, size })
    }

    /// Chooses the next or previous preset of this market, cyclically.
    pub(crate) fn turn_size_preset(&mut self, market: &MarketId, steps: isize) {
        let count = self
            .account
            .options
            .size_presets
            .in_market(market, &self.account.store.names)
            .0
            .len();
        let at = self.preset_place(market).cast_signed() + steps;
        let at = at.checked_rem_euclid(count.cast_signed()).unwrap_or(0);
        self.presets.insert(market.clone(), at.cast_unsigned());
    }

    fn preset_place(&self, market: &MarketId) -> usize {
        self.presets.get(market).copied().unwrap_or(0)
    }

    /// Reloaded settings may have fewer presets.
    fn chosen_preset(&self, market: &MarketId) -> Option<&SizePreset> {
        let presets = self
            .account
            .options
            .size_presets
            .in_market(market, &self.account.store.names);
        let presets = &presets.0;
        presets.get(self.preset_place(market)).or(presets.first())
    }

    fn equity(&self) -> Option<Num> {
        self.account
            .store
            .account
            .value()
            .and_then(|facts| facts.equity)
    }

    /// As a form takes it: there a share is of the free margin, so a share of equity is written in USD.
    fn preset_text(&self, preset: &SizePreset) -> Result<String, &'static str> {
        let Amount::Percent(share) = preset.amount() else {
            return Ok(preset.to_string());
        };
        let usd = self.equity().and_then(|equity| share_of(equity, share));
        let usd = usd.ok_or(NO_EQUITY)?;
        Ok(format!("${}", usd.truncated(2).normalized()))
    }
}

/// Switches the bracket of the market of the form, or of the market shown, off or on; and says so.
pub(crate) fn turn_bracket(model: &mut Model) -> (Tone, String) {
    let form = model.overlays.last().and_then(Overlay::try_as_form_ref);
    let market = form.and_then(|form| form.market_id());
    let Some(market) = market.or_else(|| model.market_screen.market()).cloned() else {
        return (Tone::Warn, "no market is shown".to_owned());
    };
    let account = &mut model.account;
    let symbol = account.store.names.shown(&market);
    let bracket = account
        .options
        .brackets
        .in_market(&market, &account.store.names);
    if !bracket.is_attached() {
        return (
            Tone::Warn,
            format!("{symbol} has no bracket: bracket in the settings"),
        );
    }
    if account.brackets_off.insert(market.clone()) {
        return (
            Tone::Warn,
            format!("{symbol}: bracket OFF, entries go without stop and target"),
        );
    }
    let words = format!("{symbol}: bracket on, {bracket}");
    account.brackets_off.remove(&market);
    (Tone::Plain, words)
}

/// The market of a new-order form whose focused size field takes presets.
fn market_of_size(model: &Model) -> Option<(&Form, &MarketId)> {
    let Some(Overlay::Form(form)) = model.overlays.last() else {
        return None;
    };
    let Draft::Entry(EntryDraft { market_id, .. }) = &form.draft else {
        return None;
    };
    let market = market_id.as_ref().filter(|_| form.focus == Field::Size)?;
    Some((form, market))
}

/// The preset that its key would write into the focused size field, as configured.
pub(crate) fn offered(model: &Model) -> Option<&SizePreset> {
    let (_, market) = market_of_size(model)?;
    model.chosen_preset(market)
}

/// Writes the chosen preset into the focused size field, or the one `steps` further if it is there already. Returns
/// whether it did: a step back starts nothing, because a typed `-1` is neither a size nor a preset.
pub(crate) fn write(model: &mut Model, steps: isize) -> bool {
    let Some((form, market)) = market_of_size(model) else {
        return false;
    };
    let (market, stands) = (market.clone(), form.has_preset());
    if !stands && steps < 0 {
        return false;
    }
    if stands {
        model.turn_size_preset(&market, steps);
    }
    let text = match model.chosen_preset(&market) {
        Some(preset) => model.preset_text(preset),
        None => Err(NONE_SET),
    };
    if let Some(Overlay::Form(form)) = model.overlays.last_mut() {
        form.write_preset(text);
    }
    true
}

#[cfg(test)]
mod tests;
