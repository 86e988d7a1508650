import type { AmiFamily } from "../../api/ec2-node-class.ts";
import type { LaunchProblem } from "../launch-situation.ts";
import { isBootstrapped } from "../launch-support.ts";
import { al2023UserData, type NodeBootstrap } from "./al2023.ts";
import { parseUserData } from "./mime.ts";

/** EC2's limit, before base64. */
const maxUserDataBytes = 16_384;

/** The user data of a node, or why its NodeClass cannot have any. Plain text; the adapter encodes it. */
export function userData(
  family: AmiFamily,
  bootstrap: NodeBootstrap,
  custom = "",
): { readonly kind: "user-data"; readonly text: string } | LaunchProblem {
  if (!isBootstrapped(family)) {
    return problem(
      "UnsupportedAMIFamily",
      `spec.amiFamily: found ${family}, for which nodes cannot be launched yet; accepted are AL2023 and Custom`,
    );
  }
  switch (family) {
    case "Custom":
      return checked(custom);
    case "AL2023": {
      const parts = parseUserData(custom);
      if (parts.kind === "invalid") return problem("InvalidUserData", `spec.userData: ${parts.reason}`);
      return checked(al2023UserData(bootstrap, parts));
    }
  }
}

function checked(text: string): { readonly kind: "user-data"; readonly text: string } | LaunchProblem {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= maxUserDataBytes) return { kind: "user-data", text };
  return problem(
    "UserDataSizeLimitExceeded",
    `the node's user data has ${bytes} bytes, EC2 accepts ${maxUserDataBytes}: shorten spec.userData`,
  );
}

function problem(reason: string, message: string): LaunchProblem {
  return { kind: "problem", scope: "class", reason, message };
}
