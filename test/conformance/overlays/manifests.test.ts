import { expect } from "vitest";
import { overlaidPools } from "../../../shared/cloud/node-overlays.ts";
import { nodeOverlayRows } from "../../support/api-cases/node-overlay.ts";
import { ownVerdicts } from "../../support/api-cases/verdicts.ts";
import { conforms } from "../../support/conformance.ts";
import { nodeOverlay } from "../../support/node-overlays.ts";

conforms(
  "no.req | nodepool key, capacity-type, kubernetes domains/subdomains, supported operators, empty list, set still non-empty after overlap (x9) | accepted",
  ownVerdicts(nodeOverlayRows),
);
conforms(
  "no.req | In or NotIn without values, malformed key, too long, unsupported operator, restricted domain, bad numeric operands (x8) | rejected",
  ownVerdicts(nodeOverlayRows),
);
conforms("no.price | +% , −% , −100 %, >100 %, ± integers, ± floats (x9) | accepted", ownVerdicts(nodeOverlayRows));
conforms(
  "no.price | 15 malformed absolute prices (sign, %, exponent, hex, text, blanks, bare point …) | rejected",
  ownVerdicts(nodeOverlayRows),
);
conforms("no.price | integer; float (x2) | accepted", ownVerdicts(nodeOverlayRows));
conforms("no.capacity | custom extended resource | accepted", ownVerdicts(nodeOverlayRows));

conforms("no.order | weight; equal weights by name (x2) | heavier first; later name first", () => {
  const order = (...overlays: readonly Parameters<typeof nodeOverlay>[]) =>
    overlaidPools(
      overlays.map((each) => nodeOverlay(...each)),
      [],
    ).verdicts.map(({ overlay }) => overlay.metadata.name);
  expect(order(["none"], ["light", { weight: 1 }], ["heavy", { weight: 100 }])).toEqual(["heavy", "light", "none"]);
  expect(order(["a", { weight: 10 }], ["c", { weight: 10 }], ["b", { weight: 10 }])).toEqual(["c", "b", "a"]);
});
