/**
 * How code becomes a Lambda package. CommonJS and minified, with the SDK inside: the fastest to import of the forms that were
 * measured. Without a source map, whose relative paths would make the asset's hash depend on the output folder.
 */
export const bundling = {
  format: "cjs",
  minify: true,
  sourceMap: false,
  target: "node24",
  mainFields: ["module", "main"],
} as const;

/**
 * The functions by folder name, with the most that each bundle may weigh, minified. Half of it is the EC2 client. The webhook travels
 * in a ConfigMap, gzipped and in base64 (about 0.42 of this), and `kubectl apply` repeats it in an annotation of at most 262,144 bytes.
 */
export const bundleBudgetsBytes = {
  provisioning: 1_700_000,
  lifecycle: 1_200_000,
  termination: 1_200_000,
  interruption: 1_200_000,
  disruption: 1_500_000,
  "garbage-collection": 1_200_000,
  later: 1_200_000,
  catalog: 1_700_000,
  webhook: 550_000,
} as const;

export type FunctionName = Exclude<keyof typeof bundleBudgetsBytes, "webhook">;
