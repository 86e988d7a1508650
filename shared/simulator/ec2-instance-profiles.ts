import type { AccountInstanceProfile, SimulatedAccount } from "./ec2-account.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";

/** The calls of IAM that make and unmake instance profiles, with IAM's codes. A profile has one role at most, and must have none to go. */
export class InstanceProfiles {
  readonly #account: SimulatedAccount;

  constructor(account: SimulatedAccount) {
    this.#account = account;
  }

  /** Throws `NoSuchEntity`. */
  get(name: string): AccountInstanceProfile {
    const profile = this.#account.instanceProfiles.get(name);
    if (profile === undefined) throw new Ec2ApiError("NoSuchEntity", `Instance Profile ${name} cannot be found.`);
    return profile;
  }

  list(pathPrefix: string): readonly AccountInstanceProfile[] {
    return [...this.#account.instanceProfiles.values()].filter(({ path }) => path.startsWith(pathPrefix));
  }

  /** Throws `EntityAlreadyExists`. */
  create(profile: Omit<AccountInstanceProfile, "roles">): AccountInstanceProfile {
    if (this.#account.instanceProfiles.has(profile.name)) {
      throw new Ec2ApiError("EntityAlreadyExists", `Instance Profile ${profile.name} already exists.`);
    }
    const created = { ...profile, roles: [] };
    this.#account.instanceProfiles.set(profile.name, created);
    return created;
  }

  /** Throws `NoSuchEntity`, or `LimitExceeded` when it has a role. */
  addRole(name: string, role: string): void {
    const profile = this.get(name);
    if (!this.#account.roles.includes(role)) {
      throw new Ec2ApiError("NoSuchEntity", `The role with name ${role} cannot be found.`);
    }
    if (profile.roles.length > 0) {
      throw new Ec2ApiError("LimitExceeded", "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1");
    }
    this.#account.instanceProfiles.set(name, { ...profile, roles: [role] });
  }

  /** Throws `NoSuchEntity`. */
  removeRole(name: string, role: string): void {
    const profile = this.get(name);
    if (!profile.roles.includes(role)) {
      throw new Ec2ApiError("NoSuchEntity", `Role ${role} is not in instance profile ${name}.`);
    }
    this.#account.instanceProfiles.set(name, { ...profile, roles: [] });
  }

  /** Throws `NoSuchEntity`, or `DeleteConflict` when it has a role. */
  delete(name: string): void {
    if (this.get(name).roles.length > 0) {
      throw new Ec2ApiError("DeleteConflict", "Cannot delete entity, must remove roles from instance profile first.");
    }
    this.#account.instanceProfiles.delete(name);
  }
}
