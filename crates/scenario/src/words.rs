//! Settings that take one of a few words. An enum, its words and its reference come from one list.

/// A type whose values are written as words.
pub(crate) trait Word: Copy + 'static {
    /// Every word, in the order of the reference.
    const WORDS: &'static [&'static str];

    /// The value of a word.
    fn of(word: &str) -> Option<Self>;
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// Every value, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word in a scenario file.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl Word for $name {
            const WORDS: &'static [&'static str] = &[$($word,)*];

            fn of(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use words;

impl Word for holdover_wire::audit::IdPolicy {
    const WORDS: &'static [&'static str] = &["none", "preserve", "omit"];

    fn of(word: &str) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "preserve" => Some(Self::Preserve),
            "omit" => Some(Self::Omit),
            _ => None,
        }
    }
}
