//! The store and the files, behind the search's back.
//!
//! The search says after each step of its own what it did; a thread commits that to the store, all steps of some time
//! together, and then writes the files of new tests and findings. So the search never waits for the disk, and a test that
//! can be seen is in the store. What the thread could not write is told at the next step: the search ends.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gimlet_store::{Change, Record, Store, Verdict};

use crate::corpus::folder::{Folder, QUEUE};
use crate::error::ExploreError;

/// Between two commits.
const PAUSE: Duration = Duration::from_millis(200);

/// Steps of the search that may wait for a slow disk.
const N_STEPS_MAX: usize = 4096;

enum Message {
    Step(Vec<Change>),
    /// Texts for other tools: the file, and whether to add to it.
    Text {
        name: &'static str,
        text: String,
        appends: bool,
    },
    Run(u64, SyncSender<Option<Record>>),
    Verdicts(Vec<u64>, SyncSender<Vec<Option<Verdict>>>),
    /// How many inputs there are.
    Inputs(SyncSender<u64>),
}

/// The search's end of it.
pub struct Journal {
    messages: Option<SyncSender<Message>>,
    thread: Option<JoinHandle<Result<(), ExploreError>>>,
}

impl Journal {
    pub fn start(store: Box<dyn Store>, folder: Folder) -> Journal {
        let (messages, receiver) = mpsc::sync_channel(N_STEPS_MAX);
        let mut writer = Writer { store, folder, pending: Vec::new(), last: None };
        let thread = thread::spawn(move || writer.work(&receiver));
        Journal { messages: Some(messages), thread: Some(thread) }
    }

    /// What one step of the search did: all of it is committed, or nothing.
    pub fn step(&mut self, changes: Vec<Change>) -> Result<(), ExploreError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.send(Message::Step(changes))
    }

    /// Replaces a file for other tools.
    pub fn write(&mut self, name: &'static str, text: String) -> Result<(), ExploreError> {
        self.send(Message::Text { name, text, appends: false })
    }

    /// Adds to a file for other tools.
    pub fn append(&mut self, name: &'static str, text: String) -> Result<(), ExploreError> {
        self.send(Message::Text { name, text, appends: true })
    }

    /// The input of a run, in this search or an earlier one.
    pub fn run(&mut self, run: u64) -> Result<Option<Record>, ExploreError> {
        let (answer, answers) = mpsc::sync_channel(1);
        self.send(Message::Run(run, answer))?;
        answers.recv().or_else(|_| self.failure().map(|()| None))
    }

    /// Which questions have been asked.
    pub fn verdicts(&mut self, questions: Vec<u64>) -> Result<Vec<Option<Verdict>>, ExploreError> {
        let n_questions = questions.len();
        let (answer, answers) = mpsc::sync_channel(1);
        self.send(Message::Verdicts(questions, answer))?;
        answers.recv().or_else(|_| self.failure().map(|()| vec![None; n_questions]))
    }

    /// How many inputs the store has; nothing if it cannot be asked any more.
    pub fn n_inputs(&mut self) -> Result<Option<u64>, ExploreError> {
        let (answer, answers) = mpsc::sync_channel(1);
        self.send(Message::Inputs(answer))?;
        answers.recv().map(Some).or_else(|_| self.failure().map(|()| None))
    }

    /// Writes what is left.
    pub fn finish(&mut self) -> Result<(), ExploreError> {
        self.failure()
    }

    fn send(&mut self, message: Message) -> Result<(), ExploreError> {
        match &self.messages {
            Some(messages) if messages.send(message).is_ok() => Ok(()),
            _ => self.failure(),
        }
    }

    /// Waits for the thread's end, and says what it failed at.
    fn failure(&mut self) -> Result<(), ExploreError> {
        self.messages = None;
        match self.thread.take() {
            Some(thread) => thread.join().unwrap_or(Ok(())),
            None => Ok(()),
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Whoever wants to know has called `finish`.
        let _ = self.failure();
    }
}

/// The thread's end.
struct Writer {
    store: Box<dyn Store>,
    folder: Folder,
    pending: Vec<Change>,
    /// When the last commit was.
    last: Option<Instant>,
}

impl Writer {
    fn work(&mut self, messages: &Receiver<Message>) -> Result<(), ExploreError> {
        loop {
            let left = self.last.map_or(Duration::ZERO, |last| PAUSE.saturating_sub(last.elapsed()));
            let message = match (self.pending.is_empty(), left.is_zero()) {
                (true, _) => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
                (false, true) => Err(RecvTimeoutError::Timeout),
                (false, false) => messages.recv_timeout(left),
            };
            match message {
                Ok(Message::Step(changes)) => self.pending.extend(changes),
                Ok(Message::Text { name, text, appends: false }) => self.folder.write_text(name, &text)?,
                Ok(Message::Text { name, text, appends: true }) => self.folder.append(name, &text)?,
                Ok(Message::Run(run, answer)) => {
                    self.commit()?;
                    // Whoever asked may have gone.
                    let _ = answer.send(self.store.run(run)?);
                }
                Ok(Message::Verdicts(questions, answer)) => {
                    self.commit()?;
                    let _ = answer.send(self.store.verdicts(&questions)?);
                }
                Ok(Message::Inputs(answer)) => {
                    self.commit()?;
                    let _ = answer.send(self.store.n_inputs()?);
                }
                Err(RecvTimeoutError::Timeout) => self.commit()?,
                Err(RecvTimeoutError::Disconnected) => return self.commit(),
            }
        }
    }

    fn commit(&mut self) -> Result<(), ExploreError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.store.commit(&self.pending)?;
        self.last = Some(Instant::now());
        for change in self.pending.drain(..) {
            match change {
                Change::Kept { input, kept, .. } => {
                    let path = Path::new(QUEUE).join(kept.name);
                    // One that somebody put there is taken as it is.
                    if !self.folder.path().join(&path).exists() {
                        self.folder.write(&path, &input)?;
                    }
                }
                Change::Found(finding) => self.folder.write(Path::new(&finding.path), &finding.input)?,
                _ => {}
            }
        }
        Ok(())
    }
}
