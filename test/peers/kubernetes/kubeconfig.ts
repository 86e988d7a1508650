import { writeFileSync } from "node:fs";
import { stringify } from "yaml";
import type { CertificateWithKey } from "./certificates.ts";

export interface ApiServerAddress {
  readonly url: string;
  /** PEM. */
  readonly certificateAuthority: string;
}

/** Writes a kubeconfig file that only its owner may read. */
export function writeKubeconfig(
  path: string,
  { url, certificateAuthority }: ApiServerAddress,
  client: CertificateWithKey,
): void {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const name = "journeyman";
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server: url, "certificate-authority-data": base64(certificateAuthority) } }],
    users: [
      {
        name,
        user: {
          "client-certificate-data": base64(client.certificate),
          "client-key-data": base64(client.privateKey),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  writeFileSync(path, stringify(config), { mode: 0o600 });
}
