//! All endpoints of other providers, and which one a request means.

use std::sync::{Arc, LazyLock};

use holdover_wire::{Object, Wire};
use include_dir::{Dir, include_dir};
use serde::Deserialize;

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
    #[serde(default)]
    endpoint: Vec<Endpoint>,
}

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
        for mut endpoint in file.endpoint {
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
