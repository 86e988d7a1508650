import type { AmiFamily } from "../../api/ec2-node-class.ts";
import type { LaunchProblem } from "../launch-situation.ts";
import { al2UserData } from "./al2.ts";
import { al2023UserData } from "./al2023.ts";
import { bottlerocketUserData } from "./bottlerocket.ts";
import { kubeletObstacle } from "./kubelet-support.ts";
import { parseUserData } from "./mime.ts";
import type { NodeBootstrap } from "./node-bootstrap.ts";
import { windowsUserData } from "./windows.ts";

/** EC2's limit, before base64. */
const maxUserDataBytes = 16_384;

export type UserData = { readonly kind: "user-data"; readonly text: string } | LaunchProblem;

/**
 * The user data of a node (karpenter-aws §5), or why its NodeClass cannot have any: `UnsupportedKubeletConfiguration`, `InvalidUserData`,
 * `UserDataSizeLimitExceeded`. Plain text; the adapter encodes it. Equal input gives equal bytes.
 */
export function userData(family: AmiFamily, bootstrap: NodeBootstrap, custom = ""): UserData {
  const obstacle = kubeletObstacle(family, bootstrap.kubelet);
  return obstacle === undefined ? checked(familyUserData(family, bootstrap, custom)) : problem(...obstacle);
}

function familyUserData(family: AmiFamily, bootstrap: NodeBootstrap, custom: string): UserData {
  switch (family) {
    case "Custom":
      return { kind: "user-data", text: custom };
    case "AL2023":
    case "AL2": {
      const own = parseUserData(custom, family);
      if (own.kind === "invalid") return invalid(own.reason);
      const text = family === "AL2" ? al2UserData(bootstrap, own.parts) : al2023UserData(bootstrap, own.parts);
      return { kind: "user-data", text };
    }
    case "Bottlerocket": {
      const made = bottlerocketUserData(bootstrap, custom);
      return made.kind === "invalid" ? invalid(made.reason) : { kind: "user-data", text: made.text };
    }
    case "Windows2019":
    case "Windows2022":
    case "Windows2025": {
      const made = windowsUserData(bootstrap, custom);
      return made.kind === "invalid" ? invalid(made.reason) : { kind: "user-data", text: made.text };
    }
  }
}

function checked(made: UserData): UserData {
  if (made.kind === "problem") return made;
  const bytes = new TextEncoder().encode(made.text).length;
  if (bytes <= maxUserDataBytes) return made;
  return problem(
    "UserDataSizeLimitExceeded",
    `the node's user data has ${bytes} bytes, EC2 accepts ${maxUserDataBytes}: shorten spec.userData`,
  );
}

function invalid(reason: string): LaunchProblem {
  return problem("InvalidUserData", `spec.userData: ${reason}`);
}

function problem(reason: string, message: string): LaunchProblem {
  return { kind: "problem", scope: "class", reason, message };
}
