//! Which facts answer a question best: weighted word overlap with rare words counting more.

use std::collections::HashSet;

use super::facts::{Collection, Fact, Kind, PageFacts};
use super::question::Unit;
use super::words::{Term, is_name, terms};

/// How well something matches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Number of the fact or collection.
    pub(super) index: usize,
    /// For the order only.
    pub(super) score: f64,
    /// Share of the question that is matched, 0 to 1.
    pub(super) coverage: f64,
}

/// Words of one field of a fact, for look-up.
#[derive(Default)]
struct Bag {
    stems: HashSet<String>,
    concepts: HashSet<usize>,
    size: usize,
}

impl Bag {
    fn of(text: &str) -> Self {
        let terms = terms(text);
        Self {
            size: terms.len(),
            concepts: terms.iter().filter_map(|term| term.concept).collect(),
            stems: terms.into_iter().flat_map(|term| stems_of(&term)).collect(),
        }
    }

    /// 1 for the word itself, less for another word of its concept.
    fn strength(&self, term: &Term) -> f64 {
        if self.stems.contains(&term.stem) {
            1.0
        } else if term
            .concept
            .is_some_and(|concept| self.concepts.contains(&concept))
        {
            0.8
        } else if self.stems.iter().any(|stem| is_long_form(stem, &term.stem)) {
            0.6
        } else {
            0.0
        }
    }
}

/// `cert` and `certificate`, `creat` and `creation`.
fn is_long_form(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    short.len() >= 5 && long.len() <= short.len() + 6 && long.starts_with(short) && !is_name(short)
}

/// A two-word term is also found by either word.
fn stems_of(term: &Term) -> Vec<String> {
    let mut stems = vec![term.stem.clone()];
    if term.stem.contains(' ') {
        stems.extend(term.stem.split(' ').map(str::to_owned));
    }
    stems
}

/// The fields of one thing, with their weights.
struct Document {
    label: Bag,
    /// It belongs to one row; such a fact answers best when the question names the row or its table.
    of_row: bool,
    fields: Vec<(f64, Bag)>,
    factor: f64,
}

/// Weight of the label, which says what a fact is about.
const LABEL: f64 = 3.0;

impl Document {
    fn of_fact(fact: &Fact) -> Self {
        let value_weight = if fact.kind == Kind::Text { 1.6 } else { 1.1 };
        Self {
            label: Bag::of(&fact.label),
            fields: vec![
                (2.4, Bag::of(&fact.row)),
                (value_weight, Bag::of(&fact.value)),
                (0.9, Bag::of(&fact.context)),
            ],
            of_row: !fact.row.is_empty(),
            factor: factor(fact),
        }
    }

    fn of_collection(collection: &Collection) -> Self {
        let factor = if collection.api { 0.95 } else { 1.0 };
        let columns = (0.8, Bag::of(&collection.columns.join(" ")));
        let fields = vec![(1.0, Bag::of(&collection.context)), columns];
        Self {
            label: Bag::of(&collection.label),
            of_row: false,
            fields,
            factor,
        }
    }

    fn strength(&self, term: &Term) -> f64 {
        let inside = self
            .fields
            .iter()
            .map(|(weight, bag)| weight * bag.strength(term))
            .fold(0.0, f64::max);
        inside.max(LABEL * self.label.strength(term))
    }

    /// Whether the question names more than the label.
    fn is_placed(&self, units: &[Unit]) -> bool {
        let inside = |unit: &Unit| self.fields.iter().any(|(_, bag)| bag.strength(&unit.term) > 0.0);
        !self.of_row || units.iter().any(|unit| unit.weight > 0.3 && inside(unit))
    }

    /// Short labels that are wholly asked for beat long ones that merely contain the word.
    fn focus(&self, units: &[Unit]) -> f64 {
        if self.label.size == 0 {
            return 0.75;
        }
        let asked = units
            .iter()
            .filter(|unit| self.label.strength(&unit.term) > 0.0)
            .count();
        0.7 + 0.3 * (ratio(asked, self.label.size)).min(1.0)
    }
}

/// What a kind of fact is worth as an answer.
fn factor(fact: &Fact) -> f64 {
    let kind = match fact.kind {
        Kind::Pair => 1.2,
        Kind::Cell | Kind::Status => 1.1,
        Kind::Field => 1.0,
        Kind::Control if fact.control.as_ref().is_some_and(|control| control.field) => 1.15,
        Kind::Control => 0.7,
        Kind::Text => 0.8,
        Kind::Heading => 0.4,
    };
    if fact.minor { kind * 0.6 } else { kind }
}

/// The facts and collections of a page, split into words once.
pub(super) struct Index<'p> {
    page: &'p PageFacts,
    facts: Vec<Document>,
    collections: Vec<Document>,
}

impl<'p> Index<'p> {
    /// Splits everything a page tells.
    pub(super) fn of(page: &'p PageFacts) -> Self {
        Self {
            page,
            facts: page.facts.iter().map(Document::of_fact).collect(),
            collections: page.collections.iter().map(Document::of_collection).collect(),
        }
    }

    /// Facts by how well they answer, best first; those without any match are left out.
    pub(super) fn facts(&self, units: &[Unit], fits: impl Fn(&Fact) -> bool) -> Vec<Hit> {
        let all = self.facts.iter().zip(&self.page.facts).enumerate();
        let chosen = all
            .filter(|(_, (_, fact))| fits(fact))
            .map(|(index, (document, _))| (index, document));
        rank(&chosen.collect::<Vec<_>>(), units)
    }

    /// Collections by how well they answer, best first.
    pub(super) fn collections(&self, units: &[Unit]) -> Vec<Hit> {
        rank(&self.collections.iter().enumerate().collect::<Vec<_>>(), units)
    }
}

fn rank(documents: &[(usize, &Document)], units: &[Unit]) -> Vec<Hit> {
    let rarity: Vec<f64> = units
        .iter()
        .map(|unit| unit.weight * rarity(documents, &unit.term))
        .collect();
    let total: f64 = rarity.iter().sum();
    let mut hits: Vec<Hit> = documents
        .iter()
        .filter_map(|(index, document)| {
            let strengths = units.iter().map(|unit| document.strength(&unit.term));
            let (mut score, mut matched) = (0.0, 0.0);
            for (strength, rarity) in strengths.zip(&rarity) {
                score += strength * rarity;
                matched += if strength > 0.0 { *rarity } else { 0.0 };
            }
            let placed = if document.is_placed(units) { 1.0 } else { 0.8 };
            let score = score * document.focus(units) * document.factor * placed;
            (score > 0.0).then(|| Hit {
                index: *index,
                score,
                coverage: matched / total,
            })
        })
        .collect();
    hits.sort_by(|one, other| {
        other
            .score
            .total_cmp(&one.score)
            .then(one.index.cmp(&other.index))
    });
    hits
}

/// Rare words decide; a word that nothing matches is the rarest.
fn rarity(documents: &[(usize, &Document)], term: &Term) -> f64 {
    let found = documents
        .iter()
        .filter(|(_, document)| document.strength(term) > 0.0)
        .count();
    (1.0 + ratio(documents.len() + 1, found + 1)).ln()
}

#[expect(clippy::cast_precision_loss, reason = "counts of facts are far below 2^52")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Whether any cell says one of these words.
pub(super) fn mentions(cells: &[String], term: &Term) -> bool {
    cells.iter().any(|cell| Bag::of(cell).strength(term) > 0.0)
}

/// Whether a text says this word.
pub(super) fn says(text: &str, term: &Term) -> bool {
    Bag::of(text).strength(term) > 0.0
}

/// Whether one text says every word of another.
pub(super) fn says_all(text: &str, other: &str) -> bool {
    let bag = Bag::of(text);
    let terms = terms(other);
    !terms.is_empty() && terms.iter().all(|term| bag.strength(term) > 0.0)
}
