/** Who we are towards a worker: an instance that lasts, a browser run that does not, and whether anything may be kept. */
import { CONTRACT_VERSION } from "../contract/identity";
import type { ClientInfo } from "../contract/types";
import { isUuid } from "../shared/guards";
import { inIncognito } from "../shared/platform";
import { type Area, load, save } from "../shared/storage";

/** The facts both handshakes carry. */
export type Client = Omit<ClientInfo, "type">;

/** Reads or makes our identity (decision 4). */
export async function loadClient(): Promise<Client> {
  const [instance, browserRun] = await Promise.all([lasting("local", "instance"), lasting("session", "browserRun")]);
  return {
    client: { name: "sidewire-extension", version: chrome.runtime.getManifest().version },
    contractVersion: CONTRACT_VERSION,
    instance,
    browserRun,
    ephemeral: inIncognito(),
  };
}

async function lasting(area: Area, key: string): Promise<string> {
  const known = await load(area, key, isUuid);
  if (known !== undefined) return known;
  const fresh = crypto.randomUUID();
  await save(area, key, fresh);
  return fresh;
}
