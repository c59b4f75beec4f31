//! Text for people: pure strings. Colour is a [`Style`] that is handed in, and every text reads the same without it.
//!
//! | module | what is there |
//! |---|---|
//! | `style` | [`Style`] and the few paints |
//! | `block` | a verdict, a case, the gate as blocks of lines |
//! | `short` | a line a finding |
//! | `thread` | Markdown for a chat thread |
//! | `annotations` | the commands that GitHub Actions reads |
//! | `progress` | a line an event |

mod annotations;
mod block;
mod progress;
mod short;
mod style;
mod thread;

pub use annotations::annotations;
pub(crate) use block::case_text;
pub use block::{case_block, finding_block, gate_block, verdict_block, verdict_json};
pub use progress::progress_line;
pub use short::short_lines;
pub use style::Style;
pub use thread::verdict_markdown;
pub(crate) use thread::{finding_bullet, inconclusive_bullet};
