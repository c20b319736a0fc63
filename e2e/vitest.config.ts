import { defineConfig } from "vitest/config";

/** Each file starts programs of its own, browsers among them; two at a time is what a small machine bears. */
export default defineConfig({
  test: {
    fileParallelism: true,
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        // A real browser on a busy machine misses a moment now and then; a real fault fails twice, and a retry is shown.
        test: { name: "browser", include: ["tests/**/*.test.ts"], retry: 1 },
      },
      {
        extends: true,
        // No browser, no excuse: what fails once is a race of ours.
        test: { name: "editor", include: ["acp/**/*.test.ts"], retry: 0 },
      },
    ],
  },
});
