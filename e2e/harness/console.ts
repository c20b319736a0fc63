/** The sample console as its users reach it: over HTTPS under a host of the console. */
import { generate } from "selfsigned";
import { type SampleConsole, startSampleConsole } from "../sample-console/server.mjs";

export const CONSOLE_HOST = "example-corp.console.ves.volterra.io";
export const CONSOLE_PAGE = `https://${CONSOLE_HOST}/web/namespaces/default/http_loadbalancers/lb1`;

export interface ConsoleSite extends SampleConsole {
  /** What the browser must be told to find it. */
  browserArgs: string[];
}

export async function startConsole(): Promise<ConsoleSite> {
  const pair = await generate([{ name: "commonName", value: CONSOLE_HOST }], { keySize: 2048 });
  const site = await startSampleConsole({ tls: { key: pair.private, cert: pair.cert } });
  const { port } = new URL(site.url);
  return {
    ...site,
    browserArgs: [`--host-resolver-rules=MAP *.console.ves.volterra.io:443 127.0.0.1:${port}`, "--ignore-certificate-errors"],
  };
}
