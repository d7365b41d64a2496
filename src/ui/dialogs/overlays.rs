//! What lies over the places of the screen: one panel over another.

use crate::{
    app::{Desks, dialogs::overlay::Overlay},
    ui::{
        DrawState,
        cells::Canvas,
        dialogs::{bulk, detail, form, help, listed, review},
    },
    view::{self, Scene},
};
use ratatui::layout::Rect;

/// Whether it lies over the places of the screen; the others have lines of their own.
pub(in crate::ui) fn covers(overlay: &Overlay) -> bool {
    !matches!(overlay, Overlay::Strip(_) | Overlay::Prompt(_))
}

/// Draws them, the last one on top.
pub(in crate::ui) fn overlays(
    canvas: &mut Canvas<'_>,
    body: Rect,
    desks: &Desks<'_>,
    (draw_state, scene): (&DrawState, &Scene<'_>),
) {
    let model = desks.shown;
    let zone = scene.zone;
    for overlay in &model.overlays {
        canvas.place = overlay.context();
        match overlay {
            Overlay::Help { of, offset, search } => {
                help::keys(canvas, body, model, (*of, search, *offset));
            }
            Overlay::Glossary(open) => help::glossary(canvas, body, open),
            Overlay::Quality(report) => {
                let report = view::quality(report, scene);
                detail::draw(canvas, body, &report, None);
            }
            Overlay::Detail(open) => {
                let detail = view::detail(model, open, scene);
                detail::draw(canvas, body, &detail, Some(open.offset));
            }
            Overlay::Form(form) => form::draw(canvas, body, &view::forms::form::form(form, model)),
            Overlay::Bulk(bulk) => {
                bulk::draw(canvas, body, &view::bulk(model, scene, bulk), bulk.offset);
            }
            Overlay::Export(open) => {
                detail::draw(canvas, body, &view::export(model, open), Some(0));
            }
            Overlay::Settings { offset } => {
                detail::draw(canvas, body, &view::settings(model, zone), Some(*offset));
            }
            Overlay::Limits { offset } => {
                detail::draw(canvas, body, &view::limits(model), Some(*offset));
            }
            Overlay::Columns(columns) => {
                let drawn = draw_state.drawn(columns.pane);
                let list = view::column_list(model, columns, drawn);
                detail::draw(canvas, body, &list, None);
            }
            Overlay::Accounts(list) => {
                listed::draw(canvas, body, |room| view::accounts(desks, list, zone, room));
            }
            Overlay::Markets(list) => {
                listed::draw(canvas, body, |room| view::markets(model, list, scene, room));
            }
            Overlay::UserAlerts(list) => {
                listed::draw(canvas, body, |room| {
                    view::user_alerts(model, *list, scene, room)
                });
            }
            Overlay::Review(open) => {
                let shown = view::review(model, open, scene);
                review::draw(canvas, body, &shown, open.offset);
            }
            Overlay::Strip(_) | Overlay::Prompt(_) => {}
        }
    }
}
