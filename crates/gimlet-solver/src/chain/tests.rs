use std::cell::RefCell;
use std::rc::Rc;

use gimlet_expr::BinOp;

use super::*;
use crate::layers::Procedure;
use UnknownReason::{OutsideTable, ResourceLimit, Timeout};

/// Says the same to every question, and keeps what it is told.
#[derive(Debug)]
struct Scripted {
    layer: Layer,
    says: Option<Answer>,
    told: Rc<RefCell<Vec<Layer>>>,
}

impl Procedure for Scripted {
    fn ask(&mut self, _: &Dag, _: &mut Context, _: &mut Question) -> Option<Answer> {
        self.says.clone()
    }

    fn learn(&mut self, _: &Dag, _: &mut Context, _: &Question, _: &Answer) {
        self.told.borrow_mut().push(self.layer);
    }
}

/// What comes of asking for the value 7 of a byte that is 0.
struct Asked {
    answer: Answer,
    by: Option<Layer>,
    stats: Stats,
    told: Vec<Layer>,
}

fn ask(script: &[(Layer, Option<Answer>)]) -> Asked {
    let told = Rc::new(RefCell::new(Vec::new()));
    let scripted = |(layer, says): &(Layer, Option<Answer>)| {
        let procedure = Scripted { layer: *layer, says: says.clone(), told: Rc::clone(&told) };
        (*layer, Box::new(procedure) as Box<dyn Procedure>)
    };
    let mut chain = Chain::of_layers(Config::default(), script.iter().map(scripted).collect());
    let mut dag = Dag::new();
    let (byte, seven) = (dag.byte(0), dag.constant(8, 7));
    let is_seven = dag.binary(BinOp::Eq, byte, seven);
    chain.begin_path(&dag, &[0]);
    let answer = chain.ask(&dag, is_seven);
    Asked { answer, by: chain.answered_by(), stats: chain.stats().clone(), told: told.take() }
}

fn sat(value: u8) -> Option<Answer> {
    Some(Answer::Sat(Model::from_iter([(0, value)])))
}

fn unknown(reason: UnknownReason) -> Option<Answer> {
    Some(Answer::Unknown(reason))
}

#[test]
fn layers_are_asked_until_one_answers_and_those_before_it_are_told() {
    let asked = ask(&[(Layer::Cache, None), (Layer::Search, None), (Layer::Sat, sat(7)), (Layer::Z3, None)]);
    assert_eq!((Some(asked.answer), asked.by), (sat(7), Some(Layer::Sat)));
    assert_eq!(asked.told, [Layer::Cache, Layer::Search]);
    assert_eq!(asked.stats.layer(Layer::Sat).n_sat, 1);
    assert_eq!(asked.stats.layer(Layer::Search).n_asked, 1);
    assert_eq!(asked.stats.layer(Layer::Z3).n_asked, 0);
}

#[test]
fn a_model_that_is_none_is_rejected() {
    let asked = ask(&[(Layer::Sat, sat(8)), (Layer::Z3, sat(7))]);
    assert_eq!((Some(asked.answer), asked.by), (sat(7), Some(Layer::Z3)));
    assert_eq!((asked.stats.n_rejected, asked.stats.layer(Layer::Sat).n_sat), (1, 0));
    assert_eq!(
        Some(ask(&[(Layer::Simplify, Some(Answer::Sat(Model::default())))]).answer),
        unknown(UnknownReason::ModelRejected)
    );
}

#[test]
fn a_layer_of_two_parts_is_asked_once() {
    let asked = ask(&[(Layer::Domains, None), (Layer::Slice, None), (Layer::Domains, Some(Answer::Unsat))]);
    assert_eq!((asked.stats.layer(Layer::Domains).n_asked, asked.stats.layer(Layer::Domains).n_unsat), (1, 1));
}

#[test]
fn a_timeout_outweighs_what_later_layers_say() {
    let asked = ask(&[(Layer::Sat, unknown(Timeout)), (Layer::Z3, unknown(ResourceLimit))]);
    assert_eq!((Some(asked.answer), asked.by), (unknown(Timeout), None));
    assert_eq!((asked.stats.n_unknown, asked.stats.n_killed), (1, 1));
    let asked = ask(&[(Layer::Sat, unknown(OutsideTable)), (Layer::Z3, sat(7))]);
    assert_eq!((Some(asked.answer), asked.stats.layer(Layer::Z3).n_asked), (unknown(OutsideTable), 0));
    assert_eq!(Some(ask(&[]).answer), unknown(UnknownReason::Other("no layer is left".to_owned())));
}
