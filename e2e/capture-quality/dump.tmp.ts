import { mkdir, writeFile } from "node:fs/promises";
import { Browser } from "../harness/browser";
import { Home } from "../harness/home";
import { SHEETS } from "./measure";
import { Reader, renderBlock } from "./methods";
import { pagesArgs, servePages } from "./site";

const site = await servePages();
const home = await Home.create();
const browser = await Browser.launch(home, { withoutHost: true, args: pagesArgs(site) });
try {
  const reader = await Reader.open(browser);
  await mkdir("/tmp/cq", { recursive: true });
  for (const sheet of SHEETS) {
    if (process.env["ONLY"] && !sheet.page.includes(process.env["ONLY"])) continue;
    const t = await reader.read(sheet);
    const n = (sheet.page + (sheet.state ? "-" + sheet.state.name.replaceAll(" ", "-") : "")).replace("/", "-");
    await writeFile(`/tmp/cq/${n}.json`, JSON.stringify(t.snapshot));
    await writeFile(`/tmp/cq/${n}.aria`, t.aria);
    await writeFile(`/tmp/cq/${n}.plain`, t.plain);
    for (const b of [4096, 12288, 49152]) await writeFile(`/tmp/cq/${n}.${b}`, await renderBlock(t.snapshot, b));
  }
} finally {
  await browser.close();
  await home.close();
  await site.close();
}
