import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "wxt";
import identity from "../../contract/identity.json";
import sites from "../../contract/sites.json";
import messages from "../public/_locales/en/messages.json";

/** The manifest of a real build, as a browser would read it. */
let manifest: chrome.runtime.ManifestV3;
let folder: string;
const outDir = mkdtempSync(join(tmpdir(), "sidewire-build-"));

beforeAll(async () => {
  await build({ root: new URL("..", import.meta.url).pathname, outDir, logger: silent() });
  folder = join(outDir, "chrome-mv3");
  manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
}, 120_000);

afterAll(() => rmSync(outDir, { recursive: true, force: true }));

function silent() {
  const nothing = (): void => {};
  return {
    debug: nothing,
    log: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    fatal: nothing,
    success: nothing,
    level: 0,
  };
}

describe("manifest", () => {
  it("gives the extension the id that native host and worker expect", () => {
    const digest = createHash("sha256")
      .update(Buffer.from(manifest.key ?? "", "base64"))
      .digest("hex");
    const id = [...digest.slice(0, 32)].map((digit) => "abcdefghijklmnop"[Number.parseInt(digit, 16)]).join("");
    expect(id).toBe(identity.extensionId);
  });

  it("asks for no more than the product needs (decision 27)", () => {
    expect(manifest.permissions).toEqual([
      "activeTab",
      "contextMenus",
      "nativeMessaging",
      "scripting",
      "sidePanel",
      "storage",
    ]);
    expect(manifest.optional_permissions).toBeUndefined();
    expect(manifest.host_permissions).toEqual(
      sites.sites.flatMap((site) => site.hosts.map((host) => `https://${host}/*`)),
    );
    expect(manifest.optional_host_permissions).toEqual(["https://*/*", "http://*/*"]);
    const granted = JSON.stringify([manifest.permissions, manifest.host_permissions, manifest.content_scripts]);
    expect(granted).not.toMatch(/<all_urls>|debugger|"\*:\/\/|\/\/\*\/\*/);
  });

  it("S26: lets our pages load nothing from elsewhere and talk to this machine only", () => {
    const policy = manifest.content_security_policy?.extension_pages ?? "";
    const directives = new Map(policy.split("; ").map((text) => [text.split(" ")[0], text]));
    expect(directives.get("default-src")).toBe("default-src 'self'");
    expect(directives.get("script-src")).toBe("script-src 'self'");
    expect(directives.get("object-src")).toBe("object-src 'self'");
    expect(directives.get("connect-src")).toBe("connect-src 'self' ws://127.0.0.1:*");
    expect(directives.get("img-src")).toBe("img-src 'self' blob: data:");
    expect(policy).not.toMatch(/unsafe|https?:|upgrade-insecure-requests/);
  });

  it("S27: no page and no other extension may talk to us or load our files", () => {
    expect(manifest.externally_connectable).toBeUndefined();
    expect(manifest.web_accessible_resources).toBeUndefined();
    const code = readFileSync(join(folder, "background.js"), "utf8");
    expect(code).not.toMatch(/on(Message|Connect)External/);
  });

  it("runs no evaluated code", () => {
    expect(readFileSync(join(folder, "background.js"), "utf8")).not.toMatch(/new Function\(|[^.\w]eval\(/);
  });

  it("N26: declares the three things that an organisation may set, and no more", () => {
    const name = Object(manifest.storage).managed_schema;
    const schema = JSON.parse(readFileSync(join(folder, name), "utf8"));
    expect(Object.keys(schema.properties)).toEqual(["allowedDomains", "blockedUrlPatterns", "confirmBeforeMutating"]);
  });

  it("names files that are in the build", () => {
    const named = [
      manifest.background?.service_worker,
      manifest.side_panel?.default_path,
      manifest.options_ui?.page,
      ...Object.values(manifest.icons ?? {}),
      ...(manifest.content_scripts ?? []).flatMap((script) => script.js ?? []),
    ];
    expect(named).toHaveLength(9);
    for (const file of named) expect(existsSync(join(folder, file ?? "?")), file).toBe(true);
  });

  it("has every text it refers to", () => {
    const keys = [...JSON.stringify(manifest).matchAll(/__MSG_(\w+)__/g)].map(([, key]) => key);
    expect(keys).toContain("extensionDescription");
    for (const key of [...keys, "contextMenuAsk"]) expect(Object.keys(messages)).toContain(key);
  });

  it("keeps incognito windows apart and opens by a shortcut", () => {
    expect(manifest.incognito).toBe("split");
    expect(manifest.minimum_chrome_version).toBe("126");
    expect(manifest.commands).toMatchObject({ _execute_action: { suggested_key: { default: "Alt+Shift+S" } } });
    expect(manifest.action).not.toHaveProperty("default_popup");
  });
});
