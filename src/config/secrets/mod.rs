//! The API key: where it is found, and who must not see it. Names settings and problems.

pub(super) mod child_env;
pub(super) mod key;
pub(super) mod keyring;
pub(super) mod secret;
