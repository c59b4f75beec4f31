//! The systems for which there is a binary.

use anyhow::{Context as _, bail};

/// A system, in the words of those who publish for it.
pub(crate) struct Target {
    /// The name that Rust has.
    pub(crate) triple: &'static str,
    /// The name of the system that Node has.
    pub(crate) system: &'static str,
    /// The name of the processor that Node has.
    pub(crate) cpu: &'static str,
    /// The platform tags of its wheel.
    pub(crate) wheel: &'static str,
    /// What runs its programs on another machine, where there is such a thing.
    pub(crate) runner: Option<&'static str>,
}

/// Static on Linux: one binary for every C library. On Windows with the libraries of the system only.
const TARGETS: [Target; 6] = [
    Target {
        triple: "x86_64-unknown-linux-musl",
        system: "linux",
        cpu: "x64",
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        runner: Some("qemu-x86_64-static"),
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        system: "linux",
        cpu: "arm64",
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        runner: Some("qemu-aarch64-static"),
    },
    Target {
        triple: "x86_64-apple-darwin",
        system: "darwin",
        cpu: "x64",
        wheel: "macosx_10_12_x86_64",
        runner: None,
    },
    Target {
        triple: "aarch64-apple-darwin",
        system: "darwin",
        cpu: "arm64",
        wheel: "macosx_11_0_arm64",
        runner: None,
    },
    Target {
        triple: "x86_64-pc-windows-gnu",
        system: "win32",
        cpu: "x64",
        wheel: "win_amd64",
        runner: Some("wine64"),
    },
    Target {
        triple: "aarch64-pc-windows-gnullvm",
        system: "win32",
        cpu: "arm64",
        wheel: "win_arm64",
        runner: None,
    },
];

impl Target {
    /// The targets of these names: of this machine where there are none, and every one for `all`.
    pub(crate) fn named(names: &[String]) -> anyhow::Result<Vec<&'static Self>> {
        match names {
            [] => Ok(vec![Self::host()?]),
            [all] if all == "all" => Ok(TARGETS.iter().collect()),
            names => names.iter().map(|name| Self::find(name)).collect(),
        }
    }

    /// The target of this machine.
    pub(crate) fn host() -> anyhow::Result<&'static Self> {
        let system = match std::env::consts::OS {
            "linux" => "linux",
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        };
        let cpu = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        let mut targets = TARGETS.iter();
        targets
            .find(|target| target.system == system && target.cpu == cpu)
            .with_context(|| format!("nothing is published for {system} on {cpu}"))
    }

    fn find(triple: &str) -> anyhow::Result<&'static Self> {
        let found = TARGETS.iter().find(|target| target.triple == triple);
        found.with_context(|| {
            let known: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
            format!("no target `{triple}`; there are {}, and `all`", known.join(", "))
        })
    }

    /// The name of the program.
    pub(crate) fn binary(&self) -> &'static str {
        if self.system == "win32" {
            "holdover.exe"
        } else {
            "holdover"
        }
    }

    /// Whether a binary is one of this system and processor, and asks for nothing that is not there.
    pub(crate) fn check(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let number = |at, length| number(bytes, at, length);
        // The magic number of the format, and the number that it has for the processor.
        let is_own = match (self.system, self.cpu) {
            ("linux", cpu) => {
                let machine = if cpu == "x64" { 62 } else { 183 };
                bytes.starts_with(b"\x7fELF\x02\x01") && number(18, 2) == Some(machine)
            }
            ("darwin", cpu) => {
                let kind = if cpu == "x64" { 0x0100_0007 } else { 0x0100_000c };
                number(0, 4) == Some(0xfeed_facf) && number(4, 4) == Some(kind)
            }
            (_, cpu) => {
                let machine = if cpu == "x64" { 0x8664 } else { 0xaa64 };
                let header = number(0x3c, 4).and_then(|at| usize::try_from(at).ok());
                bytes.starts_with(b"MZ")
                    && header
                        .is_some_and(|at| number(at, 4) == Some(0x4550) && number(at + 4, 2) == Some(machine))
            }
        };
        if !is_own {
            bail!("the binary is none of {}", self.triple);
        }
        if self.system == "linux" && has_interpreter(bytes).context("an ELF file without its headers")? {
            bail!(
                "the binary of {} asks for a loader: it is not static",
                self.triple
            );
        }
        Ok(())
    }
}

/// A number, little endian.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let digits = bytes.get(at..at.checked_add(length)?)?;
    let digits = digits.iter().rev();
    Some(digits.fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// Whether a program header of an ELF file (64 bits, little endian) has the type `PT_INTERP`: a program without one needs
/// no library of its machine.
fn has_interpreter(bytes: &[u8]) -> Option<bool> {
    const PT_INTERP: u64 = 3;
    let (start, size, count) = (
        number(bytes, 32, 8)?,
        number(bytes, 54, 2)?,
        number(bytes, 56, 2)?,
    );
    let kind = |index: u64| number(bytes, usize::try_from(start + index * size).ok()?, 4);
    Some((0..count).any(|index| kind(index) == Some(PT_INTERP)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of 64 bytes for x86-64, then one program header of 56 of this type.
    fn elf(kind: u8) -> Vec<u8> {
        let mut bytes = vec![0; 120];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[18] = 62;
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64] = kind;
        bytes
    }

    fn target(triple: &str) -> &'static Target {
        Target::find(triple).expect("a target")
    }

    #[test]
    fn a_static_program_is_told_from_one_with_a_loader() {
        let linux = target("x86_64-unknown-linux-musl");
        linux.check(&elf(1)).expect("it is static");
        let problem = linux.check(&elf(3)).expect_err("it has a loader");
        assert!(problem.to_string().contains("not static"), "{problem}");
    }

    #[test]
    fn a_program_of_another_processor_or_system_is_refused() {
        for triple in [
            "aarch64-unknown-linux-musl",
            "x86_64-apple-darwin",
            "x86_64-pc-windows-gnu",
        ] {
            assert!(target(triple).check(&elf(1)).is_err(), "{triple}");
        }
        let mac = [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1];
        target("aarch64-apple-darwin").check(&mac).expect("64 bits, arm");
        assert!(target("x86_64-apple-darwin").check(&mac).is_err());
        let mut windows = vec![0; 0x48];
        windows[..2].copy_from_slice(b"MZ");
        windows[0x3c] = 0x40;
        windows[0x40..0x46].copy_from_slice(b"PE\0\0\x64\x86");
        target("x86_64-pc-windows-gnu")
            .check(&windows)
            .expect("a PE file");
        assert!(target("aarch64-pc-windows-gnullvm").check(&windows).is_err());
    }

    #[test]
    fn no_name_means_this_machine_and_a_wrong_one_says_what_there_is() {
        let names = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            Target::named(&names)
                .map(|targets| targets.iter().map(|target| target.triple).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).expect("this one").len(), 1);
        assert_eq!(names(&["all"]).expect("all").len(), 6);
        let problem = names(&["x86_64-unknown-linux-gnu"]).expect_err("it is not published");
        assert!(
            problem.to_string().contains("x86_64-unknown-linux-musl"),
            "{problem}"
        );
    }
}
