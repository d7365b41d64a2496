//! TEMPORARY
use crate::app::Model;
use crate::config::{ColorChoice, Theme};
use ratatui::buffer::Buffer;
#[derive(Debug, Default)]
pub struct Scrolls;
#[derive(Debug, Clone, Copy)]
pub struct Look;
impl Look {
    pub fn of(_: Theme, _: ColorChoice, _: bool) -> Self {
        Self
    }
}
pub fn render(frame: &mut Buffer, model: &Model, _: &mut Scrolls, _: Look) {
    let s = &model.store;
    let lines = [
        format!("{:?}", model.identity),
        format!("pos {:?}", s.positions.rows().len()),
        format!("ord {:?}", s.orders.rows().len()),
        format!("twap {:?}", s.twaps.rows().len()),
        format!("scaled {:?}", s.scaled.len()),
        format!("closed {:?} hist {:?}", s.closed.rows().len(), s.history.rows().len()),
        format!("markets {:?}", s.markets.value().map(|m| m.len())),
        format!("acct {:?}", s.account),
        format!("notice {:?}", model.activity.lines.back()),
        format!("trouble {:?}", s.trouble(crate::app::poll::Source::Scaled)),
    ];
    for (i, l) in lines.iter().enumerate() {
        if (i as u16) < frame.area.height {
            frame.set_string(0, i as u16, l, ratatui::style::Style::new());
        }
    }
}
