//! All faults. The folders under `src/faults` are the catalogue; a test holds that nothing is missing here.

use crate::card::FaultCard;
use crate::faults;

/// Every fault, by group and in the order of the folders.
pub fn all() -> Vec<&'static FaultCard> {
    let groups = [
        faults::refusals::ALL,
        faults::timing::ALL,
        faults::connection::ALL,
        faults::stream::ALL,
        faults::reasoning::ALL,
        faults::state::ALL,
    ];
    groups.concat()
}

/// The fault of this name.
pub fn find(name: &str) -> Option<&'static FaultCard> {
    all().into_iter().find(|card| card.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::options::OptionDefault;
    use crate::trigger::key_names;

    /// Names in a folder: `cut_after_done.rs` is `cut-after-done`.
    fn listed(group: &str) -> BTreeSet<String> {
        let folder = format!("{}/src/faults/{group}", env!("CARGO_MANIFEST_DIR"));
        let entries = std::fs::read_dir(folder).expect("a folder for the group");
        let names = entries.map(|entry| entry.expect("entry").path());
        names
            .filter_map(|path| Some(path.file_stem()?.to_str()?.replace('_', "-")))
            .filter(|name| name != "mod")
            .collect()
    }

    #[test]
    fn the_folders_are_the_catalogue() {
        let mut folders = BTreeSet::new();
        for card in all() {
            let group = card.group.as_str();
            assert!(listed(group).contains(card.name), "{} in {group}", card.name);
            folders.insert(group);
        }
        let files: usize = folders.iter().map(|group| listed(group).len()).sum();
        assert_eq!(files, all().len());
        assert!(all().len() >= 45, "{}", all().len());
    }

    #[test]
    fn names_are_unique_and_cards_speak() {
        let names: BTreeSet<&str> = all().iter().map(|card| card.name).collect();
        assert_eq!(names.len(), all().len());
        for card in all() {
            for text in [card.about, card.incident] {
                assert!(text.len() > 10 && !text.ends_with('.'), "{}: {text}", card.name);
            }
        }
    }

    #[test]
    fn an_option_is_never_named_like_a_trigger_and_its_default_is_legal() {
        for card in all() {
            for option in card.options {
                assert!(
                    !key_names().contains(&option.name),
                    "{}: {}",
                    card.name,
                    option.name
                );
                let value = match option.default {
                    OptionDefault::Whole(number) => number.into(),
                    OptionDefault::Text(text) => text.into(),
                    OptionDefault::Absent => continue,
                };
                let given = [(option.name.to_owned(), value)];
                let fault = crate::Fault::parse(card.name, &given, &[]);
                assert!(fault.is_ok(), "{}: {:?}", card.name, fault.err());
            }
        }
    }
}
