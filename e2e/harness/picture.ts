/** Pictures of the product as a person has it before them. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Page } from "playwright-core";

const WIDTH = 1280;
const HEIGHT = 800;
const PANEL_WIDTH = 400;

/** A page with the panel beside it, as the browser shows them; headless it cannot be photographed in one piece. */
export async function sideBySide(page: Page, panel: Page, path: string): Promise<void> {
  const pageWidth = WIDTH - PANEL_WIDTH;
  await page.setViewportSize({ width: pageWidth, height: HEIGHT });
  await panel.setViewportSize({ width: PANEL_WIDTH, height: HEIGHT });
  const images = [image(await page.screenshot(), pageWidth), image(await panel.screenshot(), PANEL_WIDTH)];
  const frame = await page.context().newPage();
  await frame.setViewportSize({ width: WIDTH + 1, height: HEIGHT });
  await frame.setContent(`<style>body{margin:0;display:flex;gap:1px;background:#888}</style>${images.join("")}`);
  await mkdir(dirname(path), { recursive: true });
  await frame.screenshot({ path });
  await frame.close();
}

function image(bytes: Buffer, width: number): string {
  return `<img width="${width}" height="${HEIGHT}" src="data:image/png;base64,${bytes.toString("base64")}">`;
}
