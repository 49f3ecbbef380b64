import type { ForwardResource, ForwardType } from "@berth/contract";
import type { Owner } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { getEnvironments, toEnvironment } from "../environments/environment-store.ts";
import { getFiles, toFile } from "../files/file-store.ts";
import { getSkills, toSkill } from "../skills/skill-store.ts";
import { getVaults, toVault } from "../vaults/vault-store.ts";

type Spec = ForwardResource["resource_spec"];

/** An existing resource. `id` is its uuid. */
export interface FoundResource {
  id: string;
  owner: Owner;
  archived: boolean;
  spec: Spec;
}

/** Finds the resources that exist, by their uuids. */
type Find = (db: Queryable, ids: readonly string[]) => Promise<FoundResource[]>;

/** Finder of each type of resource. A new type is added here. */
export const findResources: Readonly<Record<ForwardType, Find>> = {
  skill: resourceFinder(getSkills, toSkill),
  file: resourceFinder(getFiles, toFile),
  vault: resourceFinder(getVaults, toVault),
  environment: resourceFinder(getEnvironments, toEnvironment),
};

interface Row extends Owner {
  id: string;
  archived_at?: Date | null;
}

function resourceFinder<R extends Row>(
  read: (db: Queryable, ids: readonly string[]) => Promise<R[]>,
  toSpec: (row: R) => Spec,
): Find {
  return async (db, ids) =>
    (await read(db, ids)).map((row) => ({
      id: row.id,
      owner: row,
      archived: row.archived_at != null,
      spec: toSpec(row),
    }));
}
