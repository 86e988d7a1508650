import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface WebhookProcessOptions {
  readonly apiServer: { readonly url: string; readonly certificateAuthority: string };
  /** Of the ServiceAccount that it runs as. */
  readonly token: string;
  readonly eventBridgeUrl: string;
  readonly port: number;
}

export interface WebhookProcess extends AsyncDisposable {
  /** Resolves with the line of its log that has this message. */
  said(message: string): Promise<Readonly<Record<string, unknown>>>;
  readonly lines: readonly string[];
  /** Tells it to end and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const entry = fileURLToPath(new URL("../../../functions/webhook/main.ts", import.meta.url));

/** The webhook's own process, as a pod runs it: settings in the environment, its ServiceAccount's token in a folder. */
export async function startWebhookProcess(options: WebhookProcessOptions): Promise<WebhookProcess> {
  const { apiServer, token, eventBridgeUrl, port } = options;
  const folder = mkdtempSync(join(tmpdir(), "journeyman-webhook-"));
  writeFileSync(join(folder, "token"), token);
  writeFileSync(join(folder, "ca.crt"), apiServer.certificateAuthority);
  const { hostname, port: apiServerPort } = new URL(apiServer.url);
  const child = spawn(process.execPath, [entry], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "AKID",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL_EVENTBRIDGE: eventBridgeUrl,
      JOURNEYMAN_EVENT_BUS: "journeyman-shop",
      JOURNEYMAN_PORT: String(port),
      JOURNEYMAN_DRAIN_MILLISECONDS: "0",
      JOURNEYMAN_WEBHOOK_NAMES: "localhost",
      JOURNEYMAN_SERVICE_ACCOUNT_DIRECTORY: folder,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: apiServerPort,
    },
  });
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on("line", (line) => lines.push(line));
  const said = async (message: string) => {
    for (let next = 0; ; next += 1) {
      while (next >= lines.length) {
        if (child.exitCode !== null)
          throw new Error(`the webhook ended before it said "${message}":\n${lines.join("\n")}`);
        await once(output, "line");
      }
      const parsed = JSON.parse(lines[next] ?? "{}");
      if (parsed.message === message) return parsed;
    }
  };
  await said("listening");
  const stop = (signal: NodeJS.Signals = "SIGTERM") => ended(child, signal);
  return {
    said,
    lines,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
  return child.exitCode;
}
