//! Builds again when a scenario file is added or removed: the suites are part of the program.

fn main() {
    println!("cargo::rerun-if-changed=../../scenarios");
}
