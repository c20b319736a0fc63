/**
 * What was typed but not sent, and whether the page goes along, per conversation.
 *
 * Both live in session storage: they survive a closed panel, never a closed browser.
 */

/** What the composer keeps for a conversation. */
export interface Draft {
  text: string;
  attachPage: boolean;
}

const PREFIX = "draft:";
const EMPTY: Draft = { text: "", attachPage: true };

/** The key of a conversation's draft; a conversation without an id belongs to its window. */
export function draftKey(conversation: string | undefined, windowId: number): string {
  return conversation === undefined ? `${PREFIX}window:${windowId}` : `${PREFIX}${conversation}`;
}

/** Reads a draft; an absent one is empty and takes the page along. */
export async function readDraft(key: string): Promise<Draft> {
  const stored = (await chrome.storage.session.get(key))[key];
  return isDraft(stored) ? stored : EMPTY;
}

/** Keeps a draft, or forgets it when there is nothing in it. */
export async function writeDraft(key: string, draft: Draft): Promise<void> {
  if (draft.text === "" && draft.attachPage) await chrome.storage.session.remove(key);
  else await chrome.storage.session.set({ [key]: draft });
}

/** Forgets every draft. */
export async function forgetDrafts(): Promise<void> {
  const keys = Object.keys(await chrome.storage.session.get(null));
  await chrome.storage.session.remove(keys.filter((key) => key.startsWith(PREFIX)));
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  return (
    "text" in value && typeof value.text === "string" && "attachPage" in value && typeof value.attachPage === "boolean"
  );
}
