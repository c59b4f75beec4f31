//! One endpoint: its wire, the models by which it is told, and how it speaks.

use holdover_wire::neutral::Carrier;
use holdover_wire::{Object, Wire};
use serde::{Deserialize, Serialize};

use crate::provider::condition::{Condition, Mind};
use crate::provider::day::Day;
use crate::provider::rule::Rule;

/// What a signature is bound to besides the model family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccountScope {
    /// Nothing: plain text, or a signature that nobody verifies.
    #[default]
    None,
    /// The account or organisation.
    Account,
    /// The backend: two front doors of one provider refuse each other's.
    Backend,
    /// The resource or region.
    Resource,
}

impl AccountScope {
    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Account => "account",
            Self::Backend => "backend",
            Self::Resource => "resource",
        }
    }
}

/// How an endpoint writes its answers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Speech {
    /// Carriers of reasoning that it reads.
    pub reads: Vec<Carrier>,
    /// The carrier in which it writes; without one its reasoning stays inside.
    pub writes: Option<Carrier>,
    /// Further carriers in which it writes the same.
    pub also_writes: Vec<Carrier>,
    /// Id of an answer: `{hex}`, `{uuid}` and `{base62}` are filled in.
    pub id: String,
    /// Id of a call: also `{name}` and `{index}`.
    pub call_id: String,
    /// `format` of an entry of `reasoning_details`; without one an entry has type and text only.
    pub details_format: Option<String>,
    /// `type` of an entry of `reasoning_details`.
    pub details_type: String,
    /// Requests in which the model does not think; one that holds is enough.
    pub rests: Vec<Condition>,
    /// Members of `usage` beside the common ones, with the pointer of the common one whose value they repeat.
    pub usage: std::collections::BTreeMap<String, String>,
    /// Whether a stream ends with `data: [DONE]`.
    pub done: Done,
    /// What a signature is where nothing is signed: also `{id}`, the id of the answer.
    pub signature: String,
    /// Signatures that are taken without a look, and show the model nothing.
    pub dummies: Vec<String>,
    /// Whether the text of thinking is shown where the request does not say.
    pub display: Display,
    /// Requests that are answered with a signed summary of their messages, and nothing else.
    pub compacts: Option<Condition>,
}

/// Whether the text of thinking is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Display {
    /// It is.
    #[default]
    Summarized,
    /// The block is there, with its signature, and its text is empty.
    Omitted,
}

/// Whose reasoning a model may not read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Unread {
    /// The model that is asked, with `*`.
    pub model: String,
    /// Models that made the reasoning, with `*`.
    pub made_by: Vec<String>,
}

/// Whether a stream ends with `data: [DONE]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Done {
    /// It does.
    #[default]
    Sent,
    /// It does not.
    Absent,
}

/// How a refusal is put: a JSON document in which `{message}`, `{type}`, `{code}` and the places of a violation are
/// filled in.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Refusal {
    /// The document.
    pub body: String,
    /// What stands in it for each place that breaks the rule, where the document has the string `{each}`.
    pub each: String,
    /// The document for a violation that has a code of its own; the usual one where it is empty.
    pub coded: String,
    /// The document for what breaks a rule at no place, where the other one lists places.
    pub plain: String,
    /// `{type}` where a violation has none.
    #[serde(rename = "type")]
    pub kind: String,
    /// `{code}` where a violation has none.
    pub code: String,
    /// Headers beside the usual ones.
    pub headers: std::collections::BTreeMap<String, String>,
}

/// One endpoint as it was seen over some time.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Endpoint {
    /// Name of the profile.
    pub name: String,
    /// Who serves it; that of its file.
    #[serde(default)]
    pub provider: String,
    /// One sentence.
    pub about: String,
    /// Its wire.
    pub wire: Wire,
    /// Ends of paths that are its own; the common path of the wire where there are none.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Names of models by which it is told, with `*`; without one it is chosen by name only.
    #[serde(default)]
    pub models: Vec<String>,
    /// The family of its models: signatures of one family do not open in another.
    #[serde(default)]
    pub model_family: String,
    /// Whose reasoning its models may not read.
    #[serde(default)]
    pub unread: Vec<Unread>,
    /// Requests that it is about.
    #[serde(default)]
    pub when: Condition,
    /// What a signature is bound to.
    #[serde(default)]
    pub account_scope: AccountScope,
    /// Name of the backend to which signatures are bound; that of the endpoint where it is absent.
    #[serde(default)]
    pub backend: Option<String>,
    /// First day on which it holds.
    #[serde(default)]
    pub from: Option<Day>,
    /// First day on which it no longer holds.
    #[serde(default)]
    pub until: Option<Day>,
    /// Day of the newest fact in it.
    pub as_of: Day,
    /// How it speaks.
    pub speech: Speech,
    /// How it refuses.
    pub refusal: Refusal,
    /// Its entries; the first that is about something decides.
    #[serde(default)]
    pub rule: Vec<Rule>,
}

impl Endpoint {
    /// Whether it is what is taken for chat completions of models that nobody here knows: any server may have them.
    pub fn is_anybodys(&self) -> bool {
        self.wire == Wire::ChatCompletions && self.paths.is_empty() && self.models == ["*"]
    }

    /// Whether the model thinks in this request.
    pub fn mind(&self, body: &Object) -> Mind {
        if self.speech.rests.iter().any(|rest| rest.holds_for(body)) {
            Mind::Rests
        } else {
            Mind::Thinks
        }
    }

    /// Whether it holds on a day; without a day, whether it still holds.
    pub fn holds_on(&self, day: Option<&Day>) -> bool {
        let Some(day) = day else {
            return self.until.is_none();
        };
        self.from.as_ref().is_none_or(|from| from <= day)
            && self.until.as_ref().is_none_or(|until| day < until)
    }

    /// How special the name by which it is told is: letters of the pattern, without its stars. `None` where no pattern
    /// fits.
    pub fn fit(&self, model: &str) -> Option<usize> {
        let patterns = self.models.iter();
        let fits = patterns.filter(|pattern| matches(pattern, model));
        fits.map(|pattern| pattern.len() - pattern.matches('*').count())
            .max()
    }

    /// The name of a model by which it is told: its first pattern that is more than a star, with nothing in the place of
    /// stars and a `1` after a hyphen that is left at the end; `any-model` where it has no such pattern.
    pub fn example_model(&self) -> String {
        let pattern = self.models.iter().find(|pattern| *pattern != "*");
        let name = pattern.map_or_else(String::new, |pattern| pattern.replace('*', ""));
        if name.ends_with('-') {
            format!("{name}1")
        } else if name.is_empty() {
            "any-model".to_owned()
        } else {
            name
        }
    }

    /// Whether a model may read the reasoning of another.
    pub fn may_read(&self, model: &str, maker: &str) -> bool {
        let mut unread = self.unread.iter().filter(|unread| matches(&unread.model, model));
        model == maker || !unread.any(|unread| unread.made_by.iter().any(|made| matches(made, maker)))
    }

    /// Whether a path is its own: it ends so, or fits a pattern with stars.
    pub fn owns(&self, path: &str) -> bool {
        let mut paths = self.paths.iter();
        paths.any(|end| path.ends_with(end.as_str()) || (end.contains('*') && matches(end, path)))
    }
}

/// Whether a name fits a pattern with stars, upper and lower case alike.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut pieces = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(pieces.next().unwrap_or("")) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_a_model_by_which_its_endpoint_is_told() {
        let book = crate::provider::Book::builtin();
        for endpoint in book.all().iter().filter(|endpoint| !endpoint.models.is_empty()) {
            let name = endpoint.example_model();
            assert!(endpoint.fit(&name).is_some(), "{}: {name}", endpoint.name);
        }
        let example = |models: &[&str]| {
            let mut endpoint = (**book.find("deepseek-v4").expect("an endpoint")).clone();
            endpoint.models = models.iter().map(|model| (*model).to_owned()).collect();
            endpoint.example_model()
        };
        assert_eq!(example(&["*", "a/b-*", "longer-name"]), "a/b-1");
        assert_eq!(example(&["*"]), "any-model");
        assert_eq!(example(&[]), "any-model");
    }

    #[test]
    fn patterns_have_stars() {
        for (pattern, name, fits) in [
            ("deepseek-v4*", "deepseek-v4-pro", true),
            ("deepseek-v4*", "deepseek-v3.2", false),
            ("*", "anything", true),
            ("glm-4.7", "glm-4.7", true),
            ("glm-4.7", "glm-4.7-air", false),
            ("*kimi*k2.5", "moonshotai/Kimi-k2.5", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
