//! After a restart: decides what became of open commands. Also flatten and the dry run. Names `outbox` and the rooms
//! below it.

pub(crate) mod dispatch;
pub(crate) mod dry_run;
pub(crate) mod flatten;
pub(crate) mod recover;
