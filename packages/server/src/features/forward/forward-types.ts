import type { ForwardResource, ForwardType } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import type { Owner } from "../../http/principal.ts";
import { environmentAnswer, getEnvironments } from "../environments/environment-store.ts";
import { fileAnswer, getFiles } from "../files/file-store.ts";
import { getSkills, skillAnswer } from "../skills/skill-store.ts";
import { getVaults, vaultAnswer } from "../vaults/vault-store.ts";

type Spec = ForwardResource["resource_spec"];

/** A resource that exists. `id` is its uuid. */
export interface FoundResource {
  id: string;
  owner: Owner;
  archived: boolean;
  spec: Spec;
}

/** Finds those of the resources that exist, by their uuids, at once. */
type Find = (db: Queryable, ids: readonly string[]) => Promise<FoundResource[]>;

/** How resources of each type are found; a type is added here. */
export const findResources: Readonly<Record<ForwardType, Find>> = {
  skill: finding(getSkills, skillAnswer),
  file: finding(getFiles, fileAnswer),
  vault: finding(getVaults, vaultAnswer),
  environment: finding(getEnvironments, environmentAnswer),
};

interface Row extends Owner {
  id: string;
  archived_at?: Date | null;
}

function finding<R extends Row>(
  read: (db: Queryable, ids: readonly string[]) => Promise<R[]>,
  answer: (row: R) => Spec,
): Find {
  return async (db, ids) =>
    (await read(db, ids)).map((row) => ({
      id: row.id,
      owner: row,
      archived: row.archived_at != null,
      spec: answer(row),
    }));
}
