/** The accessible role of an element, by its `role` attribute and else by its tag. */

const KNOWN_ROLES = new Set(
  (
    "alert alertdialog application article banner button cell checkbox columnheader combobox complementary contentinfo definition dialog " +
    "directory document feed figure form grid gridcell group heading img image link list listbox listitem log main marquee math menu menubar " +
    "menuitem menuitemcheckbox menuitemradio meter navigation none note option presentation progressbar radio radiogroup region row " +
    "rowgroup rowheader scrollbar search searchbox separator slider spinbutton status switch tab table tablist tabpanel term textbox " +
    "timer toolbar tooltip tree treegrid treeitem code"
  ).split(" "),
);

const TAG_ROLES: ReadonlyMap<string, string> = new Map([
  ["article", "article"],
  ["aside", "complementary"],
  ["button", "button"],
  ["dd", "definition"],
  ["dialog", "dialog"],
  ["dl", "list"],
  ["dt", "term"],
  ["fieldset", "group"],
  ["figure", "figure"],
  ["form", "form"],
  ["h1", "heading"],
  ["h2", "heading"],
  ["h3", "heading"],
  ["h4", "heading"],
  ["h5", "heading"],
  ["h6", "heading"],
  ["iframe", "iframe"],
  ["frame", "iframe"],
  ["img", "img"],
  ["canvas", "img"],
  ["svg", "img"],
  ["li", "listitem"],
  ["main", "main"],
  ["menu", "list"],
  ["meter", "meter"],
  ["nav", "navigation"],
  ["ol", "list"],
  ["optgroup", "group"],
  ["option", "option"],
  ["output", "status"],
  ["progress", "progressbar"],
  ["search", "search"],
  ["section", "region"],
  ["summary", "button"],
  ["table", "table"],
  ["tbody", "rowgroup"],
  ["td", "cell"],
  ["textarea", "textbox"],
  ["tfoot", "rowgroup"],
  ["thead", "rowgroup"],
  ["tr", "row"],
  ["ul", "list"],
]);

const INPUT_ROLES: ReadonlyMap<string, string> = new Map([
  ["button", "button"],
  ["submit", "button"],
  ["reset", "button"],
  ["image", "button"],
  ["file", "button"],
  ["checkbox", "checkbox"],
  ["radio", "radio"],
  ["number", "spinbutton"],
  ["range", "slider"],
  ["search", "searchbox"],
]);

/** Landmarks that count only with a name. */
const NEEDS_NAME = new Set(["form", "region", "group", "figure", "article"]);
/** Roles that say nothing by themselves: their content stands in their place. */
const TRANSPARENT = new Set([
  "generic",
  "none",
  "presentation",
  "rowgroup",
  "document",
  "application",
  "directory",
  "paragraph",
]);

/** The role of an element; "generic" where it has none. */
export function roleOf(element: Element): string {
  const stated = element.getAttribute("role");
  if (stated === null) return implicitRole(element);
  for (const token of stated.toLowerCase().split(/\s+/)) {
    if (token === "none" || token === "presentation") return isActable(element) ? implicitRole(element) : "generic";
    if (token === "image") return "img";
    if (KNOWN_ROLES.has(token)) return token;
  }
  return implicitRole(element);
}

function implicitRole(element: Element): string {
  const tag = element.localName;
  if (tag === "a" || tag === "area") return element.hasAttribute("href") ? "link" : "generic";
  if (element instanceof HTMLInputElement) return inputRole(element);
  if (element instanceof HTMLSelectElement) return element.multiple || element.size > 1 ? "listbox" : "combobox";
  if (tag === "th") return isRowHeader(element) ? "rowheader" : "columnheader";
  if (tag === "header" || tag === "footer") return landmarkOfPage(element, tag);
  if (tag === "summary") return element.parentElement?.localName === "details" ? "button" : "generic";
  return TAG_ROLES.get(tag) ?? "generic";
}

function inputRole(input: HTMLInputElement): string {
  if (input.hasAttribute("list")) return "combobox";
  return INPUT_ROLES.get(input.type) ?? "textbox";
}

function isRowHeader(header: Element): boolean {
  const scope = header.getAttribute("scope");
  if (scope !== null) return scope.startsWith("row");
  const row = header.parentElement;
  return row?.closest("thead") === null && row.querySelector(":scope > td") !== null;
}

function landmarkOfPage(element: Element, tag: string): string {
  if (element.closest("article, aside, main, nav, section") !== null) return "generic";
  return tag === "header" ? "banner" : "contentinfo";
}

/** Whether a role is only a wrapper: without a name its content stands in its place. */
export function isTransparent(role: string, named: boolean): boolean {
  return TRANSPARENT.has(role) || (NEEDS_NAME.has(role) && !named);
}

const ACTABLE_TAGS = new Set(["a", "area", "button", "input", "select", "textarea", "summary"]);
const ACTABLE_ROLES = new Set(
  (
    "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider " +
    "spinbutton switch tab textbox treeitem"
  ).split(" "),
);

/** Whether a person can act on an element, by its tag or attributes alone. */
function isActable(element: Element): boolean {
  if (element.hasAttribute("tabindex") || element.hasAttribute("onclick")) return true;
  return ACTABLE_TAGS.has(element.localName) && (element.localName !== "a" || element.hasAttribute("href"));
}

/** Whether a node of this role on this element gets a reference. */
export function takesRef(element: Element, role: string): boolean {
  if (role === "gridcell" || role === "option")
    return element.hasAttribute("tabindex") || element.hasAttribute("onclick") || role === "option";
  return ACTABLE_ROLES.has(role) || isPressable(element);
}

/** A plain element that was made clickable in markup. */
export function isPressable(element: Element): boolean {
  return element.hasAttribute("onclick") || Number(element.getAttribute("tabindex") ?? "-1") >= 0;
}
