//! The filter language: `btc side:sell status:resting size>1`. All terms must match.
//!
//! A bare word is searched in every cell with words, and in the id. A bare number also matches every displayed number
//! that starts with it, with or without thousands separators. `column:word` searches one column, `=` and `!=` compare
//! the whole cell, `<` `<=` `>` `>=` compare numbers and times (`age>5m`, `status>=400`). `a|b` is either, `-term` is
//! not, `"two words"` are one. A column is named by its id, its title, or an unambiguous beginning.
//!
//! Contract: pure. A text with an error is no filter; the error says where it is and what to write.

use super::fact::{ColumnName, Fact, Kind};
use crate::model::{Num, Timestamp};
use std::{cmp::Ordering, ops::Range, time::Duration};

/// An error in a typed line, and its position in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub at: Range<usize>,
    pub what: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// As typed.
    pub text: String,
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq)]
struct Term {
    sense: Sense,
    test: Test,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sense {
    Wanted,
    Unwanted,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    /// Any of these words, in lower case, anywhere in the row.
    Words(Vec<String>),
    Column {
        column: usize,
        op: Op,
        values: Vec<Value>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Holds,
    Is,
    IsNot,
    AtLeast,
    AtMost,
    Above,
    Below,
}

/// Longer operators first.
const OPS: &[(&str, Op)] = &[
    ("!=", Op::IsNot),
    (">=", Op::AtLeast),
    ("<=", Op::AtMost),
    (":", Op::Holds),
    ("=", Op::Is),
    (">", Op::Above),
    ("<", Op::Below),
];

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Words(String),
    Number(Num),
    Span(Duration),
}

/// A row that a filter reads only as far as its terms need.
pub(super) struct Condition<W, N, F> {
    pub(super) now: Timestamp,
    pub(super) words: W,
    pub(super) numbers: N,
    pub(super) fact: F,
}

impl Filter {
    /// `None` for a text without terms.
    pub fn parse(text: &str, columns: &[ColumnName]) -> Result<Option<Self>, Fault> {
        let mut terms = vec![];
        for token in tokens(text)? {
            terms.push(term(&token, columns)?);
        }
        let text = text.trim().to_owned();
        Ok((!terms.is_empty()).then_some(Self { text, terms }))
    }

    pub(super) fn takes<W, N, F>(&self, row: &Condition<W, N, F>) -> bool
    where
        W: Fn() -> String,
        N: Fn() -> String,
        F: Fn(usize) -> Fact,
    {
        let (mut words, mut numbers) = (None, None);
        self.terms.iter().all(|term| {
            let holds = match &term.test {
                Test::Words(any) => {
                    let words = words.get_or_insert_with(&row.words);
                    let mut shows = |word: &str| {
                        digits(word).is_some_and(|digits| {
                            let numbers = numbers.get_or_insert_with(&row.numbers);
                            begins_a_number(numbers, &digits)
                        })
                    };
                    any.iter()
                        .any(|word| words.contains(word.as_str()) || shows(word))
                }
                Test::Column { column, op, values } => {
                    let fact = (row.fact)(*column);
                    holds(&fact, *op, values, row.now)
                }
            };
            holds == (term.sense == Sense::Wanted)
        })
    }
}

/// The digits of a typed number: `64,400`, `65548`, `+1.5`, `12%`.
fn digits(word: &str) -> Option<String> {
    let bare = word.trim_start_matches(['+', '$']).trim_end_matches('%');
    let digits = bare.replace(',', "");
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_number.then_some(digits)
}

fn begins_a_number(numbers: &str, digits: &str) -> bool {
    let mut numbers = numbers.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    numbers.any(|number| number.starts_with(digits))
}

fn holds(fact: &Fact, op: Op, values: &[Value], now: Timestamp) -> bool {
    if op == Op::IsNot {
        return !values.iter().any(|value| one(fact, Op::Is, value, now));
    }
    values.iter().any(|value| one(fact, op, value, now))
}

fn one(fact: &Fact, op: Op, value: &Value, now: Timestamp) -> bool {
    let order = match (fact, value) {
        (Fact::Words(words) | Fact::Code(_, words), Value::Words(wanted)) => {
            let words = words.to_lowercase();
            return match op {
                Op::Holds => words.contains(wanted.as_str()),
                Op::Is => words == *wanted,
                Op::IsNot | Op::AtLeast | Op::AtMost | Op::Above | Op::Below => false,
            };
        }
        (Fact::Number(number) | Fact::Code(number, _), Value::Number(wanted)) => number.cmp(wanted),
        (Fact::Span(span), Value::Span(wanted)) => span.cmp(wanted),
        (Fact::Moment(at), Value::Span(wanted)) => now.since(*at).cmp(wanted),
        _ => return false,
    };
    match op {
        Op::Holds | Op::Is => order == Ordering::Equal,
        Op::IsNot => order != Ordering::Equal,
        Op::AtLeast => order != Ordering::Less,
        Op::AtMost => order != Ordering::Greater,
        Op::Above => order == Ordering::Greater,
        Op::Below => order == Ordering::Less,
    }
}

/// A piece of the line and its position in characters; quotes are removed, and their contents are literal.
struct Token {
    start: usize,
    chars: Vec<(char, Literal)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Literal {
    /// Inside quotes: never an operator.
    Yes,
    No,
}

impl Token {
    fn end(&self) -> usize {
        self.start + self.chars.len()
    }

    fn text(&self) -> String {
        self.chars.iter().map(|(c, _)| c).collect()
    }

    /// The token without its first `count` characters.
    fn after(&self, count: usize) -> Self {
        Self {
            start: self.start + count,
            chars: self.chars.get(count..).unwrap_or_default().to_vec(),
        }
    }

    /// The first operator and its position.
    fn op(&self) -> Option<(usize, &'static str, Op)> {
        let text = self.text();
        (0..self.chars.len()).find_map(|at| {
            let is_code = self.chars.get(at)?.1 == Literal::No;
            let rest: String = text.chars().skip(at).collect();
            let found = OPS.iter().find(|(sign, _)| rest.starts_with(sign));
            found.filter(|_| is_code).map(|(sign, op)| (at, *sign, *op))
        })
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens: Vec<Token> = vec![];
    let mut open = None;
    let mut quote = None;
    for (at, c) in text.chars().enumerate() {
        match (c, quote) {
            ('"', None) => {
                quote = Some(at);
                open.get_or_insert(Token {
                    start: at + 1,
                    chars: vec![],
                });
            }
            ('"', Some(_)) => quote = None,
            (c, None) if c.is_whitespace() => tokens.extend(open.take()),
            (c, _) => {
                let literal = if quote.is_some() {
                    Literal::Yes
                } else {
                    Literal::No
                };
                let token = open.get_or_insert(Token {
                    start: at,
                    chars: vec![],
                });
                token.chars.push((c, literal));
            }
        }
    }
    if let Some(at) = quote {
        let what = "the quote has no closing mark".to_owned();
        return Err(Fault {
            at: at..at + 1,
            what,
        });
    }
    tokens.extend(open);
    Ok(tokens)
}

fn term(token: &Token, columns: &[ColumnName]) -> Result<Term, Fault> {
    let is_negated =
        token.chars.len() > 1 && matches!(token.chars.first(), Some(('-' | '!', Literal::No)));
    let (sense, token) = if is_negated {
        (Sense::Unwanted, token.after(1))
    } else {
        (Sense::Wanted, token.after(0))
    };
    let test = match token.op() {
        Some((at, sign, op)) if is_name(&token, at) => comparison(&token, (at, sign, op), columns)?,
        Some((0, sign, _)) => {
            let what = format!("a column comes before {sign}, as in size{sign}1");
            return Err(Fault {
                at: token.start..token.end(),
                what,
            });
        }
        Some(_) | None => Test::Words(alternatives(&token.text())),
    };
    Ok(Term { sense, test })
}

/// Whether the text before the operator can be a column; a path like `/v1/orders?limit=5` cannot.
fn is_name(token: &Token, op: usize) -> bool {
    let name = token.chars.get(..op).unwrap_or_default();
    let plain = |(c, _): &(char, Literal)| c.is_alphanumeric() || *c == '_';
    !name.is_empty() && name.iter().all(plain)
}

fn comparison(
    token: &Token,
    (at, sign, op): (usize, &str, Op),
    columns: &[ColumnName],
) -> Result<Test, Fault> {
    let name: String = token.text().chars().take(at).collect();
    let column = find(&name, columns).map_err(|what| Fault {
        at: token.start..token.start + at,
        what,
    })?;
    let value = token.after(at + sign.chars().count());
    let known = columns.get(column);
    let kind = known.map_or(Kind::Words, |column| column.kind);
    let id = known.map_or("", |column| column.id);
    let fault = |what| Fault {
        at: value.start..value.end().max(value.start + 1),
        what,
    };
    let texts = alternatives(&value.text());
    if texts.iter().all(String::is_empty) {
        return Err(fault(format!("{id}{sign} what?")));
    }
    let values = texts.iter().map(|text| self::value(text, kind, op, id));
    let values = values.collect::<Result<_, _>>().map_err(fault)?;
    Ok(Test::Column { column, op, values })
}

fn alternatives(text: &str) -> Vec<String> {
    text.split('|')
        .filter(|part| !part.is_empty() || !text.contains('|'))
        .map(str::to_lowercase)
        .collect()
}

fn value(text: &str, kind: Kind, op: Op, id: &str) -> Result<Value, String> {
    match kind {
        Kind::Words if matches!(op, Op::Holds | Op::Is | Op::IsNot) => {
            Ok(Value::Words(text.to_owned()))
        }
        Kind::Words => Err(format!(
            "{id} is text, which > and < cannot compare: write {id}:{text}"
        )),
        // Searched as words, compared as a number.
        Kind::Code if op == Op::Holds => Ok(Value::Words(text.to_owned())),
        Kind::Code => match (number(text), op) {
            (Some(number), _) => Ok(Value::Number(number)),
            (None, Op::Is | Op::IsNot) => Ok(Value::Words(text.to_owned())),
            (None, _) => Err(format!(
                "{text:?} is not a number: write {id}>=400 or {id}:{text}"
            )),
        },
        Kind::Number => number(text)
            .map(Value::Number)
            .ok_or_else(|| format!("{id} is a number, and {text:?} is not: write {id}>1.5")),
        Kind::Span | Kind::Moment => span(text).map(Value::Span).ok_or_else(|| {
            format!("{id} is a time, and {text:?} is not: write {id}<90s, 5m, 2h or 3d")
        }),
    }
}

/// `1,500`, `1.5k`, `$20`, `50%`, `-3`: the digits as a pane shows them.
pub fn number(text: &str) -> Option<Num> {
    let bare = text.trim_start_matches('$').replace(',', "");
    let bare = bare.trim_start_matches('+').trim_end_matches(['%', '×']);
    let (digits, factor) = match bare.strip_suffix('k') {
        Some(digits) => (digits, 1_000_u32),
        None => (bare, 1),
    };
    digits.parse::<Num>().ok()?.times(Num::from(factor))
}

const UNITS: &[(&str, u32)] = &[
    ("ms", 1),
    ("s", 1_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];

fn span(text: &str) -> Option<Duration> {
    let (digits, factor) = UNITS
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))?;
    let millis = digits.parse::<Num>().ok()?.times(Num::from(factor))?;
    u64::try_from(millis.to_i64()?)
        .ok()
        .map(Duration::from_millis)
}

/// A title as it is typed: `to liq` is `toliq` or `to_liq`.
fn squeezed(title: &str) -> String {
    title.to_lowercase().replace([' ', '_'], "")
}

/// The columns whose id begins with this; if there is none, those whose title does.
pub fn columns_starting(name: &str, columns: &[ColumnName]) -> Vec<ColumnName> {
    let by_id = columns.iter().filter(|column| column.id.starts_with(name));
    let by_id: Vec<_> = by_id.copied().collect();
    if !by_id.is_empty() {
        return by_id;
    }
    let title = squeezed(name);
    let by_title = columns.iter();
    let by_title = by_title.filter(|column| squeezed(column.title).starts_with(&title));
    by_title.copied().collect()
}

/// The column of a name: its id, its title, or an unambiguous beginning.
pub fn find(name: &str, columns: &[ColumnName]) -> Result<usize, String> {
    let name = name.to_lowercase();
    let is_titled = |column: &ColumnName| squeezed(column.title) == squeezed(&name);
    let whole = columns
        .iter()
        .position(|column| column.id == name)
        .or_else(|| columns.iter().position(is_titled));
    if let Some(at) = whole {
        return Ok(at);
    }
    match columns_starting(&name, columns).as_slice() {
        [one] => Ok(columns
            .iter()
            .position(|column| column.id == one.id)
            .unwrap_or_default()),
        [] => Err(format!("no column {name:?} here: {}", ids(columns.iter()))),
        several => Err(format!("{name:?} could be {}", ids(several.iter()))),
    }
}

fn ids<'a>(columns: impl Iterator<Item = &'a ColumnName>) -> String {
    let ids: Vec<_> = columns.map(|column| column.id).collect();
    ids.join(", ")
}
