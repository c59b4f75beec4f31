//! All endpoints of other providers, and which one a request means.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use holdover_wire::{Object, Wire};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use toml::{Table, Value};

use crate::provider::day::Day;
use crate::provider::endpoint::Endpoint;

/// The data files: whoever adds one adds no code.
static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/providers");

/// Endpoints by name, path, model and day.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book(Vec<Arc<Endpoint>>);

/// A data file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct BookError {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    provider: String,
    /// As they are written: a rule may name another one of the file.
    #[serde(default)]
    endpoint: Vec<Table>,
}

/// The member by which a rule says that it is `ENDPOINT/RULE`, which stands before it in its file, but for the members
/// that it has itself.
const SAME_AS: &str = "same-as";

static ALL: LazyLock<Book> = LazyLock::new(|| {
    let mut book = Book::default();
    for file in FOLDER.files() {
        let name = file.path().to_string_lossy();
        #[expect(
            clippy::expect_used,
            reason = "the data files are compiled in, and a test reads each"
        )]
        book.add(&name, file.contents_utf8().unwrap_or(""))
            .expect("a provider file that is part of the binary");
    }
    book
});

impl Book {
    /// The endpoints that are part of the binary.
    pub fn builtin() -> &'static Self {
        &ALL
    }

    /// Takes the endpoints of a data file.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), BookError> {
        let refused = |reason: String| BookError {
            file: name.to_owned(),
            reason,
        };
        let file: File = toml::from_str(text).map_err(|error| refused(error.to_string()))?;
        for mut endpoint in written_out(file.endpoint).map_err(refused)? {
            if self.find(&endpoint.name).is_some() {
                return Err(refused(format!("`{}` is there already", endpoint.name)));
            }
            endpoint.provider.clone_from(&file.provider);
            self.0.push(Arc::new(endpoint));
        }
        Ok(())
    }

    /// All endpoints, in the order of the files.
    pub fn all(&self) -> &[Arc<Endpoint>] {
        &self.0
    }

    /// The endpoint of this name.
    pub fn find(&self, name: &str) -> Option<&Arc<Endpoint>> {
        self.0.iter().find(|endpoint| endpoint.name == name)
    }

    /// The endpoint that a request means: the one whose path it is, then the one whose name of a model fits best, then
    /// the one that looks at most of its members, then the newest. `day` is the day whose rules hold.
    pub fn choose(
        &self,
        wire: Wire,
        path: &str,
        model: &str,
        body: &Object,
        day: Option<&Day>,
    ) -> Option<&Arc<Endpoint>> {
        let spoken = self.0.iter().filter(|endpoint| endpoint.wire == wire);
        let spoken = spoken.filter(|endpoint| endpoint.when.holds_for(body));
        let weighed = spoken.filter_map(|endpoint| {
            let owns = endpoint.owns(path);
            let fit = endpoint.fit(model)?;
            // A pattern that fits everything tells nothing about a path that is somebody else's.
            let told = owns || endpoint.paths.is_empty() || fit > 0;
            // Of two that know a name as well, the one whose path it is not comes last.
            let at_home = owns || endpoint.paths.is_empty();
            let now = endpoint.holds_on(day);
            told.then(|| {
                let newest = endpoint.from.clone();
                (
                    (now, owns, fit, at_home, endpoint.when.weight(), newest),
                    endpoint,
                )
            })
        });
        let best = weighed.max_by(|(one, _), (other, _)| one.cmp(other));
        best.map(|(_, endpoint)| endpoint)
    }
}

/// The endpoints of a file, with every rule that is the same as another one written out.
fn written_out(mut endpoints: Vec<Table>) -> Result<Vec<Endpoint>, String> {
    let mut known: BTreeMap<String, Table> = BTreeMap::new();
    for endpoint in &mut endpoints {
        let name = text(endpoint, "name").to_owned();
        let rules = endpoint.get_mut("rule").and_then(Value::as_array_mut);
        for rule in rules.into_iter().flatten().filter_map(Value::as_table_mut) {
            if let Some(other) = rule.remove(SAME_AS) {
                let other = other.as_str().and_then(|other| known.get(other));
                let other = other.ok_or_else(|| {
                    format!("`{name}` has a rule that is the same as none that stands before it in its file")
                })?;
                let own = std::mem::replace(rule, other.clone());
                rule.extend(own);
            }
            known.insert(format!("{name}/{}", text(rule, "name")), rule.clone());
        }
    }
    let read = |endpoint: Table| {
        let name = text(&endpoint, "name").to_owned();
        Endpoint::deserialize(endpoint).map_err(|error| format!("`{name}`: {error}"))
    };
    endpoints.into_iter().map(read).collect()
}

fn text<'a>(table: &'a Table, name: &str) -> &'a str {
    table.get(name).and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chosen(path: &str, model: &str, day: Option<&str>) -> String {
        let body = json!({"model": model});
        let body = body.as_object().expect("an object");
        let day = day.map(|day| Day::parse(day).expect("a day"));
        let found = Book::builtin().choose(Wire::ChatCompletions, path, model, body, day.as_ref());
        found.map_or_else(String::new, |endpoint| endpoint.name.clone())
    }

    #[test]
    fn every_data_file_is_part_of_the_book() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/providers");
        for entry in std::fs::read_dir(folder).expect("the folder") {
            let path = entry.expect("an entry").path();
            let text = String::from_utf8(std::fs::read(&path).expect("a file")).expect("text");
            let mut alone = Book::default();
            alone.add("file", &text).expect("a data file");
            assert!(!alone.all().is_empty(), "{}", path.display());
            for endpoint in alone.all() {
                assert_eq!(Book::builtin().find(&endpoint.name), Some(endpoint));
            }
        }
    }

    fn two_endpoints(second: &str) -> Result<Book, BookError> {
        let endpoint = |name: &str, rule: &str| {
            format!(
                "[[endpoint]]\nname = '{name}'\nabout = 'a'\nwire = 'chat-completions'\nas-of = '2026-01-01'\n\
                 [endpoint.speech]\n[endpoint.refusal]\n[[endpoint.rule]]\n{rule}\n"
            )
        };
        let rule = "name = 'sent'\nmode = 'ordinary'\nfield = 'reasoning'\nreplay = 'forbidden'\n\
                    evidence = { source = 's' }\nconfidence = 'high'";
        let text = format!(
            "provider = 'p'\n{}{}",
            endpoint("one", rule),
            endpoint("two", second)
        );
        let mut book = Book::default();
        book.add("file", &text).map(|()| book)
    }

    #[test]
    fn a_rule_may_be_the_same_as_one_before_it_but_for_what_it_says_itself() {
        let book = two_endpoints("same-as = 'one/sent'\nfield = 'another'").expect("a book");
        let [one, two] = ["one", "two"].map(|name| book.find(name).expect("an endpoint").rule[0].clone());
        assert_eq!((two.name.as_str(), two.field.as_str()), ("sent", "another"));
        let field = one.field.clone();
        assert_eq!(crate::provider::Rule { field, ..two }, one);
        for other in ["one/other", "two/sent", "three/sent"] {
            let error = two_endpoints(&format!("same-as = '{other}'")).expect_err("no such rule");
            assert!(
                error.reason.contains("`two` has a rule that is the same as none"),
                "{error}"
            );
        }
        let error = two_endpoints("same-as = 'one/sent'\nfeild = 'x'").expect_err("a typo");
        assert!(
            error.reason.contains("`two`") && error.reason.contains("feild"),
            "{error}"
        );
    }

    /// What is written twice is mended once.
    #[test]
    fn no_file_writes_a_rule_twice() {
        for file in FOLDER.files() {
            let text = file.contents_utf8().expect("text");
            let file: File = toml::from_str(text).expect("a file");
            let rules = file
                .endpoint
                .iter()
                .filter_map(|endpoint| endpoint.get("rule")?.as_array());
            let rules: Vec<&Value> = rules
                .flatten()
                .filter(|rule| rule.get(SAME_AS).is_none())
                .collect();
            for (at, rule) in rules.iter().enumerate() {
                assert!(!rules[..at].contains(rule), "{}: {rule}", file.provider);
            }
        }
    }

    #[test]
    fn rules_have_names_and_a_refusal_has_a_document() {
        for endpoint in Book::builtin().all() {
            let mut names: Vec<&str> = endpoint.rule.iter().map(|rule| rule.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), endpoint.rule.len(), "{}", endpoint.name);
            let body: Result<serde_json::Value, _> = serde_json::from_str(&endpoint.refusal.body);
            assert!(body.is_ok(), "{}: {}", endpoint.name, endpoint.refusal.body);
        }
    }

    #[test]
    fn path_and_model_choose() {
        let chat = "/v1/chat/completions";
        assert_eq!(chosen(chat, "deepseek-v4-pro", None), "deepseek-v4");
        assert_eq!(chosen(chat, "deepseek-chat", None), "deepseek-v4");
        assert_eq!(chosen(chat, "kimi-k2.5", None), "kimi-k2");
        assert_eq!(chosen(chat, "magistral-medium-latest", None), "mistral");
        assert_eq!(
            chosen("/api/v1/chat/completions", "google/gemini-3-pro", None),
            "openrouter-gemini"
        );
        assert_eq!(
            chosen("/api/v1/chat/completions", "some/model", None),
            "openrouter"
        );
        assert_eq!(
            chosen("/api/coding/paas/v4/chat/completions", "glm-4.7", None),
            "glm-coding"
        );
        assert_eq!(chosen(chat, "some-model", None), "openai-chat");
    }

    /// Days of `tests/facts/providers.md` section 2.2.
    #[test]
    fn a_day_picks_the_version_of_that_day() {
        let chat = "/v1/chat/completions";
        for (day, name) in [
            ("2025-06-01", "deepseek-r1"),
            ("2026-01-15", "deepseek-v3.2"),
            ("2026-05-01", "deepseek-v4-june"),
            ("2026-09-01", "deepseek-v4"),
        ] {
            assert_eq!(chosen(chat, "deepseek-reasoner", Some(day)), name, "{day}");
        }
    }
}
