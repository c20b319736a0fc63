/**
 * What was typed but not sent, and whether the page goes along, per conversation.
 *
 * Both live in session storage: they survive a closed panel, never a closed browser. Of an incognito window they live in
 * this page only.
 */
import { isRecord, isString } from "../shared/guards";
import { inIncognito } from "../shared/platform";
import { load, remove, removeAll, save } from "../shared/storage";

/** What the composer keeps for a conversation. */
export interface Draft {
  text: string;
  attachPage: boolean;
}

const PREFIX = "draft:";

/** A composer that nothing was done to. */
export const EMPTY: Draft = { text: "", attachPage: true };

const unwritten = new Map<string, Draft>();

/** The key of a conversation's draft; a conversation without an id belongs to its window. */
export function draftKey(conversation: string | undefined, windowId: number): string {
  return conversation === undefined ? `${PREFIX}window:${windowId}` : `${PREFIX}${conversation}`;
}

/** Reads a draft; an absent one is empty and takes the page along. */
export async function readDraft(key: string): Promise<Draft> {
  const stored = inIncognito() ? unwritten.get(key) : await load("session", key, isDraft);
  return stored ?? EMPTY;
}

/** Keeps a draft, or forgets it when there is nothing in it. */
export async function writeDraft(key: string, draft: Draft): Promise<void> {
  if (inIncognito()) unwritten.set(key, draft);
  else if (draft.text === "" && draft.attachPage) await remove("session", key);
  else await save("session", key, draft);
}

/** Forgets every draft. */
export async function forgetDrafts(): Promise<void> {
  unwritten.clear();
  await removeAll("session", PREFIX);
}

function isDraft(value: unknown): value is Draft {
  return isRecord(value) && isString(value["text"]) && typeof value["attachPage"] === "boolean";
}
