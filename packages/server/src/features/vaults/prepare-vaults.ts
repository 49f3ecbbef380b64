import { errors } from "../../http/errors.ts";
import { reaches } from "../../http/principal.ts";
import type { Prepared } from "../session-resources/prepared.ts";
import { findVaults } from "./reach-vault.ts";
import { getVaults, holdVaults, type VaultRow } from "./vault-store.ts";

/** The vaults of a new session. `ids` answers their uuids, in the order in which they were given. */
export function prepareVaults(vaultIds: readonly string[]): Prepared & { ids(): string[] } {
  let rows: VaultRow[] = [];

  function refuseArchived(): void {
    const archived = rows.findIndex((row) => row.archived_at !== null);
    if (archived >= 0) throw errors.archived("vault", vaultIds[archived] ?? "");
  }

  return {
    async find(db) {
      rows = await findVaults(vaultIds, (uuids) => getVaults(db, uuids));
    },
    reach(principal) {
      for (const [index, row] of rows.entries()) {
        if (!reaches(principal, row)) throw errors.notYours("vault", vaultIds[index] ?? "");
      }
    },
    checkState: refuseArchived,
    ...(vaultIds.length === 0
      ? {}
      : {
          async hold(tx) {
            rows = await findVaults(vaultIds, (uuids) => holdVaults(tx, uuids));
            refuseArchived();
          },
        }),
    ids: () => rows.map(({ id }) => id),
  };
}
