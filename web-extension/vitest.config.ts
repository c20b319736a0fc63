import { defineConfig } from "vitest/config";

/** Logic runs in plain Node; a test that needs a document asks for jsdom in its first line. */
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
    environment: "node",
    // Two slow cores, shared with a browser build, must not make a sound test fail.
    testTimeout: 30_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
});
