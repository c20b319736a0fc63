import { join } from "node:path";
import { Browser } from "../harness/browser";
import { Home } from "../harness/home";
import { Reader } from "./methods";
import { pagesArgs, servePages, bundle } from "./site";
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
  await s.send("Runtime.evaluate", { contextId: executionContextId, expression: program + ";globalThis.pp=sidewireBench.probe" });
  const first = await s.send("Runtime.evaluate", { contextId: executionContextId, expression: "JSON.stringify(pp(10).times.map(Math.round))", returnByValue: true });
  console.log("cold", first.result.value);
  await s.send("Profiler.enable"); await s.send("Profiler.setSamplingInterval", { interval: 200 }); await s.send("Profiler.start");
  const r = await s.send("Runtime.evaluate", { contextId: executionContextId, expression: "JSON.stringify(pp(40).times.map(Math.round))", returnByValue: true });
  const { profile } = await s.send("Profiler.stop");
  console.log(r.result.value);
  const self = new Map<string, number>(); const dt = profile.timeDeltas ?? []; const byId = new Map(profile.nodes.map((n) => [n.id, n]));
  (profile.samples ?? []).forEach((id, i) => { const n = byId.get(id); const k = `${n?.callFrame.functionName}:${n?.callFrame.lineNumber}`; self.set(k, (self.get(k) ?? 0) + (dt[i] ?? 0)); });
  const total = [...self.values()].reduce((a, b) => a + b, 0);
  for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 30)) console.log((v / 40000).toFixed(2), "ms/round", k, ((v / total) * 100).toFixed(1) + "%");
} finally { await browser.close(); await home.close(); await site.close(); }
