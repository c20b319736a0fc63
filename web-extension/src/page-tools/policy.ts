/**
 * The policy that an organisation sets through the browser (managed storage, `public/managed-schema.json`).
 *
 * It holds for everything that is read of a page and done to it, for the page's own address and for every address that
 * is gone to.
 */
import { isString } from "../shared/guards";
import { ToolError } from "./errors";
import { fits, isWithin } from "./patterns";

/** What is allowed; an absent list of domains allows all. */
export interface Policy {
  allowedDomains: string[];
  blockedUrlPatterns: string[];
  /** Each action is asked for each time. */
  confirmBeforeMutating: boolean;
}

/** Reads the policy in force. Without one, or in a browser that has none, nothing is restricted. */
export async function loadPolicy(): Promise<Policy> {
  const found = await managed();
  return {
    allowedDomains: textsOf(found["allowedDomains"]),
    blockedUrlPatterns: textsOf(found["blockedUrlPatterns"]),
    confirmBeforeMutating: found["confirmBeforeMutating"] === true,
  };
}

async function managed(): Promise<Record<string, unknown>> {
  try {
    return await chrome.storage.managed.get(null);
  } catch {
    // Firefox rejects where no policy was ever set.
    return {};
  }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(isString) : [];
}

/** True when the policy lets us read and act at an address. */
export function allows(policy: Policy, url: URL): boolean {
  const { allowedDomains, blockedUrlPatterns } = policy;
  if (allowedDomains.length > 0 && !isWithin(url.hostname, allowedDomains)) return false;
  return !blockedUrlPatterns.some((pattern) => fits(pattern, url));
}

/** Fails as `blocked-by-policy` where the policy does not allow an address. */
export function demandAllowed(policy: Policy, url: URL): void {
  if (!allows(policy, url)) throw new ToolError("blocked-by-policy");
}

/** What the policy in force lets a capture read; asked for anew by each capture. */
export async function allowedNow(): Promise<(url: URL) => boolean> {
  const policy = await loadPolicy();
  return (url) => allows(policy, url);
}

/** True when there are addresses that the policy forbids. */
export function restricts({ allowedDomains, blockedUrlPatterns }: Policy): boolean {
  return allowedDomains.length > 0 || blockedUrlPatterns.length > 0;
}
