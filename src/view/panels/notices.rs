//! All lines above the keys that are no question: the newest news, the tour, and what can follow a first key.

use super::{
    footer::following,
    toast::{NoticeView, toast},
    tour::tour,
};
use crate::app::Model;

/// From the top.
pub fn notices(model: &Model) -> Vec<NoticeView> {
    let all = [toast(model), tour(model), following(model)];
    all.into_iter().flatten().collect()
}
