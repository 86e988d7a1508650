import type { Ec2Instance, RunInstancesRequest } from "../../shared/ports.ts";
import type { SimulatedEc2 } from "../../shared/simulator/ec2.ts";
import { Ec2ApiError } from "../../shared/simulator/ec2-api-error.ts";
import type { ReceivedRequest, ScriptedAnswer } from "./loopback.ts";

/** The simulated EC2 in the shape of the EC2 query API: form fields in, XML out, for the real SDK to talk to. */
export async function queryAnswer(ec2: SimulatedEc2, { body }: ReceivedRequest): Promise<ScriptedAnswer> {
  const fields = new URLSearchParams(body);
  try {
    const action = fields.get("Action");
    return { body: `<${action}Response>${await perform(ec2, fields)}</${action}Response>` };
  } catch (error) {
    if (!(error instanceof Ec2ApiError)) throw error;
    const status = /^(Insufficient|Internal)/.test(error.code) ? 500 : 400;
    const details = `<Code>${error.code}</Code><Message>${escapeXml(error.message)}</Message>`;
    return { status, body: `<Response><Errors><Error>${details}</Error></Errors></Response>` };
  }
}

async function perform(ec2: SimulatedEc2, fields: URLSearchParams): Promise<string> {
  switch (fields.get("Action")) {
    case "RunInstances":
      return `<instancesSet>${(await ec2.runInstances(launchOf(fields))).map(instanceXml).join("")}</instancesSet>`;
    case "DescribeInstances": {
      const filters = numbered(fields, "Filter").map((prefix) => ({
        name: fields.get(`${prefix}.Name`) ?? "",
        values: numbered(fields, `${prefix}.Value`).map((key) => fields.get(key) ?? ""),
      }));
      const items = (await ec2.describeInstances({ filters })).map(
        (instance) => `<item><instancesSet>${instanceXml(instance)}</instancesSet></item>`,
      );
      return `<reservationSet>${items.join("")}</reservationSet>`;
    }
    case "TerminateInstances":
      await ec2.terminateInstances(numbered(fields, "InstanceId").map((key) => fields.get(key) ?? ""));
      return "<instancesSet/>";
    case "CreateTags":
      await ec2.createTags(
        numbered(fields, "ResourceId").map((key) => fields.get(key) ?? ""),
        tagsAt(fields, "Tag"),
      );
      return "<return>true</return>";
    default:
      throw new Ec2ApiError("InvalidAction", `${fields.get("Action")}`);
  }
}

/** The request as it was before the adapter wrote it out, so that nothing lost on the wire goes unseen. */
function launchOf(fields: URLSearchParams): RunInstancesRequest {
  const text = (key: string) => fields.get(key) ?? "";
  const onOff = (key: string) => (text(key) === "enabled" ? "enabled" : "disabled");
  return {
    clientToken: text("ClientToken"),
    minCount: 1,
    maxCount: Number(text("MaxCount")),
    instanceType: text("InstanceType"),
    imageId: text("ImageId"),
    subnetId: text("SubnetId"),
    securityGroupIds: numbered(fields, "SecurityGroupId").map(text),
    ...marketOf(fields),
    instanceProfile: text("IamInstanceProfile.Name"),
    userData: Buffer.from(text("UserData"), "base64").toString(),
    metadataOptions: {
      httpEndpoint: onOff("MetadataOptions.HttpEndpoint"),
      httpProtocolIpv6: onOff("MetadataOptions.HttpProtocolIpv6"),
      httpPutResponseHopLimit: Number(text("MetadataOptions.HttpPutResponseHopLimit")),
      httpTokens: text("MetadataOptions.HttpTokens") === "required" ? "required" : "optional",
    },
    blockDeviceMappings: [],
    tags: tagsAt(fields, "TagSpecification.1.Tag"),
  };
}

function marketOf(fields: URLSearchParams): Pick<RunInstancesRequest, "capacityType" | "capacityReservationId"> {
  const specification = "CapacityReservationSpecification";
  const id = fields.get(`${specification}.CapacityReservationTarget.CapacityReservationId`);
  if (fields.get(`${specification}.CapacityReservationPreference`) === "capacity-reservations-only") {
    return { capacityType: "reserved", ...(id !== null && { capacityReservationId: id }) };
  }
  return { capacityType: fields.get("InstanceMarketOptions.MarketType") === "spot" ? "spot" : "on-demand" };
}

/** `Filter.1`, `Filter.2` and so on, as far as the fields go. */
function numbered(fields: URLSearchParams, prefix: string): string[] {
  const numbers = [...fields.keys()].flatMap((key) =>
    key.startsWith(`${prefix}.`) ? [Number(key.slice(prefix.length + 1).split(".")[0])] : [],
  );
  return [...new Set(numbers)].sort((a, b) => a - b).map((number) => `${prefix}.${number}`);
}

function tagsAt(fields: URLSearchParams, prefix: string): Record<string, string> {
  return Object.fromEntries(
    numbered(fields, prefix).map((tag) => [fields.get(`${tag}.Key`) ?? "", fields.get(`${tag}.Value`) ?? ""]),
  );
}

function instanceXml(instance: Ec2Instance): string {
  const element = (name: string, value: string | undefined) =>
    value === undefined ? "" : `<${name}>${escapeXml(value)}</${name}>`;
  const tags = Object.entries(instance.tags).map(
    ([key, value]) => `<item>${element("key", key)}${element("value", value)}</item>`,
  );
  return [
    "<item>",
    element("instanceId", instance.instanceId),
    element("instanceType", instance.instanceType),
    element("imageId", instance.imageId),
    element("subnetId", instance.subnetId),
    `<placement>${element("availabilityZone", instance.zone)}</placement>`,
    `<instanceState>${element("name", instance.state)}</instanceState>`,
    element("launchTime", new Date(instance.launchedAt).toISOString()),
    element("privateDnsName", instance.privateDnsName),
    element("clientToken", instance.clientToken),
    element("instanceLifecycle", instance.capacityType === "spot" ? "spot" : undefined),
    element("capacityReservationId", instance.capacityReservationId),
    instance.capacityType === "reserved" ? reservedXml : "",
    instance.stateReason === undefined ? "" : `<stateReason>${element("code", instance.stateReason)}</stateReason>`,
    `<tagSet>${tags.join("")}</tagSet>`,
    "</item>",
  ].join("");
}

const reservedXml =
  "<capacityReservationSpecification><capacityReservationPreference>capacity-reservations-only" +
  "</capacityReservationPreference></capacityReservationSpecification>";

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
