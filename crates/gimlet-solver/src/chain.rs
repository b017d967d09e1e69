//! The chain of solvers, cheapest first.
//!
//! A path is given condition by condition ([`Chain::begin_path`], [`Chain::push`]); between two of
//! them, [`Chain::ask`] asks whether some alternative is possible after the conditions so far. The
//! layers are asked in the order of `layers.rs` until one knows; here is what they have in common:
//! each visit is counted and timed, a model is validated before it is an answer (`context`), layers
//! that were asked in vain are told the answer, and queries are logged.
//!
//! A model is near the hint: a byte that need not change doesn't.

use std::io;
use std::time::{Duration, Instant};

use gimlet_expr::{Dag, ExprId};

use crate::config::Config;
use crate::context::Context;
use crate::fingerprint::Fingerprint;
use crate::layers::{assemble, Layer, Layers};
use crate::log::{Entry, QueryLog};
use crate::query::{Answer, Model, Query, Solver, UnknownReason};
use crate::question::Question;
use crate::stats::Stats;

/// Answers the questions of many paths.
#[derive(Debug)]
pub struct Chain {
    context: Context,
    layers: Layers,
    stats: Stats,
    answered_by: Option<Layer>,
    /// The DAG of the path.
    dag_serial: Option<u64>,
    /// The conditions pushed, for [`Solver::solve`].
    pushed: Vec<ExprId>,
    log: Option<QueryLog>,
}

impl Default for Chain {
    fn default() -> Chain {
        Chain::new(Config::default())
    }
}

impl Chain {
    pub fn new(config: Config) -> Chain {
        let layers = assemble(&config);
        Chain::of_layers(config, layers)
    }

    fn of_layers(config: Config, layers: Layers) -> Chain {
        Chain {
            log: config.log_queries.clone().map(QueryLog::new),
            context: Context::new(config),
            layers,
            stats: Stats::default(),
            answered_by: None,
            dag_serial: None,
            pushed: Vec::new(),
        }
    }

    /// From now on no question takes longer than this, or than it may by the configuration.
    pub fn kill_after(&mut self, limit: Duration) {
        self.context.kill_after(limit);
    }

    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Forgets the path before and begins one that `hint` took.
    pub fn begin_path(&mut self, dag: &Dag, hint: &[u8]) {
        self.context.begin_path(hint);
        self.layers.iter_mut().for_each(|(_, procedure)| procedure.end_path());
        self.dag_serial = Some(dag.serial());
        self.pushed.clear();
    }

    /// Forgets the path. What was learned on it stays; its solvers and tables can be large, and the next path may be far
    /// away.
    pub fn end_path(&mut self) {
        self.context.end_path();
        self.layers.iter_mut().for_each(|(_, procedure)| procedure.end_path());
        self.dag_serial = None;
        self.pushed = Vec::new();
    }

    /// The next condition of the path. It should hold on the hint; if not, every question includes
    /// it.
    pub fn push(&mut self, dag: &Dag, condition: ExprId) {
        self.assert_path(dag);
        self.pushed.push(condition);
        let start = Instant::now();
        self.context.path.push(dag, condition);
        // It is filed where slices look for it.
        self.stats.layer_mut(Layer::Slice).time += start.elapsed();
    }

    /// A byte keeps the hint's value from now on. It comes before the conditions.
    pub fn fix(&mut self, byte: u32) {
        self.context.path.fix(byte);
    }

    /// Whether `alternative` is possible together with all conditions pushed.
    pub fn ask(&mut self, dag: &Dag, alternative: ExprId) -> Answer {
        self.assert_path(dag);
        self.context.start_clock();
        let mut question = Question::new(&self.context.path, alternative);
        let (answer, layer) = self.decide(dag, &mut question);
        // What is known literally is not worth a file.
        if layer != Some(Layer::Simplify) {
            self.log(dag, &mut question, &answer, layer);
        }
        self.stats.count(&answer, layer);
        self.answered_by = layer;
        answer
    }

    /// Who gave the last answer, if anybody did.
    pub fn answered_by(&self) -> Option<Layer> {
        self.answered_by
    }

    /// Why queries are not logged any more.
    pub fn log_failure(&self) -> Option<&io::Error> {
        self.log.as_ref()?.failure()
    }

    /// The answer, and the layer that gave it.
    fn decide(&mut self, dag: &Dag, question: &mut Question) -> (Answer, Option<Layer>) {
        let mut is_counted = [false; Layer::ALL.len()];
        let mut reason = UnknownReason::Other("no layer is left".to_owned());
        for index in 0..self.layers.len() {
            let layer = self.layers[index].0;
            let is_again = std::mem::replace(&mut is_counted[layer as usize], true);
            self.stats.layer_mut(layer).n_asked += u64::from(!is_again);
            match self.visit(dag, index, question) {
                None => {}
                Some(Answer::Unknown(why)) => {
                    let is_final = why == UnknownReason::OutsideTable;
                    // With more time there might be an answer, whatever a later layer says.
                    if is_final || reason != UnknownReason::Timeout {
                        reason = why;
                    }
                    if is_final {
                        break;
                    }
                }
                Some(answer) => {
                    for (_, earlier) in &mut self.layers[..index] {
                        earlier.learn(dag, &mut self.context, question, &answer);
                    }
                    return (answer, Some(layer));
                }
            }
        }
        (Answer::Unknown(reason), None)
    }

    /// What a layer says, validated and timed.
    fn visit(&mut self, dag: &Dag, index: usize, question: &mut Question) -> Option<Answer> {
        let (layer, procedure) = &mut self.layers[index];
        let start = Instant::now();
        let said = procedure.ask(dag, &mut self.context, question);
        let answer = said.map(|answer| self.context.validated(dag, question, answer));
        self.stats.layer_mut(*layer).time += start.elapsed();
        self.stats.n_rejected += u64::from(answer == Some(Answer::Unknown(UnknownReason::ModelRejected)));
        answer
    }

    fn log(&mut self, dag: &Dag, question: &mut Question, answer: &Answer, layer: Option<Layer>) {
        let Some(log) = &mut self.log else {
            return;
        };
        let path = &mut self.context.path;
        question.collect_bytes(dag, path);
        let roots: Vec<u32> = question.domains.keys().copied().collect();
        let slice = path.slice(dag, &roots);
        let literals = path.sliced_literals(dag, question, &slice);
        let fingerprints: Vec<Fingerprint> = literals.iter().map(|literal| path.fingerprint(dag, literal)).collect();
        let hint_at = |byte| path.hint_at(byte);
        log.write(&Entry { dag, literals: &literals, fingerprints: &fingerprints, hint_at: &hint_at, answer, layer });
    }

    fn assert_path(&self, dag: &Dag) {
        assert_eq!(self.dag_serial, Some(dag.serial()), "begin_path comes first");
    }
}

impl Solver for Chain {
    fn solve(&mut self, dag: &Dag, query: &Query, hint: &[u8]) -> Answer {
        let Some((&alternative, prefix)) = query.constraints.split_last() else {
            return Answer::Sat(Model::default());
        };
        let is_same_path = self.dag_serial == Some(dag.serial())
            && self.context.path.hint() == hint
            && prefix.starts_with(&self.pushed);
        if !is_same_path {
            self.begin_path(dag, hint);
        }
        for &condition in &prefix[self.pushed.len()..] {
            self.push(dag, condition);
        }
        self.ask(dag, alternative)
    }
}

#[cfg(test)]
mod tests;
