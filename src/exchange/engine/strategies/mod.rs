//! Orders that create orders: attached exits, TWAP and VWAP, scaled, chase. Names `matching` and the rooms below it.

pub(crate) mod chase;
pub(crate) mod exit_batch;
pub(crate) mod exits;
pub(crate) mod scaled;
pub(crate) mod schedule;
pub(crate) mod slices;
pub(crate) mod twap;
