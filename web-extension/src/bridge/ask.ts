/**
 * Makes a question: reads the page at the moment of sending, checks that it is the page the conversation is about, and
 * builds the request. Sending it is `turns.ts`'s business.
 */
import type { Capture } from "../capture/api";
import type { ChatRequest, Mode } from "../contract/types";
import { utf8Length, wellFormed } from "../shared/text";
import type { Conversation } from "./conversations";
import type { SharedPage } from "./in-flight";
import { belongs, type PageReader, sameDocument, tabFacts } from "./page";
import type { PanelEvent, Preview } from "./panel-port";

/** A question as a person asked it. */
export interface Question {
  text: string;
  mode: Mode;
  attachPage: boolean;
  previewToken?: string;
}

/** Why a question was not sent. */
export type NotSent = Extract<PanelEvent, { kind: "not-sent" }>["reason"];

/** A request ready to be sent, or why there is none. */
export type Prepared = { ok: true; request: ChatRequest; page?: SharedPage } | { ok: false; reason: NotSent };

/** Longest text of a question in UTF-8 bytes (decision 7). */
export const TEXT_LIMIT = 262_144;

/** Stands for the tenant of a question that is about no page; the contract wants a text that is not empty. */
export const NO_PAGE = "none";
/** Stands for the tab of a question that is about no page. */
const NO_TAB = 0;

/** Builds the request for a question. */
export async function prepare(conversation: Conversation, question: Question, reader: PageReader): Promise<Prepared> {
  const text = question.text.toWellFormed();
  if (utf8Length(text) > TEXT_LIMIT) return { ok: false, reason: "too-long" };
  const page = question.attachPage ? await pageFor(conversation, question.previewToken, reader) : NOTHING;
  if (page === "changed") return { ok: false, reason: "page-changed" };
  const sessionKey = await sessionKeyFor(conversation, page, reader);
  return {
    ok: true,
    ...(question.attachPage && { page: { origin: await originOf(conversation, page) } }),
    request: {
      type: "chat_request",
      id: `c-${crypto.randomUUID()}`,
      text,
      context: page.capture === null ? null : wellFormed(page.capture.snapshot),
      mode: question.mode,
      tabId: conversation.tabId ?? NO_TAB,
      sessionKey,
      // Before it has an id our own name must tell it from others about the same tab, which the worker would go on with.
      history_hint: conversation.id ?? conversation.key,
    },
  };
}

/** Takes a snapshot for the preview and pins it for the next question. */
export async function pinPreview(conversation: Conversation, reader: PageReader): Promise<Preview | null> {
  const page = await capture(conversation, reader);
  if (page === "changed" || page.capture === null) return null;
  const { snapshot, report } = page.capture;
  conversation.preview = { token: crypto.randomUUID(), snapshot: wellFormed(snapshot), report };
  return conversation.preview;
}

/** Origin of the page that is shared, also when it could not be read for once. */
async function originOf(conversation: Conversation, page: Page): Promise<string | null> {
  const url = page.capture?.snapshot.url ?? (await tabFacts(conversation.tabId))?.url;
  return url === undefined ? null : (URL.parse(url)?.origin ?? null);
}

/** The key of the page that is sent; without one, that of the conversation, else of the tab in view. */
async function sessionKeyFor(conversation: Conversation, page: Page, reader: PageReader): Promise<string> {
  const sent = page.capture === null ? null : reader.sessionKeyOf(page.capture.snapshot.url);
  if (sent !== null) return sent;
  if (conversation.sessionKey !== undefined) return conversation.sessionKey;
  const url = (await tabFacts(conversation.tabId))?.url;
  return (url === undefined ? null : reader.sessionKeyOf(url)) ?? NO_PAGE;
}

type Page = { capture: Pick<Capture, "snapshot"> | null };
const NOTHING: Page = { capture: null };

/** What was looked at is sent as it was, or not at all (decision 21). */
async function pageFor(
  conversation: Conversation,
  token: string | undefined,
  reader: PageReader,
): Promise<Page | "changed"> {
  const { preview } = conversation;
  if (token === undefined || token === conversation.refusedToken) return capture(conversation, reader);
  conversation.refusedToken = token;
  if (preview === undefined || preview.token !== token) return "changed";
  delete conversation.preview;
  const now = await tabFacts(conversation.tabId);
  const same = now?.url !== undefined && sameDocument(now.url, preview.snapshot.url);
  return same && now.id === preview.snapshot.tabId ? { capture: preview } : "changed";
}

/** Reads the page now, if there still is one; refuses one of another tab, tenant or address than was asked about (N1). */
async function capture(
  conversation: Conversation,
  reader: PageReader,
): Promise<{ capture: Capture | null } | "changed"> {
  const { tabId } = conversation;
  const before = await tabFacts(tabId);
  if (before === null || tabId === undefined) return { capture: null };
  if (!belongs(conversation, before.url, reader.sessionKeyOf)) return "changed";
  const result = await reader.captureTab(tabId);
  delete conversation.unreadable;
  if (!result.ok) {
    if (before.url !== undefined) conversation.unreadable = { url: before.url, fault: result.fault };
    return { capture: null };
  }
  const { snapshot, selection, report } = result.capture;
  const key = reader.sessionKeyOf(snapshot.url);
  const moved = before.url !== undefined && key !== reader.sessionKeyOf(before.url);
  if (snapshot.tabId !== tabId || moved || !belongs(conversation, snapshot.url, reader.sessionKeyOf)) return "changed";
  conversation.captured = { url: snapshot.url, bytes: report.bytes, selection };
  return result;
}
