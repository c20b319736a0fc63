import { join } from "node:path";
import { Browser } from "../harness/browser";
import { Home } from "../harness/home";
import { Reader } from "./methods";
import { bundle, pagesArgs, servePages } from "./site";

const site = await servePages();
const home = await Home.create();
const browser = await Browser.launch(home, { withoutHost: true, args: pagesArgs(site) });
try {
  const reader = await Reader.open(browser);
  const page = await reader.show({ page: process.env["PAGE"] ?? "elements" });
  const s = await page.context().newCDPSession(page);
  const { frameTree } = await s.send("Page.getFrameTree");
  const { executionContextId } = await s.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  const program = await bundle("/work/main/e2e/capture-quality/probe.ts");
  await s.send("Runtime.evaluate", {
    contextId: executionContextId,
    expression: program + ";globalThis.pp=sidewireBench.probe",
  });
  const first = await s.send("Runtime.evaluate", {
    contextId: executionContextId,
    expression: "JSON.stringify(pp(10).times.map(Math.round))",
    returnByValue: true,
  });
  console.log("cold", first.result.value);
  await s.send("Performance.enable", { timeDomain: "threadTicks" });
  const m = async () =>
    Object.fromEntries((await s.send("Performance.getMetrics")).metrics.map((x) => [x.name, x.value]));
  for (let i = 0; i < 8; i++) {
    const a = await m();
    const r = await s.send("Runtime.evaluate", {
      contextId: executionContextId,
      expression: "JSON.stringify(pp(10).times.map(Math.round))",
      returnByValue: true,
    });
    const b = await m();
    console.log(
      r.result.value,
      ["ScriptDuration", "TaskDuration", "LayoutDuration", "RecalcStyleDuration", "V8CompileDuration"]
        .map((k) => k + " " + (((b[k] ?? 0) - (a[k] ?? 0)) * 100).toFixed(1))
        .join(" "),
    );
  }
} finally {
  await browser.close();
  await home.close();
  await site.close();
}
