import { defineConfig } from "vitest/config";
import { planCheckerPlugin } from "./test/support/plan-checker/instrumentation.ts";

export default defineConfig({
  // Every plan that a test makes is checked on its way out.
  plugins: [planCheckerPlugin()],
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/peers/**", "node_modules/**"],
    // No test leaves anything behind in a module, and loading them anew for each file is more than half of the time.
    isolate: false,
    // For what hangs: busy machines take several times as long as quiet ones.
    testTimeout: 240_000,
    // Left to itself, vitest keeps one of two cores for the main process, which has next to nothing to do.
    maxWorkers: 2,
  },
});
