//! Hosted tools and those that a client answers in a form of its own: one table from an item's type to how it begins and
//! which events come before its end (`tests/facts/streaming.md` section 7, `tests/facts/items.md`, Hosted / client tool
//! items).

use holdover_wire::Members as _;
use holdover_wire::{CreateRequest, Object};
use serde_json::{Value, json};

/// What a type does in a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hosted {
    /// `type` of the item.
    pub(crate) name: &'static str,
    /// Members that its `added` form does not have yet.
    pub(crate) added: &'static [Blank],
    /// `status` of its `added` form, where it has one.
    pub(crate) begins: &'static str,
    /// Events between `added` and `done`.
    pub(crate) steps: &'static [Step],
    /// Members that are there even where they hold nothing.
    pub(crate) nulls: &'static [&'static str],
}

/// A member of an `added` form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Blank {
    /// Names from the item down to the member.
    pub(crate) path: &'static [&'static str],
    /// What stands there.
    pub(crate) to: Empty,
}

/// What stands where nothing is yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Empty {
    /// No member at all.
    Absent,
    /// `null`
    Null,
    /// `""`
    Text,
    /// `[]`
    List,
    /// `{}`
    Object,
    /// `[]`, or `null` where the done form has `null` because `include` did not ask for it.
    ListIfIncluded,
}

/// One step between `added` and `done`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// `response.<type>.<word>`
    Progress(&'static str),
    /// `completed`, or `failed` where the item has an error.
    Outcome,
    /// Deltas of a text, then its `done`; nothing where the member is absent.
    Text {
        /// Event without its last word.
        event: &'static str,
        /// Names from the item down to the text.
        path: &'static [&'static str],
        /// How it is cut.
        pieces: Pieces,
    },
    /// `partial_image` as often as the tool asks for.
    PartialImages,
    /// Each command of a shell call.
    Commands,
    /// Each output of a shell call.
    Outputs,
}

/// How a text is cut into deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pieces {
    /// By token.
    Tokens,
    /// One delta that is already full: its `obfuscation` is empty.
    Whole,
}

const fn blank(path: &'static [&'static str], to: Empty) -> Blank {
    Blank { path, to }
}

const fn plain(name: &'static str) -> Hosted {
    Hosted {
        name,
        added: &[],
        begins: "in_progress",
        steps: &[],
        nulls: &[],
    }
}

/// The row of a type; `None` where its item is streamed whole.
pub(crate) fn find(name: &str) -> Option<&'static Hosted> {
    TABLE.iter().find(|row| row.name == name)
}

const TABLE: &[Hosted] = &[
    Hosted {
        added: &[blank(&["action"], Empty::Absent)],
        steps: &[
            Step::Progress("in_progress"),
            Step::Progress("searching"),
            Step::Progress("completed"),
        ],
        ..plain("web_search_call")
    },
    Hosted {
        added: &[blank(&["queries"], Empty::List), blank(&["results"], Empty::Null)],
        steps: &[
            Step::Progress("in_progress"),
            Step::Progress("searching"),
            Step::Progress("completed"),
        ],
        nulls: &["results"],
        ..plain("file_search_call")
    },
    Hosted {
        added: &[
            blank(&["code"], Empty::Text),
            blank(&["outputs"], Empty::ListIfIncluded),
        ],
        steps: &[
            Step::Progress("in_progress"),
            Step::Text {
                event: "response.code_interpreter_call_code",
                path: &["code"],
                pieces: Pieces::Tokens,
            },
            Step::Progress("interpreting"),
            Step::Progress("completed"),
        ],
        nulls: &["outputs"],
        ..plain("code_interpreter_call")
    },
    Hosted {
        added: &[
            blank(&["result"], Empty::Absent),
            blank(&["revised_prompt"], Empty::Absent),
            blank(&["size"], Empty::Absent),
            blank(&["quality"], Empty::Absent),
            blank(&["background"], Empty::Absent),
            blank(&["output_format"], Empty::Absent),
            blank(&["action"], Empty::Absent),
        ],
        steps: &[
            Step::Progress("in_progress"),
            Step::Progress("generating"),
            Step::PartialImages,
            Step::Progress("completed"),
        ],
        ..plain("image_generation_call")
    },
    Hosted {
        added: &[blank(&["tools"], Empty::List)],
        steps: &[Step::Progress("in_progress"), Step::Outcome],
        ..plain("mcp_list_tools")
    },
    Hosted {
        added: &[
            blank(&["arguments"], Empty::Text),
            blank(&["output"], Empty::Null),
            blank(&["error"], Empty::Null),
        ],
        steps: &[
            Step::Progress("in_progress"),
            Step::Text {
                event: "response.mcp_call_arguments",
                path: &["arguments"],
                pieces: Pieces::Whole,
            },
            Step::Outcome,
        ],
        nulls: &["approval_request_id", "error", "output"],
        ..plain("mcp_call")
    },
    plain("mcp_approval_request"),
    Hosted {
        added: &[blank(&["action", "commands"], Empty::List)],
        steps: &[Step::Commands],
        ..plain("shell_call")
    },
    Hosted {
        added: &[blank(&["output"], Empty::List)],
        begins: "completed",
        steps: &[Step::Outputs],
        ..plain("shell_call_output")
    },
    plain("local_shell_call"),
    Hosted {
        added: &[blank(&["operation", "diff"], Empty::Text)],
        steps: &[Step::Text {
            event: "response.apply_patch_call_operation_diff",
            path: &["operation", "diff"],
            pieces: Pieces::Tokens,
        }],
        ..plain("apply_patch_call")
    },
    plain("computer_call"),
    Hosted {
        added: &[blank(&["arguments"], Empty::Object)],
        ..plain("tool_search_call")
    },
    plain("tool_search_output"),
    plain("program"),
    Hosted {
        added: &[blank(&["result"], Empty::Text)],
        begins: "completed",
        ..plain("program_output")
    },
];

impl Hosted {
    /// Turns a finished item into its `added` form.
    pub(crate) fn begin(&self, item: &mut Object) {
        if let Some(status) = item.get_mut("status") {
            *status = self.begins.into();
        }
        for blank in self.added {
            empty(item, blank.path, blank.to);
        }
    }

    /// Writes the members that are there even where they hold nothing.
    pub(crate) fn fill(&self, item: &mut Object) {
        for name in self.nulls {
            if !item.contains_key(*name) {
                item.insert((*name).to_owned(), Value::Null);
            }
        }
    }
}

fn empty(item: &mut Object, path: &[&str], to: Empty) {
    let (Some((last, parents)), mut at) = (path.split_last(), item) else {
        return;
    };
    for parent in parents {
        let Some(Value::Object(inner)) = at.get_mut(*parent) else {
            return;
        };
        at = inner;
    }
    if to == Empty::Absent {
        at.shift_remove(*last);
        return;
    }
    let Some(member) = at.get_mut(*last) else { return };
    let value = match to {
        Empty::Absent | Empty::Null => Value::Null,
        Empty::Text => "".into(),
        Empty::Object => json!({}),
        Empty::ListIfIncluded if member.is_null() => Value::Null,
        Empty::List | Empty::ListIfIncluded => json!([]),
    };
    *member = value;
}

/// The text at the end of a path.
pub(crate) fn text_at<'a>(item: &'a Object, path: &[&str]) -> Option<&'a str> {
    let (last, parents) = path.split_last()?;
    let mut at = item;
    for parent in parents {
        at = at.get(*parent)?.as_object()?;
    }
    at.get(*last)?.as_str()
}

/// Takes out what nobody asked to include (`tests/facts/items.md`, notes of the table).
pub(crate) fn hide(includes: impl Fn(&str) -> bool, item: &mut Object) {
    let (include, path, to): (_, &[&str], _) = match item.member("type").and_then(Value::as_str) {
        Some("web_search_call") => (
            "web_search_call.action.sources",
            &["action", "sources"],
            Empty::Absent,
        ),
        Some("file_search_call") => ("file_search_call.results", &["results"], Empty::Null),
        Some("code_interpreter_call") => ("code_interpreter_call.outputs", &["outputs"], Empty::Null),
        _ => return,
    };
    if !includes(include) {
        empty(item, path, to);
    }
}

/// How many partial images a request asks for, at most three (`partial_images` of its tool).
pub(crate) fn partial_images(request: CreateRequest<'_>) -> u64 {
    let mut tools = request.tools();
    let tool = tools.find(|tool| tool.member("type").is_some_and(|kind| kind == "image_generation"));
    let asked = tool
        .and_then(|tool| tool.member("partial_images"))
        .and_then(Value::as_u64);
    asked.unwrap_or(0).min(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_begins_without_its_action() {
        let row = find("web_search_call").expect("a row");
        let mut item = json!({"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search"}});
        row.begin(item.as_object_mut().expect("object"));
        assert_eq!(
            item.to_string(),
            r#"{"id":"ws_1","type":"web_search_call","status":"in_progress"}"#
        );
    }

    #[test]
    fn a_patch_that_deletes_has_no_diff_to_empty() {
        let row = find("apply_patch_call").expect("a row");
        let mut item = json!({"operation": {"type": "delete_file", "path": "a"}});
        row.begin(item.as_object_mut().expect("object"));
        assert_eq!(item, json!({"operation": {"type": "delete_file", "path": "a"}}));
        let mut item = json!({"operation": {"type": "update_file", "path": "a", "diff": "@@"}});
        row.begin(item.as_object_mut().expect("object"));
        assert_eq!(item["operation"]["diff"], "");
    }

    #[test]
    fn results_are_shown_only_where_they_are_included() {
        let item = json!({"type": "file_search_call", "results": [{"file_id": "file-1"}]});
        let shown = |included: &str| {
            let mut item = item.as_object().expect("object").clone();
            hide(|value| value == included, &mut item);
            item["results"].clone()
        };
        assert_eq!(shown("file_search_call.results"), json!([{"file_id": "file-1"}]));
        assert_eq!(shown("reasoning.encrypted_content"), Value::Null);
    }
}
