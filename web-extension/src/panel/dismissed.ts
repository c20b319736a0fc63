/** Remembers that a person did not want the set-up card, so that it is offered once and never again by itself. */

const KEY = "setupDismissed";

/** True once the card was closed. */
export async function readDismissed(): Promise<boolean> {
  return (await chrome.storage.local.get(KEY))[KEY] === true;
}

/** Remembers that the card was closed. */
export async function writeDismissed(): Promise<void> {
  await chrome.storage.local.set({ [KEY]: true });
}
