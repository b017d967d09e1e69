//! Where the parts of a diagram are, and how they are drawn. All lengths are in pixels.
//!
//! Every block has one line that goes through it from left to right, at the same height on both sides; `up` and `down` say
//! how far it reaches above and below that line. A sequence that is too long goes on in rows below, and its line comes back
//! up at the right.

use std::fmt::Write;

use super::shape::Shape;
use crate::grammar::Symbol;

/// Of the bends of lines.
const RADIUS: i32 = 10;
/// What a fork or a loop takes on each side.
const SIDE: i32 = 2 * RADIUS;
/// Between the boxes of a sequence.
const GAP: i32 = 12;
/// Between what is below each other.
const ROW_GAP: i32 = 10;
/// From the line to the edge of a box.
const HALF_BOX: i32 = 12;
/// Around the text of a box.
const PADDING: i32 = 10;
/// For the arrow of a loop.
const ARROW: i32 = 14;
/// No sequence is made narrower.
const WIDTH_MIN: i32 = 240;

/// The width of a symbol's text.
pub type WidthOf<'a> = &'a dyn Fn(Symbol) -> i32;

/// A part of a diagram with its size.
#[derive(Clone, Debug)]
pub struct Block {
    pub width: i32,
    pub up: i32,
    pub down: i32,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// There is no way on.
    Gap,
    Box(Symbol),
    /// One after the other; of none, a line.
    Row(Vec<Block>),
    /// Rows, each with how far its line is below the first one's.
    Rows(Vec<(i32, Block)>),
    /// Ways, each with how far its line is below the first one's.
    Fork(Vec<(i32, Block)>),
    /// What is repeated, and the way back, with how far its line is below.
    Loop(Box<Block>, i32, Box<Block>),
}

impl Block {
    /// No wider than this, if it can be.
    pub fn new(shape: &Shape, width_max: i32, width_of: WidthOf) -> Block {
        let inner_max = (width_max - 2 * SIDE).max(WIDTH_MIN);
        match shape {
            Shape::Nothing => Block { width: 2 * SIDE, up: HALF_BOX, down: HALF_BOX, kind: Kind::Gap },
            Shape::Symbol(symbol) => {
                Block { width: width_of(*symbol) + 2 * PADDING, up: HALF_BOX, down: HALF_BOX, kind: Kind::Box(*symbol) }
            }
            Shape::Sequence(parts) => {
                let blocks = parts.iter().map(|part| Block::new(part, row_max(width_max), width_of)).collect();
                Block::sequence(blocks, width_max)
            }
            Shape::Choice(parts) => {
                Block::fork(parts.iter().map(|part| Block::new(part, inner_max, width_of)).collect())
            }
            Shape::Loop(body, between) => {
                let back = Block::new(&between.clone().reversed(), i32::MAX / 2, width_of);
                if back.width > inner_max {
                    // Read from right to left it can't go on in rows.
                    let again = Shape::Sequence(vec![(**between).clone(), (**body).clone()]).any_number();
                    return Block::new(&Shape::Sequence(vec![(**body).clone(), again]), width_max, width_of);
                }
                Block::repeated(Block::new(body, inner_max, width_of), back)
            }
        }
    }

    fn row(blocks: Vec<Block>) -> Block {
        let gaps = GAP * (blocks.len() as i32 - 1).max(0);
        Block {
            width: blocks.iter().map(|block| block.width).sum::<i32>() + gaps,
            up: blocks.iter().map(|block| block.up).max().unwrap_or(0),
            down: blocks.iter().map(|block| block.down).max().unwrap_or(0),
            kind: Kind::Row(blocks),
        }
    }

    fn sequence(blocks: Vec<Block>, width_max: i32) -> Block {
        let width: i32 = blocks.iter().map(|block| block.width + GAP).sum();
        if width - GAP <= width_max || blocks.len() < 2 {
            return Block::row(blocks);
        }
        let mut rows: Vec<Vec<Block>> = Vec::new();
        let mut left = 0;
        for block in blocks {
            match rows.last_mut() {
                Some(row) if block.width + GAP <= left => {
                    left -= block.width + GAP;
                    row.push(block);
                }
                _ => {
                    left = row_max(width_max) - block.width;
                    rows.push(vec![block]);
                }
            }
        }
        if rows.len() == 1 {
            return Block::row(rows.swap_remove(0));
        }
        Block::rows(rows.into_iter().map(Block::row).collect())
    }

    fn rows(blocks: Vec<Block>) -> Block {
        let mut rows: Vec<(i32, Block)> = Vec::new();
        for block in blocks {
            let below = rows.last().map_or(0, |(at, last)| line_below(*at, last) + (block.up + ROW_GAP).max(SIDE));
            rows.push((below, block));
        }
        let width = rows.iter().map(|(_, block)| block.width).max().unwrap_or(0) + 2 * SIDE + RADIUS;
        Block::stacked(width, rows, Kind::Rows)
    }

    fn fork(blocks: Vec<Block>) -> Block {
        let mut ways: Vec<(i32, Block)> = Vec::new();
        for block in blocks {
            let below = ways.last().map_or(0, |(at, last)| (at + last.down + ROW_GAP + block.up).max(SIDE));
            ways.push((below, block));
        }
        let width = ways.iter().map(|(_, block)| block.width).max().unwrap_or(0) + 2 * SIDE;
        Block::stacked(width, ways, Kind::Fork)
    }

    fn stacked(width: i32, blocks: Vec<(i32, Block)>, kind: impl Fn(Vec<(i32, Block)>) -> Kind) -> Block {
        let down = blocks.iter().map(|(at, block)| at + block.down).max().unwrap_or(0);
        Block { width, up: blocks.first().map_or(0, |(_, block)| block.up), down, kind: kind(blocks) }
    }

    fn repeated(body: Block, back: Block) -> Block {
        let below = (body.down + ROW_GAP + back.up).max(SIDE);
        Block {
            width: body.width.max(back.width + 2 * ARROW) + 2 * SIDE,
            up: body.up,
            down: (below + back.down).max(below + ARROW / 2),
            kind: Kind::Loop(Box::new(body), below, Box::new(back)),
        }
    }

    /// Draws it with its line's left end at a place.
    pub fn draw(&self, x: i32, y: i32, drawing: &mut Drawing) {
        match &self.kind {
            Kind::Gap => {
                drawing.line(format_args!("M{x} {y}h{RADIUS}"));
                let right = x + self.width;
                drawing.line(format_args!("M{right} {y}h-{RADIUS}"));
            }
            Kind::Box(symbol) => drawing.boxes.push(Placed {
                symbol: *symbol,
                x,
                y: y - HALF_BOX,
                width: self.width,
                height: 2 * HALF_BOX,
            }),
            Kind::Row(blocks) => {
                let mut at = x;
                for (n, block) in blocks.iter().enumerate() {
                    if n > 0 {
                        drawing.line(format_args!("M{at} {y}h{GAP}"));
                        at += GAP;
                    }
                    block.draw(at, y, drawing);
                    at += block.width;
                }
            }
            Kind::Rows(rows) => self.draw_rows(rows, x, y, drawing),
            Kind::Fork(ways) => self.draw_fork(ways, x, y, drawing),
            Kind::Loop(body, below, back) => self.draw_loop(body, y + below, back, x, y, drawing),
        }
    }

    fn draw_rows(&self, rows: &[(i32, Block)], x: i32, y: i32, drawing: &mut Drawing) {
        let (first, right) = (x + SIDE, x + self.width);
        drawing.line(format_args!("M{x} {y}h{SIDE}"));
        for (n, (at, block)) in rows.iter().enumerate() {
            let (end, line) = (first + block.width, y + at);
            block.draw(first, line, drawing);
            match rows.get(n + 1) {
                Some((next, _)) => {
                    let (between, next) = (y + line_below(*at, block), y + next);
                    let down = format!("{}V{}{}H{first}", bend(1, 1, 1), between - RADIUS, bend(1, -1, 1));
                    let back = format!("{}V{}{}", bend(0, -1, 1), next - RADIUS, bend(0, 1, 1));
                    drawing.line(format_args!("M{end} {line}{down}{back}"));
                }
                None => {
                    let up = format!("{}V{}{}", bend(0, 1, -1), y + RADIUS, bend(1, 1, -1));
                    drawing.line(format_args!("M{end} {line}H{}{up}", right - SIDE));
                }
            }
        }
    }

    fn draw_fork(&self, ways: &[(i32, Block)], x: i32, y: i32, drawing: &mut Drawing) {
        let (first, end) = (x + SIDE, x + self.width - SIDE);
        for (at, block) in ways {
            let line = y + at;
            block.draw(first, line, drawing);
            let from = first + block.width;
            if *at == 0 {
                drawing.line(format_args!("M{x} {y}h{SIDE}M{from} {y}H{}", end + SIDE));
                continue;
            }
            drawing.line(format_args!("M{x} {y}{}V{}{}", bend(1, 1, 1), line - RADIUS, bend(0, 1, 1)));
            let up = format!("{}V{}{}", bend(0, 1, -1), y + RADIUS, bend(1, 1, -1));
            drawing.line(format_args!("M{from} {line}H{end}{up}"));
        }
    }

    fn draw_loop(&self, body: &Block, line: i32, back: &Block, x: i32, y: i32, drawing: &mut Drawing) {
        let (first, end) = (x + SIDE, x + self.width - SIDE);
        let at = first + (end - first - body.width) / 2;
        drawing.line(format_args!("M{x} {y}H{at}M{} {y}H{}", at + body.width, end + SIDE));
        body.draw(at, y, drawing);
        let at = first + (end - first - back.width) / 2;
        let down = format!("{}V{}{}", bend(1, 1, 1), line - RADIUS, bend(1, -1, 1));
        drawing.line(format_args!("M{end} {y}{down}H{}", at + back.width));
        back.draw(at, line, drawing);
        let up = format!("{}V{}{}", bend(1, -1, -1), y + RADIUS, bend(1, 1, -1));
        drawing.line(format_args!("M{at} {line}H{first}{up}"));
        let arrow = if back.width == 0 { at + 3 } else { (first + at) / 2 + 3 };
        let _ = write!(drawing.arrows, "M{arrow} {}l-7 4l7 4z", line - 4);
    }
}

/// What is left for one of several rows.
fn row_max(width_max: i32) -> i32 {
    (width_max - 2 * SIDE - RADIUS).max(WIDTH_MIN)
}

/// Where the line goes back below a row to begin the next one.
fn line_below(at: i32, row: &Block) -> i32 {
    at + (row.down + ROW_GAP).max(SIDE)
}

/// A quarter of a circle, to the right of where it comes from (1) or to the left (0).
fn bend(to_right: i32, x: i32, y: i32) -> String {
    format!("a{RADIUS} {RADIUS} 0 0 {to_right} {} {}", x * RADIUS, y * RADIUS)
}

/// A box at its place.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    pub symbol: Symbol,
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

/// What was drawn: data of paths, and boxes.
#[derive(Default, Debug)]
pub struct Drawing {
    pub lines: String,
    pub arrows: String,
    pub boxes: Vec<Placed>,
}

impl Drawing {
    pub fn line(&mut self, data: std::fmt::Arguments) {
        let _ = self.lines.write_fmt(data);
    }
}
