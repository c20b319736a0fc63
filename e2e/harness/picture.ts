/** Pictures of the product as a person has it before them. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { BrowserContext, Page } from "playwright-core";

const WIDTH = 1280;
const HEIGHT = 800;
const PANEL_WIDTH = 400;

/** A page with the panel beside it, as the browser shows them; headless it cannot be photographed in one piece. */
export async function sideBySide(page: Page, panel: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: WIDTH - PANEL_WIDTH, height: HEIGHT });
  await panel.setViewportSize({ width: PANEL_WIDTH, height: HEIGHT });
  const pictures = [await page.screenshot(), await panel.screenshot()];
  await save(panel.context(), pictures, path);
}

async function save(context: BrowserContext, pictures: readonly Buffer[], path: string): Promise<void> {
  const frame = await context.newPage();
  await frame.setViewportSize({ width: WIDTH + 1, height: HEIGHT });
  const images = pictures.map((bytes) => `<img src="data:image/png;base64,${bytes.toString("base64")}">`);
  await frame.setContent(`<style>body{margin:0;display:flex;gap:1px;background:#888}</style>${images.join("")}`);
  await mkdir(dirname(path), { recursive: true });
  await frame.screenshot({ path });
  await frame.close();
}
