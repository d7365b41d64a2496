//! After a restart: what became of open commands; and flatten. Names `outbox` and below.

pub(crate) mod dispatch;
pub(crate) mod dry_run;
pub(crate) mod flatten;
pub(crate) mod recover;
