//! Every example of the schema documents.

use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use std::collections::BTreeSet;

use crate::corpus::{documents, through_type};

#[test]
fn every_valid_example_is_accepted_and_prints_back_equal() {
    for document in documents() {
        for example in &document.valid {
            assert!(
                document.validators[&example.schema].is_valid(&example.value),
                "{}",
                example.label
            );
            let written = through_type(&example.schema, &example.value);
            assert_eq!(written.as_ref(), Some(&example.value), "{}", example.label);
        }
    }
}

#[test]
fn every_invalid_example_is_refused() {
    for document in documents() {
        for example in &document.invalid {
            assert!(
                !document.validators[&example.schema].is_valid(&example.value),
                "{}",
                example.label
            );
            assert_eq!(
                through_type(&example.schema, &example.value),
                None,
                "{}",
                example.label
            );
        }
    }
}

#[test]
fn every_schema_has_an_example_and_a_type_and_every_type_a_schema() {
    let schemas: BTreeSet<&str> = documents()
        .iter()
        .flat_map(|document| document.validators.keys())
        .map(String::as_str)
        .collect();
    let examples: BTreeSet<&str> = documents()
        .iter()
        .flat_map(|document| &document.valid)
        .map(|example| example.schema.as_str())
        .collect();
    let types: BTreeSet<&str> = ClientFrame::TYPES
        .iter()
        .chain(WorkerFrame::TYPES)
        .copied()
        .chain(["page_context_snapshot"])
        .collect();
    assert_eq!(schemas, examples);
    assert_eq!(schemas, types);
}

#[test]
fn a_frame_is_decoded_only_in_its_direction() {
    for example in documents().iter().flat_map(|document| &document.valid) {
        let name = example.schema.as_str();
        let text = example.value.to_string();
        assert_eq!(
            ClientFrame::decode(&text).is_ok(),
            ClientFrame::TYPES.contains(&name),
            "{}",
            example.label
        );
        assert_eq!(
            WorkerFrame::decode(&text).is_ok(),
            WorkerFrame::TYPES.contains(&name),
            "{}",
            example.label
        );
    }
}
