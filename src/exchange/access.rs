//! Who may use a route, and whether the simulator's are served.

/// Whether the controls of the simulation, below `/sim`, are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SimulatorAccess {
    #[default]
    Served,
    /// `/v1` alone, as a service has it.
    Hidden,
}

impl SimulatorAccess {
    /// Where the controls are.
    pub(super) fn root(self) -> Option<&'static str> {
        match self {
            Self::Served => Some("/sim"),
            Self::Hidden => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteAccess {
    Public,
    /// Public. A key is optional, but must be valid; with one, the answer marks the rows of its accounts.
    PublicOrKey,
    Key,
}

impl RouteAccess {
    /// What the service is, its markets and market data are public; everything else needs a key. The query does not
    /// count: a bad query of a public route is a 400, not a 401. Routes of a hidden simulator are missing for everybody.
    pub(super) fn from_path(method: &str, path: &str, simulator: SimulatorAccess) -> Self {
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        match (method, segments.as_slice()) {
            (_, ["sim", ..]) if simulator == SimulatorAccess::Hidden => Self::Public,
            (
                "GET" | "HEAD",
                ["v1"]
                | ["v1", "markets" | "market-data"]
                | ["v1", "markets", _]
                | ["sim", "openapi.yaml" | "markets"]
                | ["sim", "markets", _, "book" | "candles"],
            ) => Self::Public,
            ("GET" | "HEAD", ["sim", "markets", _, "trades"]) => Self::PublicOrKey,
            _ => Self::Key,
        }
    }
}
