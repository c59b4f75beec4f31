//! The languages that are read.

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Python.
    Python,
    /// TypeScript and JavaScript, with or without JSX.
    TypeScript,
    /// C#.
    CSharp,
    /// Go.
    Go,
    /// Rust.
    Rust,
    /// Java.
    Java,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 6] = [
        Self::Python,
        Self::TypeScript,
        Self::CSharp,
        Self::Go,
        Self::Rust,
        Self::Java,
    ];

    /// The language of a file, by its extension; none for a file that is not read.
    pub fn of_file(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "py" => Some(Self::Python),
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => Some(Self::TypeScript),
            "cs" => Some(Self::CSharp),
            "go" => Some(Self::Go),
            "rs" => Some(Self::Rust),
            "java" => Some(Self::Java),
            _ => None,
        }
    }

    /// The name in messages and in the names of labelled sets.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::TypeScript => "typescript",
            Self::CSharp => "csharp",
            Self::Go => "go",
            Self::Rust => "rust",
            Self::Java => "java",
        }
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            // The grammar with JSX reads everything but old-style casts.
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
        }
    }
}
