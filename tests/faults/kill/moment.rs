//! When somebody dies.

use crate::kind::Mutation;
use strum::{Display, VariantArray};

/// Who is gone without a word. All that is left of it is its disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, VariantArray)]
pub(crate) enum Victim {
    Client,
    Server,
    Both,
}

impl Victim {
    pub(crate) fn client(self) -> bool {
        matches!(self, Self::Client | Self::Both)
    }

    pub(crate) fn server(self) -> bool {
        matches!(self, Self::Server | Self::Both)
    }
}

/// How far one request and its answer have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, VariantArray)]
pub(crate) enum Phase {
    /// The connection is made and nothing has been read of it.
    Connected,
    FirstByteOut,
    HalfRequestOut,
    /// All of it has left the client, and it is lost.
    RequestLost,
    /// All of it has left the client, and it arrives after the death.
    RequestLate,
    /// The exchange has half of it.
    HalfRequestIn,
    /// The exchange has carried it out in memory and waits for its disk.
    Committing,
    /// It is on the exchange's disk; nothing of the answer has left.
    Committed,
    FirstByteBack,
    HalfHeadBack,
    HeadBack,
    LastByteMissing,
    /// The client has the whole answer and waits for its disk.
    Noting,
}

/// What became of the first mutation on the wire, before the one that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, VariantArray)]
pub(crate) enum Prelude {
    Nothing,
    /// It broke before the exchange had it.
    Lost,
    /// It broke after the exchange had carried it out.
    Executed,
    /// 429, with a second to wait.
    Limited,
    /// 503, with a second to wait.
    Unavailable,
    /// No connection was made.
    Refused,
    /// It broke, and so does every later one.
    AllLost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Read,
    Mutation,
}

/// Where on the wire: the how manieth request of its class since the client started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gate {
    pub(crate) class: Class,
    pub(crate) nth: u32,
    pub(crate) phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The command is given and the journal's disk does not answer.
    BeforeCommit,
    Wire(Gate),
    /// The outbox is about to tell the desk something, after so many things it told before.
    Telling(usize),
    /// The desk was told how it ended.
    Told,
}

/// Deaths in a row, of one client life after the other.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    pub(crate) name: String,
    pub(crate) prelude: Prelude,
    pub(crate) places: Vec<Place>,
}

fn mutation(nth: u32, phase: Phase) -> Place {
    let class = Class::Mutation;
    Place::Wire(Gate { class, nth, phase })
}

fn read(nth: u32, phase: Phase) -> Place {
    let class = Class::Read;
    Place::Wire(Gate { class, nth, phase })
}

impl Moment {
    fn new(name: String, prelude: Prelude, places: Vec<Place>) -> Self {
        Self {
            name,
            prelude,
            places,
        }
    }

    /// All that are named.
    pub(crate) fn all() -> Vec<Self> {
        [wire(), desk(), again()].concat()
    }
}

/// Along the first request, and along the second or the read that asks for its effect after the first broke.
fn wire() -> Vec<Moment> {
    let mut moments = vec![];
    for prelude in [Prelude::Lost, Prelude::Executed] {
        for phase in [
            Phase::RequestLost,
            Phase::Committed,
            Phase::LastByteMissing,
            Phase::Noting,
        ] {
            let name = format!("Read{phase}-{prelude}");
            moments.push(Moment::new(name, prelude, vec![read(1, phase)]));
        }
    }
    for (prelude, nth) in [
        (Prelude::Nothing, 1),
        (Prelude::Lost, 2),
        (Prelude::Executed, 2),
    ] {
        for phase in Phase::VARIANTS {
            let name = format!("{phase}-{nth}-{prelude}");
            moments.push(Moment::new(name, prelude, vec![mutation(nth, *phase)]));
        }
    }
    moments
}

/// Between the requests.
fn desk() -> Vec<Moment> {
    let told = |prelude, nth| {
        let name = format!("Telling-{nth}-{prelude}");
        Moment::new(name, prelude, vec![Place::Telling(nth)])
    };
    let mut moments = vec![
        Moment::new(
            "BeforeCommit".to_owned(),
            Prelude::Nothing,
            vec![Place::BeforeCommit],
        ),
        Moment::new("Told".to_owned(), Prelude::Nothing, vec![Place::Told]),
        Moment::new("Asked".to_owned(), Prelude::AllLost, vec![Place::Told]),
        // Committed and not sent; answered, written down and not told.
        told(Prelude::Nothing, 0),
        told(Prelude::Nothing, 1),
    ];
    for prelude in [
        Prelude::Lost,
        Prelude::Executed,
        Prelude::Limited,
        Prelude::Unavailable,
        Prelude::Refused,
    ] {
        // Written down and not told; waited, written down anew and not sent.
        moments.extend([told(prelude, 1), told(prelude, 2)]);
    }
    moments
}

/// While the next life finds out what became of the first, once or again and again.
fn again() -> Vec<Moment> {
    let mut moments = vec![];
    for first in [Phase::RequestLost, Phase::Committed] {
        for (word, then) in [
            ("ReadOut", vec![read(1, Phase::RequestLost)]),
            ("ReadBack", vec![read(1, Phase::Committed)]),
            ("SecondReadBack", vec![read(2, Phase::Committed)]),
            ("ResentOut", vec![mutation(1, Phase::RequestLost)]),
            ("ResentLate", vec![mutation(1, Phase::RequestLate)]),
            ("ResentCommitted", vec![mutation(1, Phase::Committed)]),
            ("ResentNoting", vec![mutation(1, Phase::Noting)]),
            ("ReadBackThrice", vec![read(1, Phase::Committed); 3]),
        ] {
            let name = format!("{first}-then-{word}");
            let places = [vec![mutation(1, first)], then].concat();
            moments.push(Moment::new(name, Prelude::Nothing, places));
        }
    }
    moments
}

/// One death, or one series of them.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) moment: Moment,
    pub(crate) mutation: Mutation,
    pub(crate) victim: Victim,
}

impl Case {
    pub(crate) fn all() -> Vec<Self> {
        let mut cases = vec![];
        for moment in Moment::all() {
            for mutation in Mutation::VERBS {
                for victim in Victim::VARIANTS {
                    let case = Self {
                        moment: moment.clone(),
                        mutation,
                        victim: *victim,
                    };
                    cases.extend(case.comes().then_some(case));
                }
            }
        }
        cases
    }

    /// What is found done by a read is not sent again; what nobody may send again after a death neither.
    fn comes(&self) -> bool {
        let named = matches!(self.mutation, Mutation::Place | Mutation::Close);
        let put = matches!(self.mutation, Mutation::Exits | Mutation::Margin);
        let read_first = named || put;
        let count = |class| {
            let is = |place: &&Place| matches!(place, Place::Wire(gate) if gate.class == class);
            self.moment.places.iter().filter(is).count()
        };
        let (resent, reads) = (count(Class::Mutation) > 1, count(Class::Read) > 0);
        let done = self.moment.places.first() == Some(&mutation(1, Phase::Committed));
        let over = self.moment.prelude == Prelude::Executed;
        // A close whose name is unknown reads its position too.
        let reads_twice = self.mutation == Mutation::Close && !done;
        let reads_on = reads_twice || !self.moment.places.contains(&read(2, Phase::Committed));
        match (self.victim.client(), self.mutation) {
            _ if self.moment.prelude != Prelude::Nothing && reads => read_first,
            // Its key is all that is needed to go on.
            (_, Mutation::CloseAll) => !reads,
            (true, _) if resent => !(read_first || done),
            (false, _) if reads => read_first && reads_on,
            (false, _) if resent && done => !read_first,
            _ => !(over && read_first && self.moment.places != [Place::Telling(1)]),
        }
    }

    pub(crate) fn name(&self) -> String {
        format!("{}:{}:{}", self.moment.name, self.mutation, self.victim)
    }
}
