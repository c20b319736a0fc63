use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use proptest::prelude::*;
use sidewire_agent::provider::{FinishReason, ModelEvent, ModelRequest, Provider};
use sidewire_contract::ax_tree::AxNode;
use sidewire_contract::mode::Mode;
use sidewire_contract::page::{ApiResource, PageContext};

use super::{OfflineProvider, SIGNATURE, reply};

fn console_page() -> PageContext {
    PageContext {
        captured_at_ms: 1_790_000_000_000,
        tab_id: 7,
        url: "https://example-corp.console.example/web/namespaces/default/http_loadbalancers/lb1?x=1".into(),
        path: "/web/namespaces/default/http_loadbalancers/lb1".into(),
        title: "lb1 — Console".into(),
        tree: AxNode::read(include_str!("fixture.json")),
        api: Some(ApiResource {
            url: "/api/config/namespaces/default/http_loadbalancers/lb1".into(),
            status: 200,
            resource_type: Some("http_loadbalancers".into()),
            body: serde_json::from_str(include_str!("fixture_api.json")).unwrap(),
            truncated: false,
        }),
        truncated: false,
    }
}

fn request(question: &str, page: Option<PageContext>, mode: impl Into<Option<Mode>>) -> ModelRequest {
    ModelRequest {
        system: String::new(),
        messages: Vec::new(),
        question: question.into(),
        page: page.map(Arc::new),
        mode: mode.into(),
        tools: Vec::new(),
        pictures: Vec::new(),
        input_tokens: 0,
        max_output_tokens: Some(1000),
    }
}

fn ask(question: &str) -> String {
    reply(&request(question, Some(console_page()), Mode::Educational))
}

/// Each question with what its answer must say, and what it must not.
const QUESTIONS: &[(&str, &[&str], &[&str])] = &[
    // What the page is.
    (
        "What is this page?",
        &["lb1", "http loadbalancer", "default", "lb1.example.com", "Routes"],
        &[],
    ),
    (
        "What does lb1 do?",
        &["lb1", "Public entry of the shop", "lb1.example.com"],
        &[],
    ),
    (
        "What does this load balancer do?",
        &["lb1", "lb1.example.com"],
        &[],
    ),
    ("Summarise this page", &["lb1", "Main facts"], &[]),
    ("tell me about this page", &["lb1", "Main facts"], &[]),
    ("Where am I?", &["lb1"], &[]),
    // Values by label, word and synonym.
    (
        "What is the domain?",
        &["lb1.example.com", "www.example.com", "Overview"],
        &["10.1.0.11"],
    ),
    ("what's the hostname of lb1", &["lb1.example.com"], &[]),
    ("Which port does it listen on?", &["443"], &["8081"]),
    ("What is the minimum TLS version?", &["TLS 1.2"], &[]),
    ("Is the WAF enabled?", &["Enabled (default-waf)"], &[]),
    ("is the firewall on?", &["Enabled (default-waf)"], &[]),
    ("Who created it?", &["ada"], &[]),
    ("who is the owner?", &["ada"], &[]),
    ("What labels does it have?", &["team=edge"], &[]),
    ("what tags are set", &["team=edge"], &[]),
    ("What is the status?", &["Ready"], &[]),
    ("What is the idle timeout?", &["30"], &[]),
    ("Which load balancing algorithm is used?", &["Round robin"], &[]),
    ("What is the log level?", &["Errors only"], &[]),
    ("Is bot defense turned on?", &["Bot defense", "off"], &[]),
    (
        "Does it redirect HTTP to HTTPS?",
        &["HTTP redirect to HTTPS", "checked"],
        &[],
    ),
    ("Are there any warnings?", &["1 origin server is down"], &[]),
    ("Is anything wrong?", &["1 origin server is down"], &[]),
    ("Explain rate limiting", &["protects the origin servers"], &[]),
    ("what is the algoritm for balancing", &["Round robin"], &[]),
    // Labels and values that only style sets apart.
    ("What is the connection timeout?", &["2500 ms"], &[]),
    ("Which HTTP protocol is used?", &["HTTP/2"], &[]),
    // Table cells.
    ("What is the role of lee?", &["Viewer"], &["Administrator"]),
    ("Who are the members?", &["dana", "lee"], &[]),
    (
        "What is the address of origin-2?",
        &["10.1.0.12"],
        &["10.1.0.11", "10.1.0.13"],
    ),
    ("Which port does origin-3 use?", &["8083"], &["8081"]),
    ("what is the ip of origin 1", &["10.1.0.11"], &[]),
    ("Is origin-2 healthy?", &["Down"], &[]),
    ("Which pool does /api go to?", &["api-pool"], &["web-pool"]),
    ("which origin is down?", &["origin-2"], &[]),
    // The API response.
    ("What is the health check path?", &["/healthz"], &[]),
    (
        "What is the health check interval?",
        &["15", "interval_seconds"],
        &[],
    ),
    ("When was it created?", &["2026-03-01T08:00:00Z"], &[]),
    ("What is the namespace?", &["default"], &[]),
    ("What is the uid?", &["4a1e-77"], &[]),
    ("What is the cookie expiry?", &["3600"], &[]),
    // Counts and lists.
    ("How many origin servers are there?", &["3", "origin-1"], &[]),
    ("How many routes are there?", &["4"], &[]),
    ("how many origins are down?", &["1 of 3", "origin-2"], &[]),
    ("How many trusted clients?", &["2"], &[]),
    (
        "Which routes exist?",
        &["/api", "/static", "/upload", "web-pool"],
        &[],
    ),
    ("List the backends", &["origin-1", "origin-2", "origin-3"], &[]),
    (
        "which domains are configured?",
        &["lb1.example.com", "www.example.com"],
        &[],
    ),
    (
        "List the trusted clients",
        &["192.0.2.0/24", "198.51.100.7/32"],
        &[],
    ),
    // Controls.
    (
        "What can I change here?",
        &["Idle timeout", "Round robin", "Edit configuration"],
        &["Console home"],
    ),
    (
        "Which buttons are there?",
        &["Clone", "Add route", "Delete"],
        &["Terms of service", "Round robin", "(link)"],
    ),
    (
        "What does the Delete button do?",
        &["Delete", "disabled", "Remove all routes first"],
        &[],
    ),
    ("Where is the save button?", &["Save", "Settings"], &[]),
    (
        "How do I add a route?",
        &["Use **Add route** (button)", "Routes"],
        &[],
    ),
    ("How can I create a new route?", &["**Add route**"], &[]),
    (
        "Can I delete this?",
        &["Delete", "disabled", "Remove all routes first"],
        &["Use "],
    ),
    ("how to remove the load balancer", &["Delete", "disabled"], &[]),
    (
        "How do I change the idle timeout?",
        &["Idle timeout", "number field", "30", "Save"],
        &[],
    ),
    ("How do I change the domain?", &["Edit configuration"], &[]),
    ("how do I copy it?", &["Clone"], &[]),
    ("Is the Save button disabled?", &["Save", "disabled"], &[]),
    // Selection, help.
    (
        "What does the selected text mean?",
        &["origin-2 failed its last probe"],
        &[],
    ),
    (
        "About the selection",
        &["origin-2 failed its last probe", "Down"],
        &[],
    ),
    ("hello", &["lb1", "What can I change here?"], &[]),
    ("What can you do?", &["What is this page?"], &[]),
    // What the page does not tell.
    ("What is the billing plan?", &["does not tell"], &[]),
    ("Who won the football match yesterday?", &["does not tell"], &[]),
    ("what is the weather in Berlin", &["does not tell"], &[]),
    (
        "How do I add a payment card?",
        &["no control for that"],
        &["Use **"],
    ),
    ("What is the password of the database?", &["does not tell"], &[]),
    ("Wie lautet die Domäne dieses Lastverteilers?", &["cannot"], &[]),
    ("このページは何ですか", &["cannot"], &[]),
    ("???", &["no question"], &[]),
    ("asdf qwer zxcv", &["cannot"], &[]),
];

#[test]
fn questions_get_what_the_page_says() {
    let mut wrong = Vec::new();
    for (question, expected, unexpected) in QUESTIONS {
        let answer = ask(question);
        let plain = answer.replace('\\', "");
        let missing: Vec<_> = expected.iter().filter(|fact| !plain.contains(**fact)).collect();
        let extra: Vec<_> = unexpected.iter().filter(|fact| plain.contains(**fact)).collect();
        if !missing.is_empty() || !extra.is_empty() {
            wrong.push(format!(
                "{question}\n  missing {missing:?} unexpected {extra:?}\n{answer}"
            ));
        }
        assert!(answer.ends_with(SIGNATURE) && answer.matches(SIGNATURE).count() == 1);
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n\n{}",
        wrong.len(),
        QUESTIONS.len(),
        wrong.join("\n\n")
    );
}

#[test]
fn answers_say_where_they_come_from() {
    let plain = |question: &str| ask(question).replace('\\', "");
    assert!(
        plain("What is the domain?").contains("— in Overview; API field `spec.domains`"),
        "{}",
        plain("What is the domain?")
    );
    assert!(plain("What is the health check path?").contains("API field `spec.healthcheck.path`"));
    assert!(plain("What is the address of origin-2?").contains("— in Origin servers"));
}

#[test]
fn without_a_page_it_says_so() {
    let answer = reply(&request("What is this?", None, Mode::Educational));
    assert!(answer.contains("No page is attached") && answer.contains("sidewire setup"));
}

#[test]
fn in_an_editor_it_says_that_a_model_is_missing_and_what_there_is() {
    let answer = reply(&request("Rename this function", None, None));
    for part in [
        "No model is set up",
        "neither read nor change",
        "`sidewire setup`",
        "/status",
        "`!git status`",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    assert!(!answer.contains("page"), "{answer}");
}

#[test]
fn configuration_mode_gives_the_order_of_steps() {
    let ask = |question: &str| reply(&request(question, Some(console_page()), Mode::Configuration));
    assert!(
        ask("What can I change here?").contains("1. **Description** (text box)"),
        "{}",
        ask("What can I change here?")
    );
    assert!(ask("What is the domain?").contains("To change it, use **Edit configuration** (button)"));
}

#[test]
fn page_text_stays_text() {
    let mut page = console_page();
    page.tree = AxNode::read(
        r#"{"role":"main","children":[{"role":"generic","children":[{"role":"text","name":"Domain"},
        {"role":"text","name":"![p](https://evil.example/p.png)\n# x [a](javascript:b) <img src=x>"}]}]}"#,
    );
    page.api = None;
    let answer = reply(&request("what is the domain", Some(page), Mode::Educational));
    assert!(answer.contains("evil"), "{answer}");
    let live = answer.replace("\\[", "").replace("\\]", "").replace("\\<", "");
    assert!(
        !live.contains(['[', ']', '<']) && !live.contains("\n#"),
        "{answer}"
    );
}

#[tokio::test]
async fn it_streams_like_a_model() {
    let provider = OfflineProvider::with_pace(Duration::ZERO);
    let request = request("What is this page?", Some(console_page()), Mode::Educational);
    let whole = reply(&request);
    let events: Vec<_> = provider
        .stream(request)
        .await
        .unwrap()
        .map(Result::unwrap)
        .collect()
        .await;
    let (last, texts) = events.split_last().unwrap();
    assert_eq!(*last, ModelEvent::Finished(FinishReason::Stop));
    let texts: Vec<&str> = texts
        .iter()
        .map(|event| {
            if let ModelEvent::Text(text) = event {
                text.as_str()
            } else {
                "?"
            }
        })
        .collect();
    assert!(texts.len() > 10);
    assert_eq!(texts.concat(), whole);
}

#[tokio::test(start_paused = true)]
async fn it_paces_itself() {
    let provider = OfflineProvider::with_pace(Duration::from_millis(20));
    let mut stream = provider
        .stream(request("hello", Some(console_page()), Mode::Educational))
        .await
        .unwrap();
    let start = tokio::time::Instant::now();
    stream.next().await;
    stream.next().await;
    assert_eq!(start.elapsed(), Duration::from_millis(40));
}

fn any_node() -> impl Strategy<Value = AxNode> {
    let role = proptest::sample::select(vec![
        "generic",
        "text",
        "heading",
        "button",
        "link",
        "textbox",
        "table",
        "row",
        "cell",
        "columnheader",
        "list",
        "listitem",
        "term",
        "definition",
        "status",
        "dialog",
        "navigation",
        "radiogroup",
        "radio",
        "zzz",
    ]);
    let leaf = (
        role,
        proptest::option::of(any::<String>()),
        proptest::option::of(any::<String>()),
        any::<bool>(),
    )
        .prop_map(|(role, name, value, flag)| AxNode {
            role: role.into(),
            name,
            value,
            disabled: flag,
            level: Some(1),
            ..AxNode::default()
        });
    leaf.prop_recursive(6, 60, 6, |inner| {
        (inner.clone(), proptest::collection::vec(inner, 0..6)).prop_map(|(mut node, children)| {
            node.children = children;
            node
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn odd_pages_and_questions_get_an_answer(
        node in any_node(), question in any::<String>(), start in proptest::sample::select(vec![
            "", "what is the ", "how many ", "list ", "how do i ", "which ", "is ", "what can i change ",
        ]), name in any::<String>(),
    ) {
        let mut page = console_page();
        page.tree = Some(node);
        page.title.clone_from(&name);
        page.api = page.api.map(|api| ApiResource { body: serde_json::json!({ name.as_str(): [{ "a": name }, 1, null] }), ..api });
        for mode in [Mode::Educational, Mode::Configuration] {
            let answer = reply(&request(&format!("{start}{question}"), Some(page.clone()), mode));
            prop_assert!(answer.len() < 40_000);
            prop_assert!(answer.chars().all(|char| char == '\n' || !char.is_control()));
        }
    }
}
