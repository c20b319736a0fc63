/** HTTPS sites on the loopback address under names of their own: the sample console, and pages that a test writes. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";
import { startSampleConsole } from "../sample-console/server.mjs";

/** Where the sample console appears to be. */
export const CONSOLE_HOST = "example-corp.console.ves.volterra.io";
/** Its page of the load balancer `lb1`. */
export const CONSOLE_PAGE = `https://${CONSOLE_HOST}/web/namespaces/default/http_loadbalancers/lb1`;

/** A site that runs. */
export interface Site {
  /** Host names that lead to it; may begin with `*.`. */
  hosts: string;
  port: number;
  close(): Promise<void>;
}

/** What a browser must be told to reach sites under their names. */
export function browserArgs(sites: readonly Site[]): string[] {
  if (sites.length === 0) return [];
  const rules = sites.map(({ hosts, port }) => `MAP ${hosts}:443 127.0.0.1:${port}`);
  return [`--host-resolver-rules=${rules.join(",")}`, "--ignore-certificate-errors"];
}

/** The sample console as its users reach it: over HTTPS under a host of the console. */
export async function startConsole(hosts = "*.console.ves.volterra.io"): Promise<Site> {
  const { url, close } = await startSampleConsole({ tls: await certificate() });
  return { hosts, port: Number(new URL(url).port), close };
}

/** What a path answers: a page, a program, or the text of a JSON value. */
export type Answer = { html: string } | { script: string } | { json: string };

/** A site with these paths; all others answer 404. */
export async function startSite(hosts: string, answers: Record<string, Answer>): Promise<Site> {
  const server = createServer(await certificate(), (request, response) => {
    const answer = answers[new URL(request.url ?? "/", "https://site.invalid").pathname];
    if (answer === undefined) response.writeHead(404).end();
    else if ("html" in answer) response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(answer.html);
    else if ("script" in answer) response.writeHead(200, { "content-type": "text/javascript" }).end(answer.script);
    else response.writeHead(200, { "content-type": "application/json" }).end(answer.json);
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(portOf(server.address())));
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { hosts, port, close };
}

/** The port a server listens on. */
export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("not a TCP server");
  return address.port;
}

async function certificate(): Promise<{ key: string; cert: string }> {
  const pair = await generate([{ name: "commonName", value: CONSOLE_HOST }], { keySize: 2048 });
  return { key: pair.private, cert: pair.cert };
}
