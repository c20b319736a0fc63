/** One Markdown block as document nodes: sanitised, with frames around code and tables. */
import type { Token } from "marked";
import { t } from "../i18n";
import { highlight } from "./highlight";
import { htmlOf } from "./parse";
import { sanitiseMarkdown } from "./sanitise";

/** Marks the button that copies the code block it stands in. */
export const COPY_CODE = "data-copy-code";

/** Nodes of a block; only a complete block is worth its syntax colours. */
export function renderBlock(block: Token, complete: boolean): DocumentFragment {
  const fragment = sanitiseMarkdown(htmlOf(block));
  for (const pre of fragment.querySelectorAll("pre")) frameCode(pre, complete);
  for (const table of fragment.querySelectorAll("table")) frameTable(table);
  return fragment;
}

function frameCode(pre: HTMLPreElement, complete: boolean): void {
  const code = pre.querySelector("code");
  if (code === null) return;
  const language = languageOf(code);
  const coloured = complete ? highlight(code.textContent, language) : null;
  if (coloured !== null) code.replaceChildren(coloured);
  const frame = element("div", { class: "code" });
  const head = element("div", { class: "code-head" });
  head.append(element("span", { class: "code-language" }, language), copyButton());
  pre.replaceWith(frame);
  pre.setAttribute("tabindex", "0");
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", language === "" ? t("codeBlock") : t("codeBlockIn", language));
  frame.append(head, pre);
}

function frameTable(table: HTMLTableElement): void {
  const frame = element("div", { class: "table", tabindex: "0", role: "group", "aria-label": t("tableFrame") });
  table.replaceWith(frame);
  frame.append(table);
}

function copyButton(): HTMLElement {
  return element("button", { type: "button", class: "code-copy", [COPY_CODE]: "" }, t("copy"));
}

function languageOf(code: Element): string {
  return /language-(\S+)/.exec(code.className)?.[1]?.toLowerCase() ?? "";
}

function element(name: string, attributes: Record<string, string>, text = ""): HTMLElement {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.textContent = text;
  return created;
}
