import { parseArgs } from "node:util";
import { componentNames } from "./component-flags.ts";
import { builtComponents } from "./components.ts";
import { type Kubernetes, startKubernetes } from "./control-plane.ts";
import { keepNodesAlive } from "./nodes.ts";
import { isRelease, type Release, releases } from "./releases.ts";

const newest = releases[releases.length - 1] ?? "1.37";

const usage = `npm run cluster -- [--release ${releases.join("|")}] [--dir DIR] [--build-only]

Builds and starts a Kubernetes control plane on loopback, without kubelets, for kubectl and the command line to be used against.
Ctrl-C stops it.
  --release     the minor release; ${newest} by default
  --dir         keep its objects in this folder from one start to the next
  --build-only  start nothing; without --release, build all releases`;

await run(process.argv.slice(2));

async function run(argv: readonly string[]): Promise<void> {
  const options = parsedOptions(argv);
  if (typeof options === "string") {
    if (options === usage) console.log(options);
    else console.error(options);
    process.exitCode = options === usage ? 0 : 2;
    return;
  }
  if (options.isBuildOnly) {
    for (const release of options.release === undefined ? releases : [options.release]) {
      console.log(await builtComponents(release));
    }
    return;
  }
  await runCluster(options.release ?? newest, options.dir);
}

async function runCluster(release: Release, dir: string | undefined): Promise<void> {
  const startedAt = Date.now();
  const cluster = await startKubernetes({ release, ...(dir !== undefined && { folder: dir }) });
  const stopBeating = keepNodesAlive(cluster.admin);
  console.log(instructions(cluster, (Date.now() - startedAt) / 1_000));
  const interrupted = new Promise<undefined>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve(undefined));
  });
  const failure = await Promise.race([interrupted, cluster.failed]);
  stopBeating();
  await cluster.stop();
  if (failure === undefined) return;
  console.error(failure);
  process.exitCode = 1;
}

interface Options {
  readonly release: Release | undefined;
  readonly dir: string | undefined;
  readonly isBuildOnly: boolean;
}

/** Or what to say when they are of no use. */
function parsedOptions(argv: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        release: { type: "string" },
        dir: { type: "string" },
        "build-only": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) return usage;
    const { release, dir } = values;
    if (release !== undefined && !isRelease(release))
      return `--release is ${release}: want one of ${releases.join(", ")}`;
    return { release, dir, isBuildOnly: values["build-only"] === true };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${usage}`;
  }
}

function instructions(cluster: Kubernetes, seconds: number): string {
  const mebibytes = componentNames.reduce((sum, name) => sum + cluster.memory()[name] / 2 ** 20, 0);
  return `
Kubernetes ${cluster.version} is ready at ${cluster.url} after ${seconds.toFixed(1)} s, in ${Math.round(mebibytes)} MiB.
Its logs are in ${cluster.folder}.

  export KUBECONFIG=${cluster.adminKubeconfigPath}
  kubectl get --raw /readyz
  kubectl create deployment web --image=web --replicas=3
  kubectl get pods --output yaml | npx journeyman plan -f examples/nodepool.yaml -f -

There is no kubelet: create Node objects yourself. They are kept alive, and the pods on them stay Pending. Ctrl-C stops it all.`;
}
