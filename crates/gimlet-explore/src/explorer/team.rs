//! Several workers: what is left to others, what they found, and all of it together.

use std::collections::BTreeMap;
use std::io;
use std::process::Child;
use std::thread;
use std::time::Duration;

use gimlet_exec::ExecError;
use gimlet_report::{read, KnownBranch, Note};
use gimlet_trace::Input;
use rustc_hash::FxHashSet;

use super::{End, Explorer, Settings, Watcher};
use crate::ask::expand::Followed;
use crate::corpus::content;
use crate::error::ExploreError;
use crate::findings::Finding;
use crate::run::job::{made_by, Job, Origin};
use crate::run::walk::Walk;
use crate::schedule::sources::number;
use crate::schedule::Turn;
use crate::strategy::{Flip, Task};
use crate::team::handoff::{Handoff, Subtree};
use crate::team::share::Share;
use crate::team::sync::{Imported, Members, Sync};
use crate::team::{self, Team};

/// What teammates are called where the store notes whose tests are known: no folder has such a name.
const TEAM_KEY: &str = "team/";

/// Between two attempts to find something to do.
const WAIT: Duration = Duration::from_millis(20);

/// Other searches, and other workers of this one.
pub(super) struct Teamwork {
    pub sync: Option<Sync>,
    /// Tests of the team.
    pub exchange: Option<Sync>,
    pub handoff: Option<Handoff>,
    /// What is run next is given away.
    pub is_handed_over: bool,
    pub led: Option<Led>,
}

impl Teamwork {
    pub fn new(settings: &Settings, build: u64, input_bytes_max: u64) -> Result<Teamwork, ExploreError> {
        let sync = |members| Sync::new(members, &settings.out, &settings.given.primary, input_bytes_max);
        let others = settings.place.others();
        let is_alone = others.is_empty();
        // Depth first, what others found makes no difference to anybody but the leader.
        let is_of_use = settings.place.share.is_leader() || !settings.strategy.plan().is_exhaustive;
        let unwritable = |error| ExploreError::Write { path: settings.out.clone(), error };
        Ok(Teamwork {
            sync: settings.sync.clone().map(|folder| sync(Members::Of(folder))),
            exchange: (!is_alone && is_of_use).then(|| sync(Members::Team(others))),
            handoff: (!is_alone).then(|| Handoff::new(&settings.place, build)).transpose().map_err(unwritable)?,
            is_handed_over: false,
            led: None,
        })
    }
}

/// The other workers, and what they have that this one does not.
pub(super) struct Led {
    team: Team,
    n_other_paths: usize,
    /// Runs of theirs that ended as a finding says, by its number.
    n_runs: BTreeMap<usize, u64>,
}

impl Explorer {
    /// Leads workers that were started, from the second one on.
    pub fn lead(&mut self, processes: Vec<Child>) {
        let team = Team::new(&self.settings.place.out, processes);
        self.team.led = Some(Led { team, n_other_paths: 0, n_runs: BTreeMap::new() });
    }

    /// Makes the workers that this one leads wait, or go on.
    pub(super) fn pause_team(&self, is_paused: bool) {
        self.team.led.iter().for_each(|led| led.team.pause(is_paused));
    }

    /// What workers that this one leads have noted.
    pub(super) fn others_notes(&self) -> impl Iterator<Item = &Note> {
        self.team.led.iter().flat_map(|led| &led.team.mates).map(|mate| &mate.noted)
    }

    /// What they know of branches.
    pub(super) fn others_branches(&self) -> Vec<Vec<KnownBranch>> {
        let mates = self.team.led.iter().flat_map(|led| &led.team.mates);
        mates.map(|mate| read::branches(&mate.branches)).collect()
    }

    /// Paths that only they have taken.
    pub(super) fn n_other_paths(&self) -> usize {
        self.team.led.as_ref().map_or(0, |led| led.n_other_paths)
    }

    /// Runs of all workers that ended as a finding says.
    pub(super) fn n_runs(&self, finding: &Finding) -> u64 {
        let others = self.team.led.as_ref().and_then(|led| led.n_runs.get(&finding.id));
        finding.n_runs + others.unwrap_or(&0)
    }

    pub(super) fn share(&self) -> Share {
        self.settings.place.share
    }

    /// The seeds that this worker runs.
    pub(super) fn own_seeds(&self, mut seeds: Vec<Input>) -> Vec<Input> {
        let (share, place) = (self.share(), &self.settings.place);
        if self.plan().is_depth_first() && !share.is_leader() {
            // It is given what is left over.
            seeds.clear();
        } else if place.divides_seeds && !self.plan().is_exhaustive {
            seeds.retain(|seed| share.has(content(seed) as u64));
        }
        seeds
    }

    /// Flips of a run that other workers ask.
    pub(super) fn of_others(&self, walk: &Walk, is_seed: bool) -> FxHashSet<Flip> {
        let is_divided = !self.share().is_whole() && !self.plan().is_exhaustive && !self.settings.place.divides_seeds;
        match is_seed && is_divided {
            true => self.share().of_others(walk),
            false => FxHashSet::default(),
        }
    }

    /// Gives a run to another worker; returns the flips that are no longer this one's.
    pub(super) fn give(&mut self, run: &Followed, bound: usize) -> Result<FxHashSet<Flip>, ExploreError> {
        let flips: FxHashSet<Flip> = run.walk.flips(bound).collect();
        if !flips.is_empty() {
            let subtree = Subtree { bound, input: run.trace.input.clone() };
            self.with_handoff(|handoff| handoff.give(&subtree))?;
        }
        Ok(flips)
    }

    /// Something to run before it is given away, if somebody waits for it.
    pub(super) fn hand_over(&mut self) -> Option<Turn> {
        let handoff = self.team.handoff.as_mut()?;
        if !handoff.has_receiver() {
            return None;
        }
        let spare = self.scheduler.sources.flips.spare();
        self.team.is_handed_over = spare.is_some();
        if spare.is_none() {
            handoff.stop_giving();
        }
        spare.map(|job| Turn { source: number::FLIPS, task: Task::Run(job) })
    }

    fn with_handoff<R: Default>(
        &mut self,
        work: impl FnOnce(&mut Handoff) -> io::Result<R>,
    ) -> Result<R, ExploreError> {
        let Some(handoff) = &mut self.team.handoff else { return Ok(R::default()) };
        let path = &self.settings.place.out;
        work(handoff).map_err(|error| ExploreError::Write { path: path.clone(), error })
    }

    /// With nothing left to do: takes what others give, or waits for it. False if nobody has anything left.
    pub(super) fn find_work(&mut self, watcher: &mut dyn Watcher) -> Result<bool, ExploreError> {
        if self.team.handoff.is_none() {
            return Ok(false);
        }
        let handoff = self.with_handoff(Handoff::take)?;
        if !handoff.is_empty() {
            for Subtree { bound, input } in handoff {
                let origin = Origin::Earlier { n_covered: None };
                let job = Job { input, origin, bound, visited: Vec::new(), expectation: None, string: None };
                // It may be known as a test of the giver's, but nobody has asked about it.
                self.known.corpus.taken(&job);
                self.scheduler.sources.handoff.add(job);
            }
            // Once the store has answered, it has them.
            self.known.corpus.commit()?;
            self.known.corpus.run(0)?;
            self.with_handoff(Handoff::thank)?;
            return Ok(true);
        }
        self.with_handoff(Handoff::rest)?;
        self.attend(watcher)?;
        if let (Some(led), Some(handoff)) = (&self.team.led, &self.team.handoff)
            && handoff.are_idle(&led.team.living())
        {
            return Ok(false);
        }
        thread::sleep(WAIT);
        Ok(true)
    }

    /// Notes who has died, and takes up what was given to them.
    fn attend(&mut self, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let Some(led) = &mut self.team.led else { return Ok(()) };
        for (number, note) in led.team.attend() {
            self.say(note, watcher);
            self.with_handoff(|handoff| handoff.inherit(number))?;
        }
        Ok(())
    }

    /// Notes that teammates' tests are known; false if it is not about a teammate.
    pub(super) fn is_known_of_team(&mut self, key: &str, last: u64) -> bool {
        let Some(member) = key.strip_prefix(TEAM_KEY) else { return false };
        if let Some(exchange) = &mut self.team.exchange {
            exchange.is_known(member, last);
        }
        true
    }

    /// Takes over tests and findings of the team, if it is time.
    pub(super) fn meet(&mut self, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        if self.team.exchange.as_ref().is_some_and(|exchange| exchange.is_due()) {
            self.exchange()?;
        }
        let Some(led) = self.team.led.as_mut().filter(|led| led.team.is_due()) else { return Ok(()) };
        led.team.look();
        self.attend(watcher)?;
        self.take_over_findings(watcher);
        Ok(())
    }

    fn say(&self, note: String, watcher: &mut dyn Watcher) {
        // Ctrl-C ends all of them, and some sooner than others.
        if !self.runner.is_interrupted() {
            watcher.note(&note);
        }
    }

    /// How a search ends that has nothing left to do.
    pub(super) fn completion(&self) -> End {
        let is_complete = self.team.led.as_ref().is_none_or(|led| led.team.is_whole());
        // Somebody's part has not been done, and can be with --resume.
        if is_complete {
            End::Complete
        } else {
            End::Interrupted
        }
    }

    /// Ends the other workers, and takes over the last of what they found.
    pub(super) fn dismiss(&mut self, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let Some(led) = &mut self.team.led else { return Ok(()) };
        led.team.dismiss().iter().for_each(|note| watcher.note(note));
        self.take_over_findings(watcher);
        while self.exchange()? > 0 {}
        Ok(())
    }

    /// Takes over tests of teammates, some at a time; returns how many.
    fn exchange(&mut self) -> Result<usize, ExploreError> {
        let Some(exchange) = &mut self.team.exchange else { return Ok(0) };
        let imported = exchange.look(&self.settings.given.layout);
        let path = &self.settings.place.out;
        let imported = imported.map_err(|error| ExploreError::Read { path: path.clone(), error })?;
        let n_imported = imported.len();
        for test in imported {
            let Imported { member, number, name, input } = test;
            let origin = Origin::Team { member: self.known.corpus.member(&member), number, maker: made_by(&name) };
            if let Some(input) = input {
                self.take_over(&input, origin)?;
            }
            self.known.corpus.synced(&format!("{TEAM_KEY}{member}"), number);
        }
        Ok(n_imported)
    }

    /// Takes over a test of a teammate, who asks about it. The leader keeps all of them, the others what is new to them.
    fn take_over(&mut self, input: &Input, origin: Origin) -> Result<(), ExploreError> {
        let leads = self.share().is_leader();
        if self.known.corpus.test(input).is_some() || (!leads && self.known.corpus.is_known(input)) {
            return Ok(());
        }
        let counted = match self.count_branches(input) {
            // It is counted when the search goes on.
            Err(ExploreError::Exec(ExecError::Interrupted)) => None,
            counted => counted?,
        };
        let is_new = counted.is_some_and(|counted| counted.is_test || counted.n_new > 0);
        if is_new || leads {
            let moment = self.moment();
            self.known.corpus.keep(input, origin, moment);
            self.note_kept();
        }
        Ok(())
    }

    /// Takes over findings of the team, which its members have confirmed as this worker would.
    fn take_over_findings(&mut self, watcher: &mut dyn Watcher) {
        let Some(mut led) = self.team.led.take() else { return };
        led.n_runs.clear();
        for mate in &mut led.team.mates {
            for record in std::mem::take(&mut mate.findings) {
                let n_runs = record.n_runs;
                if let Some(id) = self.take_over_finding(mate.number, record, watcher) {
                    *led.n_runs.entry(id).or_default() += n_runs;
                }
            }
        }
        let paths: FxHashSet<u64> =
            led.team.mates.iter_mut().flat_map(|mate| std::mem::take(&mut mate.paths)).collect();
        let n_other_paths = paths.into_iter().filter(|&path| !self.known.seen.has_path(path)).count();
        if n_other_paths > led.n_other_paths {
            self.time.last_new = self.now();
        }
        led.n_other_paths = n_other_paths;
        self.team.led = Some(led);
    }

    /// Returns the number of the finding here.
    fn take_over_finding(
        &mut self,
        mate: usize,
        record: gimlet_store::Finding,
        watcher: &mut dyn Watcher,
    ) -> Option<usize> {
        let signature = record.signature;
        let theirs = Finding::from_record(record)?;
        if let Some(known) = self.known.findings.get(signature) {
            let is_confirmed = theirs.shown_by.is_confirmed();
            if is_confirmed && (!known.shown_by.is_confirmed() || theirs.input.len() < known.input.len()) {
                (known.input, known.shown_by, known.ended) = (theirs.input, theirs.shown_by, theirs.ended);
                self.known.corpus.found(signature, known, None);
            }
            return Some(known.id);
        }
        let id = self.known.findings.next_id();
        let name = theirs.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let signal = name.split(',').find_map(|part| part.strip_prefix("sig:")?.parse().ok());
        let member = self.known.corpus.member(&team::name(mate));
        let origin = Origin::Team { member, number: theirs.id as u64, maker: made_by(&name) };
        let story = self.known.corpus.story(origin, self.moment());
        let path = self.known.corpus.finding_path(theirs.kind, id, signal, &theirs.input, &story);
        let finding = Finding { id, path, n_runs: 0, ..theirs };
        watcher.found(&finding);
        self.known.corpus.found(signature, &finding, None);
        self.known.findings.add(signature, finding);
        self.note_kept();
        Some(id)
    }
}
