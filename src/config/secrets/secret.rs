//! Text that is never shown.

use secrecy::SecretString;

/// An API key. `Debug` hides it, it has no `Display`, and its memory is wiped on drop.
pub type Secret = SecretString;
