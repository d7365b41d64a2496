//! The facts about each command: one row per command, for code that only needs to know whether something is placed,
//! changed or ended.

use super::{
    ClosePosition, Command, Exits, Mutation, PlaceOrder, PlaceScaled, PlaceTwap, Resource, Risk,
};
use crate::model::{AccountId, OrderId};

/// What a command asks the service to place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Placed<'a> {
    Order(&'a PlaceOrder),
    Twap(&'a PlaceTwap),
    Scaled(&'a PlaceScaled),
    /// An order that closes a position in whole or in part.
    Close(&'a ClosePosition),
}

/// What a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    Nothing,
    /// Its resource, or a part of it.
    Resource,
    /// Every position of its account.
    Positions,
    /// Every order of its account.
    Orders,
    /// Every position, order, TWAP and scaled order of its account.
    Everything,
}

/// The facts of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandFacts<'a> {
    /// A flatten is never sent itself; for the journal it counts as the close-all it sends.
    pub mutation: Mutation,
    /// Whether the service keeps an `Idempotency-Key` for it; the others are safe to repeat.
    pub is_keyed: bool,
    pub resource: Resource,
    pub risk: Risk,
    pub places: Option<Placed<'a>>,
    pub ends: Ends,
    /// However late or often it arrives, it can only end what is open, and nothing that protects.
    pub only_ends: bool,
}

impl Command {
    /// The table.
    pub fn facts(&self) -> CommandFacts<'_> {
        match self {
            Self::Place(order) => CommandFacts::placing(Mutation::Place, Placed::Order(order)),
            Self::PlaceTwap(order) => {
                CommandFacts::placing(Mutation::PlaceTwap, Placed::Twap(order))
            }
            Self::PlaceScaled(order) => {
                CommandFacts::placing(Mutation::PlaceScaled, Placed::Scaled(order))
            }
            Self::Close(close) => CommandFacts {
                resource: Resource::Position(close.position_id.clone()),
                ends: Ends::Resource,
                only_ends: close.is_whole_at_market(),
                ..CommandFacts::placing(Mutation::Close, Placed::Close(close))
            },
            Self::Cancel(id) => CommandFacts::ending(Mutation::Cancel, Resource::Order(id.clone())),
            Self::Unprotect(id) => CommandFacts {
                risk: Risk::Increasing,
                only_ends: false,
                ..CommandFacts::ending(Mutation::Cancel, Resource::Order(id.clone()))
            },
            Self::Exits(Exits { order_id, risk, .. }) => {
                CommandFacts::changing(Mutation::Exits, Resource::Order(order_id.clone()), *risk)
            }
            Self::Modify(modify) => CommandFacts::changing(
                Mutation::Modify,
                Resource::Order(modify.order_id.clone()),
                modify.risk,
            ),
            Self::ExitBatch(batch) => CommandFacts::changing(
                Mutation::ExitBatch,
                Resource::Position(batch.position_id.clone()),
                batch.risk,
            ),
            Self::Margin {
                position_id: id,
                risk,
                ..
            } => CommandFacts::changing(Mutation::Margin, Resource::Position(id.clone()), *risk),
            Self::StopTwap(id) => {
                CommandFacts::ending(Mutation::StopTwap, Resource::Twap(id.clone()))
            }
            Self::CancelScaled(id) => {
                CommandFacts::ending(Mutation::CancelScaled, Resource::Scaled(id.clone()))
            }
            Self::CloseAll(id) => CommandFacts {
                is_keyed: true,
                ..CommandFacts::leaving(Mutation::CloseAll, Ends::Positions, id)
            },
            // It takes the stops of open positions with it.
            Self::CancelAll(id) => CommandFacts {
                is_keyed: true,
                risk: Risk::Neutral,
                only_ends: false,
                ..CommandFacts::leaving(Mutation::CancelAll, Ends::Orders, id)
            },
            Self::Flatten(id) => CommandFacts::leaving(Mutation::CloseAll, Ends::Everything, id),
        }
    }

    pub fn risk(&self) -> Risk {
        self.facts().risk
    }

    pub fn resource(&self) -> Resource {
        self.facts().resource
    }

    pub fn is_keyed(&self) -> bool {
        self.facts().is_keyed
    }

    /// Whether the order it places waits for a price.
    pub fn has_trigger(&self) -> bool {
        match self.facts().places {
            Some(Placed::Order(order)) => order.trigger_price.is_some(),
            Some(Placed::Close(close)) => close.trigger_price.is_some(),
            Some(Placed::Twap(_) | Placed::Scaled(_)) | None => false,
        }
    }

    /// The order that it cancels.
    pub fn cancels(&self) -> Option<&OrderId> {
        let (Self::Cancel(id) | Self::Unprotect(id)) = self else {
            return None;
        };
        Some(id)
    }

    /// Whether it ends whatever works or is open on its account.
    pub fn ends_everything(&self) -> bool {
        matches!(
            self,
            Self::CloseAll(_) | Self::CancelAll(_) | Self::Flatten(_)
        )
    }
}

impl Placed<'_> {
    fn risk(self) -> Risk {
        let reduces = match self {
            Self::Order(order) => order.reduce_only,
            Self::Twap(order) => order.reduce_only,
            Self::Scaled(order) => order.reduce_only,
            Self::Close(_) => true,
        };
        if reduces {
            Risk::Reducing
        } else {
            Risk::Increasing
        }
    }
}

impl<'a> CommandFacts<'a> {
    fn placing(mutation: Mutation, placed: Placed<'a>) -> Self {
        Self {
            mutation,
            is_keyed: true,
            resource: Resource::NewOrder,
            risk: placed.risk(),
            places: Some(placed),
            ends: Ends::Nothing,
            only_ends: false,
        }
    }
}

impl CommandFacts<'_> {
    fn changing(mutation: Mutation, resource: Resource, risk: Risk) -> Self {
        Self {
            mutation,
            is_keyed: false,
            resource,
            risk,
            places: None,
            ends: Ends::Nothing,
            only_ends: false,
        }
    }

    fn ending(mutation: Mutation, resource: Resource) -> Self {
        Self {
            ends: Ends::Resource,
            only_ends: true,
            ..Self::changing(mutation, resource, Risk::Neutral)
        }
    }

    fn leaving(mutation: Mutation, ends: Ends, account: &AccountId) -> Self {
        Self {
            risk: Risk::Reducing,
            ends,
            ..Self::ending(mutation, Resource::Account(account.clone()))
        }
    }

    /// Whether it changes its resource without ending it.
    pub fn is_change(&self) -> bool {
        self.places.is_none() && self.ends == Ends::Nothing
    }

    /// Whether it ends this resource or a part of it.
    pub fn ends(&self, what: &Resource) -> bool {
        match self.ends {
            Ends::Nothing => false,
            Ends::Resource => self.resource == *what,
            Ends::Positions => matches!(what, Resource::Position(_)),
            Ends::Orders => matches!(what, Resource::Order(_)),
            Ends::Everything => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MarketId, Num, Side};

    fn order(risk: Risk) -> Command {
        let market = MarketId::from("paper|BTC");
        let order = PlaceOrder::market("a".into(), market, Side::Buy, Num::ONE);
        Command::Place(Box::new(PlaceOrder {
            reduce_only: risk == Risk::Reducing,
            ..order
        }))
    }

    fn close(size: Option<Num>) -> Command {
        Command::Close(ClosePosition {
            size,
            ..ClosePosition::market("p".into())
        })
    }

    /// One line: mutation, resource, effect on exposure, and what a repetition may do.
    fn row(command: &Command) -> String {
        let facts = command.facts();
        let places = if facts.places.is_some() {
            "places "
        } else {
            ""
        };
        let keyed = if facts.is_keyed { " keyed" } else { "" };
        let only = if facts.only_ends { " only ends" } else { "" };
        let change = if facts.is_change() { " changes" } else { "" };
        let on = facts.resource.raw().unwrap_or("-");
        format!(
            "{:?} {places}{on} {} {:?}{keyed}{only}{change}",
            facts.mutation, facts.risk, facts.ends
        )
    }

    #[test]
    fn every_command_has_its_row() {
        let margin = Command::margin("p".into(), Num::ONE, None);
        let exits = Exits::unseen("o".into(), super::super::Leg::Keep, super::super::Leg::Keep);
        for (command, expected) in [
            (
                order(Risk::Increasing),
                "Place places - increasing Nothing keyed",
            ),
            (
                order(Risk::Reducing),
                "Place places - reducing Nothing keyed",
            ),
            (
                close(None),
                "Close places p reducing Resource keyed only ends",
            ),
            (
                close(Some(Num::ONE)),
                "Close places p reducing Resource keyed",
            ),
            (
                Command::Cancel("o".into()),
                "Cancel o neutral Resource only ends",
            ),
            (
                Command::Unprotect("o".into()),
                "Cancel o increasing Resource",
            ),
            (Command::Exits(exits), "Exits o neutral Nothing changes"),
            (margin, "Margin p increasing Nothing changes"),
            (
                Command::StopTwap("t".into()),
                "StopTwap t neutral Resource only ends",
            ),
            (
                Command::CancelScaled("s".into()),
                "CancelScaled s neutral Resource only ends",
            ),
            (
                Command::CloseAll("a".into()),
                "CloseAll a reducing Positions keyed only ends",
            ),
            (
                Command::Flatten("a".into()),
                "CloseAll a reducing Everything only ends",
            ),
        ] {
            assert_eq!(row(&command), expected, "{command}");
        }
    }

    #[test]
    fn a_flatten_ends_every_row_and_a_close_all_every_position() {
        let rows = [
            Resource::Position("p".into()),
            Resource::Order("o".into()),
            Resource::Twap("t".into()),
        ];
        let ended = |command: Command| rows.each_ref().map(|row| command.facts().ends(row));
        assert_eq!(ended(Command::Flatten("a".into())), [true, true, true]);
        assert_eq!(ended(Command::CloseAll("a".into())), [true, false, false]);
        assert_eq!(ended(Command::Cancel("o".into())), [false, true, false]);
        assert_eq!(ended(close(Some(Num::ONE))), [true, false, false]);
    }
}
