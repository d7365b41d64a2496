//! Which kind of process wants to send.

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::VariantArray)]
pub(crate) enum ProcessKind {
    /// It resumes what a dead process left open, follows what it sends, and looks what others do.
    Desk,
    /// It only reads what became of open commands, waits for the end of its own, and takes nothing over.
    Verb,
}
