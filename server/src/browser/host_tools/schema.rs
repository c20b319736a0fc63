//! JSON Schemas of others: compiled within bounds, and asked within bounds.
//!
//! A schema comes from a client, arguments from a model; neither may cost much. What a schema could blow up to when its
//! references are followed is counted before it is compiled, so nothing is recursive and nothing doubles without end;
//! nothing is fetched; patterns have a limit on steps and size.

use std::fmt::Write as _;
use std::sync::Arc;

use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value, json};

/// Bytes of one schema.
const BYTES: usize = 64 * 1024;
/// Values of one schema, each counted as often as it is referred to.
const VALUES: usize = 8 * 1024;
/// Levels of one schema, through its references.
const LEVELS: usize = 64;
/// Patterns of one schema, and bytes of each.
const PATTERNS: usize = 64;
const PATTERN_BYTES: usize = 1024;
/// What a compiled pattern may take, and the steps it may go back.
const PATTERN_SIZE: usize = 256 * 1024;
/// What compiled patterns are taken to need: the first of these sizes that is enough.
const PATTERN_SIZES: [usize; 3] = [PATTERN_SIZE / 16, PATTERN_SIZE / 4, PATTERN_SIZE];
const BACKTRACKS: usize = 10_000;
/// Values and patterns of all schemas of a set, and bytes of its compiled patterns.
const SET_VALUES: usize = 16 * 1024;
const SET_PATTERNS: usize = 128;
const SET_PATTERN_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of one call's arguments.
const ARGUMENTS: usize = 128 * 1024;
/// Beyond this much work, arguments are checked beside the connections.
const HEAVY: usize = 256 * 1024;
/// Faults that a model is told at once, and bytes of all of them.
const FAULTS: usize = 8;
const FAULT_BYTES: usize = 1024;

/// Words that give schemas names or reach for others; `$ref` into the schema itself is all there is.
const NAMING: &[&str] = &[
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveAnchor",
    "$recursiveRef",
    "$vocabulary",
];
/// The drafts that may be named, without the final `#`.
const DRAFTS: &[&str] = &[
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// Why a schema is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SchemaFault {
    /// More than the limits.
    #[error("the schema is too large, or refers to itself")]
    TooLarge,
    /// Arguments are always an object.
    #[error("the schema is not of an object")]
    NotAnObject,
    /// A reference to somewhere else, or to nowhere.
    #[error("the schema refers to what is not part of it")]
    Reference,
    /// Another draft.
    #[error("the schema is of an unknown draft")]
    Draft,
    /// A pattern that is too long, or one too many.
    #[error("the schema has too many or too long patterns")]
    Pattern,
    /// More than all schemas of a set may take together.
    #[error("the schemas of the set are too large together")]
    TooMuchTogether,
    /// It is no schema.
    #[error("the schema has no meaning")]
    Meaningless,
}

/// Why arguments do not leave; a model reads it and tries again.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArgumentFault {
    /// The model wrote something else.
    #[error("the arguments are not a JSON object; write them again as one")]
    NotAnObject,
    /// More than the limit.
    #[error("the arguments are larger than {ARGUMENTS} bytes")]
    TooLarge,
    /// The tool's own schema says no.
    #[error("the arguments do not fit the tool's parameters; correct them and call it again:{0}")]
    Unfit(String),
}

/// What checks the arguments of one tool.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    validator: Arc<Validator>,
    /// Values of the schema.
    values: usize,
}

impl Parameters {
    /// Compiles a schema, as far as its set has room for it.
    pub(super) fn compile(schema: &Value, room: &mut Room) -> Result<Self, SchemaFault> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(SchemaFault::NotAnObject);
        }
        if schema.to_string().len() > BYTES {
            return Err(SchemaFault::TooLarge);
        }
        let survey = Survey::of(schema)?;
        room.take(&survey)?;
        let validator = build(schema, PATTERN_SIZE).ok_or(SchemaFault::Meaningless)?;
        Ok(Self {
            validator: Arc::new(validator),
            values: survey.values,
        })
    }

    /// Gives the arguments back when they fit.
    pub(super) async fn check(&self, arguments: Value) -> Result<Map<String, Value>, ArgumentFault> {
        let Value::Object(members) = &arguments else {
            return Err(ArgumentFault::NotAnObject);
        };
        let bytes = arguments.to_string().len();
        if bytes > ARGUMENTS {
            return Err(ArgumentFault::TooLarge);
        }
        let fault = if self.values.saturating_mul(bytes) < HEAVY {
            self.fault(&arguments)
        } else {
            let (parameters, arguments) = (self.clone(), arguments.clone());
            let checking = tokio::task::spawn_blocking(move || parameters.fault(&arguments));
            checking.await.unwrap_or_else(|_panic| Some(String::new()))
        };
        match fault {
            None => Ok(members.clone()),
            Some(fault) => Err(ArgumentFault::Unfit(fault)),
        }
    }

    fn fault(&self, arguments: &Value) -> Option<String> {
        if self.validator.is_valid(arguments) {
            return None;
        }
        let mut faults = String::new();
        for error in self.validator.iter_errors(arguments).take(FAULTS) {
            let line = one_line(&error);
            if faults.len() + line.len() > FAULT_BYTES {
                break;
            }
            faults.push_str(&line);
        }
        Some(faults)
    }
}

fn one_line(error: &ValidationError<'_>) -> String {
    let mut line = String::new();
    let place = error.instance_path().as_str();
    let place = if place.is_empty() { "/" } else { place };
    // Writing to a string cannot fail.
    let _written = write!(line, "\n- at {place}: {error}");
    if line.len() > FAULT_BYTES / 3 {
        line.truncate(line.floor_char_boundary(FAULT_BYTES / 3));
        line.push('…');
    }
    line
}

/// Compiles; patterns may take `size` bytes each.
fn build(schema: &Value, size: usize) -> Option<Validator> {
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(BACKTRACKS)
        .size_limit(size)
        .dfa_size_limit(size);
    let options = jsonschema::options().offline().with_pattern_options(patterns);
    options.build(schema).ok()
}

/// What a compiled pattern needs, roughly; nothing when it has no meaning or needs too much.
fn pattern_size(pattern: &str) -> Option<usize> {
    let schema = json!({ "pattern": pattern });
    PATTERN_SIZES
        .into_iter()
        .find(|size| build(&schema, *size).is_some())
}

/// What the schemas of one set may still take together.
pub(super) struct Room {
    values: usize,
    patterns: usize,
    pattern_bytes: usize,
}

impl Room {
    /// The room of a whole set.
    pub(super) fn of_set() -> Self {
        Self {
            values: SET_VALUES,
            patterns: SET_PATTERNS,
            pattern_bytes: SET_PATTERN_BYTES,
        }
    }

    fn take(&mut self, survey: &Survey<'_>) -> Result<(), SchemaFault> {
        take(&mut self.values, survey.values)?;
        take(&mut self.patterns, survey.patterns.len())?;
        // Few by now; each is compiled as often as it is referred to.
        for pattern in &survey.patterns {
            take(
                &mut self.pattern_bytes,
                pattern_size(pattern).ok_or(SchemaFault::Meaningless)?,
            )?;
        }
        Ok(())
    }
}

fn take(left: &mut usize, wanted: usize) -> Result<(), SchemaFault> {
    *left = left.checked_sub(wanted).ok_or(SchemaFault::TooMuchTogether)?;
    Ok(())
}

/// Counts what a schema is once every reference is followed.
struct Survey<'a> {
    root: &'a Value,
    values: usize,
    patterns: Vec<&'a str>,
}

impl<'a> Survey<'a> {
    fn of(root: &'a Value) -> Result<Self, SchemaFault> {
        let mut survey = Self {
            root,
            values: 0,
            patterns: Vec::new(),
        };
        if let Some(draft) = root.get("$schema").and_then(Value::as_str)
            && !DRAFTS.contains(&draft.trim_end_matches('#'))
        {
            return Err(SchemaFault::Draft);
        }
        survey.visit(root, 0)?;
        Ok(survey)
    }

    fn visit(&mut self, value: &'a Value, level: usize) -> Result<(), SchemaFault> {
        self.values += 1;
        if self.values > VALUES || level > LEVELS {
            return Err(SchemaFault::TooLarge);
        }
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.visit(item, level + 1)),
            Value::Object(members) => members
                .iter()
                .try_for_each(|(word, value)| self.member(word, value, level + 1)),
            _ => Ok(()),
        }
    }

    fn member(&mut self, word: &'a str, value: &'a Value, level: usize) -> Result<(), SchemaFault> {
        match (word, value) {
            ("$ref", Value::String(target)) => {
                let pointer = target.strip_prefix('#').filter(|pointer| !pointer.contains('%'));
                let target = pointer.and_then(|pointer| self.root.pointer(pointer));
                self.visit(target.ok_or(SchemaFault::Reference)?, level)?;
            }
            ("$schema", Value::String(_)) if level > 1 => return Err(SchemaFault::Draft),
            ("pattern", Value::String(pattern)) => self.pattern(pattern)?,
            ("patternProperties", Value::Object(members)) => {
                members.keys().try_for_each(|pattern| self.pattern(pattern))?;
            }
            (word, Value::String(_) | Value::Bool(_)) if NAMING.contains(&word) => {
                return Err(SchemaFault::Reference);
            }
            _ => {}
        }
        self.visit(value, level)
    }

    fn pattern(&mut self, pattern: &'a str) -> Result<(), SchemaFault> {
        self.patterns.push(pattern);
        if self.patterns.len() > PATTERNS || pattern.len() > PATTERN_BYTES {
            return Err(SchemaFault::Pattern);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// What a schema without limits would take, and a busy machine does not.
    const ENDLESS: Duration = Duration::from_secs(120);

    fn compile(members: Value) -> Result<Parameters, SchemaFault> {
        compile_in(&mut Room::of_set(), members)
    }

    fn compile_in(room: &mut Room, mut members: Value) -> Result<Parameters, SchemaFault> {
        members["type"] = json!("object");
        Parameters::compile(&members, room)
    }

    /// How many of these schemas one set may have.
    fn fit(members: &Value) -> usize {
        let mut room = Room::of_set();
        let tries = (0..1_000).map(|_| compile_in(&mut room, members.clone()));
        let faults = tries.map(Result::err).take_while(Option::is_none);
        let fit = faults.count();
        assert_eq!(
            compile_in(&mut room, members.clone()).err(),
            Some(SchemaFault::TooMuchTogether)
        );
        fit
    }

    #[test]
    fn all_schemas_of_a_set_share_one_room() {
        let patterns =
            |pattern: &str, count: usize| json!({ "allOf": vec![json!({ "pattern": pattern }); count] });
        let began = Instant::now();
        // Of these, 2,047 values each: the object, its two members, and what is listed.
        assert_eq!(fit(&json!({ "enum": vec![0; 2_044] })), SET_VALUES / 2_047);
        assert_eq!(fit(&patterns("^[a-z]+$", PATTERNS)), SET_PATTERNS / PATTERNS);
        // Between a quarter and the whole of what a pattern may take.
        let large = "(x{100}){60}";
        assert!(build(&json!({ "pattern": large }), PATTERN_SIZE / 4).is_none());
        assert_eq!(fit(&patterns(large, 1)), SET_PATTERN_BYTES / PATTERN_SIZE);
        assert!(began.elapsed() < ENDLESS, "{:?}", began.elapsed());
    }

    async fn check(members: Value, arguments: Value) -> Result<Map<String, Value>, ArgumentFault> {
        compile(members).unwrap().check(arguments).await
    }

    #[test]
    fn schemas_as_tools_have_them_are_taken() {
        for members in [
            json!({}),
            json!({ "properties": { "range": { "type": "string", "pattern": "^[A-Z]+[0-9]+(:[A-Z]+[0-9]+)?$" } } }),
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "properties": {} }),
            json!({ "$schema": "https://json-schema.org/draft/2020-12/schema" }),
            json!({ "$defs": { "ref": { "type": "string" } },
                    "properties": { "a": { "$ref": "#/$defs/ref" }, "b": { "$ref": "#/$defs/ref" } } }),
            json!({ "properties": { "$ref": { "type": "string" }, "pattern": { "type": "string" } } }),
            json!({ "properties": { "a": { "type": "string", "pattern": "^(?!-)x+$" } } }),
        ] {
            assert!(compile(members.clone()).is_ok(), "{members}");
        }
    }

    #[test]
    fn a_hostile_schema_is_refused_at_once() {
        let doubling = |levels: usize| {
            let mut defs = Map::new();
            for level in 0..levels {
                let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
                defs.insert(format!("l{level}"), json!({ "allOf": [next, next] }));
            }
            defs.insert(format!("l{levels}"), json!(true));
            json!({ "$defs": defs, "$ref": "#/$defs/l0" })
        };
        let deep = (0..80).fold(json!(true), |inner, _| json!({ "not": inner }));
        let began = Instant::now();
        for (members, fault) in [
            (json!({ "$ref": "#" }), SchemaFault::TooLarge),
            (json!({ "allOf": [{ "$ref": "#" }] }), SchemaFault::TooLarge),
            (
                json!({ "properties": { "a": { "$ref": "#" } } }),
                SchemaFault::TooLarge,
            ),
            (
                json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/a" } } }),
                SchemaFault::TooLarge,
            ),
            (doubling(20), SchemaFault::TooLarge),
            (json!({ "not": deep }), SchemaFault::TooLarge),
            (json!({ "enum": vec![0; VALUES] }), SchemaFault::TooLarge),
            (json!({ "title": "x".repeat(BYTES) }), SchemaFault::TooLarge),
            (
                json!({ "$ref": "https://a.example/schema" }),
                SchemaFault::Reference,
            ),
            (json!({ "$ref": "file:///etc/passwd" }), SchemaFault::Reference),
            (json!({ "$ref": "#/nowhere" }), SchemaFault::Reference),
            (json!({ "$ref": "#name" }), SchemaFault::Reference),
            (
                json!({ "not": { "$id": "http://x/", "allOf": [{ "$ref": "#" }] } }),
                SchemaFault::Reference,
            ),
            (json!({ "not": { "$dynamicRef": "#x" } }), SchemaFault::Reference),
            (
                json!({ "not": { "$schema": "http://json-schema.org/draft-04/schema#" } }),
                SchemaFault::Draft,
            ),
            (
                json!({ "$schema": "https://a.example/draft" }),
                SchemaFault::Draft,
            ),
            (
                json!({ "pattern": "x".repeat(PATTERN_BYTES + 1) }),
                SchemaFault::Pattern,
            ),
            (
                json!({ "allOf": vec![json!({ "pattern": "x" }); PATTERNS + 1] }),
                SchemaFault::Pattern,
            ),
            (json!({ "pattern": "(" }), SchemaFault::Meaningless),
            (
                json!({ "pattern": "(((x{100}){100}){100})" }),
                SchemaFault::Meaningless,
            ),
            (json!({ "required": "range" }), SchemaFault::Meaningless),
        ] {
            assert_eq!(compile(members.clone()).err(), Some(fault), "{members:.200}");
        }
        assert!(began.elapsed() < ENDLESS, "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn a_model_is_told_what_to_correct() {
        let members = json!({ "properties": { "range": { "type": "string" } }, "required": ["range"] });
        assert!(check(members.clone(), json!({ "range": "A1" })).await.is_ok());
        let fault = check(members.clone(), json!({ "range": 7 }))
            .await
            .unwrap_err()
            .to_string();
        assert!(fault.contains("- at /range: 7 is not of type"), "{fault}");
        let fault = check(members.clone(), json!({})).await.unwrap_err().to_string();
        assert!(fault.contains("\"range\" is a required property"), "{fault}");
        let not_an_object = check(members, json!("{\"range\":")).await;
        assert_eq!(not_an_object, Err(ArgumentFault::NotAnObject));
    }

    #[tokio::test]
    async fn what_a_model_is_told_is_bounded() {
        let members = json!({ "additionalProperties": { "type": "string" } });
        let many: Map<String, Value> = (0..5_000).map(|at| (format!("a{at}"), json!(at))).collect();
        let fault = check(members.clone(), Value::Object(many))
            .await
            .unwrap_err()
            .to_string();
        assert!(fault.len() < FAULT_BYTES + 200, "{}", fault.len());
        let long = json!({ "a": ["é".repeat(50_000)] });
        let fault = check(members.clone(), long).await.unwrap_err().to_string();
        assert!(fault.len() < FAULT_BYTES, "{}", fault.len());
        let huge = json!({ "a": "x".repeat(ARGUMENTS) });
        assert_eq!(check(members, huge).await, Err(ArgumentFault::TooLarge));
    }

    #[tokio::test]
    async fn a_hostile_pattern_gives_up() {
        let members =
            json!({ "properties": { "a": { "type": "string", "pattern": "^(?=(a+)+$)(a|aa)+b$" } } });
        let began = Instant::now();
        let checked = check(members, json!({ "a": "a".repeat(50_000) })).await;
        assert!(matches!(checked, Err(ArgumentFault::Unfit(_))));
        assert!(began.elapsed() < ENDLESS, "{:?}", began.elapsed());
    }
}
