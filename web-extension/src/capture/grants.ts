/**
 * Keeps the content scripts registered on the sites a person has granted for good, beside those of the build, so that
 * the next load of such a page is captured from its first request.
 */
import { siteMatches } from "./sites";
import { CAPTURE_SCRIPT } from "./tab-access";

const HOOK_SCRIPT = "content-scripts/api-hook.js";
const CAPTURE_ID = "sidewire-capture";
const HOOK_ID = "sidewire-api-hook";

/** Registers what is granted now and follows every change until the signal ends. Call it as the service worker starts. */
export function followGrants(signal: AbortSignal): void {
  let last = Promise.resolve();
  const sync = () => {
    last = last.then(registerGranted).catch(() => undefined);
  };
  chrome.permissions.onAdded.addListener(sync);
  chrome.permissions.onRemoved.addListener(sync);
  signal.addEventListener(
    "abort",
    () => {
      chrome.permissions.onAdded.removeListener(sync);
      chrome.permissions.onRemoved.removeListener(sync);
    },
    { once: true },
  );
  sync();
}

/** Makes the registered scripts those of the granted origins. */
async function registerGranted(): Promise<void> {
  const { origins = [] } = await chrome.permissions.getAll();
  const matches = origins.filter((origin) => /^https?:/.test(origin) && !isOfBuild(origin));
  const scripts = matches.length === 0 ? [] : scriptsFor(matches);
  const known = await chrome.scripting.getRegisteredContentScripts({ ids: [CAPTURE_ID, HOOK_ID] });
  if (known.length > 0) await chrome.scripting.unregisterContentScripts({ ids: known.map((script) => script.id) });
  if (scripts.length > 0) await chrome.scripting.registerContentScripts(scripts);
}

/** Origins that need no script: sites of the build have theirs, and the worker's own address is no page. */
function isOfBuild(origin: string): boolean {
  return siteMatches.includes(origin) || /^https?:\/\/(?:127\.0\.0\.1|localhost)(?::\*)?\/\*$/.test(origin);
}

function scriptsFor(matches: string[]): chrome.scripting.RegisteredContentScript[] {
  const always = { matches, runAt: "document_start", persistAcrossSessions: true } as const;
  return [
    { ...always, id: CAPTURE_ID, js: [CAPTURE_SCRIPT], allFrames: true, matchOriginAsFallback: true },
    { ...always, id: HOOK_ID, js: [HOOK_SCRIPT], world: "MAIN" },
  ];
}
