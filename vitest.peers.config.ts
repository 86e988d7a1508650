import { defineConfig } from "vitest/config";

/** Tests against what others wrote; needs Python, and the network at its first run. */
export default defineConfig({
  test: {
    include: ["test/peers/*.test.ts"],
    globalSetup: ["test/peers/moto-server.ts", "test/peers/ministack-server.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
