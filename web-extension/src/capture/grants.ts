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
  // The sites of the build have their scripts already.
  const matches = origins.filter((origin) => /^https?:/.test(origin) && !siteMatches.includes(origin)).sort();
  const scripts = matches.length === 0 ? [] : scriptsFor(matches);
  const known = await chrome.scripting.getRegisteredContentScripts({ ids: [CAPTURE_ID, HOOK_ID] });
  // Every start of the service worker comes by here; a page that loads meanwhile must not find its scripts gone.
  if (sameScripts(known, scripts)) return;
  if (known.length > 0) await chrome.scripting.unregisterContentScripts({ ids: known.map((script) => script.id) });
  if (scripts.length > 0) await chrome.scripting.registerContentScripts(scripts);
}

type Script = chrome.scripting.RegisteredContentScript;

function sameScripts(known: readonly Script[], wanted: readonly Script[]): boolean {
  const told = (scripts: readonly Script[]): string =>
    JSON.stringify(scripts.map(({ id, matches = [] }) => [id, matches.toSorted()]).sort());
  return told(known) === told(wanted);
}

function scriptsFor(matches: string[]): Script[] {
  const always = { matches, runAt: "document_start", persistAcrossSessions: true } as const;
  return [
    { ...always, id: CAPTURE_ID, js: [CAPTURE_SCRIPT], allFrames: true, matchOriginAsFallback: true },
    { ...always, id: HOOK_ID, js: [HOOK_SCRIPT], world: "MAIN" },
  ];
}
