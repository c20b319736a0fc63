/**
 * The closed list of codes a page tool fails with, and what the model is told for each: one sentence, and what to do next.
 *
 * No text of a page's script and no stack trace ever gets here; a `detail` is plain words of our own code.
 */
import { redactText } from "../capture/redact";
import { clip } from "../shared/text";
import type { FrameCode } from "./messages";

interface Told {
  /** One sentence; `{detail}` stands where the detail goes, if there is one. */
  what: string;
  /** What to do next. */
  next: string;
}

const SNAPSHOT_AGAIN = "Read the page again with page_snapshot or page_find.";
const DO_NOT_REPEAT = "Do not try again; tell the person what you wanted to do.";

const TOLD = {
  "page-not-shared": {
    what: "the person asked without sharing the page",
    next: "Answer without the page, or ask the person to switch on the page context and to ask again.",
  },
  unscoped: { what: "the call belongs to no running question of this browser", next: "Do not call page tools now." },
  "unknown-tool": { what: "there is no such page tool", next: "Use one of the tools that are offered." },
  "bad-arguments": { what: "the arguments do not fit", next: "Correct them and call again." },
  busy: { what: "too many page tools run at once", next: "Wait for their results and call again." },
  "page-gone": {
    what: "the page or its tab is gone",
    next: "Read the page again with page_snapshot; if that fails too, ask the person.",
  },
  "frame-gone": { what: "the frame that the reference belongs to is gone", next: SNAPSHOT_AGAIN },
  "tab-moved": {
    what: "the tab shows another site than the one the question was asked about",
    next: "Stop using page tools and tell the person; asking again shares the new page.",
  },
  "unreadable-page": {
    what: "the browser does not let the extension into this page",
    next: "Ask the person to allow this site in the panel and to ask again.",
  },
  "blocked-by-policy": { what: "the organisation's policy forbids this address", next: DO_NOT_REPEAT },
  "consent-denied": { what: "the person did not allow this", next: DO_NOT_REPEAT },
  "consent-unavailable": {
    what: "the side panel is closed, so nobody can be asked for permission",
    next: "Ask the person to open the side panel and to ask again.",
  },
  "no-such-element": { what: "nothing on the page fits", next: SNAPSHOT_AGAIN },
  ambiguous: { what: "several elements fit", next: "Call again with the ref of one of them." },
  "dead-ref": { what: "the element of this ref is not on the page any more", next: SNAPSHOT_AGAIN },
  "target-changed": { what: "the element changed after the person was asked", next: SNAPSHOT_AGAIN },
  occluded: { what: "something covers the element", next: "Deal with what covers it first." },
  "not-visible": { what: "the element is not visible", next: "Make it visible first, or choose another one." },
  disabled: { what: "the element is disabled", next: "Do what enables it first, or tell the person." },
  "not-editable": { what: "the element takes no text", next: "Choose a field that can be edited." },
  "wrong-kind": {
    what: "the element is of another kind than this tool needs",
    next: "Use the tool that fits its role.",
  },
  "secret-field": { what: "this is a password field", next: "Ask the person to fill it in." },
  "no-such-option": { what: "there is no such option", next: "Choose one of the options that there are." },
  "bad-value": { what: "the field does not accept this value", next: "Use the format the field expects." },
  "value-not-kept": { what: "the page changed or dropped the value", next: "Read the field and tell what it holds." },
  "other-site": {
    what: "the address is, or leads to, another site",
    next: "Give the person a link instead; page_navigate stays on the site of the page.",
  },
  "bad-address": {
    what: "this is not an address that can be opened",
    next: "Use an http or https address of this site.",
  },
  "not-in-front": {
    what: "only the tab in front can be pictured, and the page's tab is behind another one",
    next: "Ask the person to bring the tab to the front, or read it with page_snapshot.",
  },
  "screenshot-not-allowed": {
    what: "the browser gives no picture of this page yet",
    next: "Ask the person to click the Sidewire button in the toolbar once, then call again.",
  },
  timeout: { what: "it took too long", next: "Look at the page before you try again." },
  cancelled: { what: "it was stopped", next: "Do not repeat it unless the person asks." },
  failed: { what: "it did not work", next: "Try another way, or tell the person." },
} as const satisfies Record<string, Told>;

/** Why a page tool failed. */
export type ToolCode = keyof typeof TOLD;

/** Longest detail: room for the candidates of an ambiguous target. */
const DETAIL_MAX = 4_000;

/** A tool's failure with a code that is safe to tell. */
export class ToolError extends Error {
  readonly code: ToolCode;
  readonly detail: string | undefined;

  constructor(code: ToolCode, detail?: string) {
    super(code);
    this.name = "ToolError";
    this.code = code;
    this.detail = detail;
  }
}

/** The failure that a frame reported; its detail may hold names from the page. */
export function frameFailure({ code, detail }: { code: FrameCode; detail?: string }): ToolError {
  return new ToolError(code, detail === undefined ? undefined : redactText(detail));
}

/** What the model is told: `CODE: one sentence. What to do next.` */
export function toldOf(error: unknown): string {
  const { code, detail } = error instanceof ToolError ? error : new ToolError("failed");
  const { what, next } = TOLD[code];
  const more = detail === undefined || detail === "" ? "" : ` (${clip(detail, DETAIL_MAX)})`;
  return `${code}: ${what}${more}. ${next}`;
}
