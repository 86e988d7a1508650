import { describe, expect, it } from "vitest";
import { annotation } from "../../../shared/api/labels.ts";
import { bufferPods, mostNewBufferPods, withBufferPods } from "../../../shared/state/buffer-pods.ts";
import { formatNominations } from "../../../shared/state/nominations.ts";
import { resolvedBuffer } from "../../support/buffers.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { snapshotWith } from "../../support/snapshot.ts";

const most = mostNewBufferPods;
const endless = 10 ** 9;

function counts(...sizes: readonly (readonly [string, number])[]): Readonly<Record<string, number>> {
  const pods = bufferPods(sizes.map(([name, replicas]) => resolvedBuffer(name, replicas)));
  return Object.fromEntries(sizes.map(([name]) => [name, pods.filter(({ owner }) => owner?.name === name).length]));
}

describe("the pods of huge buffers", () => {
  it("are the first of them, no more than one pass plans", () => {
    const pods = bufferPods([resolvedBuffer("web", endless)]);
    expect([pods.length, pods[0]?.uid, pods.at(-1)?.uid]).toEqual([most, "buffer-web-0", `buffer-web-${most - 1}`]);
  });

  it("leave the others all that they ask for, and are shared out among those that ask for too much", () => {
    expect(counts(["a", endless], ["b", 10], ["c", endless])).toEqual({
      a: (most - 10) / 2,
      b: 10,
      c: (most - 10) / 2,
    });
    expect(counts(["a", most - 1], ["b", 1])).toEqual({ a: most - 1, b: 1 });
  });

  it("are those that claims have places for, and as many more", () => {
    const uids = ["buffer-web-7", `buffer-web-${most + 3}`, "buffer-web-x", "buffer-webs-2"];
    const text = formatNominations(uids.map((uid) => ({ uid, owner: "", class: "" })));
    const nodeClaims = [nodeClaim("n", { annotations: { [annotation.nominatedPods]: text } })];
    const capacityBuffers = [resolvedBuffer("web", endless)];
    const { pods } = withBufferPods(snapshotWith({ capacityBuffers, nodeClaims }));
    expect(pods).toHaveLength(most + 2);
    expect(pods.map(({ uid }) => uid)).toContain(`buffer-web-${most + 3}`);
  });
});
