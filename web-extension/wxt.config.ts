import { defineConfig } from "wxt";
import identity from "../contract/identity.json";
import { siteMatchesOf } from "./scripts/sites.mjs";

/**
 * Pages may load nothing from elsewhere (S26) and talk to nobody but a worker on this machine.
 *
 * `upgrade-insecure-requests` is absent on purpose: Firefox would turn the loopback socket into a secure one.
 */
const CSP = [
  "default-src 'self'",
  "script-src 'self'",
  "object-src 'self'",
  "style-src 'self'",
  "connect-src 'self' ws://127.0.0.1:*",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Hosts that only an end-to-end test needs, comma-separated match patterns. */
const testHosts = (process.env["SIDEWIRE_TEST_HOSTS"] ?? "").split(",").filter((host) => host !== "");

export default defineConfig({
  srcDir: "src",
  publicDir: "public",
  imports: false,
  manifestVersion: 3,
  ...(process.env["SIDEWIRE_BUILD_DIR"] && { outDir: process.env["SIDEWIRE_BUILD_DIR"] }),
  manifest: ({ browser }) => ({
    name: "__MSG_extensionName__",
    description: "__MSG_extensionDescription__",
    default_locale: "en",
    key: identity.extensionKey,
    minimum_chrome_version: "126",
    incognito: "split",
    // activeTab: the page in front on a click · scripting: reading it · sidePanel, contextMenus: the panel and how it is
    // opened · storage: the pairing and what must survive the service worker · nativeMessaging: the worker.
    permissions: ["activeTab", "contextMenus", "nativeMessaging", "scripting", "sidePanel", "storage"],
    host_permissions: [...siteMatchesOf(), ...testHosts],
    optional_host_permissions: ["https://*/*", "http://*/*"],
    action: { default_title: "__MSG_extensionName__" },
    side_panel: { default_path: "panel.html" },
    commands: { _execute_action: { suggested_key: { default: "Alt+Shift+S" } } },
    content_security_policy: { extension_pages: CSP },
    // Firefox takes managed storage from native manifests and wants no schema.
    ...(browser !== "firefox" && { storage: { managed_schema: "managed-schema.json" } }),
  }),
});
