/**
 * What a person has allowed: "always on this site" in local storage, "this conversation" in session storage, which ends
 * with the browser. Only the service worker and our own pages can reach either (decision 28), and only the service
 * worker writes: two writers would undo each other's changes.
 */
import type { ActionKind } from "../bridge/panel-port";
import { isRecord, isString } from "../shared/guards";
import { inIncognito } from "../shared/platform";
import { type Area, load, loadAll, remove, removeAll, save } from "../shared/storage";

/** The actions allowed on a site. */
export interface Grant {
  origin: string;
  actions: ActionKind[];
}

/** Every kind of action, in the order in which they are listed. */
export const ACTION_KINDS: readonly ActionKind[] = ["click", "type", "choose", "press", "scroll", "navigate"];

const LASTING = "grant:";
const CONVERSATION = "conversation-grant:";

/** One writer at a time, so that two answers to two cards are both kept. */
let last: Promise<void> = Promise.resolve();

function inTurn(work: () => Promise<void>): Promise<void> {
  last = last.catch(() => undefined).then(work);
  return last;
}

/** What is allowed for good, by site. */
export async function listGrants(): Promise<Grant[]> {
  const grants = await loadAll("local", LASTING, isGrant);
  return grants.map(tidied).toSorted((a, b) => a.origin.localeCompare(b.origin));
}

/** What is allowed in some conversation, by site. */
export async function listConversationGrants(): Promise<Grant[]> {
  const kinds = new Map<string, Set<ActionKind>>();
  for (const { origin, actions } of await loadAll("session", CONVERSATION, isConversationGrant)) {
    kinds.set(origin, new Set([...(kinds.get(origin) ?? []), ...actions]));
  }
  const grants = [...kinds].map(([origin, actions]) => tidied({ origin, actions: [...actions] }));
  return grants.toSorted((a, b) => a.origin.localeCompare(b.origin));
}

/** Forgets what was allowed in a conversation that is gone. */
export function forgetConversationGrants(conversation: string): Promise<void> {
  return inTurn(() => removeAll("session", keyOf(conversation, "")));
}

/** Takes back what was allowed on a site for good or in any conversation: one kind of action, or all. */
export function revokeGrant(origin: string, action?: ActionKind): Promise<void> {
  return inTurn(async () => {
    await reduce("local", LASTING + origin, action);
    const all = await loadAll("session", CONVERSATION, isConversationGrant);
    for (const grant of all.filter((one) => one.origin === origin)) {
      await reduce("session", keyOf(grant.conversation, origin), action);
    }
  });
}

/** Takes back everything ("delete all my data"). */
export function revokeAllGrants(): Promise<void> {
  return inTurn(async () => {
    await removeAll("local", LASTING);
    await removeAll("session", CONVERSATION);
  });
}

/** Allows a kind of action on a site for good. */
export function grantAlways(origin: string, action: ActionKind): Promise<void> {
  return extend({ area: "local", key: LASTING + origin, origin }, action);
}

/** Allows a kind of action on a site while a conversation lasts. */
export function grantInConversation(conversation: string, origin: string, action: ActionKind): Promise<void> {
  return extend({ area: "session", key: keyOf(conversation, origin), origin, conversation }, action);
}

/** Whether a kind of action is allowed on a site, in this conversation or for good; the latter is not asked in incognito windows. */
export async function isGranted(conversation: string, origin: string, action: ActionKind): Promise<boolean> {
  const [always, here] = await Promise.all([
    inIncognito() ? undefined : load("local", LASTING + origin, isGrant),
    load("session", keyOf(conversation, origin), isGrant),
  ]);
  return [always, here].some((grant) => grant?.origin === origin && grant.actions.includes(action));
}

interface Place {
  area: Area;
  key: string;
  origin: string;
  conversation?: string;
}

function extend({ area, key, ...rest }: Place, action: ActionKind): Promise<void> {
  return inTurn(async () => {
    const known = await load(area, key, isGrant);
    const actions = ACTION_KINDS.filter((kind) => kind === action || known?.actions.includes(kind));
    await save(area, key, { ...rest, actions });
  });
}

async function reduce(area: Area, key: string, action: ActionKind | undefined): Promise<void> {
  const known = await load(area, key, isRecordOfGrant);
  const actions = action === undefined ? [] : (known?.actions ?? []).filter((kind) => kind !== action);
  if (actions.length === 0) await remove(area, key);
  else await save(area, key, { ...known, actions });
}

function keyOf(conversation: string, origin: string): string {
  return `${CONVERSATION}${conversation}:${origin}`;
}

function tidied({ origin, actions }: Grant): Grant {
  return { origin, actions: ACTION_KINDS.filter((kind) => actions.includes(kind)) };
}

function isGrant(value: unknown): value is Grant {
  return isRecord(value) && isString(value["origin"]) && isActions(value["actions"]);
}

function isConversationGrant(value: unknown): value is Grant & { conversation: string } {
  return isGrant(value) && isRecord(value) && isString(value["conversation"]);
}

function isRecordOfGrant(value: unknown): value is Grant & Record<string, unknown> {
  return isGrant(value);
}

function isActions(value: unknown): value is ActionKind[] {
  return Array.isArray(value) && value.every((kind) => ACTION_KINDS.some((known) => known === kind));
}
