/** Nodes whose content is not walked: form fields, images, frames. */
import { redactUrl } from "../redact";
import { clip } from "../text";
import type { AxNode } from "../tree";
import type { Labels } from "./names";
import { clean, descriptionOf, explicitName, fallbackName, plainText } from "./names";
import { refOf } from "./refs";
import { takesRef } from "./roles";
import { readState, shownValue } from "./states";

const URL_MAX = 300;
const OPTIONS_MAX = 40;

/** Roles that have no state, value or level unless an attribute says so. */
const SILENT_ROLES = new Set(
  "cell columnheader rowheader row list listitem term definition table main navigation".split(" "),
);

/** The node of an element with everything its attributes say; the walk adds name and children from content. */
export function nodeOf(element: Element, role: string, name: string): AxNode {
  const node: AxNode = name === "" ? { role } : { role, name };
  if (!element.hasAttributes() && SILENT_ROLES.has(role)) return node;
  if (takesRef(element, role)) node.ref = refOf(element);
  readState(element, node);
  if (role === "heading") node.level = levelOf(element);
  const url = linkUrl(element);
  if (url !== null) node.url = url;
  const value = shownValue(element, node);
  if (value !== undefined && value !== "") node.value = value;
  const description = descriptionOf(element, name);
  if (description !== "") node.description = description;
  return node;
}

function levelOf(element: Element): number {
  const stated = Number(element.getAttribute("aria-level") ?? Number.NaN);
  if (Number.isInteger(stated) && stated > 0) return stated;
  return Number(/^h([1-6])$/.exec(element.localName)?.[1] ?? 2);
}

/** Where a link leads: a path on the same site, else the address without its query; null where that says nothing. */
function linkUrl(element: Element): string | null {
  if (!(element instanceof HTMLAnchorElement || element instanceof HTMLAreaElement)) return null;
  const written = element.getAttribute("href") ?? "";
  const { href } = element;
  if (written === "" || written.startsWith("#") || !/^https?:/.test(href)) return null;
  const own = `${location.origin}/`;
  const address = href.startsWith(own) ? href.slice(own.length - 1) : href.replace(/[?#].*$/s, "");
  return clip(redactUrl(address), URL_MAX);
}

/** A form field; null for those that hold nothing a person sees. */
export function fieldNode(element: Element, role: string, labels: Labels): AxNode {
  const node = nodeOf(element, role, explicitName(element, role, labels) || fallbackName(element));
  if (node.description === node.name) delete node.description;
  if (element instanceof HTMLSelectElement && role === "combobox") {
    const others = element.options.length - element.selectedOptions.length;
    if (others > 0) node.omitted = others;
  }
  return node;
}

/** The options of a list that is open on the page. */
export function optionNodes(select: HTMLSelectElement): AxNode[] {
  return [...select.options].slice(0, OPTIONS_MAX).map((option) => {
    const node: AxNode = { role: "option", name: clean(option.label || option.text, 200) };
    if (option.disabled) node.disabled = true;
    if (option.selected) node.selected = true;
    return node;
  });
}

/** An image or drawing; null for one that is only decoration. */
export function imageNode(element: Element, labels: Labels): AxNode | null {
  const name =
    explicitName(element, "img", labels) ||
    fallbackName(element) ||
    (element.localName === "svg" ? drawnText(element) : "");
  const node = nodeOf(element, "img", name);
  return name === "" && node.ref === undefined ? null : node;
}

/** The words in a drawing, such as the labels of a chart. */
function drawnText(svg: Element): string {
  const words = [...svg.querySelectorAll("text")].slice(0, 60).map((text) => plainText(text));
  return clean(words.filter((word) => word !== "").join(" · "), 600);
}

/** A frame; its content is read by the content script inside it. */
export function frameNode(element: Element, labels: Labels): AxNode {
  const name = explicitName(element, "iframe", labels) || clean(element.getAttribute("title"), 200);
  return name === "" ? { role: "iframe" } : { role: "iframe", name };
}
