import type { FunctionEnvironment } from "../../shared/runtime/config.ts";

/** What the stack sets on a function of the cluster `shop`, which asks EKS where its cluster is. */
export const functionEnvironment = {
  JOURNEYMAN_FUNCTION: "provisioning",
  JOURNEYMAN_CLUSTER_NAME: "shop",
  JOURNEYMAN_ACCOUNT_ID: "123456789012",
  JOURNEYMAN_KUBERNETES_VERSION: "1.34",
  JOURNEYMAN_PROVISIONING_QUEUE_URL: "https://sqs.example/provisioning.fifo",
  JOURNEYMAN_LATER_QUEUE_URL: "https://sqs.example/later",
  JOURNEYMAN_LIFECYCLE_QUEUE_URL: "https://sqs.example/lifecycle",
  JOURNEYMAN_TERMINATION_QUEUE_URL: "https://sqs.example/termination",
} satisfies Partial<FunctionEnvironment>;
