import { label } from "../../../shared/api/labels.ts";
import { nodeOverlayManifest as overlay } from "../api-manifests.ts";
import { type ApiRows, accepted, atRuntime, rejected } from "./api-case.ts";

const requiring = (...entries: readonly object[]) => overlay(["spec.requirements", entries]);
const priced = (text: unknown) => overlay(["spec.price", text]);
const adjusted = (text: unknown) => overlay(["spec.priceAdjustment", text]);
const of = (key: string, operator = "In", values: readonly string[] = ["x"]) => ({ key, operator, values });
const operators = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"];
const kubernetesKeys = ["kubernetes.io/x", "k8s.io/x", "sub.kubernetes.io/x", "sub.k8s.io/x"];
const malformed = ["+1", "-1", "1%", "1e3", "0x1f", "free", "", " ", "1 ", " 1", "1.", ".5", ".", "1.2.3", "1,5"];

export const nodeOverlayRows: ApiRows = {
  "no.req | nodepool key, capacity-type, kubernetes domains/subdomains, supported operators, empty list, set still non-empty after overlap (x9) | accepted":
    [
      requiring(of(label.nodePool)),
      requiring(of(label.capacityType, "In", ["spot"])),
      ...kubernetesKeys.map((key) => requiring(of(key))),
      ...operators.map((operator) => requiring(of("team", operator, /Exist/.test(operator) ? [] : ["1"]))),
      requiring(),
      requiring(of(label.zone, "In", ["a", "b"]), of(label.zone, "NotIn", ["a"])),
    ].map((manifest) => accepted(manifest)),
  "no.req | In or NotIn without values, malformed key, too long, unsupported operator, restricted domain, bad numeric operands (x8) | rejected":
    [
      ...["In", "NotIn"].map((operator) =>
        rejected("requirements[0].values: found [], expected at least one value", requiring(of("team", operator, []))),
      ),
      ...[
        "test.com.com}",
        "karpenter.sh/x",
        label.hostname,
        label.tenancy,
        label.reservationId,
        label.placementGroupId,
      ].map((key) => rejected("requirements[0].key", requiring(of(key, "Exists", [])))),
      atRuntime("requirements[0].key", requiring(of("a".repeat(64)))),
      rejected("requirements[0].operator", requiring(of("team", "unknown"))),
      rejected("requirements[0].values", requiring(of("team", "Gt", ["-1"]))),
      rejected("requirements[0].values", requiring(of("team", "Lt", ["1", "2"]))),
      rejected("requirements[0].values", requiring(of("team", "Gte", ["a"]))),
      rejected("requirements[0].values", requiring(of("team", "Lte", []))),
    ],
  "no.price | +% , −% , −100 %, >100 %, ± integers, ± floats (x9) | accepted": [
    ...["+10%", "-10%", "-100%", "+500%", "+5", "-5", "+0.05", "-3.25", "+.5"].map((text) => accepted(adjusted(text))),
  ],
  "no.price | 15 malformed absolute prices (sign, %, exponent, hex, text, blanks, bare point …) | rejected": [
    ...malformed.map((text) => rejected("spec.price: found", priced(text))),
  ],
  "no.price | integer; float (x2) | accepted": [accepted(priced("3")), accepted(priced("0.25"))],
  "no.capacity | custom extended resource | accepted": [
    accepted(overlay([["spec", "capacity", "smarter-devices/fuse"], "1"])),
    ...["cpu", "memory", "ephemeral-storage", "pods"].map((resource) =>
      rejected(`spec.capacity.${resource}`, overlay([["spec", "capacity", resource], "1"])),
    ),
  ],
};
