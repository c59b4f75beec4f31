//! Texts that meet a pattern or a format.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Most characters that a pattern can ask for.
const CHARS_MAX: usize = 4_096;

/// A text that a pattern matches and that has at least so many characters; `None` for a pattern that is not regular.
pub(super) fn matching(pattern: &str, length: usize) -> Option<String> {
    let tree = regex_syntax::parse(pattern).ok()?;
    let mut repeats = 0;
    loop {
        let mut text = String::new();
        write(&tree, repeats, &mut text);
        if text.chars().count() >= length || repeats as usize >= length.min(CHARS_MAX) {
            return Some(text);
        }
        repeats = (2 * repeats).max(1);
    }
}

/// Writes the simplest text of a tree; what may be repeated is repeated so often, if it may.
fn write(tree: &Hir, repeats: u32, out: &mut String) {
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => out.extend(letter_of(class)),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            for _ in 0..repeats.clamp(repetition.min, most) {
                if out.len() > CHARS_MAX {
                    break;
                }
                write(&repetition.sub, repeats, out);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, repeats, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, repeats, out)),
        HirKind::Alternation(parts) => {
            if let Some(first) = parts.first() {
                write(first, repeats, out);
            }
        }
    }
}

/// A letter or digit of a class where it has one.
fn letter_of(class: &Class) -> Option<char> {
    const PREFERRED: [char; 4] = ['a', 'A', '1', '-'];
    let Class::Unicode(class) = class else { return None };
    let ranges = class.ranges();
    let has = |letter: &char| {
        ranges
            .iter()
            .any(|range| (range.start()..=range.end()).contains(letter))
    };
    let preferred = PREFERRED.into_iter().find(has);
    preferred.or_else(|| {
        ranges
            .first()
            .map(|range| range.start().max(' ').min(range.end()))
    })
}

/// A text of a format.
pub(super) fn formatted(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "2026-11-18",
        "date-time" => "2026-11-18T11:06:40Z",
        "time" => "11:06:40Z",
        "duration" => "PT1H",
        "email" | "idn-email" => "user@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "url" | "iri" | "uri-reference" => "https://example.com/",
        "uuid" => "00000000-0000-4000-8000-000000000001",
        "json-pointer" => "/a",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_repetitions_stay_small() {
        let text = matching("^((a+)+)+$", 300).expect("a regular pattern");
        assert!((300..20_000).contains(&text.len()), "{}", text.len());
        assert!(matching("^(x{1000}){1000}$", 0).is_some_and(|text| text.len() < 20_000));
    }

    #[test]
    fn a_pattern_that_is_not_regular_is_none() {
        assert_eq!(matching("^(?=a)b$", 0), None);
    }
}
