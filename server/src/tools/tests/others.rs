use std::sync::{Arc, Mutex};

use serde_json::json;
use sidewire_agent::event::{PlanEntry, PlanStatus, TurnEvent};
use sidewire_agent::feed::News;
use sidewire_agent::person::{Answer, ChoiceKind, Person, Question};
use tokio_util::sync::CancellationToken;

use crate::tools::testing::{Bench, feed, heard, said};

#[tokio::test]
async fn a_plan_reaches_the_person() {
    let bench = Bench::new();
    let feed = feed();
    let todos = json!({ "todos": [{ "content": "one", "status": "completed" }, { "content": "two", "status": "pending" }] });
    let output = bench.call_with("todo_write", todos, &feed).await;
    assert_eq!(said(&output), "plan shown: 1 of 2 steps completed");
    let entry = |content: &str, status| PlanEntry {
        content: content.to_owned(),
        status,
        top_level: true,
    };
    let plan = vec![
        entry("one", PlanStatus::Completed),
        entry("two", PlanStatus::Pending),
    ];
    assert_eq!(heard(&feed), [News::Event(TurnEvent::Plan(plan))]);
}

/// Answers with what a test prepared, and remembers what was asked.
struct Prepared {
    answers: Mutex<Vec<Answer>>,
    asked: Mutex<Vec<Question>>,
}

#[async_trait::async_trait]
impl Person for Prepared {
    async fn ask(&self, question: Question, _cancel: CancellationToken) -> Answer {
        self.asked.lock().unwrap().push(question);
        self.answers.lock().unwrap().pop().unwrap_or(Answer::None)
    }
}

async fn asked(answers: &[Answer]) -> (String, Vec<Question>) {
    let mut bench = Bench::new();
    let person = Arc::new(Prepared {
        answers: Mutex::new(answers.iter().rev().cloned().collect()),
        asked: Mutex::default(),
    });
    bench.person = Arc::clone(&person) as Arc<_>;
    let question = |text: &str| json!({ "question": text, "options": [{ "label": "Yes", "description": "Do it" }, { "label": "No" }] });
    let output = bench
        .call(
            "ask",
            json!({ "questions": [question("Go on?"), question("Really?")] }),
        )
        .await;
    let asked = person.asked.lock().unwrap().clone();
    (said(&output), asked)
}

fn chosen(id: &str) -> Answer {
    Answer::Chosen(id.to_owned())
}

#[tokio::test]
async fn questions_are_asked_one_after_the_other() {
    let (told, asked) = asked(&[chosen("q1:2"), chosen("q2:1")]).await;
    assert_eq!(told, "Go on?\n→ No\nReally?\n→ Yes");
    let question = &asked[0];
    assert_eq!(
        (question.id.as_str(), question.title.as_str()),
        ("ask-call_1-q1", "Go on?")
    );
    let options: Vec<_> = question
        .options
        .iter()
        .map(|choice| (choice.id.as_str(), choice.label.as_str(), choice.kind))
        .collect();
    assert_eq!(
        options,
        [
            ("q1:1", "Yes - Do it", ChoiceKind::AllowOnce),
            ("q1:2", "No", ChoiceKind::AllowOnce),
            ("q1:cancel", "Cancel", ChoiceKind::RejectOnce),
        ]
    );
    let about = question.about.as_ref().unwrap();
    assert_eq!(about.call_id, "call_1");
    assert_eq!(about.arguments["options"], json!(["Yes - Do it", "No"]));
}

#[tokio::test]
async fn one_cancelled_question_leaves_all_unanswered() {
    for answer in [
        chosen("q1:cancel"),
        chosen("q1:9"),
        chosen("q2:1"),
        Answer::Dismissed,
    ] {
        let (told, asked) = asked(&[answer]).await;
        assert!(told.starts_with("the person did not answer"), "{told}");
        assert_eq!(asked.len(), 1);
    }
    let (told, _) = asked(&[chosen("q1:1"), Answer::None]).await;
    assert!(told.starts_with("nobody is there to answer"), "{told}");
}

#[tokio::test]
async fn questions_have_their_limits() {
    let bench = Bench::new();
    let of = |questions: usize, options: usize| {
        let question = json!({ "question": "?", "options": vec![json!({ "label": "x" }); options] });
        json!({ "questions": vec![question; questions] })
    };
    for (questions, options) in [(0, 2), (5, 2), (1, 1), (1, 9)] {
        let told = bench.fails("ask", of(questions, options)).await;
        assert!(told.starts_with("invalid arguments: "), "{told}");
    }
    assert!(bench.fails("ask", of(4, 8)).await.starts_with("nobody is there"));
}
