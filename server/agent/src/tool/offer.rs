//! Which of its tools a model call is offered: what the job has, what fits the window, hidden ones only when needed.

use std::collections::HashSet;
use std::sync::Arc;

use super::Tool;
use crate::briefing::Briefing;
use crate::provider::ToolSpec;

/// What decides about the offer: the job, and what the person has named. Neither what a page says nor what a model
/// calls is part of it, so nobody but the person widens it (S22).
pub(crate) struct Need {
    briefing: Briefing,
    /// Words of the person's questions.
    named: HashSet<String>,
}

impl Need {
    /// The need of a conversation in which the person has asked these questions, without any page.
    pub(crate) fn new<'a>(briefing: Briefing, questions: impl IntoIterator<Item = &'a str>) -> Self {
        let named = questions
            .into_iter()
            .flat_map(words)
            .map(str::to_ascii_lowercase)
            .collect();
        Self { briefing, named }
    }

    fn includes(&self, tool: &dyn Tool) -> bool {
        let meta = tool.meta();
        self.briefing.offers(&meta.name)
            && (!meta.hidden || self.named.contains(&meta.name.to_ascii_lowercase()))
    }
}

/// What a model is offered of `tools`, in their order, at most `room` bytes of declarations.
pub(crate) fn offered(tools: &[Arc<dyn Tool>], need: &Need, room: usize) -> Vec<ToolSpec> {
    let mut left = room;
    let mut dropped = 0_usize;
    let specs = tools
        .iter()
        .filter(|tool| need.includes(tool.as_ref()))
        .filter_map(|tool| {
            let spec = spec(tool.as_ref());
            match left.checked_sub(spec.weight()) {
                Some(rest) => left = rest,
                None => {
                    dropped += 1;
                    return None;
                }
            }
            Some(spec)
        })
        .collect();
    if dropped > 0 {
        tracing::warn!(
            dropped,
            "some tools do not fit the model's window and are not offered"
        );
    }
    specs
}

fn spec(tool: &dyn Tool) -> ToolSpec {
    let meta = tool.meta();
    ToolSpec {
        name: meta.name.clone(),
        description: meta.description.clone(),
        parameters: meta.parameters.clone(),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use sidewire_contract::mode::Mode;

    use super::*;
    use crate::testing::Echo;

    const JOB: Briefing = Briefing::Panel(Mode::Educational);

    fn hidden(name: &str) -> Arc<dyn Tool> {
        let mut meta = Echo::named(name).meta().clone();
        meta.hidden = true;
        Arc::new(Echo(meta))
    }

    fn names(tools: &[Arc<dyn Tool>], need: &Need) -> Vec<String> {
        offered(tools, need, usize::MAX)
            .into_iter()
            .map(|spec| spec.name)
            .collect()
    }

    #[test]
    fn a_hidden_tool_is_offered_once_the_question_names_it() {
        let tools = [Echo::named("open"), hidden("secret-door")];
        for (question, expected) in [
            ("What is this?", vec!["open"]),
            ("Use the secret-doors.", vec!["open"]),
            ("Use my_secret-door.", vec!["open"]),
            ("Please use `secret-door`.", vec!["open", "secret-door"]),
            ("Secret-Door, now", vec!["open", "secret-door"]),
        ] {
            let need = Need::new(JOB, [question]);
            assert_eq!(names(&tools, &need), expected, "{question}");
        }
    }

    #[test]
    fn a_hidden_tool_stays_offered_after_the_question_that_named_it() {
        let need = Need::new(JOB, ["Use secret.", "Again."]);
        assert_eq!(names(&[hidden("secret")], &need), ["secret"]);
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let tools = [Echo::named("one"), Echo::named("two"), Echo::named("three")];
        let need = Need::new(JOB, []);
        let one = spec(tools[0].as_ref()).weight();
        assert_eq!(offered(&tools, &need, 2 * one).len(), 2);
        assert_eq!(offered(&tools, &need, 2 * one - 1).len(), 1);
    }
}
