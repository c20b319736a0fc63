/** Takes the tab to another page of the same site, and waits until that has loaded. */
import { clip } from "../shared/text";
import { ToolError } from "./errors";
import { pause } from "./limited";
import { demandAllowed } from "./policy";
import { type ActingTool, text, textOf } from "./tool";

const TIMEOUT_MS = 30_000;
/** How often the tab is looked at while it loads; events alone would miss what happened before they were listened to. */
const LOOK_MS = 100;
/** A navigation that has not begun by then was one within the document. */
const BEGIN_MS = 1_000;
/** What the model is told of an address. */
const ADDRESS_MAX = 300;

const STAYED =
  "the tab shows the same address as before: nothing was opened; perhaps it is a download or leads back here";

/** The tool `page_navigate`. */
export const pageNavigate: ActingTool = {
  name: "page_navigate",
  description:
    "Takes the tab to another page of the same site and waits until it has loaded. Takes an absolute or relative " +
    "address. Read the new page afterwards: all refs are new.",
  parameters: {
    type: "object",
    properties: { url: { type: "string", description: "Where to go.", minLength: 1, maxLength: 4_096 } },
    required: ["url"],
    additionalProperties: false,
  },
  does: "act",
  action: "navigate",
  timeoutMs: () => TIMEOUT_MS,
  async aim(call) {
    const target = addressOf(textOf(call.arguments, "url") ?? "", call.url);
    demandAllowed(await call.world.policy(), target);
    const { origin, host } = call.url;
    return {
      origin,
      site: host,
      target: target.href,
      secret: false,
      frameId: 0,
      values: { url: target.href },
    };
  },
  async run(call, { values }) {
    // What the person was shown, and not what a relative address means on the page that is there by now.
    const target = addressOf(textOf(values, "url") ?? "", call.url);
    if (target.href === call.url.href) return text("the page is at this address already; nothing was done");
    await chrome.tabs.update(call.tabId, { url: target.href }).catch(() => {
      throw new ToolError("page-gone");
    });
    const arrived = await arrival(call.tabId, call.url, call.signal);
    if (arrived.host !== call.url.host || isDowngrade(call.url, arrived))
      throw new ToolError("other-site", arrived.host);
    demandAllowed(await call.world.policy(), arrived);
    if (isSamePage(arrived, call.url) && !isSamePage(target, call.url)) throw new ToolError("failed", STAYED);
    call.moved(arrived.origin);
    await call.world.frames.list(call.tabId).catch(() => {
      throw new ToolError("failed", "the browser shows an error page there");
    });
    const redirected = arrived.href === target.href ? "" : " (the site redirected there)";
    return text(`the page ${clip(arrived.origin + arrived.pathname, ADDRESS_MAX)} has loaded${redirected}`);
  },
};

/** Where a call wants to go: the same host, by the web, without credentials. */
export function addressOf(wanted: string, page: URL): URL {
  const target = URL.parse(wanted, page);
  if (target === null || !/^https?:$/.test(target.protocol)) throw new ToolError("bad-address");
  if (target.username !== "" || target.password !== "") throw new ToolError("bad-address");
  if (target.host !== page.host || isDowngrade(page, target)) throw new ToolError("other-site", target.host);
  return target;
}

/** Whether two addresses differ by no more than their fragments. */
function isSamePage(a: URL, b: URL): boolean {
  return a.origin === b.origin && a.pathname === b.pathname && a.search === b.search;
}

function isDowngrade(from: URL, to: URL): boolean {
  return from.protocol === "https:" && to.protocol !== "https:";
}

/** Waits until the tab has loaded what it was sent to, redirects included. */
async function arrival(tabId: number, from: URL, signal: AbortSignal): Promise<URL> {
  const started = Date.now();
  let begun = false;
  for (;;) {
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    if (tab === undefined) throw new ToolError("page-gone");
    // A site that we may not see is another site.
    if (tab.url === undefined) throw new ToolError("other-site");
    begun ||= tab.status === "loading" || tab.url !== from.href;
    const late = Date.now() - started > BEGIN_MS;
    const url = URL.parse(tab.url);
    if (tab.status === "complete" && (begun || late) && url !== null) return url;
    if (signal.aborted) throw new ToolError("timeout");
    await pause(LOOK_MS, signal);
  }
}
