//! The panes and their lists: rows, order and columns, and the click targets of the screen. Names `keys` and the
//! rooms below it.

pub(crate) mod all_rows;
pub mod click_target;
pub mod marks;
pub mod pane;
pub(crate) mod rows;
pub(crate) mod seen;
pub mod table_view;
