//! perpdeck
