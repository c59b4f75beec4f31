//! What Python and Node print of a value: near JSON, with other quotes, bare keys, and places where it was cut short.

use holdover_wire::Object;
use serde_json::Value;

/// Values inside each other.
const DEPTH_MAX: usize = 120;

/// A printed value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Printed {
    /// The value, as JSON.
    pub(crate) value: Value,
    /// Bytes that it takes.
    pub(crate) length: usize,
    /// Whether the printer left something out (`[Object]`, `... 3 more items`).
    pub(crate) cut: bool,
}

/// The value that `text` begins with; `None` where none does.
pub(crate) fn parse(text: &str) -> Option<Printed> {
    let mut parser = Parser {
        text,
        at: 0,
        cut: false,
    };
    let value = parser.value(0)?;
    Some(Printed {
        value,
        length: parser.at,
        cut: parser.cut,
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    cut: bool,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEPTH_MAX {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.list(']', depth),
            '(' => self.list(')', depth),
            '\'' | '"' | '`' => self.strings().map(Value::String),
            '<' => {
                self.at += self.rest().find('>')? + 1;
                self.cut = true;
                Some(Value::Null)
            }
            '-' | '0'..='9' => self.number(),
            _ => self.word(depth),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut object = Object::new();
        loop {
            self.skip_space();
            if self.eat("}") {
                return Some(Value::Object(object));
            }
            if self.left_out() {
                continue;
            }
            let key = match self.peek()? {
                '\'' | '"' | '`' => self.strings()?,
                '[' => {
                    let end = self.rest().find(']')? + 1;
                    let key = self.rest()[..end].to_owned();
                    self.at += end;
                    key
                }
                _ => self.bare()?.to_owned(),
            };
            self.skip_space();
            if !self.eat(":") && !self.eat("=>") {
                return None;
            }
            let value = self.value(depth + 1)?;
            object.insert(key, value);
            self.skip_space();
            self.eat(",");
        }
    }

    fn list(&mut self, close: char, depth: usize) -> Option<Value> {
        self.at += 1;
        if self.elided() {
            self.cut = true;
            return Some(Value::Null);
        }
        let mut values = Vec::new();
        loop {
            self.skip_space();
            if self.peek()? == close {
                self.at += 1;
                return Some(Value::Array(values));
            }
            if self.left_out() {
                continue;
            }
            values.push(self.value(depth + 1)?);
            self.skip_space();
            self.eat(",");
        }
    }

    /// `Object]`, `Array]`, `Function: x]`, `Circular *1]`: what the printer did not descend into.
    fn elided(&mut self) -> bool {
        let rest = self.rest();
        let Some(end) = rest.find(']').filter(|end| *end < 80) else {
            return false;
        };
        let starts = [
            "Object",
            "Array",
            "Function",
            "Circular",
            "Getter",
            "class",
            "Symbol",
            "AsyncFunction",
        ];
        let is_name = starts.iter().any(|name| rest.starts_with(name))
            || (rest.starts_with(char::is_uppercase) && rest[..end].chars().all(char::is_alphanumeric));
        if is_name {
            self.at += end + 1;
        }
        is_name
    }

    /// `... 3 more items`
    fn left_out(&mut self) -> bool {
        if !self.eat("...") {
            return false;
        }
        self.cut = true;
        let rest = self.rest();
        self.at += rest.find([',', '\n', '}', ']', ')']).unwrap_or(rest.len());
        self.skip_space();
        self.eat(",");
        true
    }

    /// A string, and what `+` or nothing joins to it.
    fn strings(&mut self) -> Option<String> {
        let mut text = self.string()?;
        loop {
            let before = self.at;
            self.skip_space();
            let plus = self.eat("+");
            self.skip_space();
            let again = matches!(self.peek(), Some('\'' | '"' | '`'));
            if again && plus {
                text.push_str(&self.string()?);
                continue;
            }
            self.at = before;
            if self.rest().starts_with("... ") {
                self.left_out();
            }
            return Some(text);
        }
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek()?;
        self.at += quote.len_utf8();
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((offset, c)) = chars.next() {
            if c == quote {
                self.at += offset + c.len_utf8();
                return Some(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            let (_, escape) = chars.next()?;
            match escape {
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                'b' => text.push('\u{8}'),
                'f' => text.push('\u{c}'),
                '0' => text.push('\0'),
                '\n' => {}
                'x' => text.push(hex(&mut chars, 2)?),
                'U' => text.push(hex(&mut chars, 8)?),
                'u' => text.push(unicode(&mut chars)?),
                other => text.push(other),
            }
        }
        None
    }

    fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_')))
            .unwrap_or(rest.len());
        self.at += length;
        let digits = rest[..length].trim_end_matches('n').replace('_', "");
        let value: Value = serde_json::from_str(&digits).unwrap_or(Value::String(rest[..length].to_owned()));
        (length > 0).then_some(value)
    }

    fn bare(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-')))
            .unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// A name: a constant, or a class before its members.
    fn word(&mut self, depth: usize) -> Option<Value> {
        let word = self.bare()?;
        match word {
            "None" | "null" | "undefined" | "NaN" | "nan" => return Some(Value::Null),
            "True" | "true" => return Some(Value::Bool(true)),
            "False" | "false" => return Some(Value::Bool(false)),
            _ => {}
        }
        if matches!(word, "b" | "r" | "u" | "f") && matches!(self.peek(), Some('\'' | '"')) {
            return self.strings().map(Value::String);
        }
        match self.peek() {
            Some('(') => {
                let value = self.arguments(depth)?;
                Some(value)
            }
            Some(' ') if self.rest().trim_start().starts_with(['{', '[']) => self.value(depth + 1),
            _ => {
                self.cut = true;
                Some(Value::Null)
            }
        }
    }

    /// What stands in the brackets of `Headers({…})`; `name=value` arguments become members.
    fn arguments(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut object = Object::new();
        let mut alone = Vec::new();
        loop {
            self.skip_space();
            if self.eat(")") {
                break;
            }
            let before = self.at;
            let name = self.bare().map(str::to_owned);
            if let Some(name) = name.filter(|_| self.peek() == Some('=')) {
                self.at += 1;
                object.insert(name, self.value(depth + 1)?);
            } else {
                self.at = before;
                alone.push(self.value(depth + 1)?);
            }
            self.skip_space();
            self.eat(",");
        }
        Some(match alone.len() {
            1 if object.is_empty() => alone.remove(0),
            0 => Value::Object(object),
            _ => Value::Array(alone),
        })
    }
}

fn hex(chars: &mut std::str::CharIndices<'_>, digits: usize) -> Option<char> {
    char::from_u32(code(chars, digits)?)
}

fn code(chars: &mut std::str::CharIndices<'_>, digits: usize) -> Option<u32> {
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + chars.next()?.1.to_digit(16)?;
    }
    Some(code)
}

fn unicode(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    let mut ahead = chars.clone();
    if ahead.next()?.1 == '{' {
        chars.next();
        let mut code = 0_u32;
        for (_, c) in chars.by_ref().take(8) {
            if c == '}' {
                return char::from_u32(code);
            }
            code = code.checked_mul(16)?.checked_add(c.to_digit(16)?)?;
        }
        return None;
    }
    let first = code(chars, 4)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some(char::from_u32(first).unwrap_or('\u{fffd}'));
    }
    let mut ahead = chars.clone();
    if ahead.next()?.1 == '\\' && ahead.next()?.1 == 'u' {
        let second = code(&mut ahead, 4)?;
        *chars = ahead;
        let joined = 0x1_0000 + ((first - 0xd800) << 10) + second.checked_sub(0xdc00)?;
        return char::from_u32(joined);
    }
    Some('\u{fffd}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_python_prints_is_read() {
        let text = r#"{'method': 'post', 'n': None, 'yes': True, "it's": ['a', 1.5, ()], 'h': Headers({'a': b'x'}), 'g': NotGiven(), 'e': 'l1\nl2 \xe9 \u20ac'} and more"#;
        let printed = parse(text).expect("a value");
        let expected = json!({"method": "post", "n": null, "yes": true, "it's": ["a", 1.5, []], "h": {"a": "x"}, "g": {}, "e": "l1\nl2 é €"});
        assert_eq!(printed.value, expected);
        assert_eq!(&text[printed.length..], " and more");
    }

    #[test]
    fn what_node_prints_is_read_and_what_it_left_out_is_known() {
        let text = "{\n  method: 'post',\n  body: { model: 'm', input: [ [Object], [Object] ], long: 'a' +\n    'b' },\n  u: undefined,\n  'x-y': 1\n}";
        let printed = parse(text).expect("a value");
        let expected = json!({"method": "post", "body": {"model": "m", "input": [null, null], "long": "ab"}, "u": null, "x-y": 1});
        assert_eq!(printed.value, expected);
        assert!(printed.cut);
    }

    #[test]
    fn a_value_that_breaks_off_is_none() {
        assert_eq!(parse("{'a': 'b"), None);
        assert_eq!(parse(""), None);
    }
}
