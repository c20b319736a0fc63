/**
 * `make bench`, capture part: what share of the facts of a page each method tells at a budget of bytes, and how long
 * a capture takes. Facts and the rule that judges them: `facts.ts`. `MISSED=1` also lists every fact that was missed.
 */
import { Browser } from "../harness/browser";
import { Home } from "../harness/home";
import { measurePage, type PageResult, SHEETS } from "./measure";
import { Reader } from "./methods";
import { report } from "./report";
import { pagesArgs, servePages } from "./site";
import { timeCapture } from "./timing";

const site = await servePages();
const home = await Home.create();
const browser = await Browser.launch(home, { withoutHost: true, args: pagesArgs(site) });
try {
  const reader = await Reader.open(browser);
  const results: PageResult[] = [];
  for (const sheet of SHEETS) results.push(await measurePage(reader, sheet));
  const times = await timeCapture(reader);
  process.stdout.write(report(results, times, process.env["MISSED"] === "1"));
} finally {
  await browser.close();
  await home.close();
  await site.close();
}
