//! Protects the key in this process's memory: no core dump is written, and on Linux no other process of the same user
//! can read it (root can).

use rustix::process::{Resource, Rlimit, setrlimit};

/// If the system refuses, the program runs unprotected.
pub(super) fn keep_memory_private() {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _refused = setrlimit(Resource::Core, none);
    #[cfg(target_os = "linux")]
    let _refused =
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::getrlimit;

    #[test]
    fn a_crash_writes_no_core_that_holds_the_key() {
        keep_memory_private();
        assert_eq!(getrlimit(Resource::Core).current, Some(0));
        #[cfg(target_os = "linux")]
        assert_eq!(
            rustix::process::dumpable_behavior(),
            Ok(rustix::process::DumpableBehavior::NotDumpable)
        );
    }
}
