/** Serves the measured pages on the loopback address: the admin template from its package, our own from `pages/`. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { createRequire } from "node:module";
import { dirname, extname, join, normalize } from "node:path";
import { generate } from "selfsigned";
import { build } from "vite";
import { REPOSITORY } from "../harness/paths";
import { portOf } from "../harness/site";

/** Where the pages appear to be; the second name makes a frame cross-origin. */
export const PAGES_HOST = "bench.console.ves.volterra.io";

const OWN = join(REPOSITORY, "e2e", "capture-quality", "pages");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** A running site. */
export interface PagesSite {
  port: number;
  close(): Promise<void>;
}

/** Starts it: `/admin/…` is the template, everything else is ours. */
export async function servePages(): Promise<PagesSite> {
  const admin = dirname(createRequire(import.meta.url).resolve("startbootstrap-sb-admin-2/package.json"));
  const [form, pair] = await Promise.all([
    bundle(join(OWN, "form.js")),
    generate([{ name: "commonName", value: PAGES_HOST }], { keySize: 2048 }),
  ]);
  const server = createServer({ key: pair.private, cert: pair.cert }, (request, response) => {
    const path = normalize(new URL(request.url ?? "/", `https://${PAGES_HOST}`).pathname);
    const send = (body: string | Buffer) =>
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
    if (path === "/form.js") send(form);
    else {
      const file = path.startsWith("/admin/") ? join(admin, path.slice("/admin/".length)) : join(OWN, path);
      readFile(file).then(send, () => response.writeHead(404).end());
    }
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(portOf(server.address())));
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port, close };
}

/** One program with everything it imports, as text. */
export async function bundle(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
    build: { write: false, minify: false, lib: { entry, formats: ["iife"], name: "sidewireBench" } },
  });
  const [first] = Array.isArray(built) ? built : [built];
  if (first === undefined || !("output" in first)) throw new Error(`${entry} was not built`);
  return first.output[0].code;
}

/** What the browser must be told: our names lead here, every other name nowhere. */
export function pagesArgs({ port }: PagesSite): string[] {
  return [
    `--host-resolver-rules=MAP *.console.ves.volterra.io:443 127.0.0.1:${port},MAP * ~NOTFOUND,EXCLUDE 127.0.0.1`,
    "--ignore-certificate-errors",
  ];
}
