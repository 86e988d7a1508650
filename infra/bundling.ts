import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

/**
 * The functions by folder name, with the most that each bundle may weigh, minified. The webhook travels in a ConfigMap, gzipped and in
 * base64 (about 0.42 of this), and `kubectl apply` repeats it in an annotation of at most 262,144 bytes.
 */
export const bundleBudgetsBytes = {
  provisioning: 1_050_000,
  lifecycle: 620_000,
  termination: 600_000,
  interruption: 580_000,
  disruption: 880_000,
  "garbage-collection": 600_000,
  later: 560_000,
  catalog: 980_000,
  webhook: 590_000,
} as const;

export type BundleName = keyof typeof bundleBudgetsBytes;
export type FunctionName = Exclude<BundleName, "webhook">;

export interface Bundle {
  readonly code: Uint8Array;
  /** What each source file gave to it. */
  readonly metafile: Metafile;
}

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Bundles a function as it is deployed. CommonJS and minified, with the SDK inside: the fastest to import of the forms that were
 * measured. Without a source map, whose relative paths would make the asset's hash depend on the output folder.
 */
export async function bundle(name: BundleName): Promise<Bundle> {
  const isWebhook = name === "webhook";
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [`functions/${name}/${isWebhook ? "main" : "handler"}.ts`],
    // In the cluster credentials come from the Pod Identity agent, which the SDK's own chain finds.
    alias: isWebhook ? {} : { "@aws-sdk/credential-provider-node": `${root}shared/runtime/lambda-credentials.ts` },
  });
  return { code: outputFiles?.[0]?.contents ?? new Uint8Array(), metafile };
}

/** The SDK spells the keys of its schemas as `[name]:` with a constant, which no bundler may drop: reading it could have effects. */
const schemaKeys: Plugin = {
  name: "schema-keys",
  setup(building) {
    building.onLoad({ filter: /[\\/]@aws-sdk[\\/].*[\\/]schemas[\\/]schemas_\d+\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const constants = new Map(
        [...source.matchAll(/^const (\w+) = ("[^"\\]*");$/gm)].map(([, key, text]) => [key, text]),
      );
      const contents = source.replace(/\[(\w+)\]:/g, (found, key: string) => {
        const text = constants.get(key);
        return text === undefined ? found : `${text}:`;
      });
      return { contents, loader: "js" };
    });
  },
};

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node24",
  minify: true,
  legalComments: "none",
  mainFields: ["module", "main"],
  metafile: true,
  write: false,
  logLevel: "error",
  plugins: [schemaKeys],
} as const satisfies BuildOptions;
