import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  type IAMClient,
  paginateListInstanceProfiles,
  RemoveRoleFromInstanceProfileCommand,
  type InstanceProfile as SdkInstanceProfile,
} from "@aws-sdk/client-iam";
import type { InstanceProfile, NodeClassPort } from "../../account-ports.ts";
import { ProviderError } from "../../ports.ts";
import { awsError, awsErrorFacts } from "./aws-error.ts";

type InstanceProfileCalls = Pick<
  NodeClassPort,
  "instanceProfile" | "instanceProfiles" | "createInstanceProfile" | "addRole" | "deleteInstanceProfile"
>;

/** The part of a {@link NodeClassPort} that IAM answers. */
export function instanceProfiles(client: IAMClient): InstanceProfileCalls {
  const find = async (name: string): Promise<InstanceProfile | undefined> => {
    const command = new GetInstanceProfileCommand({ InstanceProfileName: name });
    const found = await orIfNoSuch(client.send(command), `GetInstanceProfile ${name}`);
    return found?.InstanceProfile && profileOf(found.InstanceProfile);
  };
  return {
    instanceProfile: find,
    async instanceProfiles(pathPrefix) {
      const found: InstanceProfile[] = [];
      try {
        const pages = paginateListInstanceProfiles({ client, pageSize: 1_000 }, { PathPrefix: pathPrefix });
        for await (const { InstanceProfiles } of pages) found.push(...(InstanceProfiles ?? []).map(profileOf));
      } catch (error) {
        throw iamError(`ListInstanceProfiles of ${pathPrefix}`, error);
      }
      return found;
    },
    async createInstanceProfile({ name, path, tags }) {
      const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
      const command = new CreateInstanceProfileCommand({ InstanceProfileName: name, Path: path, Tags });
      await client.send(command).catch((error: unknown) => {
        if (codeOf(error) !== "EntityAlreadyExists") throw iamError(`CreateInstanceProfile ${name}`, error);
      });
    },
    async addRole(profile, role) {
      const command = new AddRoleToInstanceProfileCommand({ InstanceProfileName: profile, RoleName: role });
      await client.send(command).catch(async (error: unknown) => {
        // A profile has one role at most: what IAM refuses may be what is there already.
        if (codeOf(error) === "LimitExceeded" && (await find(profile))?.roles.includes(role)) return;
        throw iamError(`AddRoleToInstanceProfile ${profile}, role ${role}`, error);
      });
    },
    async deleteInstanceProfile(name) {
      for (const role of (await find(name))?.roles ?? []) {
        const command = new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName: name, RoleName: role });
        await orIfNoSuch(client.send(command), `RemoveRoleFromInstanceProfile ${name}, role ${role}`);
      }
      const command = new DeleteInstanceProfileCommand({ InstanceProfileName: name });
      await orIfNoSuch(client.send(command), `DeleteInstanceProfile ${name}`);
    },
  };
}

function profileOf({ InstanceProfileName, Roles, CreateDate }: SdkInstanceProfile): InstanceProfile {
  const roles = (Roles ?? []).flatMap(({ RoleName }) => RoleName ?? []);
  return { name: InstanceProfileName ?? "", roles, createdAt: CreateDate?.getTime() ?? 0 };
}

/** The answer; undefined when IAM knows no such thing. */
async function orIfNoSuch<T>(call: Promise<T>, what: string): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (codeOf(error) === noSuchEntity) return undefined;
    throw iamError(what, error);
  }
}

const noSuchEntity = "NoSuchEntity";

/** The SDK ends the names of some of IAM's errors in a word that IAM's codes do not have. */
function codeOf(error: unknown): string {
  return awsErrorFacts(error).code.replace(/Exception$/, "");
}

function iamError(what: string, error: unknown): ProviderError {
  if (codeOf(error) !== noSuchEntity) return awsError(what, error);
  return new ProviderError("NotFound", noSuchEntity, `${what}: ${awsErrorFacts(error).message}`, { cause: error });
}
