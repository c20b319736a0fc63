import { defineConfig } from "vitest/config";

/** Each file starts programs of its own, browsers among them; two at a time is what a small machine bears. */
export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts", "acp/**/*.test.ts"],
    fileParallelism: true,
    maxWorkers: 2,
    // A real browser on a busy machine, or a program of other people, misses a moment now and then; a real fault fails
    // twice, and a retry is shown.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
