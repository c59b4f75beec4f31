//! One switch of a profile, set by hand: `stream-done=sent`.

use crate::profile::{Profile, Switches};

/// A switch with its value, as the profile files write them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    name: String,
    value: String,
}

/// A switch that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SwitchError {
    /// It is no `NAME=VALUE`.
    #[error("`{0}` is no switch; write NAME=VALUE, `stream-done=sent` for example")]
    Form(String),
    /// There is no such switch, or it has no such value.
    #[error("`{name}={value}`: {reason}")]
    Value {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
        /// What is wrong, with what there is.
        reason: String,
    },
}

impl Switch {
    /// Reads `NAME=VALUE` and checks both.
    pub fn parse(text: &str) -> Result<Self, SwitchError> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| SwitchError::Form(text.to_owned()))?;
        Self::new(name.trim(), value.trim())
    }

    /// A switch of this name and value, checked.
    pub fn new(name: &str, value: &str) -> Result<Self, SwitchError> {
        let switch = Self {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        switch.set(&Profile::openai().switches)?;
        Ok(switch)
    }

    /// Sets it in a profile.
    pub fn apply(&self, profile: &mut Profile) {
        // It was checked when it was made, and all profiles have the same switches.
        if let Ok(switches) = self.set(&profile.switches) {
            profile.switches = switches;
        }
    }

    fn set(&self, switches: &Switches) -> Result<Switches, SwitchError> {
        let refused = |reason: String| SwitchError::Value {
            name: self.name.clone(),
            value: self.value.clone(),
            reason: reason.trim().to_owned(),
        };
        let mut table = toml::Table::try_from(switches).map_err(|error| refused(error.to_string()))?;
        let value = match self.value.parse::<i64>() {
            Ok(number) => toml::Value::Integer(number),
            Err(_) => toml::Value::String(self.value.clone()),
        };
        table.insert(self.name.clone(), value);
        table
            .try_into()
            .map_err(|error: toml::de::Error| refused(error.message().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ErrorEvent, EventKeys, KeepAlive, StreamDone, WebSocket};

    fn set(texts: &[&str]) -> Switches {
        let mut profile = Profile::openai();
        for text in texts {
            Switch::parse(text).expect(text).apply(&mut profile);
        }
        profile.switches
    }

    #[test]
    fn a_switch_changes_itself_and_nothing_else() {
        let expected = Switches {
            stream_done: StreamDone::Sent,
            error_event: ErrorEvent::Flat,
            event_keys: EventKeys::Older,
            keep_alive: KeepAlive::Event,
            websocket: WebSocket::Refused,
            item_not_found_status: 400,
            ..Profile::openai().switches
        };
        let switches = set(&[
            "stream-done=sent",
            "error-event = flat",
            "event-keys=older",
            "keep-alive=event",
            "websocket=refused",
            "item-not-found-status=400",
        ]);
        assert_eq!(switches, expected);
    }

    #[test]
    fn every_profile_can_be_written_and_read_again() {
        for profile in crate::profile::all() {
            let table = toml::Table::try_from(&profile.switches).expect("a table");
            let again: Switches = table.try_into().expect("switches");
            assert_eq!(again, profile.switches, "{}", profile.name);
        }
    }

    #[test]
    fn what_there_is_is_said() {
        for (text, said) in [
            ("stream-done", "is no switch; write NAME=VALUE"),
            (
                "stream-dome=sent",
                "unknown field `stream-dome`, expected one of `encrypted`",
            ),
            (
                "stream-done=yes",
                "unknown variant `yes`, expected `absent` or `sent`",
            ),
            ("item-not-found-status=many", "invalid type"),
        ] {
            let error = Switch::parse(text).expect_err(text).to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
