import { defineConfig } from "vitest/config";

/** Tests against a real control plane; needs Go, and builds it at the first run, which takes some ten minutes for each release. */
export default defineConfig({
  test: {
    include: ["test/peers/kubernetes/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
