//! A new data file of a provider means a new build.

fn main() {
    println!("cargo::rerun-if-changed=data/providers");
}
