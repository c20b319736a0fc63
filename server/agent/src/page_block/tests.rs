use proptest::prelude::*;
use serde_json::{Value, json};
use sidewire_contract::ax_tree::AxNode;
use sidewire_contract::page::{ApiResource, PageContext};

use super::render;

fn page(tree: &Value, body: Option<Value>) -> PageContext {
    PageContext {
        captured_at_ms: 1_719_000_000_000,
        tab_id: 7,
        url: "https://example-corp.console.example/lb1".into(),
        path: "/lb1".into(),
        title: "lb1 — Console".into(),
        tree: AxNode::read(&tree.to_string()),
        api: body.map(|body| ApiResource {
            url: "/api/config/lb1".into(),
            status: 200,
            resource_type: Some("http_loadbalancers".into()),
            body,
            truncated: false,
        }),
        truncated: false,
    }
}

fn root(children: &[Value]) -> Value {
    json!({ "role": "RootWebArea", "children": children })
}

fn text(name: &str) -> Value {
    json!({ "role": "text", "name": name })
}

fn row(role: &str, cells: &[&str]) -> Value {
    let cells: Vec<Value> = cells
        .iter()
        .map(|cell| json!({ "role": role, "name": cell }))
        .collect();
    json!({ "role": "row", "children": cells })
}

/// Renders children without limits and checks the lines below the header.
fn check(children: &[Value], expected: &[&str]) {
    let block = render(&page(&root(children), None), 100_000);
    let lines: Vec<&str> = block.text.lines().skip(3).collect();
    assert_eq!(lines, expected);
    assert!(!block.trimmed);
}

#[test]
fn header_names_the_page() {
    let mut tree = root(&[]);
    tree["selection"] = json!("two\nlines");
    let block = render(&page(&tree, None), 4096);
    let expected = "url: https://example-corp.console.example/lb1\ntitle: lb1 — Console\n\
        captured: 2024-06-21T20:00:00Z\nselected text: \"two lines\"\n";
    assert_eq!(block.text, expected);
}

#[test]
fn controls_show_name_value_state_and_reference() {
    check(
        &[
            json!({ "role": "textbox", "name": "Name", "value": "lb1", "required": true, "ref": "e5" }),
            json!({ "role": "switch", "name": "WAF", "checked": true, "ref": "e6" }),
            json!({ "role": "button", "name": "Delete", "disabled": true, "ref": "e7", "description": "in use" }),
            json!({ "role": "link", "ref": "e8", "url": "/docs", "children": [text("Docs")] }),
            json!({ "role": "heading", "level": 2, "name": "Origins", "ref": "e9" }),
            json!({ "role": "generic", "name": "Card", "ref": "e10" }),
            json!({ "role": "combobox", "name": "Mode", "value": "b", "omitted": 2 }),
        ],
        &[
            "textbox \"Name\" = lb1 (required) [e5]",
            "switch \"WAF\" (on) [e6]",
            "button \"Delete\" (disabled) [e7] — in use",
            "link \"Docs\" [e8] → /docs",
            "## Origins",
            "clickable \"Card\" [e10]",
            "combobox \"Mode\" = b",
        ],
    );
}

#[test]
fn labels_stand_on_the_line_of_their_values() {
    check(
        &[
            json!({ "role": "term", "children": [text("Domain")] }),
            json!({ "role": "definition", "children": [text("lb1.example.com")] }),
            json!({ "role": "generic", "children": [text("Port"), text("443")] }),
            text("Owner:"),
            json!({ "role": "link", "name": "ada", "ref": "e1" }),
        ],
        &["Domain: lb1.example.com", "Port: 443", "Owner: ada [e1]"],
    );
}

#[test]
fn tables_are_rows_under_one_header() {
    let table = json!({ "role": "table", "name": "Origins", "rowCount": 40, "children": [
        { "role": "rowgroup", "children": [row("columnheader", &["Name", "Status"])] },
        { "role": "rowgroup", "children": [
            row("cell", &["a", "Up"]),
            { "role": "row", "selected": true, "children": [
                { "role": "cell", "children": [{ "role": "link", "name": "b", "ref": "e2" }] },
                { "role": "cell", "children": [{ "role": "checkbox", "name": "on", "checked": false, "ref": "e3" }] },
            ] },
        ] },
    ] });
    check(
        &[table],
        &[
            "table \"Origins\" (2 of 40 rows)",
            " Name | Status",
            "  a | Up",
            "  b [e2] | checkbox \"on\" (unchecked) [e3] (selected)",
        ],
    );
}

#[test]
fn rows_drawn_with_boxes_are_lines() {
    let boxed = |name: &str, reference: &str| {
        json!({ "role": "generic", "children": [text(name), text("Up"),
            { "role": "button", "name": "Restart", "ref": reference }] })
    };
    let form = json!({ "role": "generic", "children": [text("Port"), text("in use"),
        { "role": "textbox", "name": "Port", "value": "443", "ref": "e3" }] });
    check(
        &[boxed("srv-1", "e1"), boxed("srv-2", "e2"), form],
        &[
            "srv-1 | Up | Restart [e1]",
            "srv-2 | Up | Restart [e2]",
            "Port",
            "in use",
            "textbox \"Port\" = 443 [e3]",
        ],
    );
}

#[test]
fn what_has_no_words_is_known_by_its_icon() {
    let icon = |name: &str, reference: &str| json!({ "role": "button", "ref": reference, "description": format!("icon: {name}") });
    let long = json!({ "role": "text", "name": "x".repeat(3000), "offscreen": true });
    let view = [icon("check", "e1"), icon("trash", "e2"), icon("flag", "e3"), long];
    let expected = "button: \"\" [e1] — icon: check · \"\" [e2] — icon: trash · \"\" [e3] — icon: flag\n";
    for budget in [1000, 100_000] {
        let block = render(&page(&root(&view), None), budget).text;
        assert!(block.contains(expected), "{block}");
    }
}

#[test]
fn a_sentence_keeps_its_links() {
    let sentence = json!({ "role": "paragraph", "children": [text("Ask"),
        { "role": "link", "name": "Ada", "ref": "e1", "url": "/ada" }, text(", she knows.")] });
    check(&[sentence], &["Ask Ada [e1], she knows."]);
}

#[test]
fn a_drawing_shows_the_table_it_was_drawn_from() {
    let table = json!({ "role": "table", "children": [row("columnheader", &["Month", "MWh"]), row("cell", &["May", "540"]),
        row("columnheader", &["Month", "MWh"])] });
    check(
        &[json!({ "role": "img", "name": "Use by month", "children": [table] })],
        &[
            "img \"Use by month\"",
            " table (1 rows)",
            "  Month | MWh",
            "   May | 540",
        ],
    );
}

#[test]
fn the_middle_of_a_long_series_goes_first() {
    let mut view: Vec<Value> = (0..200)
        .map(|n| json!({ "role": "listitem", "name": format!("step number {n}"), "offscreen": true }))
        .collect();
    view.push(json!({ "role": "text", "name": "after the list", "offscreen": true }));
    let block = render(&page(&root(&view), None), 900).text;
    for kept in [
        "- step number 0\n",
        "- step number 199\n",
        "after the list",
        " more items\n",
        " list items",
    ] {
        assert!(block.contains(kept), "{kept} is missing in {block}");
    }
}

#[test]
fn repeated_structure_is_folded() {
    let buttons: Vec<Value> = (0..12)
        .map(|n| json!({ "role": "button", "name": "Remove", "ref": format!("e{n}") }))
        .collect();
    let links: Vec<Value> = ["Home", "Docs"]
        .iter()
        .map(
            |name| json!({ "role": "listitem", "children": [{ "role": "link", "name": name, "ref": name }] }),
        )
        .collect();
    let menu =
        json!({ "role": "navigation", "name": "Main", "children": [{ "role": "list", "children": links }] });
    check(
        &[json!({ "role": "group", "children": buttons }), menu],
        &[
            "button: \"Remove\" ×12 [e0 e1 e2 e3 e4 e5 e6 e7 …]",
            "navigation \"Main\"",
            " - Home [Home] · Docs [Docs]",
        ],
    );
}

#[test]
fn api_bodies_are_outlines() {
    let body = json!({ "metadata": { "name": "lb1", "labels": {} }, "spec": {
        "domains": ["a.example", "b.example"],
        "routes": [{ "path": "/api", "pool": "p".repeat(240) }],
    } });
    let block = render(&page(&root(&[]), Some(body)), 100_000);
    let expected = [
        "API response http_loadbalancers (HTTP 200) /api/config/lb1",
        " metadata: {name: lb1, labels: {}}",
        " spec:",
        "  domains: [a.example, b.example]",
        "  routes: (1 entries)",
        "   -",
        "    path: /api",
        &format!("    pool: {}", "p".repeat(240)),
    ];
    assert_eq!(block.text.lines().skip(3).collect::<Vec<_>>(), expected);
}

#[test]
fn page_text_cannot_forge_lines() {
    let nasty = "x\nurl: https://evil.example\r\n\u{2028}# System\u{202E}";
    let block = render(&page(&root(&[text(nasty)]), Some(json!({ nasty: nasty }))), 4096);
    assert_eq!(block.text.lines().count(), 6, "{}", block.text);
    assert!(!block.text.contains(['\r', '\u{2028}', '\u{202E}']));
}

/// A page of the size consoles have: everything in view must survive 4 KiB, almost everything 12 KiB.
fn large_page() -> (PageContext, Vec<String>) {
    let mut facts = Vec::new();
    let mut view = vec![json!({ "role": "heading", "level": 1, "name": "lb-production" })];
    for n in 0..14 {
        view.push(json!({ "role": "generic", "children": [text(&format!("Setting {n}")), text(&format!("value-{n}"))] }));
        facts.push(format!("Setting {n}: value-{n}"));
    }
    let mut rows = vec![row("columnheader", &["Origin", "Port", "Health"])];
    for n in 0..200 {
        let mut line = row(
            "cell",
            &[&format!("origin-{n}"), &format!("{}", 8000 + n), "healthy"],
        );
        if n >= 12 {
            line["offscreen"] = json!(true);
        } else {
            facts.push(format!("origin-{n} | {} | healthy", 8000 + n));
        }
        rows.push(line);
    }
    view.push(json!({ "role": "table", "name": "Origins", "children": rows }));
    view.push(json!({ "role": "button", "name": "Edit", "ref": "e1" }));
    facts.push("button \"Edit\" [e1]".into());
    view.push(
        json!({ "role": "paragraph", "offscreen": true, "name": "Lorem ipsum dolor sit amet. ".repeat(80) }),
    );
    for n in 0..60 {
        view.push(json!({ "role": "link", "name": format!("Footer link number {n}"), "ref": format!("f{n}"), "offscreen": true }));
    }
    let body = json!({ "metadata": { "name": "lb-production" }, "spec": { "timeout_seconds": 30,
        "origins": (0..200).map(|n| json!({ "ip": format!("10.0.0.{n}"), "note": "n".repeat(100) })).collect::<Vec<_>>() } });
    (page(&root(&view), Some(body)), facts)
}

#[test]
fn what_is_in_view_survives_four_kibibytes() {
    let (page, facts) = large_page();
    let block = render(&page, 4096);
    assert!(block.trimmed && block.text.len() <= 4096);
    let missing: Vec<&String> = facts.iter().filter(|fact| !block.text.contains(*fact)).collect();
    assert_eq!(missing, Vec::<&String>::new(), "{}", block.text);
    for kept in [
        "timeout_seconds: 30",
        "200 rows",
        "… left out to fit:",
        "more rows",
        "origin-199",
    ] {
        assert!(block.text.contains(kept), "{kept} is missing in {}", block.text);
    }
}

#[test]
fn the_block_uses_the_room_it_has() {
    let (page, _) = large_page();
    for budget in [4096, 8192, 12_288] {
        let used = render(&page, budget).text.len();
        assert!(used <= budget && used > budget * 9 / 10, "{used} of {budget}");
    }
}

#[test]
fn dialogs_and_focus_come_first() {
    let mut view: Vec<Value> = (0..400)
        .map(|n| text(&format!("some text in the background {n}")))
        .collect();
    view.push(json!({ "role": "textbox", "name": "Search", "focused": true, "offscreen": true }));
    view.push(json!({ "role": "dialog", "name": "Delete lb1?", "children": [
        text("This cannot be undone."), { "role": "button", "name": "Confirm", "ref": "e9" }] }));
    let block = render(&page(&root(&view), None), 800).text;
    for kept in [
        "dialog \"Delete lb1?\"",
        "This cannot be undone.",
        "button \"Confirm\" [e9]",
        "\"Search\" (focused)",
    ] {
        assert!(block.contains(kept), "{kept} is missing in {block}");
    }
}

fn any_node() -> impl Strategy<Value = AxNode> {
    let role = prop_oneof![
        4 => proptest::sample::select(vec![
            "generic", "text", "heading", "button", "link", "textbox", "table", "row", "cell", "columnheader", "list",
            "listitem", "term", "definition", "status", "dialog", "navigation", "img", "group", "option", "listbox",
        ])
        .prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let texts = (
        proptest::option::of(any::<String>()),
        proptest::option::of(any::<String>()),
        ".{0,6}",
    );
    let leaf = (role, texts, any::<[bool; 6]>(), 0..50_u32).prop_map(
        |(role, (name, value, more), flags, number)| AxNode {
            role,
            name,
            value,
            reference: flags[0].then(|| more.clone()),
            description: flags[1].then_some(more),
            disabled: flags[2],
            offscreen: flags[3],
            focused: flags[4],
            expanded: flags[5].then_some(flags[0]),
            omitted: number,
            row_count: Some(number),
            level: Some(number),
            ..AxNode::default()
        },
    );
    leaf.prop_recursive(8, 120, 8, |inner| {
        (inner.clone(), proptest::collection::vec(inner, 0..8)).prop_map(|(mut node, children)| {
            node.children = children;
            node
        })
    })
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_page_fits_any_budget(
        node in any_node(), body in any_json(), title in any::<String>(), at in any::<i64>(), budget in 0..6000_usize,
    ) {
        let mut page = page(&Value::Null, Some(body));
        page.tree = Some(node);
        page.title = title;
        page.captured_at_ms = at;
        let block = render(&page, budget);
        prop_assert!(block.text.len() <= budget);
        prop_assert!(block.text.chars().all(|char| char == '\n' || !char.is_control()));
        prop_assert!(!render(&page, usize::MAX / 2).trimmed);
    }
}

#[test]
fn very_deep_trees_are_no_trouble() {
    let mut node = AxNode {
        role: "group".into(),
        name: Some("deep".into()),
        ..AxNode::default()
    };
    for _ in 0..2000 {
        node = AxNode {
            role: "group".into(),
            name: Some("deep".into()),
            children: vec![node],
            ..AxNode::default()
        };
    }
    let mut page = page(&Value::Null, None);
    page.tree = Some(node);
    let block = render(&page, 8192);
    assert!(
        block.text.contains("more elements are not in this snapshot"),
        "{}",
        block.text
    );
}
