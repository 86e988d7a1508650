import type { AccountInstanceProfile } from "../../../shared/simulator/ec2-account.ts";
import { Ec2ApiError } from "../../../shared/simulator/ec2-api-error.ts";
import { InstanceProfiles } from "../../../shared/simulator/ec2-instance-profiles.ts";
import type { ScriptedAnswer } from "../loopback.ts";
import type { WireCloud } from "./cloud.ts";
import { cut } from "./paging.ts";
import { QueryForm } from "./query-form.ts";
import { type XmlValue, xml } from "./xml.ts";

/** The part of IAM's query API that instance profiles need. */
export function iamAnswer(cloud: WireCloud, body: string): ScriptedAnswer {
  const form = new QueryForm(new URLSearchParams(body));
  const action = form.text("Action") ?? "";
  try {
    const result = xml(perform(cloud, action, form), "member");
    return { body: `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>` };
  } catch (error) {
    if (!(error instanceof Ec2ApiError)) throw error;
    const { code: Code, message: Message } = error;
    const status = Code === "NoSuchEntity" ? 404 : Code === "InvalidAction" ? 400 : 409;
    return { status, body: `<ErrorResponse>${xml({ Error: { Type: "Sender", Code, Message } })}</ErrorResponse>` };
  }
}

function perform(cloud: WireCloud, action: string, form: QueryForm): XmlValue {
  const profiles = new InstanceProfiles(cloud.account);
  const name = form.text("InstanceProfileName") ?? "";
  const role = form.text("RoleName") ?? "";
  switch (action) {
    case "GetInstanceProfile":
      return { InstanceProfile: profileElement(cloud, profiles.get(name)) };
    case "ListInstanceProfiles": {
      const all = profiles.list(form.text("PathPrefix") ?? "/");
      const size = Math.min(form.number("MaxItems") ?? 100, cloud.pageLimit ?? 100);
      const { items, nextToken } = cut(all, form.text("Marker"), size);
      const InstanceProfiles = items.map((profile) => profileElement(cloud, profile));
      return { InstanceProfiles, IsTruncated: nextToken !== undefined, Marker: nextToken };
    }
    case "CreateInstanceProfile": {
      const path = form.text("Path") ?? "/";
      const tags = form.at("Tags").tags("member");
      return { InstanceProfile: profileElement(cloud, profiles.create({ name, path, tags, createdAt: cloud.now() })) };
    }
    case "AddRoleToInstanceProfile":
      return profiles.addRole(name, role) ?? {};
    case "RemoveRoleFromInstanceProfile":
      return profiles.removeRole(name, role) ?? {};
    case "DeleteInstanceProfile":
      return profiles.delete(name) ?? {};
    default:
      throw new Ec2ApiError("InvalidAction", `Could not find operation ${action}`);
  }
}

function profileElement(
  { account }: WireCloud,
  { name, path, roles, createdAt, tags }: AccountInstanceProfile,
): XmlValue {
  const CreateDate = new Date(createdAt).toISOString();
  const arn = (kind: string, of: string) => `arn:aws:iam::${account.accountId}:${kind}${of}`;
  return {
    Path: path,
    InstanceProfileName: name,
    InstanceProfileId: `AIPA${name}`,
    Arn: arn("instance-profile", path + name),
    CreateDate,
    Roles: roles.map((RoleName) => ({
      Path: "/",
      RoleName,
      RoleId: `AROA${RoleName}`,
      Arn: arn("role/", RoleName),
      CreateDate,
    })),
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  };
}
