/** Looks at the pixels of a picture, with the browser's own decoder. */
import type { Page } from "playwright-core";

/** A part of a page, in its own pixels. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The colours in each region of a picture of a page that is `width` wide, at most a few of them. */
export function coloursIn(page: Page, picture: string, width: number, regions: readonly Region[]): Promise<string[][]> {
  return page.evaluate(
    async ({ picture, width, regions }) => {
      const image = new Image();
      image.src = picture;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context?.drawImage(image, 0, 0);
      const scale = image.width / width;
      return regions.map(({ x, y, width: across, height: down }) => {
        const box = [x, y, across, down].map((each) => Math.round(each * scale));
        const { data } = context?.getImageData(box[0] ?? 0, box[1] ?? 0, box[2] ?? 1, box[3] ?? 1) ?? { data: [] };
        const colours = new Set<string>();
        for (let at = 0; at < data.length; at += 4) colours.add(`${data[at]} ${data[at + 1]} ${data[at + 2]}`);
        return [...colours].slice(0, 5);
      });
    },
    { picture, width, regions },
  );
}
