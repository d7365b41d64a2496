//! What a child process does not inherit.

use std::{
    ffi::{OsStr, OsString},
    process::Command,
};

/// Removes every variable that may hold a key or a proxy's password from `child`'s environment; `names` are those of
/// this process.
pub fn keyless(child: &mut Command, names: impl Iterator<Item = OsString>) -> &mut Command {
    for name in names.filter(|name| is_secret_variable(name)) {
        child.env_remove(name);
    }
    child
}

/// Whether a variable of this name may hold a key, or the password of a proxy.
pub fn is_secret_variable(name: &OsStr) -> bool {
    let known = name.to_string_lossy().to_uppercase();
    known.starts_with("PERPDECK_") && (known.ends_with("API_KEY") || known.ends_with("PROXY"))
}

#[cfg(test)]
mod tests {
    use crate::config::secrets::child_env::*;

    #[test]
    fn a_child_inherits_no_key() {
        let mut child = Command::new("sh");
        let names = [
            "PERPDECK_API_KEY",
            "PERPDECK_PROFILES__SWING__API_KEY",
            "PERPDECK_PROXY",
            "PERPDECK_API_KEY_FILE",
            "HTTPS_PROXY",
            "PATH",
        ];
        keyless(&mut child, names.into_iter().map(OsString::from));
        let changed = child.get_envs();
        let changed: Vec<_> = changed
            .map(|(name, value)| (name.to_str(), value))
            .collect();
        let gone = [
            "PERPDECK_API_KEY",
            "PERPDECK_PROFILES__SWING__API_KEY",
            "PERPDECK_PROXY",
        ];
        assert_eq!(changed, gone.map(|name| (Some(name), None)));
    }
}
