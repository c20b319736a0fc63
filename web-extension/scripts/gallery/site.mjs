// @ts-check
/** Bundles the gallery and serves it on a loopback port. Nothing of it goes into the extension. */
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = new URL("../../src/panel/", import.meta.url);

/** @param {string} file */
const path = (file) => fileURLToPath(new URL(file, source));

/** @returns {Promise<Map<string, { type: string, body: string }>>} */
async function files() {
  const shared = /** @type {const} */ ({ bundle: true, write: false, logLevel: "error" });
  const script = await build({
    ...shared,
    entryPoints: [path("gallery/index.ts")],
    format: "esm",
    target: "chrome125",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const panel = await build({ ...shared, entryPoints: [path("styles/index.css")] });
  const options = await build({ ...shared, entryPoints: [path("../options/options.css")] });
  /** @param {import("esbuild").BuildResult<{ write: false }>} result */
  const text = (result) => result.outputFiles[0]?.text ?? "";
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sidewire</title>
<link rel="stylesheet" href="/style.css"></head><body><div id="root"></div>
<script type="module" src="/script.js"></script></body></html>`;
  return new Map([
    ["/", { type: "text/html; charset=utf-8", body: page }],
    ["/script.js", { type: "text/javascript; charset=utf-8", body: text(script) }],
    ["/style.css", { type: "text/css; charset=utf-8", body: text(panel) + text(options) }],
  ]);
}

/** Starts the site; `close` ends it. */
export async function serveGallery() {
  const known = await files();
  const server = createServer((request, response) => {
    const found = known.get(new URL(request.url ?? "/", "http://localhost").pathname);
    if (found === undefined) return void response.writeHead(204).end();
    // As in the extension: no inline and no foreign script. Pictures are left open on purpose, so that the
    // attack test sees a request if the sanitiser ever lets one through.
    response.writeHead(200, {
      "content-type": found.type,
      "content-security-policy": "script-src 'self'; object-src 'self'; style-src 'self'",
    });
    response.end(found.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () => new Promise((resolve) => server.close(() => resolve(undefined))),
  };
}
