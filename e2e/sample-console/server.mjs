/** Serves the sample console page and its API on the loopback address, for the demo and the browser tests. */
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { fileURLToPath } from "node:url";

const TYPES = { css: "text/css", js: "text/javascript", html: "text/html", json: "application/json" };
const RESOURCE = /^\/api\/config\/namespaces\/default\/http_loadbalancers\/(lb1|lb2)$/;
const ASSET = /^\/assets\/(console\.(?:css|js))$/;

/** Which file answers a path; null where there is none. */
function fileFor(path) {
  if (path === "/" || path.startsWith("/web/")) return "page.html";
  const asset = ASSET.exec(path)?.[1];
  const resource = RESOURCE.exec(path)?.[1];
  return asset ?? (resource === undefined ? null : `api/${resource}.json`);
}

async function answer(request, response) {
  const { pathname } = new URL(request.url ?? "/", "http://console.invalid");
  const file = request.method === "GET" || request.method === "HEAD" ? fileFor(pathname) : null;
  if (file === null) {
    response.writeHead(404, { "content-type": "application/json" }).end('{"code":5,"message":"not found"}');
    return;
  }
  const body = await readFile(new URL(file, import.meta.url));
  const type = TYPES[file.split(".").at(-1) ?? ""];
  response.writeHead(200, { "content-type": `${type}; charset=utf-8`, "cache-control": "no-store" });
  response.end(request.method === "HEAD" ? undefined : body);
}

function onRequest(request, response) {
  answer(request, response).catch(() => response.writeHead(500).end());
}

/** Starts the console on 127.0.0.1; with `tls` ({key, cert}) over HTTPS. */
export async function startSampleConsole({ port = 0, tls } = {}) {
  const server = tls === undefined ? createHttpServer(onRequest) : createHttpsServer(tls, onRequest);
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const scheme = tls === undefined ? "http" : "https";
  return {
    url: `${scheme}://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await startSampleConsole({ port: Number(process.argv[2] ?? 0) });
  process.stdout.write(`${url}/web/namespaces/default/http_loadbalancers/lb1\n`);
}
