// @ts-check
/**
 * Draws the toolbar icons: a wire between two nodes that bends into an S, on a rounded square.
 *
 * Shapes are distance functions and every pixel is sampled 16 times, so no drawing library is needed. Run it after a
 * change (`npm run icons`); the pictures are kept in `public/icon`.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { crc32, deflateSync } from "node:zlib";

const SIZES = [16, 32, 48, 128];
const SAMPLES = 4;
/** @type {[number, number, number]} */
const TOP = [59, 91, 219];
/** @type {[number, number, number]} */
const BOTTOM = [16, 152, 173];
/** @type {[number, number, number]} */
const INK = [255, 255, 255];

/** @param {number} x @param {number} y @param {number} cx @param {number} cy */
const distance = (x, y, cx, cy) => Math.hypot(x - cx, y - cy);

/** Distance to a square with round corners that fills the unit square. @param {number} x @param {number} y */
function square(x, y) {
  const radius = 0.22;
  const half = 0.5 - radius;
  const dx = Math.max(Math.abs(x - 0.5) - half, 0);
  const dy = Math.max(Math.abs(y - 0.5) - half, 0);
  return Math.hypot(dx, dy) - radius;
}

/** Distance to the line of the S: an arc open to the right above one open to the left. @param {number} x @param {number} y */
function wire(x, y) {
  const r = 0.15;
  const [upper, lower] = [0.5 - r, 0.5 + r];
  const up =
    x > 0.5 && y > upper ? Math.min(distance(x, y, 0.5 + r, upper), distance(x, y, 0.5, 0.5)) : ring(x, y, upper, r);
  const low =
    x < 0.5 && y < lower ? Math.min(distance(x, y, 0.5 - r, lower), distance(x, y, 0.5, 0.5)) : ring(x, y, lower, r);
  return Math.min(up, low);
}

/** @param {number} x @param {number} y @param {number} cy @param {number} r */
const ring = (x, y, cy, r) => Math.abs(distance(x, y, 0.5, cy) - r);

/** @param {number} x @param {number} y @param {number} stroke */
function isInk(x, y, stroke) {
  if (wire(x, y) < stroke) return true;
  return distance(x, y, 0.65, 0.35) < stroke * 1.9 || distance(x, y, 0.35, 0.65) < stroke * 1.9;
}

/** @param {number} size */
function draw(size) {
  // A thin line would vanish in the toolbar.
  const stroke = size <= 16 ? 0.062 : 0.048;
  const pixels = Buffer.alloc(size * size * 4);
  for (let py = 0; py < size; py += 1) {
    for (let px = 0; px < size; px += 1) pixels.set(pixel(px, py, size, stroke), (py * size + px) * 4);
  }
  return pixels;
}

/** @param {number} px @param {number} py @param {number} size @param {number} stroke */
function pixel(px, py, size, stroke) {
  let [inside, red, green, blue] = [0, 0, 0, 0];
  for (let s = 0; s < SAMPLES * SAMPLES; s += 1) {
    const x = (px + ((s % SAMPLES) + 0.5) / SAMPLES) / size;
    const y = (py + (Math.floor(s / SAMPLES) + 0.5) / SAMPLES) / size;
    if (square(x, y) > 0) continue;
    const [r, g, b] = isInk(x, y, stroke) ? INK : ground((x + y) / 2);
    [inside, red, green, blue] = [inside + 1, red + r, green + g, blue + b];
  }
  if (inside === 0) return [0, 0, 0, 0];
  const alpha = (255 * inside) / (SAMPLES * SAMPLES);
  return [red / inside, green / inside, blue / inside, alpha].map(Math.round);
}

/** @param {number} at @returns {[number, number, number]} */
function ground(at) {
  /** @param {number} from @param {number} to */
  const mix = (from, to) => from + (to - from) * at;
  return [mix(TOP[0], BOTTOM[0]), mix(TOP[1], BOTTOM[1]), mix(TOP[2], BOTTOM[2])];
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** @param {number} size */
function png(size) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const pixels = draw(size);
  const rows = Array.from({ length: size }, (_, y) =>
    Buffer.concat([Buffer.of(0), pixels.subarray(y * size * 4, (y + 1) * size * 4)]),
  );
  return Buffer.concat([
    Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const folder = new URL("../public/icon/", import.meta.url);
await mkdir(folder, { recursive: true });
for (const size of SIZES) await writeFile(new URL(`${size}.png`, folder), png(size));
