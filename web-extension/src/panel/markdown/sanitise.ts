/**
 * The last gate between model output and the document: an allow-list of elements and attributes.
 *
 * Nothing that loads, runs, submits or styles survives. Links keep their address only when it is one a person may
 * follow safely, and say where they lead.
 */
import DOMPurify, { type Config } from "dompurify";

const LANGUAGE_CLASS = /^language-[\w+#.-]{1,32}$/;
const LINK_PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

const MARKDOWN: Config & { RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: [
    ...["p", "br", "hr", "h3", "h4", "h5", "h6", "strong", "em", "del", "code", "pre", "blockquote"],
    ...["ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td"],
  ],
  ALLOWED_ATTR: ["href", "class", "start", "align"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const HIGHLIGHTED: Config & { RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: ["span"],
  ALLOWED_ATTR: ["class"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const forMarkdown = markdownPurifier();
const forHighlights = DOMPurify(window);

/** HTML made by the Markdown parser, as harmless nodes. */
export function sanitiseMarkdown(html: string): DocumentFragment {
  return forMarkdown.sanitize(html, MARKDOWN);
}

/** HTML made by the highlighter, as harmless nodes. */
export function sanitiseHighlights(html: string): DocumentFragment {
  return forHighlights.sanitize(html, HIGHLIGHTED);
}

/** The address of a link that is safe to follow, or null. */
export function safeLink(href: string): URL | null {
  const url = URL.parse(href);
  return url !== null && LINK_PROTOCOLS.has(url.protocol) ? url : null;
}

/** Where a link leads, in the form that cannot be faked by look-alike letters. */
export function linkTarget(url: URL): string {
  return url.protocol === "mailto:" ? url.pathname : url.host;
}

function markdownPurifier() {
  const purifier = DOMPurify(window);
  purifier.addHook("uponSanitizeAttribute", (node, data) => {
    if (data.attrName === "class") data.keepAttr = node.nodeName === "CODE" && LANGUAGE_CLASS.test(data.attrValue);
  });
  purifier.addHook("afterSanitizeAttributes", (node) => {
    if (node.nodeName === "A") secureLink(node);
  });
  return purifier;
}

function secureLink(link: Element): void {
  const url = safeLink(link.getAttribute("href") ?? "");
  if (url === null) {
    link.removeAttribute("href");
    return;
  }
  const target = linkTarget(url);
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
  link.setAttribute("title", target);
  if (namesAnotherHost(link.textContent, url)) link.append(` (${target})`);
}

/** A link whose text is itself an address, but of another host, would deceive. */
function namesAnotherHost(text: string, url: URL): boolean {
  const named = /^\s*(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,})(?=[/:?#\s]|$)/iu.exec(text)?.[1];
  return named !== undefined && named.toLowerCase() !== url.hostname && `www.${named.toLowerCase()}` !== url.hostname;
}
