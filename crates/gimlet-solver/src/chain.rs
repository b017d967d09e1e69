//! The chain of solvers, cheapest first.
//!
//! A path is given condition by condition ([`Chain::begin_path`], [`Chain::push`]); between two of
//! them, [`Chain::ask`] asks whether some alternative is possible after the conditions so far. Layers
//! are asked in the order of [`Layer::ALL`] until one knows:
//!
//! 1. constants, and conditions that the path states or denies in so many words;
//! 2. the slice: what shares no byte with the question keeps the hint's values (`path`);
//! 3. byte domains, exact for up to three bytes (`question`, `sweep`), and what follows from them for numbers (`strides`);
//! 4. what earlier queries tell, of this and of other paths (`cache`);
//! 5. changes of one byte, and a bounded sweep over more (`sweep`);
//! 6. CaDiCaL (`lazy`, `sat`), 7. Z3 (`z3_solver`).
//!
//! A model is near the hint: a byte that need not change doesn't. It is evaluated, before it is an
//! answer, on the question and on all conditions that mention a byte that it changes; the others
//! can't have changed. The evaluator shares no code with the layers.

mod lazy;

use std::io;
use std::time::{Duration, Instant};

use gimlet_expr::{Dag, Evaluator, ExprId};

use crate::byte_set::ByteSet;
use crate::cache::{Cache, Known, Shape};
use crate::config::Config;
use crate::fingerprint::Fingerprint;
use crate::literal::Literal;
use crate::log::{Entry, QueryLog};
use crate::path::{Holdings, Path, PathSlice};
use crate::query::{Answer, Model, Query, Solver, UnknownReason};
use crate::question::{Opening, Question};
use crate::sat::Session;
use crate::stats::{Layer, Stats};
use crate::sweep::{Effort, Found, Variable};
use crate::z3_solver;

/// Slices of so many bytes are for the domains.
const N_DOMAIN_BYTES_MAX: usize = 3;
/// Bytes that are tried one by one with all their values.
const N_REPAIRED_MAX: usize = 64;
/// Bytes of a model that are tried with their old value.
const N_RESTORED_MAX: usize = 256;
/// Models of earlier queries that are tried on a new one.
const N_MODELS_TRIED_MAX: usize = 8;
/// Conditions that are evaluated for that.
const N_RESTORE_CHECKS_MAX: usize = 20_000;

/// Answers the questions of many paths.
#[derive(Debug)]
pub struct Chain {
    config: Config,
    stats: Stats,
    answered_by: Option<Layer>,
    path: Path,
    /// The DAG of the path.
    dag_serial: Option<u64>,
    /// Made when it is first asked.
    session: Option<Session>,
    /// The same, with lookups opaque.
    opaque_session: Option<Session>,
    /// The conditions pushed, for [`Solver::solve`].
    pushed: Vec<ExprId>,
    validator: Evaluator,
    cache: Cache,
    log: Option<QueryLog>,
    /// The time that a question may take, and when that of the present one is over.
    limit: Option<Duration>,
    deadline: Option<Instant>,
}

impl Default for Chain {
    fn default() -> Chain {
        Chain::new(Config::default())
    }
}

impl Chain {
    pub fn new(config: Config) -> Chain {
        Chain {
            log: config.log_queries.clone().map(QueryLog::new),
            limit: config.kill_after,
            deadline: None,
            config,
            stats: Stats::default(),
            answered_by: None,
            path: Path::new(&[], Holdings::default()),
            dag_serial: None,
            session: None,
            opaque_session: None,
            pushed: Vec::new(),
            validator: Evaluator::new(&[]),
            cache: Cache::default(),
        }
    }

    /// From now on no question takes longer than this, or than it may by the configuration.
    pub fn kill_after(&mut self, limit: Duration) {
        self.limit = Some(self.config.kill_after.map_or(limit, |longest| longest.min(limit)));
    }

    /// What is left of the time of this question.
    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    fn is_late(&self) -> bool {
        let is_stopped = self.config.stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed));
        is_stopped || self.time_left().is_some_and(|left| left.is_zero())
    }

    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Forgets the path before and begins one that `hint` took.
    pub fn begin_path(&mut self, dag: &Dag, hint: &[u8]) {
        self.path = Path::new(hint, self.path.take_holdings());
        self.dag_serial = Some(dag.serial());
        self.session = None;
        self.opaque_session = None;
        self.pushed.clear();
    }

    /// Forgets the path. What was learned on it stays; its solvers and tables can be large, and the next path may be far
    /// away.
    pub fn end_path(&mut self) {
        self.path = Path::new(&[], self.path.take_holdings());
        self.dag_serial = None;
        self.session = None;
        self.opaque_session = None;
        self.pushed = Vec::new();
        self.validator = Evaluator::new(&[]);
    }

    /// The next condition of the path. It should hold on the hint; if not, every question includes
    /// it.
    pub fn push(&mut self, dag: &Dag, condition: ExprId) {
        self.assert_path(dag);
        self.pushed.push(condition);
        let start = Instant::now();
        self.path.push(dag, condition);
        self.stats.layer_mut(Layer::Slice).time += start.elapsed();
    }

    /// A byte keeps the hint's value from now on. It comes before the conditions.
    pub fn fix(&mut self, byte: u32) {
        self.path.fix(byte);
    }

    /// Whether `alternative` is possible together with all conditions pushed.
    pub fn ask(&mut self, dag: &Dag, alternative: ExprId) -> Answer {
        self.assert_path(dag);
        self.deadline = self.limit.and_then(|limit| Instant::now().checked_add(limit));
        let (answer, layer) = match self.simplify(dag, alternative) {
            Opening::Sat => (Answer::Sat(Model::default()), Some(Layer::Simplify)),
            Opening::Unsat => (Answer::Unsat, Some(Layer::Simplify)),
            Opening::Open(mut question) => {
                let (answer, layer) = self.decide(dag, &mut question);
                self.log(dag, &mut question, &answer, layer);
                (answer, layer)
            }
        };
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

    fn log(&mut self, dag: &Dag, question: &mut Question, answer: &Answer, layer: Option<Layer>) {
        let Some(log) = &mut self.log else {
            return;
        };
        let path = &mut self.path;
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

    /// The answer, and the layer that gave it.
    fn decide(&mut self, dag: &Dag, question: &mut Question) -> (Answer, Option<Layer>) {
        if self.config.has(Layer::Domains) {
            let watch = Watch::start(&mut self.stats, Layer::Domains, true);
            let is_empty = question.narrow(dag, &mut self.path) || question.is_ruled_out(dag, &self.path);
            watch.stop(&mut self.stats);
            if is_empty {
                return (Answer::Unsat, Some(Layer::Domains));
            }
        }
        let slice = self.slice(dag, question);
        let mut shape = None;
        let mut reason = UnknownReason::Other("no layer is left".to_owned());
        for layer in Layer::ALL {
            if !self.config.has(layer) {
                continue;
            }
            let watch =
                Watch::start(&mut self.stats, layer, !matches!(layer, Layer::Simplify | Layer::Slice | Layer::Domains));
            let answer = match layer {
                Layer::Simplify | Layer::Slice => None,
                Layer::Domains => self.ask_domains(dag, question, &slice),
                Layer::Cache => {
                    let shape = shape.insert(self.path.shape(dag, question, &slice));
                    self.ask_cache(dag, question, &slice, shape)
                }
                Layer::Search => self.ask_search(dag, question, &slice),
                Layer::Sat => self.ask_sat(dag, question, &slice, shape.as_ref()),
                Layer::Z3 => Some(self.ask_z3(dag, question, &slice)),
            };
            let answer = answer.map(|answer| self.validated(dag, question, answer));
            watch.stop(&mut self.stats);
            match answer {
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
                    if let Some(shape) = shape.filter(|_| layer != Layer::Cache) {
                        self.remember(&shape, &answer);
                    }
                    return (answer, Some(layer));
                }
            }
        }
        (Answer::Unknown(reason), None)
    }

    fn remember(&mut self, shape: &Shape, answer: &Answer) {
        match answer {
            Answer::Sat(model) => self.cache.insert(shape, Some(model), self.config.n_remembered_max),
            Answer::Unsat => self.cache.insert(shape, None, self.config.n_remembered_max),
            Answer::Unknown(_) => {}
        }
    }

    /// Answers of earlier queries; a model counts if it is one of this query too.
    fn ask_cache(&mut self, dag: &Dag, question: &Question, slice: &PathSlice, shape: &Shape) -> Option<Answer> {
        let about: Vec<u32> = question.domains.keys().copied().collect();
        let models = match self.cache.find(shape, &about) {
            Known::Unsat => return Some(Answer::Unsat),
            Known::Maybe(models) => models,
        };
        let hint = self.path.hint().to_vec();
        for model in models.into_iter().take(N_MODELS_TRIED_MAX) {
            let is_ours = |byte: u32| slice.bytes.binary_search(&byte).is_ok();
            let ours: Model = model.iter().filter(|&(byte, _)| is_ours(byte)).collect();
            let is_possible = |(byte, value)| question.domain(&self.path, byte).contains(value);
            if !ours.iter().all(is_possible) || !self.is_valid(dag, &question.conditions, &ours, &hint) {
                continue;
            }
            let others = self.path.conditions_about(dag, ours.iter().map(|(byte, _)| byte));
            if self.is_valid(dag, &others, &ours, &hint) {
                return Some(Answer::Sat(ours));
            }
        }
        None
    }

    fn simplify(&mut self, dag: &Dag, alternative: ExprId) -> Opening {
        if !self.config.has(Layer::Simplify) {
            return Opening::Open(Question::plain(&self.path, alternative));
        }
        let watch = Watch::start(&mut self.stats, Layer::Simplify, true);
        let opening = Question::open(dag, &mut self.path, alternative);
        watch.stop(&mut self.stats);
        opening
    }

    fn slice(&mut self, dag: &Dag, question: &mut Question) -> PathSlice {
        let watch = Watch::start(&mut self.stats, Layer::Slice, self.config.has(Layer::Slice));
        question.collect_bytes(dag, &mut self.path);
        let roots: Vec<u32> = match self.config.has(Layer::Slice) {
            true => question.domains.keys().copied().collect(),
            false => question.domains.keys().copied().chain(self.path.bytes_met()).collect(),
        };
        let slice = self.path.slice(dag, &roots);
        watch.stop(&mut self.stats);
        slice
    }

    /// Bytes that no literal connects, and exact search over few.
    fn ask_domains(&mut self, dag: &Dag, question: &Question, slice: &PathSlice) -> Option<Answer> {
        if question.open.is_empty() && slice.literals.is_empty() {
            let choice = |(&byte, domain): (&u32, &ByteSet)| {
                let hint = self.path.hint_at(byte);
                domain.prefer(hint).filter(|&value| value != hint).map(|value| (byte, value))
            };
            return Some(Answer::Sat(question.domains.iter().filter_map(choice).collect()));
        }
        let budget = self.config.domain_budget;
        if question.domains.len() <= N_DOMAIN_BYTES_MAX && question.domains.len() < slice.bytes.len() {
            let answer = self.sweep_near(dag, question, slice, budget / 8);
            if answer.is_some() {
                return answer;
            }
        }
        if slice.bytes.len() <= N_DOMAIN_BYTES_MAX {
            return self.sweep(dag, question, slice, Effort::within(budget));
        }
        None
    }

    fn ask_search(&mut self, dag: &Dag, question: &Question, slice: &PathSlice) -> Option<Answer> {
        if let Some(model) = self.repair(dag, question) {
            return Some(Answer::Sat(model));
        }
        let (budget, n_bytes_max) = (self.config.search_budget, self.config.n_search_bytes_max);
        let n_bytes = question.domains.len();
        if n_bytes > N_DOMAIN_BYTES_MAX && n_bytes <= n_bytes_max && n_bytes < slice.bytes.len() {
            let answer = self.sweep_near(dag, question, slice, budget);
            if answer.is_some() {
                return answer;
            }
        }
        if slice.bytes.len() > n_bytes_max {
            return None;
        }
        let answer = self.sweep(dag, question, slice, Effort::within(budget));
        answer.or_else(|| self.repair_two(dag, question, slice))
    }

    /// A model that changes two bytes: sums that must come out are often two bytes away.
    fn repair_two(&mut self, dag: &Dag, question: &Question, slice: &PathSlice) -> Option<Answer> {
        let path = &self.path;
        let must_change = |(&byte, domain): &(&u32, &ByteSet)| !domain.contains(path.hint_at(byte));
        let forced: Vec<u32> = question.domains.iter().filter(must_change).map(|(&byte, _)| byte).collect();
        let is_unlike = |byte: &&u32| question.domain(&self.path, **byte).len() > 1;
        let bytes: Vec<u32> = slice.bytes.iter().filter(is_unlike).copied().collect();
        // Bytes that are far apart weigh differently in most sums.
        let pairs =
            (1..bytes.len()).rev().flat_map(|distance| (distance..bytes.len()).map(move |at| (at - distance, at)));
        let pairs = pairs.map(|(left, right)| [bytes[left], bytes[right]]);
        let pairs = pairs.filter(|pair| forced.iter().all(|byte| pair.contains(byte)));
        for pair in pairs.take(self.config.n_pairs_max) {
            if self.is_late() {
                return None;
            }
            let mentions = |index: &u32, path: &mut Path| {
                let expr = path.literal(*index).literal.expr;
                pair.iter().any(|&byte| path.mentions(dag, expr, byte))
            };
            let path = &mut self.path;
            let literals = slice.literals.iter().copied().filter(|index| mentions(index, path)).collect();
            let near = PathSlice { bytes: pair.to_vec(), literals };
            if let Some(Answer::Sat(model)) =
                self.sweep(dag, question, &near, Effort::within(self.config.domain_budget))
            {
                return Some(Answer::Sat(model));
            }
        }
        None
    }

    /// What the path says about the bytes of the question alone may be enough to refute it, or for a model of
    /// everything.
    fn sweep_near(&mut self, dag: &Dag, question: &Question, slice: &PathSlice, budget: u64) -> Option<Answer> {
        let near = self.path.within(dag, slice, |byte| question.domains.contains_key(&byte));
        match self.sweep(dag, question, &near, Effort::within(budget))? {
            Answer::Sat(model) => {
                let path = &self.path;
                let literals: Vec<Literal> = slice.literals.iter().map(|&index| path.literal(index).literal).collect();
                let (violated, is_certain) = self.violated(dag, &literals, &model);
                (violated.is_empty() && is_certain).then_some(Answer::Sat(model))
            }
            answer => Some(answer),
        }
    }

    fn sweep(&mut self, dag: &Dag, question: &Question, slice: &PathSlice, effort: Effort) -> Option<Answer> {
        let path = &mut self.path;
        let variable = |&byte: &u32| Variable { byte, hint: path.hint_at(byte), domain: question.domain(path, byte) };
        let variables: Vec<Variable> = slice.bytes.iter().map(variable).collect();
        let of_path: Vec<Literal> = slice.literals.iter().map(|&index| path.literal(index).literal).collect();
        let found = match question.open[..] {
            [wanted] if wanted.is_equal => path.sweep_for(dag, &variables, wanted, &of_path, effort),
            _ => {
                let literals: Vec<Literal> = question.open.iter().chain(&of_path).copied().collect();
                path.sweep(dag, &variables, &literals, effort)
            }
        };
        match found {
            Found::Sat(values) => {
                let chosen = slice.bytes.iter().copied().zip(values);
                Some(Answer::Sat(chosen.filter(|&(byte, value)| value != path.hint_at(byte)).collect()))
            }
            Found::Unsat => Some(Answer::Unsat),
            Found::Outside | Found::OutOfBudget => None,
        }
    }

    /// A model that changes one byte.
    fn repair(&mut self, dag: &Dag, question: &Question) -> Option<Model> {
        let path = &mut self.path;
        let must_change = |&(&byte, domain): &(&u32, &ByteSet)| !domain.contains(path.hint_at(byte));
        let forced: Vec<u32> = question.domains.iter().filter(must_change).map(|(&byte, _)| byte).collect();
        let candidates: Vec<u32> = match *forced {
            [] => question.domains.keys().copied().take(N_REPAIRED_MAX).collect(),
            [byte] => vec![byte],
            _ => return None,
        };
        candidates.into_iter().find_map(|byte| {
            let mut domain = question.domain(path, byte);
            domain.remove(path.hint_at(byte));
            let mentions = |literal: &Literal, path: &mut Path| path.mentions(dag, literal.expr, byte);
            let mut literals = question.open.clone();
            // A literal of the question that is false now and doesn't mention the byte stays false.
            if literals
                .iter()
                .any(|literal| !mentions(literal, path) && !literal.holds_for(path.value_on_hint(dag, literal.expr)))
            {
                return None;
            }
            literals.retain(|literal| mentions(literal, path));
            literals.extend(path.adjacent(dag, byte).into_iter().map(|index| path.literal(index).literal));
            for literal in literals {
                domain = path.holding(dag, &literal, byte, &domain)?.certain;
                if domain.is_empty() {
                    return None;
                }
            }
            let value = domain.prefer(path.hint_at(byte))?;
            Some([(byte, value)].into_iter().collect())
        })
    }

    fn ask_z3(&mut self, dag: &Dag, question: &Question, slice: &PathSlice) -> Answer {
        let literals = self.path.sliced_literals(dag, question, slice);
        let mut answer = Answer::Unknown(UnknownReason::ResourceLimit);
        for &rlimit in &self.config.rlimits {
            if self.is_late() {
                return Answer::Unknown(UnknownReason::Timeout);
            }
            let options = z3_solver::Options {
                stop: self.config.stop,
                rlimit: Some(rlimit),
                timeout: self.time_left(),
                n_terms_max: self.config.n_terms_max,
                n_lookup_positions_max: self.config.n_lookup_positions_max,
            };
            let path = &mut self.path;
            let address_on_hint = |addr| path.value_on_hint(dag, addr) as u64;
            answer = z3_solver::solve_literals(dag, &options, &literals, &slice.bytes, address_on_hint);
            if answer != Answer::Unknown(UnknownReason::ResourceLimit) {
                break;
            }
        }
        answer
    }

    /// A model that is as near to the hint as evaluation can tell, if it is one.
    fn validated(&mut self, dag: &Dag, question: &Question, answer: Answer) -> Answer {
        let Answer::Sat(model) = answer else {
            return answer;
        };
        let hint = self.path.hint().to_vec();
        let hint_at = |byte: u32| hint.get(byte as usize).copied().unwrap_or(0);
        let model: Model = model.iter().filter(|&(byte, value)| value != hint_at(byte)).collect();
        let mut conditions = question.conditions.clone();
        conditions.extend(self.path.conditions_about(dag, model.iter().map(|(byte, _)| byte)));
        let model = self.nearer(dag, &conditions, model, &hint);
        if self.is_valid(dag, &conditions, &model, &hint) {
            return Answer::Sat(model);
        }
        self.stats.n_rejected += 1;
        Answer::Unknown(UnknownReason::ModelRejected)
    }

    fn is_valid(&mut self, dag: &Dag, conditions: &[ExprId], model: &Model, hint: &[u8]) -> bool {
        self.validator.set_input(&model.overlay(hint));
        conditions.iter().all(|&condition| self.validator.holds(dag, condition))
    }

    /// The model with as many bytes as possible back at their value on the hint: whatever the query doesn't know of
    /// (a dependency that was lost, what comes after the flipped branch) then stays as it was.
    fn nearer(&mut self, dag: &Dag, conditions: &[ExprId], model: Model, hint: &[u8]) -> Model {
        if model.len() <= 1 {
            return model;
        }
        let n_tries = N_RESTORED_MAX.min(N_RESTORE_CHECKS_MAX / conditions.len().max(1));
        let mut near = model.clone();
        for (byte, value) in model.iter().take(n_tries) {
            near.remove(byte);
            if !self.is_valid(dag, conditions, &near, hint) {
                near.set(byte, value);
            }
        }
        near
    }
}

impl Solver for Chain {
    fn solve(&mut self, dag: &Dag, query: &Query, hint: &[u8]) -> Answer {
        let Some((&alternative, prefix)) = query.constraints.split_last() else {
            return Answer::Sat(Model::default());
        };
        let is_same_path =
            self.dag_serial == Some(dag.serial()) && self.path.hint() == hint && prefix.starts_with(&self.pushed);
        if !is_same_path {
            self.begin_path(dag, hint);
        }
        for &condition in &prefix[self.pushed.len()..] {
            self.push(dag, condition);
        }
        self.ask(dag, alternative)
    }
}

/// Counts one visit of a layer.
struct Watch {
    layer: Layer,
    start: Instant,
}

impl Watch {
    fn start(stats: &mut Stats, layer: Layer, is_asked: bool) -> Watch {
        stats.layer_mut(layer).n_asked += u64::from(is_asked);
        Watch { layer, start: Instant::now() }
    }

    fn stop(self, stats: &mut Stats) {
        stats.layer_mut(self.layer).time += self.start.elapsed();
    }
}
