import type { TestProject } from "vitest/node";
import { startPythonServer } from "./python-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    motoUrl: string;
  }
}

/** moto: a model of AWS that others wrote (Python, Apache-2.0). */
const version = "5.2.5";

/** Starts moto before the first test and stops it after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPythonServer({
    name: "moto",
    version,
    requirement: `moto[server,ec2]==${version}`,
    script: "moto_server",
    options: ["-H", "127.0.0.1", "-p", "0"],
  });
  project.provide("motoUrl", server.url);
  return () => server.stop();
}
