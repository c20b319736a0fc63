/**
 * Accessible names and descriptions that come from attributes, labels and captions.
 *
 * Names from an element's own content are made by the walk, which sees each text once.
 */

import { redactText } from "../redact";
import { clip, tidy } from "../text";
import { renderingOf } from "./visibility";

export const NAME_MAX = 400;
const DESCRIPTION_MAX = 200;
const REFERENCED_MAX = 8;
const NODES_MAX = 400;

/** Elements whose text is said elsewhere or never. */
const SILENT_TAGS = new Set(["script", "style", "noscript", "template", "select", "textarea", "datalist", "iframe"]);

/** Text as it goes into a node: tidy, without secrets, clipped. */
export function clean(text: string | null | undefined, max: number): string {
  if (text === null || text === undefined || text === "") return "";
  // Only an extreme text is cut before its secrets are looked for.
  return clip(redactText(tidy(text.slice(0, max * 8 + 4096))), max);
}

/** Labels and claims of one document or shadow root, collected once. */
export class Labels {
  readonly #labels = new Map<Element, HTMLLabelElement[]>();
  /** Plain elements whose text is the name or description of a control, so that it is not said twice. */
  readonly #claimed = new Set<Element>();

  /** Reads the labels of a document or shadow root. */
  collect(root: Document | ShadowRoot): void {
    for (const label of root.querySelectorAll("label")) {
      const control = label.control;
      if (control !== null) this.#labels.set(control, [...(this.#labels.get(control) ?? []), label]);
    }
    for (const control of root.querySelectorAll("[aria-labelledby], [aria-describedby]")) {
      if (!isField(control)) continue;
      for (const name of ["aria-labelledby", "aria-describedby"]) {
        for (const target of referenced(control, name)) if (isPlain(target)) this.#claimed.add(target);
      }
    }
  }

  of(control: Element): readonly HTMLLabelElement[] {
    return this.#labels.get(control) ?? [];
  }

  claims(element: Element): boolean {
    return this.#claimed.has(element);
  }
}

function isField(element: Element): boolean {
  const role = element.getAttribute("role") ?? "";
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement ||
    ["textbox", "combobox", "searchbox", "spinbutton", "slider", "switch", "checkbox", "radio"].includes(role)
  );
}

function isPlain(element: Element): boolean {
  const words = element.textContent ?? "";
  return (
    words.length <= DESCRIPTION_MAX &&
    !element.hasAttribute("role") &&
    ["span", "div", "p", "small", "label", "b", "strong", "em"].includes(element.localName) &&
    element.querySelector("a, button, input, select, textarea, [role], h1, h2, h3, h4, h5, h6, table, ul, ol") === null
  );
}

function referenced(element: Element, attribute: string): Element[] {
  const root = element.getRootNode();
  const home = root instanceof ShadowRoot ? root : element.ownerDocument;
  const ids = (element.getAttribute(attribute) ?? "").split(/\s+/).slice(0, REFERENCED_MAX);
  return ids.flatMap((id) => (id === "" ? [] : (home.getElementById(id) ?? [])));
}

/** Tags that can have a name without any attribute. */
const NATIVELY_NAMED = new Set(
  "input select textarea fieldset table figure svg button meter progress output".split(" "),
);

/** The name an element has without looking at its content; "" where it has none. */
export function explicitName(element: Element, role: string, labels: Labels): string {
  if (!element.hasAttributes() && !NATIVELY_NAMED.has(element.localName)) return "";
  const sources = [labelledBy(element, role), element.getAttribute("aria-label"), nativeName(element, labels)];
  for (const source of sources) {
    const name = clean(source, NAME_MAX);
    if (name !== "") return name;
  }
  return "";
}

/** The names of last resort, for an element that got none from its content. */
export function fallbackName(element: Element): string {
  return clean(element.getAttribute("title"), NAME_MAX) || clean(element.getAttribute("placeholder"), NAME_MAX);
}

const CONTAINERS = new Set([
  "region",
  "form",
  "group",
  "article",
  "figure",
  "main",
  "navigation",
  "complementary",
  "tabpanel",
]);

function labelledBy(element: Element, role: string): string {
  const targets = referenced(element, "aria-labelledby");
  // A heading inside its own region says the same already, in its place.
  const own = CONTAINERS.has(role) && targets.every((target) => element.contains(target));
  return own ? "" : targets.map((target) => target.getAttribute("aria-label") ?? plainText(target)).join(" ");
}

function nativeName(element: Element, labels: Labels): string | null {
  if (element instanceof HTMLInputElement) return inputName(element, labels);
  if (element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement) return labelText(element, labels);
  if (element instanceof HTMLImageElement || element.localName === "area") return element.getAttribute("alt");
  switch (element.localName) {
    case "fieldset":
      return childText(element, "legend");
    case "table":
      return childText(element, "caption");
    case "figure":
      return childText(element, "figcaption");
    case "svg":
      return childText(element, "title");
    case "optgroup":
      return element.getAttribute("label");
    case "button":
    case "meter":
    case "progress":
    case "output":
      return labelText(element, labels);
    default:
      return null;
  }
}

function inputName(input: HTMLInputElement, labels: Labels): string | null {
  switch (input.type) {
    case "submit":
    case "reset":
    case "button":
      return input.value || (input.type === "submit" ? "Submit" : input.type === "reset" ? "Reset" : "");
    case "image":
      return input.alt || "Submit";
    default:
      return labelText(input, labels);
  }
}

function labelText(control: Element, labels: Labels): string {
  return labels
    .of(control)
    .map((label) => plainText(label))
    .join(" ");
}

function childText(element: Element, tag: string): string {
  const child = [...element.children].find((candidate) => candidate.localName === tag);
  return child === undefined ? "" : tag === "title" ? (child.textContent ?? "") : plainText(child);
}

const ICON_CLASS = /(?:^|\s)(?:fa|bi|mdi|icon|ti|pi|ri|glyphicon)-([a-z][a-z0-9-]{2,30})(?=\s|$)/;
/** Classes of icon sets that set a size or a style. */
const ICON_MANNERS = /^(?:fw|lg|sm|xs|spin|pulse|solid|regular|brands|[0-9]x|size.*|rotate.*|flip.*|stack.*)$/;

/** What the icon inside an element is called in its icon set; "" where none can be told. */
export function iconOf(element: Element): string {
  for (const icon of [...element.querySelectorAll("i, span, svg, use")].slice(0, 8)) {
    const link = icon.getAttribute("href") ?? icon.getAttribute("data-icon") ?? "";
    const classes = (icon.getAttribute("class") ?? "").split(/\s+/);
    const names = [/#(?:icon-)?([\w-]{2,30})$/.exec(link)?.[1], ...classes.map((name) => ICON_CLASS.exec(name)?.[1])];
    const told = names.find((name) => name !== undefined && !ICON_MANNERS.test(name));
    if (told !== undefined) return clean(told.replaceAll("-", " "), 40);
  }
  return "";
}

/** What else is said about an element: a description, an error message, a title that is not its name. */
export function descriptionOf(element: Element, name: string): string {
  const invalid = element.getAttribute("aria-invalid");
  const error = invalid !== null && invalid !== "false" ? referenced(element, "aria-errormessage") : [];
  const targets = isField(element) ? [...referenced(element, "aria-describedby"), ...error] : [];
  const said = [
    element.getAttribute("aria-description") ?? "",
    ...targets.map((target) => plainText(target)),
    element.getAttribute("title") ?? "",
  ];
  const text = clean(said.filter((part) => part !== "").join(" "), DESCRIPTION_MAX);
  return text === name ? "" : text;
}

/** The text of a small subtree. Hidden parts are left out, unless the whole is hidden and was asked for by reference. */
export function plainText(root: Element): string {
  const always = renderingOf(root) !== "shown";
  const parts: string[] = [];
  const open: Node[] = [root];
  let budget = NODES_MAX;
  for (let node = open.pop(); node !== undefined && budget > 0; node = open.pop()) {
    budget -= 1;
    if (node instanceof Text) parts.push(node.data.slice(0, NAME_MAX * 4));
    if (!(node instanceof Element)) continue;
    if (node !== root && !speaks(node, always)) continue;
    const alternative = node === root ? null : alternativeOf(node);
    if (alternative !== null) parts.push(` ${alternative} `);
    else open.push(...[...node.childNodes].reverse());
  }
  return tidy(parts.join(" "));
}

function speaks(element: Element, always: boolean): boolean {
  if (SILENT_TAGS.has(element.localName) || element instanceof HTMLInputElement) return false;
  if (element.getAttribute("aria-hidden") === "true") return false;
  return always || renderingOf(element) !== "hidden";
}

function alternativeOf(element: Element): string | null {
  return element.getAttribute("aria-label") ?? (element instanceof HTMLImageElement ? element.alt : null);
}
