//! Filters and sorts rows. A tree stays a tree: a matching row is shown with its parent.

use super::{
    fact::Fact,
    filter::{Condition, Filter},
    picked::{Order, Picked, Sort, compare},
};
use crate::{app::tables::all_rows::All, model::Timestamp};
use std::ops::Range;

pub(crate) fn picked(
    reader: &Reader<'_>,
    filter: Option<&Filter>,
    sort: Option<Sort>,
    version: u64,
) -> Picked {
    let all = &reader.all;
    let mut families: Vec<Vec<usize>> = families(all)
        .filter_map(|family| reader.kept(family, filter))
        .collect();
    if let Some(sort) = sort {
        reader.sort(&mut families, sort);
    }
    let places: Vec<usize> = families.into_iter().flatten().collect();
    Picked {
        hits: places.iter().filter(|at| all.counts(**at)).count(),
        places: places.into_iter().flat_map(u32::try_from).collect(),
        order: sort.map_or(Order::Own, |_| Order::Families),
        version,
    }
}

/// A root with its children.
fn families<'a>(all: &'a All<'a>) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        if start >= all.len() {
            return None;
        }
        at += 1;
        while at < all.len() && all.is_child(at) {
            at += 1;
        }
        Some(start..at)
    })
}

/// The rows of a pane in its own order, and their cells.
pub(crate) struct Reader<'a> {
    pub(crate) all: All<'a>,
    /// The wall clock.
    pub(crate) now: Timestamp,
    /// The value of the row at this index in this column.
    pub(crate) fact: &'a dyn Fn(usize, usize) -> Fact,
    pub(crate) words: &'a dyn Fn(usize) -> String,
    pub(crate) numbers: &'a dyn Fn(usize) -> String,
}

impl Reader<'_> {
    /// The same, as a sort key.
    pub(super) fn key(&self, at: usize, column: usize) -> Fact {
        (self.fact)(at, column).folded()
    }

    pub(super) fn takes(&self, filter: &Filter, at: usize) -> bool {
        filter.takes(&Condition {
            now: self.now,
            words: || (self.words)(at),
            numbers: || (self.numbers)(at),
            fact: |column| (self.fact)(at, column),
        })
    }

    /// The shown part of a family: all of it under a matching heading, otherwise its root and the matching rows.
    fn kept(&self, family: Range<usize>, filter: Option<&Filter>) -> Option<Vec<usize>> {
        let Some(filter) = filter else {
            return Some(family.collect());
        };
        let root = family.start;
        let is_wanted = self.takes(filter, root);
        if is_wanted && self.all.is_heading(root) {
            return Some(family.collect());
        }
        let wanted = family.skip(1).filter(|at| self.takes(filter, *at));
        let wanted: Vec<usize> = wanted.collect();
        (is_wanted || !wanted.is_empty()).then(|| std::iter::once(root).chain(wanted).collect())
    }

    /// Sorts within each family, and the families by their root, or by their first child if the root has no such cell.
    fn sort(&self, families: &mut Vec<Vec<usize>>, sort: Sort) {
        let by = |a: &Fact, b: &Fact| compare(a, b, sort.direction);
        let mut keyed: Vec<(Fact, Vec<usize>)> = vec![];
        for family in families.drain(..) {
            let Some((root, rest)) = family.split_first() else {
                continue;
            };
            let rest = rest.iter().map(|at| (self.key(*at, sort.column), *at));
            let mut rest: Vec<_> = rest.collect();
            rest.sort_by(|a, b| by(&a.0, &b.0));
            let own = self.key(*root, sort.column);
            let key = match rest.first() {
                Some((first, _)) if !own.is_known() => first.clone(),
                Some(_) | None => own,
            };
            let rest = rest.into_iter().map(|(_, at)| at);
            keyed.push((key, std::iter::once(*root).chain(rest).collect()));
        }
        keyed.sort_by(|a, b| by(&a.0, &b.0));
        families.extend(keyed.into_iter().map(|(_, family)| family));
    }
}
