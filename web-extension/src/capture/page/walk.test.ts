// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import type { AxNode } from "../tree";
import { nest } from "../tree";
import { walkPage } from "./walk";

/** Reads a body and gives the tree as indented lines: role, name in quotes, other members. */
function read(html: string): string {
  document.body.innerHTML = html;
  return shown(nest(walkPage(window).tree));
}

function shown(root: AxNode): string {
  const lines: string[] = [];
  const open: [AxNode, number][] = [...(root.children ?? [])].reverse().map((child) => [child, 0]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [{ role, name, ref: _, children, ...rest }, depth] = next;
    const members = Object.entries(rest).map(([key, value]) => (value === true ? ` ${key}` : ` ${key}=${value}`));
    lines.push(`${"  ".repeat(depth)}${role}${name === undefined ? "" : ` "${name}"`}${members.join("")}`);
    for (const child of (children ?? []).toReversed()) open.push([child, depth + 1]);
  }
  return lines.join("\n");
}

beforeEach(() => {
  document.title = "Test";
});

describe("what is read", () => {
  it.each([
    ["mixed content keeps all its text", "<p>para <b>bold</b> end</p>", 'text "para bold end"'],
    ["white space between inline parts stays", "<p>a<b>b</b> <i>c</i></p>", 'text "ab c"'],
    [
      "flex items stand apart",
      '<p><span style="display:block">Port</span><span style="display:block">443</span></p>',
      'text "Port"\ntext "443"',
    ],
    [
      "a label and its value stay together, whatever they are marked up with",
      "<div><div>Port</div><div>443</div></div><div><p>One</p><p>Two <b>and</b></p></div>",
      'generic\n  text "Port"\n  text "443"\ntext "One"\ntext "Two and"',
    ],
    [
      "a box that holds more than a pair gives way",
      "<div>Also <div>Port</div><div>443</div></div><ul><li><div><div>a</div><div>b</div></div></li></ul>",
      'text "Also"\ntext "Port"\ntext "443"\nlist\n  listitem "a b"',
    ],
    [
      "rows drawn with boxes stay together",
      ["a", "b", "c"]
        .map((name) => `<div class="r"><p>${name}</p><p>Up</p><div><button>Go</button></div></div>`)
        .join(""),
      ["a", "b", "c"].map((name) => `generic\n  text "${name}"\n  text "Up"\n  button "Go"`).join("\n"),
    ],
    [
      "boxes with more than a row holds give way",
      '<div class="r"><h2>A</h2><p>1</p></div><div class="r"><h2>B</h2><p>2</p></div><div class="r"><p>x</p><p>y</p></div>',
      'heading "A" level=2\ntext "1"\nheading "B" level=2\ntext "2"\ngeneric\n  text "x"\n  text "y"',
    ],
    [
      "two labels with their values are no row",
      "<section><div>Errors</div><div>3</div></section>".repeat(3).replaceAll("section", "article"),
      'generic\n  text "Errors"\n  text "3"\n'.repeat(3).trim(),
    ],
    [
      "a block inside a line stands apart",
      '<p><i>Output</i><b style="display:block">9</b></p>',
      'text "Output"\ntext "9"',
    ],
    ["a gap is seen", '<p><i>■ Heat</i><i style="margin-left:12px">■ Light</i></p>', 'text "■ Heat"\ntext "■ Light"'],
    [
      "what a control shows beside its stated name is kept",
      '<button aria-label="Notifications">🔔 <b>12</b></button><button aria-label="Edit lb1">✎</button>',
      'button "Notifications" value=12\nbutton "Edit lb1"',
    ],
    [
      "the title of a column is what stands there",
      '<table><tr><th aria-label="Name: sort upwards">Name</th></tr><tr><td>a</td></tr></table>',
      'table rowCount=1\n  row\n    columnheader "Name"\n  row\n    cell "a"',
    ],
    ["headings carry their level", "<h3>Routes</h3>", 'heading "Routes" level=3'],
    ["a button takes its words, icons aside", '<button><svg aria-hidden="true"></svg> Save</button>', 'button "Save"'],
    ["sr-only words name a button", '<button>×<span class="sr">Close</span></button>', 'button "×Close"'],
    ["aria-label wins", '<button aria-label="Delete lb1">Delete</button>', 'button "Delete lb1"'],
    [
      "labelledby is joined",
      '<p id="a">One</p><p id="b">Two</p><div role="button" aria-labelledby="a b"></div>',
      'text "One"\ntext "Two"\nbutton "One Two"',
    ],
    [
      "a disabled fieldset disables",
      "<fieldset disabled><legend>Net</legend><button>Go</button></fieldset>",
      'group "Net" disabled\n  button "Go" disabled',
    ],
    [
      "mixed and pressed",
      '<div role="checkbox" aria-checked="mixed">All</div><button aria-pressed="true">B</button>',
      'checkbox "All" checked=mixed\nbutton "B" pressed',
    ],
    [
      "states of a field",
      '<label>Port <input value="443" required readonly aria-invalid="true"></label>',
      'textbox "Port" required readonly invalid value=443',
    ],
    [
      "a select shows its choice and counts the rest",
      "<label>Mode<select><option>a<option selected>b<option>c</select></label>",
      'combobox "Mode" value=b omitted=2',
    ],
    [
      "an open list shows its options",
      '<select aria-label="L" size="3"><option>a<option selected>b</select>',
      'listbox "L" value=b\n  option "a"\n  option "b" selected',
    ],
    [
      "radio buttons",
      '<label><input type="radio" name="r" checked>On</label><label><input type="radio" name="r">Off</label>',
      'radio "On" checked\nradio "Off" checked=false',
    ],
    ["definition lists", "<dl><dt>Port</dt><dd>443</dd></dl>", 'list\n  term "Port"\n  definition "443"'],
    [
      "a link in a definition is said once",
      '<dl><dt>WAF</dt><dd><a href="/waf">shop</a></dd></dl>',
      'list\n  term "WAF"\n  definition\n    link "shop" url=/waf',
    ],
    [
      "tables count their rows",
      "<table><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table>",
      'table rowCount=1\n  row\n    columnheader "A"\n    columnheader "B"\n  row\n    cell "1"\n    cell "2"',
    ],
    ["layout tables are transparent", '<table role="presentation"><tr><td>x</td></tr></table>', 'text "x"'],
    [
      "items that wrap one thing give way",
      '<ul><li><a href="/a">A</a></li><li>B</li></ul>',
      'list\n  link "A" url=/a\n  listitem "B"',
    ],
    [
      "status and alert",
      '<div role="status">Active</div><div role="alert">Down</div>',
      'status "Active"\nalert "Down"',
    ],
    [
      "images by alt, decoration not at all",
      '<img alt="Map" src="x"><img alt="" src="y"><svg><title>Load</title></svg><svg></svg>',
      'img "Map"\nimg "Load"',
    ],
    [
      "canvas shows its fallback",
      '<canvas aria-label="Chart"><table><tr><td>7</td></tr></table></canvas>',
      'img "Chart"\n  table rowCount=1\n    row\n      cell "7"',
    ],
    [
      "summary opens, closed details hide",
      "<details>raw<summary>More</summary><p>hidden</p></details>",
      'button "More" expanded=false',
    ],
    [
      "open details",
      "<details open><summary>More</summary><p>seen</p></details>",
      'button "More" expanded\ntext "seen"',
    ],
    ["other sites lose their query", '<a href="https://o.example/p?q=1#h">x</a>', 'link "x" url=https://o.example/p'],
    [
      "own links keep harmless queries",
      '<a href="/p?page=2&token=abc">x</a>',
      'link "x" url=/p?page=2&token=[redacted]',
    ],
    ["scripts of links are not shown", '<a href="javascript:alert(1)">x</a>', 'link "x"'],
    [
      "descriptions come along",
      '<input aria-label="Port" aria-describedby="d"><small id="d">1 to 65535</small>',
      'textbox "Port" description=1 to 65535',
    ],
    [
      "drawn comboboxes have a value",
      '<div role="combobox" aria-label="Region" aria-expanded="true">EU</div>',
      'combobox "Region" expanded value=EU',
    ],
    [
      "a heading with a button leaves the words to it",
      '<h2><button aria-expanded="true">Item</button></h2>',
      'heading level=2\n  button "Item" expanded',
    ],
    [
      "an icon button tells its icon",
      '<button><i class="fa fa-fw fa-trash-alt"></i></button>',
      "button description=icon: trash alt",
    ],
    ["iframes are named", '<iframe title="Help"></iframe>', 'iframe "Help"'],
    ["clickable elements can be acted on", '<div onclick="x()">Card</div>', 'generic "Card"'],
    [
      "checkbox drawn by its label",
      '<input type="checkbox" id="c" checked style="display:none"><label for="c">Dark mode</label>',
      'checkbox "Dark mode" checked',
    ],
  ])("%s", (_, html, lines) => expect(read(html)).toBe(lines));

  it("reads editable text as a value, without walking it", () => {
    expect(read('<div role="textbox" contenteditable="true" aria-label="Note">hello <b>you</b></div>')).toBe(
      'textbox "Note" value=hello you',
    );
  });
});

describe("what is not read", () => {
  it.each([
    '<p style="display:none">no</p>',
    "<p hidden>no</p>",
    '<p style="visibility:hidden">no</p>',
    '<p style="opacity:0">no</p>',
    '<p aria-hidden="true">no</p>',
    "<div inert>no</div>",
    "<script>no</script><style>no</style><template>no</template><noscript>no</noscript>",
    '<input type="hidden" value="no">',
    "<ul><li></li></ul>",
    "<video>no</video>",
  ])("%s", (html) => expect(read(html)).toBe(""));

  it("what we draw over a page, beside its body", () => {
    const layer = document.createElement("div");
    layer.textContent = "Callout";
    document.documentElement.append(layer);
    expect(read("<p>Page</p>")).toBe('text "Page"');
    layer.remove();
  });

  it("shows a visible child of an unpainted parent", () => {
    expect(read('<div style="visibility:hidden">no<b style="visibility:visible">yes</b></div>')).toBe('text "yes"');
  });

  it("S24: never reads secret fields", () => {
    const page = read(
      `<label>Password<input type="password" value="canary1"></label>
       <label>Code<input autocomplete="one-time-code" value="canary2"></label>
       <label>Card<input autocomplete="billing cc-number" value="canary3"></label>
       <label>API token<input value="canary4"></label>
       <label>Key<input name="clientSecret" value="canary5"></label>
       <label>Value<textarea>Authorization: Bearer canary6Xy12</textarea></label>
       <dl><dt>Secret key</dt><dd>canary7Xy12</dd></dl>
       <a href="/x?api_key=canary8">link</a>
       <p>token=canary9</p>`,
    );
    expect(page).not.toContain("canary");
    expect(page).toContain('textbox "Password"');
  });
});

describe("references, focus, selection", () => {
  it("keeps the reference of an element over reads and gives new ones to new elements", () => {
    document.body.innerHTML = "<button>A</button><p>t</p>";
    const first = walkPage(window).tree.nodes;
    document.body.insertAdjacentHTML("afterbegin", "<button>B</button>");
    const second = walkPage(window).tree.nodes;
    const refOf = (nodes: AxNode[], name: string) => nodes.find((node) => node.name === name)?.ref;
    expect(refOf(first, "A")).toMatch(/^[a-z]{2}\d+$/);
    expect(refOf(second, "A")).toBe(refOf(first, "A"));
    expect(refOf(second, "B")).not.toBe(refOf(first, "A"));
    expect(refOf(first, "t")).toBeUndefined();
  });

  it("marks the focused element, also in a shadow root", () => {
    document.body.innerHTML = "<div id=host></div>";
    const root = document.querySelector("#host")?.attachShadow({ mode: "open" });
    if (root === undefined) throw new Error("no host");
    root.innerHTML = "<label>Name<input></label><slot>none</slot>";
    root.querySelector("input")?.focus();
    expect(shown(nest(walkPage(window).tree))).toBe('textbox "Name" focused\ntext "none"');
  });

  it("follows slots", () => {
    document.body.innerHTML = "<div id=host><b slot=s>slotted</b><i>unassigned</i></div>";
    const root = document.querySelector("#host")?.attachShadow({ mode: "open" });
    if (root === undefined) throw new Error("no host");
    root.innerHTML = "<h2>Card</h2><slot name=s></slot>";
    expect(shown(nest(walkPage(window).tree))).toBe('heading "Card" level=2\ntext "slotted"');
  });

  it("puts the selected text on the root", () => {
    document.body.innerHTML = "<p id=p>one two three</p>";
    const text = document.querySelector("#p")?.firstChild;
    if (!(text instanceof Text)) throw new Error("no text");
    document.getSelection()?.setBaseAndExtent(text, 4, text, 7);
    expect(walkPage(window).tree.nodes[0]).toEqual({ role: "WebArea", name: "Test", selection: "two" });
    document.getSelection()?.removeAllRanges();
    expect(walkPage(window).tree.nodes[0]?.selection).toBeUndefined();
  });
});

describe("a selection", () => {
  const selectionIn = (html: string): string | undefined => {
    document.body.innerHTML = html;
    const field = document.querySelector("input");
    field?.focus();
    field?.setSelectionRange(0, 6);
    return walkPage(window).tree.nodes[0]?.selection;
  };

  it.each([
    '<label>API token<input value="canary4"></label>',
    '<input name="clientSecret" value="canary5">',
    '<label>Password<input type="password" value="canary6"></label>',
    '<input autocomplete="one-time-code" value="canary7">',
  ])("S24: in a secret field is not read: %s", (html) => expect(selectionIn(html)).toBeUndefined());

  it("in any other field is", () => expect(selectionIn('<label>Name<input value="canary8"></label>')).toBe("canary"));

  it("S24: of a text that its label hides is not sent either", () => {
    document.body.innerHTML = "<dl><dt>Secret key</dt><dd id=v>canary7Xy12</dd></dl>";
    const text = document.querySelector("#v")?.firstChild;
    if (!(text instanceof Text)) throw new Error("no text");
    document.getSelection()?.setBaseAndExtent(text, 0, text, 8);
    expect(walkPage(window).tree.nodes[0]?.selection).toBeUndefined();
    document.getSelection()?.removeAllRanges();
  });
});

describe("hostile pages", () => {
  it("reads hundreds of levels of markup", () => {
    let deepest: Element = document.body;
    deepest.replaceChildren();
    for (let level = 0; level < 400; level += 1) deepest = deepest.appendChild(document.createElement("div"));
    deepest.textContent = "bottom";
    expect(shown(nest(walkPage(window, { nodes: 40_000, milliseconds: 60_000 }).tree))).toBe('text "bottom"');
  });

  it("stops at its limits and says so", () => {
    document.body.innerHTML = "<p>x</p>".repeat(500);
    const read = walkPage(window, { nodes: 50, milliseconds: 60_000 });
    expect(read.cut).toBe(true);
    expect(read.tree.nodes.length).toBeLessThan(60);
  });

  it("replaces lone surrogates and clips monstrous texts", () => {
    document.title = `T\ud800${"x".repeat(100_000)}`;
    document.body.replaceChildren(document.createTextNode(`a\udc00b${"y".repeat(200_000)}`));
    const { nodes } = walkPage(window).tree;
    expect(nodes.every((node) => node.name?.isWellFormed() !== false)).toBe(true);
    expect(JSON.stringify(nodes).length).toBeLessThan(5000);
  });
});
