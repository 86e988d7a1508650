import type { TestProject } from "vitest/node";
import { startPythonServer } from "./python-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    ministackUrl: string;
  }
}

/** ministack: SQS and EventBridge with real delivery, that others wrote (Python, MIT). */
const version = "1.5.33";

/** Starts ministack before the first test and stops it after the last. It would listen on every interface unless told otherwise. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPythonServer({
    name: "ministack",
    version,
    requirement: `ministack==${version}`,
    script: "ministack",
    env: { BIND_HOST: "127.0.0.1", GATEWAY_PORT: "0", SERVICES: "sqs,events" },
  });
  project.provide("ministackUrl", server.url);
  return () => server.stop();
}
