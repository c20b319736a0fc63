/**
 * Nodes while they are being made, and what happens when one is complete: it takes its name from its content, drops
 * what its name already says, or gives way to its children.
 */
import { clip } from "../text";
import type { AxNode, FlatTree } from "../tree";
import type { Box } from "./boxes";
import { fallbackName, iconOf, NAME_MAX } from "./names";
import { MIDDLE_LOSS } from "./weights";

/** A node that is still open to its element and children. */
export interface Draft {
  node: AxNode;
  element: Element | null;
  weight: number;
  children: Draft[];
  /** Text for screen readers only: it may name what it stands in, and is no text of the page. */
  quiet: boolean;
  /** Made only to hold together what is read as one; gives way if it turns out to hold anything else. */
  box?: Box;
}

/** Roles that are one thing with one name, whatever their markup holds. */
const ATOMIC = new Set(
  "button link tab menuitem menuitemcheckbox menuitemradio option treeitem checkbox radio switch".split(" "),
);
/** Roles whose content is their name as long as it is only words. */
const WORDED = new Set(
  "heading cell gridcell columnheader rowheader listitem term definition tooltip note generic status alert code".split(
    " ",
  ),
);
const CELLS = new Set(["cell", "gridcell", "columnheader", "rowheader"]);
/** Roles kept inside something atomic, beside what has a reference. */
const NESTED = new Set(["group", "tree", "menu", "list"]);
const TABLES = new Set(["table", "grid", "treegrid"]);

/**
 * What a completed draft hands to its parent: itself, its children, or nothing. `passed` counts the children that
 * were not read.
 */
export function completed(draft: Draft, passed: number): Draft[] {
  const { node } = draft;
  if (draft.box !== undefined) return closeBox(draft);
  draft.children = draft.children.filter((child) => !child.quiet || isWords(child));
  if (ATOMIC.has(node.role)) closeAtomic(draft);
  else if (node.role === "combobox") closeCombobox(draft);
  else if (WORDED.has(node.role) && draft.children.every(isWordsOrPair)) closeWorded(draft);
  else draft.children = draft.children.filter((child) => !child.quiet);
  if (TABLES.has(node.role)) closeTable(draft, passed);
  if (passed > 0) node.omitted = passed;
  if (node.role === "list" || node.role === "listbox") loseMiddle(draft.children, 20, 2);
  else withoutMiddle(draft.children);
  return settled(draft);
}

function closeBox(draft: Draft): Draft[] {
  const { node } = draft;
  const parts = draft.box === "line" ? draft.children.flatMap(opened) : draft.children;
  if (belongTogether(draft, parts)) {
    const weights = parts.map(({ weight }) => weight);
    draft.weight = draft.box === "pair" ? Math.min(...weights) : Math.max(...weights);
    draft.children = parts;
    if (draft.box === "prose") node.role = "paragraph";
    return [draft];
  }
  if (node.offscreen === true) for (const child of draft.children) child.node.offscreen = true;
  return draft.children;
}

/** Whether what turned out to be in a box is one thing. */
function belongTogether({ box, children }: Draft, parts: readonly Draft[]): boolean {
  switch (box) {
    case "pair":
      return parts.length === 2 && parts.every(isSpoken);
    case "prose":
      return isSentence(parts);
    default:
      // Two labels with their values are two things.
      return children.filter((child) => child.box === "pair").length < 2 && isLineOf(parts);
  }
}

/** What a box inside a line holds; anything else is a part itself. */
function opened(draft: Draft): Draft[] {
  if (draft.box === undefined) return draft.quiet ? [] : [draft];
  if (draft.node.offscreen === true) for (const child of draft.children) child.node.offscreen = true;
  return draft.children;
}

/** Roles that may share a line. */
const LINE_ROLES = new Set(["text", "link", "button", "img", "checkbox", "code", "meter", "progressbar"]);
/** Characters and parts of the longest line. */
const LINE_MOST = { words: 240, parts: 16 } as const;

/** Whether some parts are small enough for one line, and say more than a row of controls does. */
function isLineOf(parts: readonly Draft[]): boolean {
  if (parts.length < 2 || parts.length > LINE_MOST.parts || !parts.some(isSpoken)) return false;
  return parts.every(isSmall) && parts.reduce((sum, { node }) => sum + (node.name?.length ?? 0), 0) <= LINE_MOST.words;
}

/** Words with something to act on among them. */
function isSentence(parts: readonly Draft[]): boolean {
  return parts.some(isSpoken) && parts.some(({ node }) => node.ref !== undefined) && parts.every(isSmall);
}

function isSmall({ node, children }: Draft): boolean {
  return LINE_ROLES.has(node.role) && children.length === 0;
}

function closeAtomic(draft: Draft): void {
  const nested = draft.children.filter((child) => NESTED.has(child.node.role));
  const own = draft.children.filter((child) => !NESTED.has(child.node.role));
  const { name } = draft.node;
  if (name === undefined) setName(draft.node, wordsIn(own));
  else {
    const seen = own.filter((child) => !child.quiet);
    showBeside(draft.node, name, wordsIn(seen));
  }
  if (draft.node.name === undefined && draft.element !== null) nameWordless(draft.node, draft.element);
  draft.children = [...actable(own), ...nested];
}

/** Longest text that counts as what a control shows beside its name, such as a number of messages. */
const SHOWN_MAX = 60;

/** Keeps what a person reads on a control whose stated name does not say it. */
function showBeside(node: AxNode, name: string, shown: string): void {
  if (node.value !== undefined || shown.length > SHOWN_MAX || !/[\p{L}\p{N}]/u.test(shown)) return;
  const said = name.toLowerCase();
  const words = shown.split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word) && !said.includes(word.toLowerCase()));
  if (words.length > 0) node.value = words.join(" ");
}

/** Names what has no words: by its title, else at least by what its icon is called. */
function nameWordless(node: AxNode, element: Element): void {
  setName(node, fallbackName(element));
  const icon = node.name === undefined ? iconOf(element) : "";
  if (icon !== "") node.description ??= `icon: ${icon}`;
}

/** What a drawn combobox shows is its value. */
function closeCombobox(draft: Draft): void {
  const shown = wordsIn(draft.children.filter((child) => child.node.ref === undefined));
  if (draft.node.value === undefined && shown !== "") draft.node.value = shown;
  draft.children = actable(draft.children);
}

function closeWorded(draft: Draft): void {
  const { node } = draft;
  const words = wordsIn(draft.children);
  // Sortable tables write a whole sentence over the title of a column.
  if (node.role === "columnheader" && words !== "" && node.name?.startsWith(words) === true) node.name = words;
  setName(node, words);
  draft.children = [];
}

function setName(node: AxNode, name: string): void {
  if (name === "" || node.name !== undefined) return;
  node.name = name;
}

function isWords(draft: Draft): boolean {
  const { node } = draft;
  return (node.role === "text" || node.role === "img") && node.ref === undefined && draft.children.length === 0;
}

function isSpoken(draft: Draft): boolean {
  return draft.node.role === "text" && !draft.quiet;
}

/** Words that stand in a cell or an item are its name, however they are wrapped. */
function isWordsOrPair(draft: Draft): boolean {
  return draft.box === "pair" || isWords(draft);
}

/** All words of some drafts, in order, each once. */
function wordsIn(drafts: readonly Draft[]): string {
  const parts: string[] = [];
  let length = 0;
  const open = [...drafts].reverse();
  for (let draft = open.pop(); draft !== undefined && length <= NAME_MAX; draft = open.pop()) {
    const words = draft.node.name ?? draft.node.value;
    if (words !== undefined) {
      parts.push(words);
      length += words.length + 1;
    }
    open.push(...draft.children.toReversed());
  }
  return clip(parts.join(" "), NAME_MAX);
}

/** The drafts with a reference in some subtrees, without what wraps them. */
function actable(drafts: readonly Draft[]): Draft[] {
  const found: Draft[] = [];
  const open = [...drafts].reverse();
  for (let draft = open.pop(); draft !== undefined; draft = open.pop()) {
    if (draft.node.ref !== undefined) found.push(draft);
    else open.push(...draft.children.toReversed());
  }
  return found;
}

function closeTable(draft: Draft, passed: number): void {
  const rows = draft.children.filter((child) => child.node.role === "row");
  const headers = rows.filter((row) => row.children.every((cell) => cell.node.role === "columnheader")).length;
  const stated = Number(draft.element?.getAttribute("aria-rowcount") ?? 0);
  draft.node.rowCount = Math.max(rows.length - headers + passed, Number.isInteger(stated) ? stated - headers : 0);
  loseMiddle(rows, 15, 3);
}

/** Rows and items in the middle of a long table or list weigh less than its first and last ones. */
function loseMiddle(items: readonly Draft[], first: number, last: number): void {
  if (items.length <= first + last) return;
  for (const [index, item] of items.entries()) {
    if (index < first || index >= items.length - last || item.node.offscreen === undefined) continue;
    item.weight -= MIDDLE_LOSS + (index / items.length) * 4;
  }
}

/** Lets the middle of many lines drawn with boxes weigh less; gives the children as they came. */
export function withoutMiddle(children: Draft[]): Draft[] {
  loseMiddle(
    children.filter((child) => child.box === "line"),
    20,
    2,
  );
  return children;
}

/** Drops what says nothing; an item that only wraps one thing gives way to it. */
function settled(draft: Draft): Draft[] {
  const { node, children } = draft;
  const bare = node.name === undefined && node.value === undefined && node.ref === undefined;
  if (!bare || CELLS.has(node.role) || node.role === "iframe") return [draft];
  if (children.length === 0) return [];
  const [only] = children;
  const wraps = node.role === "listitem" && only !== undefined && children.length === 1;
  if (!wraps) return [draft];
  only.weight = Math.max(only.weight, draft.weight);
  return [only];
}

/** Roles that are kept or cut as one thing, so that a row never loses its name before its numbers. */
const UNITS = new Set(["row", "listitem"]);

/** Lays the drafts out in pre-order. `placed` is told where each one stands. */
export function flattened(root: Draft, placed: (draft: Draft, index: number) => void): FlatTree {
  const tree: FlatTree = { nodes: [], parents: [], weights: [] };
  // Side by side: a draft that waits, its parent's index, the weight of the unit it stands in.
  const drafts: Draft[] = [root];
  const parents: number[] = [-1];
  const units: (number | null)[] = [null];
  for (let draft = drafts.pop(); draft !== undefined; draft = drafts.pop()) {
    const index = tree.nodes.length;
    const unit = units.pop() ?? null;
    tree.nodes.push(draft.node);
    tree.parents.push(parents.pop() ?? -1);
    tree.weights.push(unit ?? draft.weight);
    placed(draft, index);
    const isUnit = UNITS.has(draft.node.role) || draft.box === "line" || draft.box === "prose";
    const inside = isUnit ? (unit ?? draft.weight) : unit;
    for (let child = draft.children.length - 1; child >= 0; child -= 1) {
      const waiting = draft.children[child];
      if (waiting === undefined) continue;
      drafts.push(waiting);
      parents.push(index);
      units.push(inside);
    }
  }
  return tree;
}
