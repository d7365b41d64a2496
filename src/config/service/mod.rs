//! The service that settings name: its address, its sources of prices and markets, the proxy on the way. Names secrets.

pub(super) mod connection;
pub(super) mod proxy;
pub(super) mod reach;
pub(super) mod venues;
