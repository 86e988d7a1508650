import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { ServingCertificate } from "../../../functions/webhook/server.ts";
import { type CertificateWorld, certificateWorld, webhookName } from "../../support/certificate-world.ts";

/** What an API server with this bundle makes of a server with this certificate, at a time. */
function isAccepted(world: CertificateWorld, served: ServingCertificate | undefined, bundle = world.bundle()): boolean {
  if (served === undefined) return false;
  const server = new X509Certificate(served.certificate);
  const authorities = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  return (
    server.checkHost(webhookName) !== undefined &&
    server.validFromDate.getTime() <= world.now() &&
    server.validToDate.getTime() > world.now() &&
    authorities.some((pem) => server.verify(new X509Certificate(pem).publicKey))
  );
}

function authorityCount(world: CertificateWorld): number {
  return world.bundle().split("BEGIN CERTIFICATE").length - 1;
}

describe("the first start", () => {
  it("makes a certificate, has every entry trust it, and is ready then", async () => {
    const world = certificateWorld();
    const one = world.start();
    expect(one.keeper.fault()).toBe("the certificate is not made yet");
    await one.keeper.pass();
    expect(one.keeper.fault()).toBeUndefined();
    expect(isAccepted(world, one.served.at(-1))).toBe(true);
    const bundles = world.objects.configuration?.entries.map(({ caBundle }) => caBundle);
    expect(new Set(bundles).size).toBe(1);
  });

  it("of two replicas at once ends with one certificate that both serve", async () => {
    const world = certificateWorld();
    const [one, two] = [world.start(), world.start()];
    world.beforeNextWrite(() => two.keeper.pass());
    await one.keeper.pass();
    expect(one.served).toHaveLength(1);
    expect(one.served).toEqual(two.served);
    expect(one.keeper.fault()).toBeUndefined();
    expect(authorityCount(world)).toBe(1);
  });

  it("loses nobody's authority when replicas write the bundle at the same time", async () => {
    const world = certificateWorld();
    const [one, two] = [world.start(), world.start()];
    await one.keeper.pass();
    world.objects.secret = undefined;
    // Each makes its own: one writes it back from memory, and the other adopts it.
    world.beforeNextWrite(() => two.keeper.pass());
    await one.keeper.pass();
    await two.keeper.pass();
    for (const { served } of [one, two]) expect(isAccepted(world, served.at(-1))).toBe(true);
  });

  it("is not ready while the configuration does not exist, and becomes ready when it comes", async () => {
    const world = certificateWorld();
    const { configuration } = world.objects;
    world.objects.configuration = undefined;
    const one = world.start();
    await one.keeper.pass();
    expect(one.keeper.fault()).toContain("does not exist");
    world.objects.configuration = configuration;
    await one.keeper.pass();
    expect(one.keeper.fault()).toBeUndefined();
  });

  it("trusts again when somebody emptied the bundle of one entry", async () => {
    const world = certificateWorld();
    const one = world.start();
    await one.keeper.pass();
    const [first, ...others] = world.objects.configuration?.entries ?? [];
    const emptied = { name: first?.name ?? "", caBundle: "" };
    world.objects.configuration = { resourceVersion: "x", entries: [emptied, ...others] };
    await one.keeper.pass();
    expect(isAccepted(world, one.served.at(-1))).toBe(true);
  });
});

describe("a lifetime of rotations", () => {
  it("never leaves a replica that the API server does not accept, over the lives of five and a restart each month", async () => {
    const world = certificateWorld();
    const replicas = [world.start(), world.start()];
    for (const { keeper } of replicas) await keeper.pass();
    const served = new Set<string>();
    for (let day = 0; day < 265; day += 1) {
      world.passDays(1);
      if (day % 30 === 0) replicas[(day / 30) % 2] = world.start();
      // The second hears of everything later than the first: between the two, what the first wrote is all that the API server knows.
      for (const { keeper } of replicas) {
        await keeper.pass();
        for (const { served: certificates } of replicas) {
          const current = certificates.at(-1);
          if (current === undefined) continue;
          served.add(current.certificate);
          expect(isAccepted(world, current)).toBe(true);
        }
      }
    }
    // Renewed every sixty days of ninety.
    expect(served.size).toBe(5);
    expect(authorityCount(world)).toBe(2);
  });

  it("makes the next certificate at two thirds of the life, and serves it when it has been trusted for five minutes", async () => {
    const world = certificateWorld();
    const one = world.start();
    await one.keeper.pass();
    world.passDays(59.9);
    await one.keeper.pass();
    expect(authorityCount(world)).toBe(1);
    world.passDays(0.1);
    await one.keeper.pass();
    expect(authorityCount(world)).toBe(2);
    expect(one.served).toHaveLength(1);
    world.passMinutes(4.9);
    await one.keeper.pass();
    expect(one.served).toHaveLength(1);
    world.passMinutes(0.1);
    await one.keeper.pass();
    expect(one.served).toHaveLength(2);
    expect(authorityCount(world)).toBe(2);
    expect(isAccepted(world, one.served[0])).toBe(true);
  });

  it("goes on where a replica that died in the middle stopped", async () => {
    const world = certificateWorld();
    const first = world.start();
    await first.keeper.pass();
    world.passDays(61);
    await first.keeper.pass();
    const second = world.start();
    world.passMinutes(6);
    await second.keeper.pass();
    expect(authorityCount(world)).toBe(2);
    expect(second.served.at(-1)).not.toEqual(first.served.at(-1));
    for (const { served } of [first, second]) expect(isAccepted(world, served.at(-1))).toBe(true);
  });

  it("does not serve the next certificate while an entry does not trust it", async () => {
    const world = certificateWorld();
    const one = world.start();
    await one.keeper.pass();
    const old = world.bundle();
    world.passDays(61);
    await one.keeper.pass();
    world.passMinutes(6);
    const { entries = [] } = world.objects.configuration ?? {};
    const reset = entries.map(({ name }, n) => ({ name, caBundle: n === 0 ? old : world.bundle() }));
    world.objects.configuration = { resourceVersion: "x", entries: reset };
    await one.keeper.pass();
    expect(one.served).toHaveLength(1);
    await one.keeper.pass();
    expect(one.served).toHaveLength(2);
  });

  it("lets two replicas promote at the same time", async () => {
    const world = certificateWorld();
    const [one, two] = [world.start(), world.start()];
    for (const { keeper } of [one, two]) await keeper.pass();
    world.passDays(61);
    for (const { keeper } of [one, two]) await keeper.pass();
    world.passMinutes(6);
    world.beforeNextWrite(() => two.keeper.pass());
    await one.keeper.pass();
    expect(one.served.at(-1)).toEqual(two.served.at(-1));
    expect(authorityCount(world)).toBe(2);
  });
});

describe("what is broken", () => {
  it("is mended when the certificate has expired at the start", async () => {
    const world = certificateWorld();
    await world.start().keeper.pass();
    world.passDays(200);
    const late = world.start();
    await late.keeper.pass();
    expect(late.keeper.fault()).toBeUndefined();
    expect(isAccepted(world, late.served.at(-1))).toBe(true);
    expect(authorityCount(world)).toBe(1);
    expect(world.log.some((why) => why.includes("it expired at 2026-03-31"))).toBe(true);
  });

  it("is told when a certificate expires and nothing can be written", async () => {
    const world = certificateWorld();
    const one = world.start();
    await one.keeper.pass();
    world.passDays(90);
    expect(one.keeper.fault()).toContain("it expired at");
  });

  const other = certificateWorld();
  const breakages = {
    "is not PEM": { "tls.crt": "not a certificate" },
    "has a key of another": async () => {
      await other.start().keeper.pass();
      return { "tls.key": other.objects.secret?.data["tls.key"] ?? "" };
    },
    "has an authority of another": async () => {
      await other.start().keeper.pass();
      return { "ca.crt": other.objects.secret?.data["ca.crt"] ?? "" };
    },
    "is for another name": async () => {
      const elsewhere = certificateWorld();
      await elsewhere.start(["other.ns.svc"]).keeper.pass();
      return elsewhere.objects.secret?.data ?? {};
    },
    "is empty": { "tls.crt": "", "tls.key": "", "ca.crt": "" },
  };

  for (const [how, breakage] of Object.entries(breakages)) {
    it(`is written back by a replica that still has it, when the Secret ${how}`, async () => {
      const world = certificateWorld();
      const one = world.start();
      await one.keeper.pass();
      const before = world.objects.secret?.data;
      world.breakSecret(typeof breakage === "function" ? await breakage() : breakage);
      await one.keeper.pass();
      expect(world.objects.secret?.data).toEqual(before);
      expect(one.served).toHaveLength(1);
    });

    it(`is made anew by a replica that just started, when the Secret ${how}`, async () => {
      const world = certificateWorld();
      const first = world.start();
      await first.keeper.pass();
      world.breakSecret(typeof breakage === "function" ? await breakage() : breakage);
      const second = world.start();
      await second.keeper.pass();
      // The first serves the old one until its next pass.
      for (const { served } of [first, second]) expect(isAccepted(world, served.at(-1))).toBe(true);
      await first.keeper.pass();
      expect(first.served.at(-1)).toEqual(second.served.at(-1));
    });
  }

  it("is a bundle that is no PEM: it is replaced", async () => {
    const world = certificateWorld();
    const one = world.start();
    await one.keeper.pass();
    const entries = [{ name: "pods.journeyman.sh", caBundle: "garbage" }];
    world.objects.configuration = { resourceVersion: "x", entries };
    await one.keeper.pass();
    expect(world.bundle()).not.toContain("garbage");
    expect(isAccepted(world, one.served.at(-1))).toBe(true);
  });

  it("is a next certificate that somebody broke: another is made", async () => {
    const world = certificateWorld();
    const one = world.start();
    await one.keeper.pass();
    world.passDays(61);
    await one.keeper.pass();
    world.breakSecret({ "next.key": "not a key" });
    await one.keeper.pass();
    world.passMinutes(6);
    await one.keeper.pass();
    expect(one.served).toHaveLength(2);
    expect(isAccepted(world, one.served.at(-1))).toBe(true);
  });
});
