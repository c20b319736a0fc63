/** Pages that no extension may or should read: the browser's own, its stores, files. */
import { parsedWebUrl } from "./sites";

const STORES = [
  /^chromewebstore\.google\.com$/,
  /^addons\.mozilla\.org$/,
  /^microsoftedge\.microsoft\.com$/,
  /^addons\.opera\.com$/,
];

/** Whether a page can never be read, whatever the person grants. */
export function isRestricted(url: string): boolean {
  const page = parsedWebUrl(url);
  if (page === null || STORES.some((store) => store.test(page.hostname))) return true;
  const oldStore = page.hostname === "chrome.google.com" && page.pathname.startsWith("/webstore");
  return oldStore || /\.pdf$/i.test(page.pathname);
}
