/**
 * Reads the visible words of a part of the page, line by line, with the cells of a table row on one line.
 *
 * What is long or far down is not left out, as it is in a snapshot; secrets are, by the same rules.
 */
import { clean } from "../../capture/page/names";
import { roleOf } from "../../capture/page/roles";
import { isEditable } from "../../capture/page/states";
import { clipsAway, renderingOf, styleOf, viewportOf } from "../../capture/page/visibility";
import { REDACTED, redactLabelled } from "../../capture/redact";
import { rootedTree } from "../../capture/tree";
import { isSecret } from "./secret";

const SKIPPED = new Set(
  "script style noscript template head select textarea datalist iframe object embed video audio canvas svg".split(" "),
);
/** Roles whose words may be labels, or values beside one. */
const PARTS = new Set("row cell gridcell columnheader rowheader term definition listitem".split(" "));
const CELLS = new Set("cell gridcell columnheader rowheader".split(" "));
const LINE_MAX = 20_000;
const NODES_MAX = 400_000;
const READ_MILLISECONDS = 2000;
const STEPS_BETWEEN_LOOKS = 512;
/** Reading stops after this much; a page that long is no page. */
const TEXT_MAX = 4_000_000;

/** The visible words in an element, without those in `hidden`. */
export function visibleText(root: Element, hidden: ReadonlySet<Text> = new Set()): string {
  const view = root.ownerDocument.defaultView;
  return new TextReader(view !== null && viewportOf(view) !== null, hidden).read(root);
}

/** The lines in an element of which reading hides something, as the words they are put together from; null when there is too much to read. */
export function hiddenLines(root: Element): Text[][] | null {
  const view = root.ownerDocument.defaultView;
  return new TextReader(view !== null && viewportOf(view) !== null).hidden(root);
}

/** A line as reading gives it, and the words on the page that it is put together from. */
export interface Line {
  text: string;
  words: readonly Text[];
}

/** The lines in an element, and whether that is all of them: reading stops where there is too much. */
export function readLines(root: Element): { lines: Line[]; whole: boolean } {
  const view = root.ownerDocument.defaultView;
  return new TextReader(view !== null && viewportOf(view) !== null).linesIn(root);
}

/** An element whose contents are being read. */
interface Open {
  contents: readonly Node[];
  next: number;
  /** The node that words in it belong to. */
  home: number;
  block: boolean;
  lines: boolean;
}

class TextReader {
  readonly #tree = rootedTree({ role: "WebArea" });
  /** Where the words of each node stand. */
  readonly #places: Text[][] = [];
  readonly #laidOut: boolean;
  readonly #hidden: ReadonlySet<Text>;
  #run = "";
  /** Where the words of the run stand. */
  #parts: Text[] = [];
  #read = 0;

  constructor(laidOut: boolean, hidden: ReadonlySet<Text> = new Set()) {
    this.#laidOut = laidOut;
    this.#hidden = hidden;
  }

  read(root: Element): string {
    this.#collect(root);
    redactLabelled(this.#tree);
    return this.#lines();
  }

  hidden(root: Element): Text[][] | null {
    const { lines, whole } = this.linesIn(root);
    return whole ? lines.flatMap(({ text, words }) => (text.includes(REDACTED) ? [[...words]] : [])) : null;
  }

  linesIn(root: Element): { lines: Line[]; whole: boolean } {
    const whole = this.#collect(root);
    redactLabelled(this.#tree);
    const lines = this.#tree.nodes.flatMap(({ name }, index): Line[] =>
      name === undefined ? [] : [{ text: name, words: this.#places[index] ?? [] }],
    );
    return { lines, whole };
  }

  /** Collects the words; false when it stopped early. */
  #collect(root: Element): boolean {
    const started = performance.now();
    const open: Open[] = [{ contents: contentsOf(root), next: 0, home: 0, block: true, lines: false }];
    for (let steps = 0, top = open.at(-1); top !== undefined && steps < NODES_MAX; steps += 1, top = open.at(-1)) {
      if (steps % STEPS_BETWEEN_LOOKS === 0 && performance.now() - started > READ_MILLISECONDS) return false;
      const node = this.#read > TEXT_MAX ? undefined : top.contents[top.next];
      top.next += 1;
      if (node === undefined) {
        if (top.block) this.#flush(top.home);
        open.pop();
      } else if (node instanceof Text) this.#text(node, top);
      else if (node instanceof Element) {
        const inner = this.#enter(node, top);
        if (inner !== null) open.push(inner);
      }
    }
    return open.length === 0 && this.#read <= TEXT_MAX;
  }

  #text(text: Text, { home, lines }: Open): void {
    const words = this.#hidden.has(text) ? REDACTED : text.data;
    this.#read += words.length;
    this.#parts.push(text);
    if (!lines) {
      this.#run += words;
      return;
    }
    const [first = "", ...rest] = words.split("\n");
    this.#run += first;
    for (const line of rest) {
      this.#flush(home);
      this.#run = line;
      this.#parts.push(text);
    }
  }

  /** What to read in an element; null when nothing of it is seen. */
  #enter(element: Element, { home }: Open): Open | null {
    if (element.localName === "br") this.#flush(home);
    if (SKIPPED.has(element.localName) || !isSeen(element, this.#laidOut)) return null;
    const style = styleOf(element);
    const display = style?.display ?? "inline";
    const block = !(display.startsWith("inline") || display === "contents");
    const role = element.hasAttribute("role") || block ? roleOf(element) : "generic";
    if (block) this.#flush(home);
    const part = PARTS.has(role) ? this.#part(role, home) : home;
    const lines = style?.whiteSpaceCollapse?.startsWith("preserve") === true && display !== "inline";
    return { contents: contentsOf(element), next: 0, home: part, block: block || part !== home, lines };
  }

  #part(role: string, parent: number): number {
    this.#tree.nodes.push({ role });
    this.#tree.parents.push(parent);
    return this.#tree.nodes.length - 1;
  }

  /** Gives the words collected so far to their node; the words of a row's cell are one. */
  #flush(home: number): void {
    const words = clean(this.#run, LINE_MAX);
    const parts = this.#parts;
    this.#run = "";
    this.#parts = [];
    const node = this.#tree.nodes[home];
    if (words === "" || node === undefined) return;
    const own = node.role === "WebArea" || node.role === "row" ? this.#part("text", home) : home;
    this.#places[own] = [...(this.#places[own] ?? []), ...parts];
    const part = this.#tree.nodes[own];
    if (part !== undefined && own !== home) part.name = words;
    else if (node.name === undefined || CELLS.has(node.role)) {
      node.name = node.name === undefined ? words : `${node.name} ${words}`;
    } else node.name = `${node.name}\n${words}`;
  }

  #lines(): string {
    const lines: string[] = [];
    let row = -1;
    for (const [index, { name }] of this.#tree.nodes.entries()) {
      const parent = this.#tree.parents[index] ?? -1;
      if (name === undefined || index === 0) continue;
      const inRow = this.#tree.nodes[parent]?.role === "row";
      const last = lines.length - 1;
      if (inRow && row === parent) lines[last] = `${lines[last] ?? ""} | ${name}`;
      else lines.push(name);
      row = inRow ? parent : -1;
    }
    return lines.join("\n");
  }
}

/** Whether a person sees the words in an element; without layout, whatever is rendered. */
function isSeen(element: Element, laidOut: boolean): boolean {
  if (element.getAttribute("aria-hidden") === "true" || element.hasAttribute("inert")) return false;
  const rendering = renderingOf(element);
  if (rendering === "hidden" || (isEditable(element) && isSecret(element))) return false;
  const leaf = laidOut && rendering === "shown" && element.firstElementChild === null;
  return !(leaf && clipsAway(element, element.getBoundingClientRect()));
}

function contentsOf(element: Element): readonly Node[] {
  if (element.shadowRoot !== null) return [...element.shadowRoot.childNodes];
  const assigned = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
  return assigned.length > 0 ? assigned : [...element.childNodes];
}
