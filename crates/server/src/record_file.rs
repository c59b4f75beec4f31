//! The files of `--record`: one recording for each session, written while the server runs.
//!
//! `--record run.jsonl` gives session `default` the file itself, and session `NAME` the file `run.NAME.jsonl` beside
//! it: each file is one recording with its own header, so `holdover judge` reads it as it is. When a session was ended
//! and its name is used again, the second life gets `run.NAME~2.jsonl` (no session's name can hold a `~`). A file that
//! exists is replaced when it is a recording, and left alone when it is anything else.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use holdover_wire::SessionName;
use holdover_wire::recording::{FORMAT, Header, line};

/// Files that are open at once; with more sessions than that they are closed and opened again.
const OPEN_MAX: usize = 64;
/// A first line that is longer than this is not a recording's.
const FIRST_LINE_MAX: u64 = 4096;
/// Lives of a session's name are counted from here.
pub(crate) const FIRST_LIFE: u32 = 1;

/// The first thing that went wrong while recording, for whoever ends the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordTrouble(Arc<Mutex<Option<String>>>);

impl RecordTrouble {
    fn note(&self, path: &Path, error: &io::Error) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| format!("cannot write `{}`: {error}", path.display()));
    }

    pub(crate) fn first(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The files of one server.
#[derive(Debug)]
pub(crate) struct RecordFiles {
    base: PathBuf,
    open: BTreeMap<PathBuf, BufWriter<File>>,
    /// Files that this server has begun: it appends to them and never starts them again.
    begun: BTreeMap<PathBuf, Begun>,
    trouble: RecordTrouble,
}

/// Whether a file can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    Yes,
    /// It belongs to somebody else, or the disk said no; the trouble is noted.
    Refused,
}

impl RecordFiles {
    /// Begins the file of session `default` at once, so that a path that cannot be written is known before the server
    /// says that it is ready.
    pub(crate) fn create(base: PathBuf, header: &Header) -> io::Result<Self> {
        let mut files = Self {
            open: BTreeMap::new(),
            begun: BTreeMap::new(),
            trouble: RecordTrouble::default(),
            base,
        };
        let path = files.base.clone();
        let mut file = begin(&path, header)?;
        file.flush()?;
        files.begun.insert(path.clone(), Begun::Yes);
        files.open.insert(path, file);
        Ok(files)
    }

    pub(crate) fn trouble(&self) -> RecordTrouble {
        self.trouble.clone()
    }

    /// Appends the line of one exchange to the file of its session, which lives for the `life`-th time.
    pub(crate) fn write(&mut self, header: &Header, life: u32, text: &str) {
        let path = path_of(&self.base, &header.session, life);
        let written = match self.file(&path, header) {
            Ok(Some(file)) => file.write_all(text.as_bytes()),
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            self.trouble.note(&path, &error);
            self.begun.insert(path.clone(), Begun::Refused);
            self.open.remove(&path);
        }
    }

    fn file(&mut self, path: &Path, header: &Header) -> io::Result<Option<&mut BufWriter<File>>> {
        if !self.open.contains_key(path) {
            if self.open.len() >= OPEN_MAX {
                self.flush();
                self.open.clear();
            }
            let file = match self.begun.get(path) {
                Some(Begun::Refused) => return Ok(None),
                Some(Begun::Yes) => BufWriter::new(File::options().append(true).open(path)?),
                None => begin(path, header)?,
            };
            self.begun.insert(path.to_owned(), Begun::Yes);
            self.open.insert(path.to_owned(), file);
        }
        Ok(self.open.get_mut(path))
    }

    /// Writes what is buffered.
    pub(crate) fn flush(&mut self) {
        for (path, file) in &mut self.open {
            if let Err(error) = file.flush() {
                self.trouble.note(path, &error);
            }
        }
    }
}

/// Starts a file with its header line.
fn begin(path: &Path, header: &Header) -> io::Result<BufWriter<File>> {
    if !may_replace(path)? {
        let reason = "it exists and is no recording; holdover does not overwrite files that it did not write";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, reason));
    }
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(line(header).as_bytes())?;
    Ok(file)
}

/// Whether the path is free, empty, or holds a recording.
fn may_replace(path: &Path) -> io::Result<bool> {
    match std::fs::metadata(path) {
        // A pipe or a device: writing to it overwrites nothing, and reading it could wait for ever.
        Ok(metadata) if !metadata.is_file() => return Ok(true),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    }
    let file = File::open(path)?;
    let mut first = Vec::new();
    BufReader::new(file.take(FIRST_LINE_MAX)).read_until(b'\n', &mut first)?;
    let header = serde_json::from_slice::<Header>(&first);
    Ok(first.is_empty() || header.is_ok_and(|header| header.recording == FORMAT))
}

/// `run.jsonl` for session `default`, `run.NAME.jsonl` for session `NAME`, `run.NAME~2.jsonl` for its second life.
fn path_of(base: &Path, session: &str, life: u32) -> PathBuf {
    if life == FIRST_LIFE && session == SessionName::default_session().as_str() {
        return base.to_owned();
    }
    let session = match life {
        FIRST_LIFE => session.to_owned(),
        _ => format!("{session}~{life}"),
    };
    let stem = base.file_stem().unwrap_or_default().to_string_lossy();
    let name = match base.extension() {
        Some(extension) => format!("{stem}.{session}.{}", extension.to_string_lossy()),
        None => format!("{stem}.{session}"),
    };
    base.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use holdover_wire::{Exchange, Recording};

    use super::*;

    fn header(session: &str) -> Header {
        Header {
            session: session.to_owned(),
            ..Header::default()
        }
    }

    fn exchange(number: u64) -> String {
        line(&Exchange {
            exchange: number,
            ..Exchange::default()
        })
    }

    fn read(path: &Path) -> Recording {
        let (recording, errors) = Recording::parse(&std::fs::read_to_string(path).expect("a file"));
        assert_eq!(errors, vec![]);
        recording
    }

    #[test]
    fn each_session_gets_its_own_recording() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("run.jsonl");
        let mut files = RecordFiles::create(base.clone(), &header("default")).expect("a new file");
        files.write(&header("a"), FIRST_LIFE, &exchange(1));
        files.write(&header("default"), FIRST_LIFE, &exchange(1));
        files.write(&header("a"), FIRST_LIFE, &exchange(2));
        files.flush();
        assert_eq!(read(&base).exchanges.len(), 1);
        let other = read(&folder.path().join("run.a.jsonl"));
        assert_eq!(other.header.session, "a");
        assert_eq!(
            other
                .exchanges
                .iter()
                .map(|exchange| exchange.exchange)
                .collect::<Vec<_>>(),
            [1, 2]
        );
        assert_eq!(files.trouble().first(), None);
    }

    #[test]
    fn more_sessions_than_open_files_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("run.jsonl");
        let mut files = RecordFiles::create(base, &header("default")).expect("a new file");
        for number in 1..=2 {
            for session in 0..OPEN_MAX + 10 {
                files.write(&header(&format!("s{session}")), FIRST_LIFE, &exchange(number));
            }
        }
        files.flush();
        for session in 0..OPEN_MAX + 10 {
            let recording = read(&folder.path().join(format!("run.s{session}.jsonl")));
            assert_eq!(recording.exchanges.len(), 2, "session {session}");
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("notes.txt");
        std::fs::write(&base, "my notes\n").expect("a file");
        let refused = RecordFiles::create(base.clone(), &header("default"));
        assert_eq!(
            refused.map(|_| ()).map_err(|error| error.kind()),
            Err(io::ErrorKind::AlreadyExists)
        );
        assert_eq!(std::fs::read_to_string(&base).expect("a file"), "my notes\n");
    }

    #[test]
    fn a_file_of_somebody_else_beside_it_is_noted() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("run.jsonl");
        std::fs::write(folder.path().join("run.a.jsonl"), "{\"x\":1}\n").expect("a file");
        let mut files = RecordFiles::create(base, &header("default")).expect("a new file");
        files.write(&header("a"), FIRST_LIFE, &exchange(1));
        let trouble = files.trouble().first().expect("trouble");
        assert!(trouble.contains("run.a.jsonl"), "{trouble}");
    }

    #[test]
    fn a_second_life_gets_its_own_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("run.jsonl");
        let mut files = RecordFiles::create(base, &header("default")).expect("a new file");
        files.write(&header("a"), 2, &exchange(1));
        files.write(&header("default"), 2, &exchange(1));
        files.flush();
        assert_eq!(read(&folder.path().join("run.a~2.jsonl")).exchanges.len(), 1);
        assert_eq!(
            read(&folder.path().join("run.default~2.jsonl")).exchanges.len(),
            1
        );
    }

    #[test]
    fn an_earlier_recording_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("run.jsonl");
        for _ in 0..2 {
            let mut files = RecordFiles::create(base.clone(), &header("default")).expect("a file of ours");
            files.write(&header("default"), FIRST_LIFE, &exchange(1));
            files.flush();
        }
        assert_eq!(read(&base).exchanges.len(), 1);
    }
}
