//! A text that grows line by line.

/// Lines so far, each with its line feed.
#[derive(Debug, Default)]
pub(crate) struct Lines(String);

impl Lines {
    /// Adds one line, or several with line feeds between them.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.0.push_str(text.as_ref());
        self.0.push('\n');
    }

    /// Adds text that ends its lines itself.
    pub(crate) fn block(&mut self, text: impl AsRef<str>) {
        self.0.push_str(text.as_ref());
    }

    /// The text.
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}
