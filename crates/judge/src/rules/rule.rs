//! What a rule is: its name, its defaults and its page.

use crate::client::Client;
use crate::finding::{Class, Severity};

/// A named check of the judge. The name is its identity and is never used for another one.
#[derive(Debug)]
pub struct Rule {
    /// Kebab-case name.
    pub name: &'static str,
    /// Group.
    pub class: Class,
    /// How bad it is where nothing lowers or raises it.
    pub severity: Severity,
    /// Version that brought it.
    pub since: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What `explain` prints: what it is, why it matters, the fix, and the fix for single clients.
    pub page: &'static str,
    /// The fix where the client is not known.
    pub fix: &'static str,
    /// The fix for single clients.
    pub clients: &'static [(Client, &'static str)],
}

impl Rule {
    /// The fix for this client.
    pub fn fix_for(&self, client: Client) -> &'static str {
        let known = self.clients.iter().find(|(name, _)| *name == client);
        known.map_or(self.fix, |(_, fix)| fix)
    }
}

/// Declares the `RULE` of a module; its page is put together from the parts.
macro_rules! rule {
    (
        name: $name:literal, class: $class:ident, severity: $severity:ident,
        summary: $summary:literal,
        what: $what:literal,
        why: $why:literal,
        fix: $fix:literal,
        clients: { $($client:ident: $advice:literal),* $(,)? } $(,)?
    ) => {
        /// Name, defaults and page of the rule.
        pub(crate) static RULE: $crate::rules::Rule = $crate::rules::Rule {
            name: $name,
            class: $crate::finding::Class::$class,
            severity: $crate::finding::Severity::$severity,
            since: "0.1.0",
            summary: $summary,
            page: concat!(
                "What happened\n", $what, "\n\nWhy it matters\n", $why, "\n\nFix\n", $fix
                $(, "\n- ", $crate::rules::client_label!($client), ": ", $advice)*
            ),
            fix: $fix,
            clients: &[$(($crate::client::Client::$client, $advice)),*],
        };
    };
}
pub(crate) use rule;

/// The name of a client as a literal, for a page that is put together when it is compiled.
macro_rules! client_label {
    (OpenAiPython) => {
        "openai for Python"
    };
    (OpenAiNode) => {
        "openai for Node"
    };
    (AgentsPython) => {
        "Agents SDK for Python"
    };
    (AgentsJs) => {
        "Agents SDK for JavaScript"
    };
    (Meai) => {
        "Microsoft.Extensions.AI"
    };
    (AiSdk) => {
        "Vercel AI SDK"
    };
    (LangChain) => {
        "LangChain"
    };
    (Codex) => {
        "Codex"
    };
}
pub(crate) use client_label;
