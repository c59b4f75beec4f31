//! The Dockerfile, as far as it can be held without a container: what it copies is what `cargo xtask dist` makes and
//! `.dockerignore` lets through, it runs as nobody, and its port and its options fit together.

use crate::support;

/// Instructions of the only stage, in order: one line each.
fn instructions() -> Vec<(String, String)> {
    let text = support::text("Dockerfile").expect("a Dockerfile");
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let split = |line: &str| {
        let (name, rest) = line.split_once(' ').expect("an instruction and its arguments");
        (name.to_owned(), rest.to_owned())
    };
    lines.map(split).collect()
}

fn argument(name: &str) -> String {
    let mut of_name = instructions().into_iter().filter(|(known, _)| known == name);
    let (_, argument) = of_name.next().unwrap_or_else(|| panic!("no {name}"));
    assert!(of_name.next().is_none(), "{name} stands there twice");
    argument
}

fn list(name: &str) -> Vec<String> {
    serde_json::from_str(&argument(name)).expect("a JSON list: no shell is in the image")
}

#[test]
fn every_instruction_is_known_and_in_its_place() {
    let names: Vec<String> = instructions().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["FROM", "COPY", "USER", "EXPOSE", "ENTRYPOINT", "CMD"]);
    assert_eq!(argument("FROM"), "scratch");
}

#[test]
fn what_is_copied_is_what_dist_makes_and_the_context_holds() {
    let copy = argument("COPY");
    let (from, to) = copy.split_once(' ').expect("from and to");
    assert_eq!(list("ENTRYPOINT"), [to]);
    let made = support::text("xtask/src/dist.rs").expect("the code of `dist`");
    let folder = from
        .strip_prefix("target/")
        .and_then(|path| path.strip_suffix("/holdover"));
    let folder = folder.expect("a binary below `target`");
    assert!(
        made.contains(&format!("workspace.target(\"{folder}\")")),
        "`dist` makes no {folder}"
    );
    let context = support::text(".dockerignore").expect("a .dockerignore");
    assert_eq!(context.lines().collect::<Vec<_>>(), ["*", &format!("!{from}")]);
    let help = support::text("Dockerfile").expect("a Dockerfile");
    assert!(
        help.contains("#   cargo xtask dist\n"),
        "its head says how the binary is made"
    );
}

#[test]
fn it_runs_as_nobody_on_its_port_and_closed() {
    let user = argument("USER");
    let numbers: Vec<u32> = user
        .split(':')
        .map(|id| id.parse().expect("a number: scratch knows no names"))
        .collect();
    assert!(numbers.len() == 2 && numbers.iter().all(|id| *id > 0), "{user}");
    let port = argument("EXPOSE");
    assert_eq!(
        list("CMD"),
        ["serve", "--listen", &format!("0.0.0.0:{port}"), "--closed"]
    );
    let page = support::text("docs/command-line.md").expect("the page of the command line");
    for option in list("CMD").iter().filter(|word| word.starts_with("--")) {
        assert!(page.contains(option.as_str()), "`serve` knows no {option}");
    }
}
