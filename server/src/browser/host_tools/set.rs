//! What a set of host tools must look like. One fault rejects it whole.

use std::collections::HashSet;

use serde_json::{Map, Value};
use sidewire_agent::modes;
use sidewire_agent::tool::{ToolKind, ToolMeta, ToolSource};
use sidewire_contract::host_tool::SetHostTools;
use sidewire_contract::tool::HostTool;

use super::schema::{Parameters, Room, SchemaFault};

/// Tools of one set.
pub(super) const TOOLS: usize = 128;
/// Bytes of a name; servers of models take no more.
const NAME: usize = 64;
/// Bytes of a label, and of a description.
const LABEL: usize = 256;
const DESCRIPTION: usize = 16 * 1024;

/// Why a set is rejected. It is logged, not sent: the contract has one reason.
#[derive(Debug, thiserror::Error)]
pub(super) enum SetFault {
    /// It is not of the contract's form, or larger than its limit.
    #[error("the set cannot be read")]
    Unreadable,
    /// There are too many.
    #[error("the set holds {0} tools, {TOOLS} at most are taken")]
    TooMany(usize),
    /// A name that no model could say.
    #[error("tool {0} has no name of 1 to {NAME} letters, digits, _ and -")]
    Name(usize),
    /// A name twice.
    #[error("the name {0} stands there twice")]
    Twice(String),
    /// A name of ours.
    #[error("the name {0} is the worker's own")]
    Taken(String),
    /// A label that is too long.
    #[error("the label of {0} is too long")]
    Label(String),
    /// A description that is empty or too long.
    #[error("the description of {0} is empty or too long")]
    Description(String),
    /// Parameters that are no usable schema.
    #[error("the parameters of {name} are refused: {source}")]
    Parameters {
        /// The tool.
        name: String,
        /// Why.
        #[source]
        source: SchemaFault,
    },
}

/// A tool as it is offered.
#[derive(Debug)]
pub(super) struct Offered {
    /// What the model and the person see.
    pub(super) meta: ToolMeta,
    /// What checks its arguments.
    pub(super) parameters: Parameters,
}

/// Checks a set; names in `taken` are the worker's own. Takes a while: schemas are compiled.
pub(super) fn check(set: SetHostTools, taken: &[String]) -> Result<Vec<Offered>, SetFault> {
    if set.tools.len() > TOOLS {
        return Err(SetFault::TooMany(set.tools.len()));
    }
    let mut names = HashSet::new();
    let mut room = Room::of_set();
    set.tools
        .into_iter()
        .enumerate()
        .map(|(at, tool)| {
            let name = name(&tool, at)?;
            if taken.contains(&name) {
                return Err(SetFault::Taken(name));
            }
            if !names.insert(name.clone()) {
                return Err(SetFault::Twice(name));
            }
            offered(name, tool, &mut room)
        })
        .collect()
}

fn name(tool: &HostTool, at: usize) -> Result<String, SetFault> {
    let name = tool.name.trim();
    let sayable = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (1..=NAME).contains(&name.len()) && name.bytes().all(sayable) {
        Ok(name.to_owned())
    } else {
        Err(SetFault::Name(at))
    }
}

fn offered(name: String, tool: HostTool, room: &mut Room) -> Result<Offered, SetFault> {
    let label = tool
        .label
        .as_deref()
        .map(str::trim)
        .filter(|label| !label.is_empty());
    let label = label.unwrap_or(&name).to_owned();
    if label.len() > LABEL {
        return Err(SetFault::Label(name));
    }
    let description = tool.description.trim().to_owned();
    if !(1..=DESCRIPTION).contains(&description.len()) {
        return Err(SetFault::Description(name));
    }
    let schema = whole(tool.parameters);
    let parameters = Parameters::compile(&schema, room).map_err(|source| SetFault::Parameters {
        name: name.clone(),
        source,
    })?;
    let meta = ToolMeta {
        kind: kind(&name),
        read_only: modes::only_reads(&name),
        name,
        label,
        description,
        parameters: schema,
        hidden: tool.hidden == Some(true),
        source: ToolSource::Host,
    };
    Ok(Offered { meta, parameters })
}

/// Servers of models want to read that arguments are an object; `$id` would only name it for the outside.
fn whole(mut parameters: Map<String, Value>) -> Value {
    parameters.remove("$id");
    parameters
        .entry("type")
        .or_insert_with(|| Value::String("object".to_owned()));
    Value::Object(parameters)
}

fn kind(name: &str) -> ToolKind {
    if modes::only_reads(name) {
        ToolKind::Read
    } else if modes::acts(name) {
        ToolKind::Execute
    } else {
        ToolKind::Other
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check_json(tools: Value) -> Result<Vec<Offered>, SetFault> {
        let tools = serde_json::from_value(tools).unwrap();
        check(SetHostTools { tools }, &["display_media".to_owned()])
    }

    fn tool(name: &str) -> Value {
        json!({ "name": name, "description": "does it", "parameters": {} })
    }

    fn with(name: &str, value: Value) -> Value {
        let mut tool = tool("t");
        tool[name] = value;
        json!([tool])
    }

    fn with_values(name: &str, values: usize) -> Value {
        json!({ "name": name, "description": "does it", "parameters": { "enum": vec![0; values] } })
    }

    #[test]
    fn a_good_set_is_taken_as_it_is() {
        let set = json!([
            { "name": " office_read_range ", "label": " Read range ", "description": " Reads. ",
              "parameters": { "type": "object", "properties": { "range": { "type": "string" } } } },
            { "name": "b-2", "description": "x", "parameters": {}, "hidden": true },
        ]);
        let metas: Vec<ToolMeta> = check_json(set)
            .unwrap()
            .into_iter()
            .map(|tool| tool.meta)
            .collect();
        let [first, second] = metas.as_slice() else {
            panic!("{metas:?}")
        };
        assert_eq!(
            (
                first.name.as_str(),
                first.label.as_str(),
                first.description.as_str(),
                first.hidden
            ),
            ("office_read_range", "Read range", "Reads.", false)
        );
        assert_eq!((second.label.as_str(), second.hidden), ("b-2", true));
        assert_eq!(second.parameters, json!({ "type": "object" }));
        assert!(check_json(json!([])).unwrap().is_empty());
    }

    #[test]
    fn one_fault_rejects_the_whole_set() {
        let long = |len: usize| "x".repeat(len);
        let rows: Vec<(Value, &str)> = vec![
            (json!([tool("a"), tool("")]), "tool 1 has no name"),
            (json!([tool("  ")]), "tool 0 has no name"),
            (json!([tool("two words")]), "tool 0 has no name"),
            (json!([tool("näme")]), "tool 0 has no name"),
            (json!([tool(&long(65))]), "tool 0 has no name"),
            (
                json!([tool("a"), tool("b"), tool(" a ")]),
                "the name a stands there twice",
            ),
            (
                json!([tool("display_media")]),
                "the name display_media is the worker's own",
            ),
            (with("description", json!(" ")), "the description of t"),
            (
                with("description", json!(long(DESCRIPTION + 1))),
                "the description of t",
            ),
            (with("label", json!(long(LABEL + 1))), "the label of t"),
            (with("parameters", json!({ "type": 7 })), "the parameters of t"),
            (
                with("parameters", json!({ "type": "array" })),
                "the parameters of t",
            ),
            (
                json!(
                    (0..5)
                        .map(|at| with_values(&format!("t{at}"), 4_000))
                        .collect::<Vec<_>>()
                ),
                "the parameters of t4 are refused: the schemas of the set are too large together",
            ),
            (
                json!((0..=TOOLS).map(|at| tool(&format!("t{at}"))).collect::<Vec<_>>()),
                "the set holds 129 tools",
            ),
        ];
        for (set, why) in rows {
            let fault = check_json(set).unwrap_err().to_string();
            assert!(fault.starts_with(why), "{fault}");
        }
    }

    #[test]
    fn the_largest_set_is_taken() {
        let set = (0..TOOLS)
            .map(|at| {
                let mut tool = with_values(&format!("{at:0NAME$}"), 120);
                tool["parameters"]["pattern"] = json!("^[A-Z]+[0-9]+(:[A-Z]+[0-9]+)?$");
                tool
            })
            .collect::<Vec<_>>();
        assert_eq!(check_json(json!(set)).unwrap().len(), TOOLS);
    }
}
