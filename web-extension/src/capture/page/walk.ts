/**
 * Reads a document into a flat accessibility tree, as a person sees it.
 *
 * It runs in the isolated world, where a page can replace nothing it relies on. It iterates, so no depth of markup
 * overflows the stack, and it stops at a deadline and a number of nodes. It reads; it never changes the page.
 */
import { redactLabelled } from "../redact";
import type { AxNode, FlatTree } from "../tree";
import type { Box } from "./boxes";
import { boxOf } from "./boxes";
import type { Draft } from "./draft";
import { completed, flattened, withoutMiddle } from "./draft";
import type { FrameSpot } from "./frames";
import { spotOf } from "./frames";
import { fieldNode, frameNode, imageNode, nodeOf, optionNodes } from "./leaves";
import { clean, explicitName, Labels } from "./names";
import { isPressable, isTransparent, roleOf } from "./roles";
import type { Scene } from "./scene";
import { placedScene, regionScene } from "./scene";
import { selectedText, selectionSurroundings } from "./selection";
import { isEditable } from "./states";
import { isInline, TextRun } from "./text-run";
import { clipsAway, overlaps, paintsText, renderingByStyle, renderingOf, viewportOf } from "./visibility";
import { FOCUS_WORTH, REGION_WORTH, STATE_WORTH, weigh } from "./weights";

/** What one document gives. */
export interface PageTree {
  tree: FlatTree;
  /** The element of each node; null for words, which have none of their own. */
  elements: (Element | null)[];
  frames: FrameSpot[];
  /** Stopped early, at the deadline or the greatest number of nodes. */
  cut: boolean;
}

/** Bounds of one walk. */
export interface WalkLimits {
  nodes: number;
  milliseconds: number;
}

export const WALK_LIMITS: WalkLimits = { nodes: 40_000, milliseconds: 600 };
const TEXT_MAX = 3000;
const TITLE_MAX = 300;
const STEPS_BETWEEN_LOOKS = 512;
/** Open elements beyond which an element is taken to lie where its parent lies. */
const DEEP = 120;
/** Siblings at the start of a very long list, and child nodes at its end, that are always read. */
const CROWD_HEAD = { rows: 500, others: 1200 };
const CROWD_TAIL = 60;

const SKIPPED_TAGS = new Set(
  "script style noscript template head meta link base title datalist param source track rp colgroup col video audio object embed legend caption figcaption".split(
    " ",
  ),
);
const CAPTIONS: ReadonlyMap<string, string> = new Map([
  ["legend", "fieldset"],
  ["caption", "table"],
  ["figcaption", "figure"],
]);
const TABLE_PARTS = new Set(["tr", "td", "th"]);

/** Where content goes: the children of the nearest node. */
interface Sink {
  drafts: Draft[];
  run: TextRun;
  /** Children that were counted and not read. */
  passed: number;
}

/** An element whose children are being walked. */
interface Open {
  element: Element;
  contents: ArrayLike<Node>;
  next: number;
  /** Elements among the contents that were entered. */
  entered: number;
  sink: Sink;
  scene: Scene;
  /** The node it makes, null when its content goes to its parent's node. */
  draft: { draft: Draft; home: Sink } | null;
}

/** Reads the document of a window. */
export function walkPage(view: Window, limits: WalkLimits = WALK_LIMITS): PageTree {
  return new Walk(view, limits).run();
}

class Walk {
  readonly #view: Window;
  readonly #limits: WalkLimits;
  readonly #labels = new Labels();
  readonly #near: ReadonlySet<Element>;
  readonly #modal: boolean;
  readonly #focused = new Set<Element>();
  readonly #spots = new Map<Draft, Omit<FrameSpot, "node">>();
  readonly #saidByLabel = new Set<Element>();
  readonly #stack: Open[] = [];
  /** Children of the root that were counted and not read. */
  #passed = 0;
  #made = 0;
  #cut = false;

  constructor(view: Window, limits: WalkLimits) {
    this.#view = view;
    this.#limits = limits;
    this.#near = selectionSurroundings(view.document);
    this.#modal = hasModal(view.document);
    this.#noteRoot(view.document);
  }

  run(): PageTree {
    const { document } = this.#view;
    const root: AxNode = { role: "WebArea", name: clean(document.title, TITLE_MAX) };
    if (root.name === "") delete root.name;
    const selection = selectedText(document, this.#labels);
    if (selection !== "") root.selection = selection;
    const draft: Draft = { node: root, element: null, weight: Number.MAX_SAFE_INTEGER, children: [], quiet: false };
    const body = document.body ?? document.documentElement;
    if (body !== null) this.#walk(body, draft);
    draft.children = withoutMiddle(draft.children.filter((child) => !child.quiet));
    if (this.#passed > 0) root.omitted = this.#passed;
    return this.#result(draft);
  }

  #result(root: Draft): PageTree {
    const frames: FrameSpot[] = [];
    const elements: (Element | null)[] = [];
    const tree = flattened(root, (draft, index) => {
      elements.push(draft.element);
      const spot = this.#spots.get(draft);
      if (spot !== undefined) frames.push({ ...spot, node: index });
    });
    const before = tree.nodes.map((node) => node.name);
    redactLabelled(tree);
    dropHiddenSelection(tree, before);
    return {
      tree,
      elements,
      frames,
      cut: this.#cut || tree.nodes.some((node) => node.role !== "combobox" && node.omitted !== undefined),
    };
  }

  /** Prepares what is looked up per document or shadow root. */
  #noteRoot(root: Document | ShadowRoot): void {
    this.#labels.collect(root);
    const active = root.activeElement;
    if (active !== null && active.localName !== "body") this.#focused.add(active);
  }

  #walk(body: Element, root: Draft): void {
    const started = performance.now();
    const sink: Sink = { drafts: root.children, run: new TextRun(), passed: 0 };
    this.#open(body, this.#firstScene(), sink, null);
    for (let steps = 1, top = this.#stack.at(-1); top !== undefined; steps += 1, top = this.#stack.at(-1)) {
      const node = this.#cut ? undefined : top.contents[top.next];
      top.next += 1;
      if (node === undefined) this.#close(top);
      else if (isText(node)) this.#text(top, node);
      else if (isElement(node)) this.#enter(node, top);
      const late = steps % STEPS_BETWEEN_LOOKS === 0 && performance.now() - started > this.#limits.milliseconds;
      if (late || this.#made > this.#limits.nodes) this.#cut = true;
    }
    this.#passed = sink.passed;
  }

  #firstScene(): Scene {
    const clip = viewportOf(this.#view);
    const hasMain = this.#view.document.querySelector("main, [role='main']") !== null;
    const region = (hasMain ? 4 : (REGION_WORTH.get("main") ?? 0)) - (this.#modal ? 20 : 0);
    const flags = { marked: false, quiet: false, silent: false, claimed: false, fallback: false, layoutTable: false };
    return { ...flags, region, near: false, offscreen: false, distance: 0, clip, height: this.#view.innerHeight };
  }

  #open(element: Element, scene: Scene, sink: Sink, draft: Open["draft"]): void {
    const shadow = element.shadowRoot;
    if (shadow !== null) this.#noteRoot(shadow);
    const assigned = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    const contents = shadow?.childNodes ?? (assigned.length > 0 ? assigned : contentsOf(element));
    this.#stack.push({ element, contents, next: 0, entered: 0, sink, scene, draft });
  }

  #text(open: Open, text: Text): void {
    const { run } = open.sink;
    if (open.scene.silent || open.scene.claimed) return;
    const piece = text.data.length > TEXT_MAX * 8 ? text.data.slice(0, TEXT_MAX * 8) : text.data;
    if (!run.accepts(piece, open.scene.quiet)) this.#flush(open);
    run.add(piece, open.scene.quiet);
  }

  /** Makes a text node of what was collected. */
  #flush(open: Open): void {
    const { run, drafts } = open.sink;
    const { quiet } = run;
    const name = clean(run.take(), TEXT_MAX);
    if (name === "") return;
    const draft = this.#draft({ role: "text", name }, null, open.scene);
    draft.quiet = quiet;
    drafts.push(draft);
  }

  #draft(node: AxNode, element: Element | null, scene: Scene): Draft {
    this.#made += 1;
    if (scene.offscreen && !scene.marked) node.offscreen = true;
    let weight = weigh(node.role, (node.name?.length ?? 0) + (node.value?.length ?? 0), scene);
    if (element !== null && this.#focused.has(element)) {
      node.focused = true;
      weight += FOCUS_WORTH;
    }
    if (node.selected || node.checked || node.invalid || node.current) weight += STATE_WORTH;
    return { node, element, weight, children: [], quiet: scene.quiet };
  }

  #enter(element: Element, open: Open): void {
    if (this.#isSkipped(element)) return;
    // Far down, boxes and inherited visibility cost the browser a climb through all ancestors.
    const deep = this.#stack.length > DEEP;
    const rendering = open.scene.fallback ? "shown" : deep ? renderingByStyle(element) : renderingOf(element);
    if (rendering === "hidden") return;
    if (rendering === "through") {
      const silent = !paintsText(element);
      return this.#passThrough(element, open, { ...open.scene, silent });
    }
    const heard = open.scene.silent ? { ...open.scene, silent: false } : open.scene;
    if (!deep && isLost(element, open)) {
      open.sink.passed += 1;
      return;
    }
    const placed = deep ? heard : placedScene(heard, element);
    const scene = this.#near.has(element) ? { ...placed, near: true } : placed;
    if (element instanceof HTMLLabelElement && element.control !== null)
      return this.#label(element, element.control, open, scene);
    const role = scene.layoutTable && TABLE_PARTS.has(element.localName) ? "generic" : roleOf(element);
    if (!this.#leaf(element, role, open, scene)) this.#container(element, role, open, scene);
  }

  #isSkipped(element: Element): boolean {
    const tag = element.localName;
    if (SKIPPED_TAGS.has(tag))
      return CAPTIONS.get(tag) === undefined || CAPTIONS.get(tag) === element.parentElement?.localName;
    if (!element.hasAttributes()) return false;
    if (element.getAttribute("aria-hidden") === "true" || element.hasAttribute("inert")) return true;
    return this.#labels.claims(element);
  }

  /** A label is said by its control; a control that is drawn by its label is read here. */
  #label(label: HTMLLabelElement, control: HTMLElement, open: Open, scene: Scene): void {
    const seen = isSeen(control, scene);
    if (!seen && isDrawnByLabel(control) && !this.#saidByLabel.has(control)) {
      this.#saidByLabel.add(control);
      this.#push(fieldNode(control, roleOf(control), this.#labels), control, open, scene);
    }
    const named = control.hasAttribute("aria-label") || control.hasAttribute("aria-labelledby");
    const claimed = !named && (seen || this.#saidByLabel.has(control));
    this.#passThrough(label, open, { ...scene, claimed });
  }

  /** Handles elements whose content is not walked; false for any other. */
  #leaf(element: Element, role: string, open: Open, scene: Scene): boolean {
    if (element.localName === "br" || element.localName === "hr") {
      open.sink.run.add(" ", scene.quiet);
      return true;
    }
    const field = isField(element);
    const drawing = role === "img" && element.localName !== "canvas";
    if (!field && !drawing && role !== "iframe") return false;
    if (field) {
      const hidden = scene.quiet || (element instanceof HTMLInputElement && element.type === "hidden");
      if (!hidden && !this.#saidByLabel.has(element)) this.#field(element, role, open, scene);
    } else if (drawing) {
      const node = imageNode(element, this.#labels);
      if (node !== null) this.#push(node, element, open, scene);
    } else if (!scene.quiet) {
      const draft = this.#push(frameNode(element, this.#labels), element, open, scene);
      this.#spots.set(draft, spotOf(element, this.#view));
    }
    return true;
  }

  #field(element: Element, stated: string, open: Open, scene: Scene): void {
    const role = stated === "generic" ? "textbox" : stated;
    const draft = this.#push(fieldNode(element, role, this.#labels), element, open, scene);
    if (!(element instanceof HTMLSelectElement) || role !== "listbox") return;
    const inner = { ...scene, marked: scene.marked || draft.node.offscreen === true };
    draft.children = optionNodes(element).map((node) => this.#draft(node, null, inner));
    const others = element.options.length - draft.children.length;
    if (others > 0) draft.node.omitted = others;
  }

  #push(node: AxNode, element: Element, open: Open, scene: Scene): Draft {
    this.#flush(open);
    const draft = this.#draft(node, element, scene);
    open.sink.drafts.push(draft);
    return draft;
  }

  /** Handles elements whose content is walked, with a node of their own or without. */
  #container(element: Element, role: string, open: Open, scene: Scene): void {
    const name = explicitName(element, role, this.#labels);
    const inner = this.#innerScene(element, role, scene);
    const transparent = isTransparent(role, name !== "");
    if (transparent && !isPressable(element)) {
      const box = boxOf(element);
      return box === null ? this.#passThrough(element, open, inner) : this.#box(element, box, open, inner);
    }
    this.#flush(open);
    const draft = this.#draft(nodeOf(element, transparent ? "generic" : role, name), element, {
      ...scene,
      region: inner.region,
    });
    const marked = scene.marked || draft.node.offscreen === true;
    const inside = { ...inner, marked, claimed: false };
    if (isOnlyText(element, inside)) return this.#closeText(draft, element, inside, open);
    const sink: Sink = { drafts: draft.children, run: new TextRun(), passed: 0 };
    this.#open(element, inside, sink, { draft, home: open.sink });
  }

  /** Most cells and items hold one piece of text: no need to walk into them. */
  #closeText(draft: Draft, element: Element, scene: Scene, open: Open): void {
    const name = clean(element.textContent, TEXT_MAX);
    if (name !== "") draft.children.push(this.#draft({ role: "text", name }, null, scene));
    open.sink.drafts.push(...completed(draft, 0));
  }

  /** Keeps together what a person reads as one, as a definition list or a table would. */
  #box(element: Element, box: Box, open: Open, scene: Scene): void {
    this.#flush(open);
    const draft: Draft = { ...this.#draft({ role: "generic" }, null, scene), box };
    const sink: Sink = { drafts: draft.children, run: new TextRun(), passed: 0 };
    const marked = scene.marked || draft.node.offscreen === true;
    this.#open(element, { ...scene, marked }, sink, { draft, home: open.sink });
  }

  #innerScene(element: Element, role: string, scene: Scene): Scene {
    const inner = regionScene(scene, role, this.#modal);
    const tag = element.localName;
    if (tag === "table") return { ...inner, layoutTable: role === "generic" };
    if (tag === "canvas") return { ...inner, fallback: true };
    const closed = element instanceof HTMLDetailsElement && !element.open;
    return closed ? { ...inner, silent: true } : inner;
  }

  #passThrough(element: Element, open: Open, scene: Scene): void {
    if (isInline(element.localName)) open.sink.run.cross(element);
    else this.#flush(open);
    this.#open(element, scene, open.sink, null);
  }

  #close(open: Open): void {
    this.#stack.pop();
    if (open.draft !== null) {
      this.#flush(open);
      const { draft, home } = open.draft;
      home.drafts.push(...completed(draft, open.sink.passed));
      if (draft.box !== undefined) home.passed += open.sink.passed;
    } else if (isInline(open.element.localName)) open.sink.run.cross(open.element);
    else this.#flush(open);
  }
}

/** What a label hides in the tree must not stand in the selection. */
function dropHiddenSelection(tree: FlatTree, before: readonly (string | undefined)[]): void {
  const [root] = tree.nodes;
  const selection = root?.selection;
  if (root === undefined || selection === undefined) return;
  const hidden = before.filter((name, index) => name !== undefined && name !== tree.nodes[index]?.name);
  if (hidden.some((name) => name !== undefined && (name.includes(selection) || selection.includes(name)))) {
    delete root.selection;
  }
}

/** In a crowd of siblings only the first, the last and those in view are read; the others could never be sent. */
function isLost(element: Element, open: Open): boolean {
  const { contents, next, scene } = open;
  open.entered += 1;
  const head = element.localName === "tr" ? CROWD_HEAD.rows : CROWD_HEAD.others;
  if (open.entered <= head || next > contents.length - CROWD_TAIL || scene.clip === null) return false;
  return !overlaps(element.getBoundingClientRect(), scene.clip);
}

/** Whether an element holds nothing but painted text. */
function isOnlyText(element: Element, scene: Scene): boolean {
  if (element.firstElementChild !== null || scene.silent || scene.quiet || scene.fallback) return false;
  return element.shadowRoot === null && !(element instanceof HTMLSlotElement);
}

function isText(node: Node): node is Text {
  return node.nodeType === Node.TEXT_NODE;
}

function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}

/** The children of an element; a live list, but nothing changes while the walk runs. */
function contentsOf(element: Element): ArrayLike<Node> {
  return element.childNodes;
}

const FIELD_TAGS = new Set(["input", "select", "textarea", "progress", "meter"]);

function isField(element: Element): boolean {
  return FIELD_TAGS.has(element.localName) || isEditable(element);
}

/** Whether a person sees a control itself, and not only its label. */
function isSeen(control: HTMLElement, scene: Scene): boolean {
  if (control instanceof HTMLInputElement && control.type === "hidden") return false;
  if (renderingOf(control) !== "shown" || control.closest("[aria-hidden='true'], [inert]") !== null) return false;
  return scene.clip === null || !clipsAway(control, control.getBoundingClientRect());
}

function isDrawnByLabel(control: HTMLElement): boolean {
  return control instanceof HTMLInputElement && ["checkbox", "radio", "file"].includes(control.type);
}

function hasModal(document: Document): boolean {
  return [...document.querySelectorAll("dialog[open], [aria-modal='true']")].some(
    (dialog) => (dialog.hasAttribute("aria-modal") || isModalDialog(dialog)) && renderingOf(dialog) === "shown",
  );
}

function isModalDialog(dialog: Element): boolean {
  try {
    return dialog.matches(":modal");
  } catch {
    return false;
  }
}
